import { DataSource } from 'typeorm'
import { prepareMetadata } from './prepare-data-source.js'

let patched = false

/**
 * Prepares every DataSource of this copy of TypeORM when it builds its metadata. Called by the first id
 * column, since TypeORM has no place where a column could ask to be told.
 */
export function patchDataSources(): void {
  if (patched) return
  patched = true
  const prototype = DataSource.prototype as unknown as { buildMetadatas(): Promise<void> }
  const { buildMetadatas } = prototype
  prototype.buildMetadatas = async function (this: DataSource) {
    await buildMetadatas.call(this)
    prepareMetadata(this)
  }
}
