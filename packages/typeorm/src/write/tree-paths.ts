import type { IdFamily } from '@snoflax/core'
import type { EntityMetadata, ValueTransformer } from 'typeorm'
import { idColumnFor } from '../prepare/prepared-column.js'

/** The parents' ids, which are encoded; the last id; and the wildcard of a condition. */
const PATH = /^((?:x[0-9a-f]+\.)*)(.+)\.(%?)$/

/**
 * Materialized paths have ids in hex. TypeORM puts ids into them as they are, and finds descendants by LIKE,
 * for which `_` is any character and, in SQLite and MySQL, small letters are large ones.
 */
export class PathTransformer implements ValueTransformer {
  constructor(private readonly family: IdFamily<string>) {}

  to(path: unknown): unknown {
    const [, parents, id, wildcard] = (typeof path === 'string' && PATH.exec(path)) || []
    return this.family.is(id) ? `${parents}x${this.hex(id)}.${wildcard}` : path
  }

  from(path: unknown): unknown {
    return path
  }

  private hex(id: string): string {
    return Array.from(this.family.decode(id), (byte) => byte.toString(16).padStart(2, '0')).join('')
  }
}

/** Lets the paths of a tree with ids be those of a {@link PathTransformer}. */
export function encodePaths({ materializedPathColumn, treeParentRelation }: EntityMetadata): void {
  const [column] = treeParentRelation?.joinColumns ?? []
  const key = column && idColumnFor(column)
  if (!materializedPathColumn || !key) return
  materializedPathColumn.transformer = new PathTransformer(key.transformer.storage.family)
}
