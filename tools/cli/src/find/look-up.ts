import type { Database } from '@snoflax/core'
import { literal } from '../ids/forms.js'
import type { Column, Row } from '../live/database.js'
import type { Wanted } from './values.js'

export interface LookUp {
  readonly column: Column
  readonly wanted: Wanted
  /** Whether its first rows are read, for want of an index. */
  readonly isRead: boolean
}

export interface Reference {
  readonly place: string
  readonly count: number
}

/** Notes what was not asked, and why. */
export type Leave = (why: string, what: string) => void

/** The rows that a query of each part returns. */
export type Ask = <Part extends { readonly column: Column }>(
  parts: readonly Part[],
  toSql: (part: Part, at: number) => string,
) => Promise<readonly { readonly one: Part; readonly row: Row }[]>

/** How many rows are read of a table whose key no index begins with. */
export const READ = 100_000

/** The rows that a look-up looks at, of inheriting tables each only its own. */
export function sourceOf({ column, isRead }: Omit<LookUp, 'wanted'>, columns: readonly Column[]): string {
  const table = `${column.isParent ? 'ONLY ' : ''}${column.quotedTable}`
  const list = columns.map(({ quotedName }) => quotedName).join(', ')
  return isRead ? `(SELECT ${list} FROM ${table} LIMIT ${READ + 1}) AS looked_at` : table
}

/** A condition for the index, and for texts one that no collation widens. */
export function conditionOf(
  kind: Database,
  { column: { quotedName }, wanted: { type, value } }: LookUp,
): string {
  const expected = literal(kind, value)
  const equal = `${quotedName} = ${expected}`
  return type === 'text' ? `${equal} AND ${EXACT[kind](quotedName, expected)}` : equal
}

const inMysql = (name: string, text: string): string =>
  `CONVERT(${name} USING utf8mb4) = ${text} COLLATE utf8mb4_bin`
const EXACT: Readonly<Record<Database, (name: string, text: string) => string>> = {
  postgres: (name, text) => `${name}::text COLLATE "C" = ${text}`,
  sqlite: (name, text) => `${name} COLLATE BINARY = ${text}`,
  mysql: inMysql,
  mariadb: inMysql,
}
