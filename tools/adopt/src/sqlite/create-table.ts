import { quoteName } from '@snoflax/core/adapter'
import { type Relations, useOf } from '../code-uses.js'
import { type Obstacles, refuse } from '../obstacles.js'
import { legacyName } from '../plan.js'
import { isWord, readSql, type SqlToken } from '../read-sql.js'
import type { RetypedColumn } from '../references.js'
import { edited, firstList, replacing, textOf } from '../sql-edits.js'

const TABLE_CONSTRAINTS = ['CONSTRAINT', 'PRIMARY', 'UNIQUE', 'CHECK', 'FOREIGN']
const COLUMN_CONSTRAINTS = [
  ...['CONSTRAINT', 'PRIMARY', 'NOT', 'NULL', 'UNIQUE', 'CHECK', 'DEFAULT', 'COLLATE', 'REFERENCES'],
  ...['GENERATED', 'AS'],
]

/**
 * A table's CREATE statement with another name, new types for some columns, and a column `legacy_…` for the old values
 * of each. The rest is unchanged.
 */
export function retypedTable(
  table: string,
  sql: string,
  newTable: string,
  columns: readonly RetypedColumn[],
  relations: Relations,
  obstacles: Obstacles,
): string {
  const tokens = readSql(sql, { dialect: 'sqlite' })
  const { open, items } = firstList(tokens)
  const split = items.findIndex(([first]) => isWord(first, ...TABLE_CONSTRAINTS))
  const definitions = split < 0 ? items : items.slice(0, split)
  const legacy: string[] = []
  const edits = items.flatMap((item, i) => {
    const name = nameOf(item[0] as SqlToken)
    const column =
      i < definitions.length
        ? columns.find((one) => one.column.toLowerCase() === name.toLowerCase())
        : undefined
    if (column === undefined) {
      obstacles.attempt(() => refuseUnfit(table, textOf(sql, item), item, relations))
      return []
    }
    const start = item.findIndex((token, j) => j > 0 && isWord(token, ...COLUMN_CONSTRAINTS))
    const type = item.slice(1, start < 0 ? item.length : start)
    legacy.push(`, ${quoteName(legacyName(name))} ${textOf(sql, type)}`.trimEnd())
    const constraints = item.slice(1 + type.length)
    if (constraints.some((token, j) => isUnfit(token, constraints[j + 1])))
      obstacles.note(
        `${table}.${name}`,
        `the column is defined as ${textOf(sql, item)}; a check, collation, default or expression cannot be copied; remove it from the table first`,
      )
    // SQLite's primary keys accept null, except INTEGER ones.
    const refusesNull = constraints.some(
      (token, j) => isWord(token, 'NOT') && isWord(constraints[j + 1], 'NULL'),
    )
    const notNull = column.isRoot && !refusesNull ? ' NOT NULL' : ''
    return [
      replacing(item.slice(0, 1 + type.length), `${quoteName(name)} ${column.newType}${notNull}`),
      ...constraints.filter((token) => isWord(token, 'AUTOINCREMENT')).map((token) => replacing([token], '')),
    ]
  })
  const end = definitions.at(-1)?.at(-1)?.end as number
  return edited(sql, [
    replacing([tokens[open - 1] as SqlToken], quoteName(newTable)),
    ...edits,
    { start: end, end, text: legacy.join('') },
  ])
}

const nameOf = ({ kind, text, parts }: SqlToken): string =>
  kind === 'string' ? text.slice(1, -1).replaceAll("''", "'") : (parts[0] as string)

const isUnfit = (token: SqlToken, next: SqlToken | undefined): boolean =>
  isWord(token, 'CHECK', 'COLLATE', 'GENERATED', 'AS') || (isWord(token, 'DEFAULT') && !isWord(next, 'NULL'))

function refuseUnfit(table: string, text: string, item: readonly SqlToken[], relations: Relations): void {
  if (!item.some((token) => isWord(token, 'CHECK', 'GENERATED', 'AS'))) return
  const { problem } = useOf(text, 'sqlite', relations, table)
  if (problem !== undefined)
    refuse(`${table}.${problem}`, `${text} uses it and cannot be copied; remove that from the table first`)
}
