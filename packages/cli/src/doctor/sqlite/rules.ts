import type { StorageName } from '@snoflax/core'
import { quoteName, quoteText } from '@snoflax/core/adapter'
import { type ColumnRules, storageFault, targetOf } from '../declaration.js'
import type { Examination } from '../examination.js'
import type { IdColumn } from '../id-columns.js'
import { type LiveDatabase, placeOf } from '../live-database.js'
import { type Finding, finding } from '../report.js'
import { checksIn, looksAtType, parseTable, withCollation, withoutDefault, withType } from './table-sql.js'

export const sqliteRules: ColumnRules = {
  typeFault,
  hasCollationFault,
  checkConstraint,
  cure: async (examination, { column }) => ({ sql: await rebuild(examination, column.table) }),
  cureDefault: (examination, { column }) =>
    rebuild(examination, column.table, (definition, own) =>
      own?.column === column ? withoutDefault(definition) : definition,
    ),
}

const SPOILED_BY: Partial<Record<StorageName, readonly string[]>> = {
  text: ['integer', 'real', 'numeric'],
  bigint: ['text', 'real'],
}

/** An affinity that changes some ids: it turns text of digits into numbers, or numbers into text. */
function typeFault(idColumn: IdColumn): string | undefined {
  const { column, storage } = idColumn
  if (storage === undefined) return storageFault('sqlite', idColumn)
  if (!SPOILED_BY[storage.name]?.includes(column.type)) return undefined
  return storage.name === 'text'
    ? `${column.declared} has the affinity ${column.type.toUpperCase()}, which turns ids that look like numbers into numbers`
    : `${column.declared} can't store every 64-bit integer`
}

function hasCollationFault({ column, storage }: IdColumn): boolean {
  return storage?.name === 'text' && column.collation !== 'BINARY'
}

/** A condition that refuses values of another type. */
function conditionFor({ column, family, storage }: IdColumn): string {
  const name = quoteName(column.name)
  const length = storage?.column.length === undefined ? '' : ` AND length(${name}) = ${family.byteLength}`
  const condition = `typeof(${name}) = '${storage?.column.type}'${length}`
  return column.isNullable ? `${name} IS NULL OR ${condition}` : condition
}

/**
 * Checks the CHECKs of a BLOB column by evaluating them: they must accept an id and refuse its text, which SQLite
 * accepts in any column.
 */
async function checkConstraint(examination: Examination, idColumn: IdColumn): Promise<Finding[]> {
  const { database } = examination
  const { column, family, storage } = idColumn
  if (storage?.name !== 'binary' || typeFault(idColumn) !== undefined) return []
  const id = family.range(examination.nowMs, Number.POSITIVE_INFINITY).gte
  const takes = async (condition: string, value: unknown): Promise<boolean | undefined> => {
    try {
      const [row] = await database.query(
        `SELECT ${condition} AS ok FROM (SELECT ? AS ${quoteName(column.name)})`,
        [value],
      )
      return row?.['ok'] === null || Number(row?.['ok']) !== 0
    } catch {
      // The condition names other columns, too.
      return undefined
    }
  }
  const sql = await tableSql(database, column.table)
  const conditions = parseTable(sql)
    .definitions.flatMap((definition) => checksIn(definition.sql))
    .filter((condition) => looksAtType(condition, column.name))
  const taken = await Promise.all(conditions.map((one) => takes(one, storage.toDatabase(id))))
  const wrong = conditions.filter((_, at) => taken[at] === false)
  const where = placeOf(column)
  const right = `CHECK (${conditionFor(idColumn)})`
  if (wrong.length > 0) {
    const message = `CHECK (${wrong.join('), CHECK (')}) refuses ids of ${family.name}, which have ${family.byteLength} bytes`
    return [finding('constraint', where, message, { leaves: `create the table again with ${right} instead` })]
  }
  const ofText = await Promise.all(conditions.map((one) => takes(one, id)))
  if (ofText.some((isTaken) => isTaken !== true)) return []
  const message =
    column.type === 'blob'
      ? 'SQLite accepts text in a BLOB column, where no lookup by id finds it; a CHECK refuses it'
      : `${column.declared} is not the type of ids as bytes, and no lookup by id finds a text; BLOB with a CHECK refuses it`
  const leaves = `when you create the table again, declare the column as BLOB with ${right}`
  return [finding('constraint', where, message, { leaves }, 'advice')]
}

async function tableSql(database: LiveDatabase, table: string): Promise<string> {
  const [found] = await database.query("SELECT sql FROM sqlite_master WHERE type = 'table' AND name = ?", [
    table,
  ])
  return found?.['sql'] as string
}

function fixed(idColumn: IdColumn, definition: string): string {
  const typed =
    typeFault(idColumn) === undefined
      ? definition
      : withType(definition, targetOf('sqlite', idColumn).column.sql)
  return hasCollationFault(idColumn) ? withCollation(typed, 'BINARY') : typed
}

/**
 * The script that fixes all id columns of a table, as SQLite's manual recommends: create a new table, copy the rows,
 * drop the old table, recreate indexes and triggers. Each of several findings has the whole script, so that none undoes
 * another.
 */
async function rebuild(
  { database, columns: idColumns }: Examination,
  table: string,
  change = (definition: string, _: IdColumn | undefined): string => definition,
): Promise<string> {
  const objects = await database.query(
    'SELECT type, sql FROM sqlite_master WHERE tbl_name = ? AND sql IS NOT NULL',
    [table],
  )
  const sqlOf = (...types: string[]): string[] =>
    objects.filter((one) => types.includes(one['type'] as string)).map((one) => one['sql'] as string)
  const columns = await database.query('SELECT name FROM pragma_table_xinfo(?) WHERE hidden = 0', [table])
  const names = columns.map((one) => quoteName(one['name'] as string)).join(', ')
  const copy = await freeName(database, `${table}_snoflax`)
  const { definitions, tail } = parseTable(sqlOf('table')[0] as string)
  const changed = definitions.map(({ sql, name }) => {
    const own = idColumns.find(({ column }) => column.table === table && column.name.toLowerCase() === name)
    return change(own ? fixed(own, sql) : sql, own)
  })
  return [
    // Without -bail the shell continues after an error, and would drop the table even if copying its rows failed.
    "-- in SQLite's shell: sqlite3 -bail\nPRAGMA foreign_keys = OFF",
    // Views and other tables' triggers may name the table while it doesn't exist.
    'PRAGMA legacy_alter_table = ON',
    'BEGIN',
    `CREATE TABLE ${quoteName(copy)} (${changed.join(',')})${tail}`,
    `INSERT INTO ${quoteName(copy)} (${names}) SELECT ${names} FROM ${quoteName(table)}`,
    // The counter of AUTOINCREMENT is dropped with the table, which would then repeat numbers.
    ...(/\bAUTOINCREMENT\b/i.test(sqlOf('table')[0] as string)
      ? [
          `DELETE FROM sqlite_sequence WHERE name = ${quoteText(copy)}`,
          `INSERT INTO sqlite_sequence (name, seq) SELECT ${quoteText(copy)}, seq FROM sqlite_sequence WHERE name = ${quoteText(table)}`,
        ]
      : []),
    `DROP TABLE ${quoteName(table)}`,
    `ALTER TABLE ${quoteName(copy)} RENAME TO ${quoteName(table)}`,
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
