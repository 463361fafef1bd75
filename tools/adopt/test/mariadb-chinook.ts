import { type MysqlDatabase, mysql } from '@snoflax/test'
import { chinookRows, chinookSchema, type KeyKind } from './chinook.js'

/** The shop in a database of its own. */
export async function openShop(kind: KeyKind): Promise<MysqlDatabase> {
  const database = await mysql.open()
  for (const statement of chinookSchema('mariadb', kind)) await database.query(statement)
  for (const { table, columns, rows } of chinookRows(kind)) {
    const values = rows.map((row) =>
      row.map((value, i) =>
        /_at$|_on$|_date$/.test(columns[i] as string) ? dateTime(String(value)) : value,
      ),
    )
    await database.query(`INSERT INTO ${table} (${columns.join(', ')}) VALUES ?`, [values])
  }
  return database
}

const dateTime = (iso: string): string => iso.replace('T', ' ').replace('Z', '')
