import { placed } from '../placed.js'
import type { PreparedColumn } from '../prepare/prepared-column.js'

/** Makes the ids that are missing in an entity, and answers the columns that got one. */
export function makeIds(columns: readonly PreparedColumn[], entity: object): PreparedColumn[] {
  const missing = columns.filter(({ metadata }) =>
    isMissing(metadata.getEntityValue(entity), metadata.isPrimary),
  )
  for (const { metadata, source, transformer } of missing) {
    metadata.setEntityValue(
      entity,
      placed(transformer.place, () => source?.generate()),
    )
  }
  return missing
}

/** A key can't be null, so null asks for an id there; elsewhere it is a value. */
const isMissing = (value: unknown, isPrimary: boolean): boolean =>
  value === undefined || (value === null && isPrimary)
