import { type PostgresDatabase, postgres } from '@snoflax/test'
import { chinookRows, chinookSchema, KEY_KINDS, type KeyKind, type TableRows } from './chinook.js'

type Query = (sql: string, parameters?: readonly unknown[]) => Promise<unknown>

/** The shop in a database of its own, copied from one that is made once a run. */
export const openShop = (kind: KeyKind): Promise<PostgresDatabase> =>
  postgres.open({ template: { name: `chinook_${kind}`, prepare: ({ query }) => fillShop(query, kind) } })

export async function fillShop(query: Query, kind: KeyKind): Promise<void> {
  for (const statement of chinookSchema('postgres', kind)) await query(statement)
  for (const table of chinookRows(kind)) await insert(query, table)
  if (kind !== KEY_KINDS[0]) return
  for (const { table } of chinookRows(kind).filter(({ columns }) => columns[0] === 'id')) {
    await query(`SELECT setval(pg_get_serial_sequence('${table}', 'id'), (SELECT max(id) FROM ${table}))`)
  }
}

async function insert(query: Query, { table, columns, rows }: TableRows): Promise<void> {
  const json = rows.map((row) => Object.fromEntries(columns.map((column, i) => [column, row[i]])))
  const names = columns.join(', ')
  await query(
    `INSERT INTO ${table} (${names}) SELECT ${names} FROM json_populate_recordset(NULL::${table}, $1::json)`,
    [JSON.stringify(json)],
  )
}
