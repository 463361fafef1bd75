import { legacyName } from '../column-names.js'
import { refuse } from '../refusal.js'
import { itemList, quote, uses, withoutComments } from '../sql-text.js'
import { same } from './catalog.js'

/** A column that gets another type. */
export interface RetypedColumn {
  readonly column: string
  readonly type: string
  readonly isRoot: boolean
}

const TABLE_CONSTRAINT = /^(?:CONSTRAINT|PRIMARY|UNIQUE|CHECK|FOREIGN)\b/i
const COLUMN_CONSTRAINT =
  /\b(?:CONSTRAINT|PRIMARY|NOT|NULL|UNIQUE|CHECK|DEFAULT|COLLATE|REFERENCES|GENERATED|AS)\b/i
const NAME = /^(?:"((?:[^"]|"")*)"|`([^`]*)`|\[([^\]]*)\]|(\w+))\s*/
/** What would not fit the new values, or silently mean something else. */
const UNFIT = /\b(?:CHECK|COLLATE|GENERATED|AS|DEFAULT(?!\s+NULL))\b/i

/**
 * The statement that creates a table, for one under another name: some columns have new types, and their old
 * values a column `legacy_…` each. All else is as it was written.
 */
export function retypedTable(
  table: string,
  sql: string,
  newTable: string,
  columns: readonly RetypedColumn[],
): string {
  const plain = withoutComments(sql)
  const list = itemList(plain, 0)
  if (list === undefined) throw new Error(`unreadable table: ${sql}`)
  const split = list.items.findIndex((item) => TABLE_CONSTRAINT.test(item))
  const [definitions, constraints] =
    split < 0 ? [list.items, []] : [list.items.slice(0, split), list.items.slice(split)]
  const retyped = definitions.map((item) => retypedItem(table, item, columns))
  for (const item of constraints) refuseUnfit(table, item, columns)
  const items = [
    ...retyped.map(({ item }) => item),
    ...retyped.flatMap(({ legacy }) => legacy),
    ...constraints,
  ]
  return `CREATE TABLE ${quote(newTable)} (\n  ${items.join(',\n  ')}\n${plain.slice(list.end)}`
}

function retypedItem(table: string, item: string, columns: readonly RetypedColumn[]) {
  const name = NAME.exec(item)
  const own = name?.slice(1).find((one) => one !== undefined) as string
  const column = columns.find((one) => same(one.column, own))
  if (column === undefined) {
    refuseUnfit(table, item, columns)
    return { item, legacy: [] }
  }
  const rest = item.slice(name?.[0].length)
  const start = COLUMN_CONSTRAINT.exec(rest)?.index ?? rest.length
  const [type, constraints] = [rest.slice(0, start).trim(), rest.slice(start)]
  if (UNFIT.test(constraints))
    refuse(
      `${table}.${own}`,
      `the column is defined as ${item}; a check, collation, default or expression can't be carried over`,
    )
  // Of SQLite's primary keys, only INTEGER ones refuse null.
  const notNull = column.isRoot && !/\bNOT\s+NULL\b/i.test(constraints) ? 'NOT NULL ' : ''
  const kept = constraints.replace(/\s*\bAUTOINCREMENT\b/i, '')
  return {
    item: `${quote(own)} ${column.type} ${notNull}${kept}`.trimEnd(),
    legacy: [`${quote(legacyName(own))} ${type}`.trimEnd()],
  }
}

function refuseUnfit(table: string, item: string, columns: readonly RetypedColumn[]): void {
  const used = /\b(?:CHECK|GENERATED|AS)\b/i.test(item) && columns.find(({ column }) => uses(item, column))
  if (used) refuse(`${table}.${used.column}`, `${item} uses it and can't be carried over; drop that first`)
}
