import { quoteName } from '../columns/quote.js'
import type { Examination } from '../examination.js'
import type { LiveDatabase } from '../live-database.js'
import { mended } from './definition.js'
import { definedName, parseTable } from './table-sql.js'

/**
 * The script that mends all columns of ids in a table, as SQLite's manual has it: a new table, the rows, the old table
 * dropped, indexes and triggers made again. Of several findings each has the whole, so that none takes back another.
 */
export async function rebuild({ database, columns: idColumns }: Examination, table: string): Promise<string> {
  const objects = await database.query(
    'SELECT type, sql FROM sqlite_master WHERE tbl_name = ? AND sql IS NOT NULL',
    [table],
  )
  const sqlOf = (...types: string[]): string[] =>
    objects.filter((one) => types.includes(one['type'] as string)).map((one) => one['sql'] as string)
  const columns = await database.query('SELECT name FROM pragma_table_xinfo(?) WHERE hidden = 0', [table])
  const names = columns.map((one) => quoteName(one['name'] as string)).join(', ')
  const made = await freeName(database, `${table}_snoflax`)
  const { definitions, tail } = parseTable(sqlOf('table')[0] as string)
  const changed = definitions.map((definition) => {
    const name = definedName(definition)
    const own = idColumns.find(({ column }) => column.table === table && column.name.toLowerCase() === name)
    return own ? mended(own, definition) : definition
  })
  return [
    // Its shell goes on after an error, and would drop the table whose rows it could not copy.
    "-- with SQLite's shell: sqlite3 -bail\nPRAGMA foreign_keys = OFF",
    // Views and triggers of others may name the table while it is away.
    'PRAGMA legacy_alter_table = ON',
    'BEGIN',
    `CREATE TABLE ${quoteName(made)} (${changed.join(',')})${tail}`,
    `INSERT INTO ${quoteName(made)} (${names}) SELECT ${names} FROM ${quoteName(table)}`,
    `DROP TABLE ${quoteName(table)}`,
    `ALTER TABLE ${quoteName(made)} RENAME TO ${quoteName(table)}`,
    ...sqlOf('index', 'trigger'),
    'PRAGMA foreign_key_check',
    'COMMIT',
    'PRAGMA legacy_alter_table = OFF',
    'PRAGMA foreign_keys = ON',
  ].join(';\n')
}

async function freeName(database: LiveDatabase, wanted: string): Promise<string> {
  const found = await database.query('SELECT 1 FROM sqlite_master WHERE name = ? COLLATE NOCASE', [wanted])
  return found.length === 0 ? wanted : freeName(database, `${wanted}_`)
}
