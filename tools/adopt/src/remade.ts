import { quoteName } from '@snoflax/core/adapter'
import type { ReplacedColumn } from './adoption.js'
import { type Driver, mapOf } from './driver.js'
import { legacyName, replacedIn } from './plan.js'

/** A column of a table that is created again, and its values. */
interface WrittenColumn {
  readonly name: string
  /** The column of the old table that its value comes from. */
  readonly from: string
  readonly value: string
  readonly isId: boolean
}

/** The rows of a table that is created again, in SQL over the old table as `t`, with ids from the maps. */
export interface RemadeRows {
  readonly replaced: readonly ReplacedColumn[]
  readonly written: readonly WrittenColumn[]
  readonly idOf: (column: string) => string | undefined
  readonly names: string
  readonly values: string
  readonly joins: string
}

export function remadeRows(
  db: Pick<Driver, 'own'>,
  columns: readonly ReplacedColumn[],
  table: string,
  names: readonly string[],
): RemadeRows {
  const replaced = replacedIn(columns, table)
  const idOf = (name: string): string | undefined => {
    const i = replaced.findIndex(({ column }) => column === name)
    return i < 0 ? undefined : `m${i}.id`
  }
  const oldOf = (name: string): string => `t.${quoteName(name)}`
  const written = [
    ...names.map((name) => {
      const id = idOf(name)
      return { name, from: name, value: id ?? oldOf(name), isId: id !== undefined }
    }),
    ...replaced.map(({ column }) => ({
      name: legacyName(column),
      from: column,
      value: oldOf(column),
      isId: false,
    })),
  ]
  const joins = replaced.map(
    ({ column, root }, i) => `LEFT JOIN ${mapOf(db, root)} AS m${i} ON m${i}."key" = ${oldOf(column)}`,
  )
  return {
    replaced,
    written,
    idOf,
    names: written.map(({ name }) => quoteName(name)).join(', '),
    values: written.map(({ value }) => value).join(', '),
    joins: joins.join(' '),
  }
}
