import { quoteName } from '../columns/quote.js'
import type { LiveDatabase } from '../live-database.js'
import { definedName, parseTable } from './table-sql.js'

/**
 * The script that gives a column another definition, as SQLite's manual has it: a new table, the rows, the old table
 * dropped, indexes and triggers made again.
 */
export async function rebuild(
  database: LiveDatabase,
  table: string,
  column: string,
  redefine: (definition: string) => string,
): Promise<string> {
  const objects = await database.query(
    'SELECT type, sql FROM sqlite_master WHERE tbl_name = ? AND sql IS NOT NULL',
    [table],
  )
  const sqlOf = (...types: string[]): string[] =>
    objects.filter((one) => types.includes(one['type'] as string)).map((one) => one['sql'] as string)
  const columns = await database.query('SELECT name FROM pragma_table_xinfo(?) WHERE hidden = 0', [table])
  const names = columns.map((one) => quoteName(one['name'] as string)).join(', ')
  const made = `${table}_snoflax`
  const { definitions, tail } = parseTable(sqlOf('table')[0] as string)
  const changed = definitions.map((one) => (definedName(one) === column.toLowerCase() ? redefine(one) : one))
  return [
    'PRAGMA foreign_keys = OFF',
    'BEGIN',
    `CREATE TABLE ${quoteName(made)} (${changed.join(',')})${tail}`,
    `INSERT INTO ${quoteName(made)} (${names}) SELECT ${names} FROM ${quoteName(table)}`,
    `DROP TABLE ${quoteName(table)}`,
    `ALTER TABLE ${quoteName(made)} RENAME TO ${quoteName(table)}`,
    ...sqlOf('index', 'trigger'),
    'PRAGMA foreign_key_check',
    'COMMIT',
    'PRAGMA foreign_keys = ON',
  ].join(';\n')
}
