import { type SqliteDatabase, sqlite } from '@snoflax/test'
import { chinookRows, chinookSchema, type KeyKind } from './chinook.js'

/** The shop in a file of its own. */
export async function openShop(kind: KeyKind): Promise<SqliteDatabase> {
  const database = await sqlite.open()
  const { connection } = database
  connection.pragma('foreign_keys = ON')
  connection.transaction(() => {
    for (const statement of chinookSchema('sqlite', kind)) connection.exec(statement)
    for (const { table, columns, rows } of chinookRows(kind)) {
      const places = columns.map(() => '?').join(', ')
      const insert = connection.prepare(`INSERT INTO ${table} (${columns.join(', ')}) VALUES (${places})`)
      for (const row of rows) insert.run(...row)
    }
  })()
  return database
}
