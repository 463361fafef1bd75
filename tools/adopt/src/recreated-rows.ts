import { quoteName } from '@snoflax/core/adapter'
import type { ReplacedColumn } from './adoption.js'
import { type Driver, mapOf } from './driver.js'
import { legacyName, replacedIn } from './plan.js'
import { newValueOf } from './references.js'

/** A column of a table that is created again, and its values. */
interface WrittenColumn {
  readonly name: string
  /** The column of the old table that its value comes from. */
  readonly from: string
  readonly value: string
  readonly isId: boolean
}

/** The rows of a table that is created again, in SQL over the old table as `t`, with ids from the maps. */
export interface RecreatedRows {
  readonly replaced: readonly ReplacedColumn[]
  readonly written: readonly WrittenColumn[]
  readonly idOf: (column: string) => string | undefined
  readonly names: string
  readonly values: string
  readonly joins: string
}

export function recreatedRows(
  db: Pick<Driver, 'own' | 'database'>,
  columns: readonly ReplacedColumn[],
  table: string,
  names: readonly string[],
): RecreatedRows {
  const replaced = replacedIn(columns, table)
  const oldOf = (name: string): string => `t.${quoteName(name)}`
  const idOf = (name: string): string | undefined => {
    const i = replaced.findIndex(({ column }) => column === name)
    const column = replaced[i]
    if (column?.via === undefined) return column && `m${i}.id`
    const inMap = (root: number, key: string): string =>
      `(SELECT m.id FROM ${mapOf(db, root)} AS m WHERE m."key" = ${key})`
    return newValueOf(db.database, column, oldOf(name), 't', inMap)
  }
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
  const joins = replaced.flatMap(({ column, root, via }, i) =>
    via === undefined ? [`LEFT JOIN ${mapOf(db, root)} AS m${i} ON m${i}."key" = ${oldOf(column)}`] : [],
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
