import { baseOf, snakeCase } from '@snoflax/core/adapter'
import { type ColumnRules, leftToMigration, storageFault, targetOf, tiedTo } from '../declaration.js'
import type { Examination } from '../examination.js'
import type { IdColumn } from '../id-columns.js'
import { type Column, type LiveDatabase, placeOf } from '../live-database.js'
import { generateCall } from '../replacement.js'
import type { Cure } from '../report.js'
import { storagesOf } from '../stored-value.js'

export const postgresRules: ColumnRules = {
  typeFault,
  hasCollationFault(idColumn) {
    const { column, storage } = idColumn
    if (storage?.name !== 'text' || (column.collation ?? 'C') === 'C') return false
    // The cure of the type also sets the collation.
    return typeFault(idColumn) === undefined
  },
  cure(examination, idColumn, check) {
    if (check === 'type') return changeType(examination, idColumn)
    const { quotedTable, quotedName, declared } = idColumn.column
    return { sql: `ALTER TABLE ${quotedTable} ALTER COLUMN ${quotedName} TYPE ${declared} COLLATE "C"` }
  },
  cureDefault({ installed }, { column, family, storage }) {
    const alter = `ALTER TABLE ${column.quotedTable} ALTER COLUMN ${column.quotedName}`
    if (column.counter !== undefined) return `${alter} DROP IDENTITY`
    const isOurs = installed?.families.includes(snakeCase(baseOf(family).name) as never)
    const call = isOurs && storage && generateCall(family, storage.name, installed?.schema as string)
    return call ? `${alter} SET DEFAULT ${call}` : `${alter} DROP DEFAULT`
  },
}

function typeFault(idColumn: IdColumn): string | undefined {
  const { column, family, storage } = idColumn
  const { declared, type, length } = column
  if (type === 'citext') return 'citext treats ids that differ only in case as equal'
  const fault = storageFault('postgres', idColumn)
  if (fault !== undefined || storage?.name !== 'text' || type !== 'bpchar' || length === undefined)
    return fault
  if (length === family.textLength) return undefined
  return `${declared} pads ids with spaces; they have ${family.textLength} characters`
}

/**
 * Changes the type of the column, and of all columns that foreign keys connect to it, to the storage's. The keys are
 * dropped meanwhile, since neither end can be changed alone.
 */
async function changeType(examination: Examination, idColumn: IdColumn): Promise<Cure> {
  const { database, columns, schema } = examination
  const tied = tiedTo(columns, idColumn)
  const changed = tied.filter((one) => typeFault(one) !== undefined)
  const left = changed.flatMap((one) => leftToMigration('postgres', one) ?? [])
  if (left[0]) return left[0]
  const keys = await foreignKeysOf(
    database,
    tied.map(({ column }) => column),
  )
  if (keys.length === 0) return { sql: retype(schema, idColumn) }
  // Running the statements twice would fail.
  const [first] = changed as [IdColumn]
  if (first !== idColumn)
    return { leaves: `the statements for ${placeOf(first.column)} convert this column too` }
  return {
    sql: [
      'BEGIN',
      ...keys.map(({ drop }) => drop),
      ...changed.map((one) => retype(schema, one)),
      ...keys.map(({ add }) => add),
      'COMMIT',
    ].join(';\n'),
  }
}

async function foreignKeysOf(
  database: LiveDatabase,
  columns: readonly Column[],
): Promise<{ readonly drop: string; readonly add: string }[]> {
  const keys = await database.query(
    `SELECT k.conrelid::regclass AS table, quote_ident(k.conname) AS name, pg_get_constraintdef(k.oid) AS definition
       FROM pg_constraint k
      WHERE k.contype = 'f' AND k.conparentid = 0 AND EXISTS (
        SELECT FROM unnest($1::text[], $2::text[]) AS own (tab, col)
          JOIN pg_attribute a ON a.attrelid = own.tab::regclass AND a.attname = own.col
         WHERE (a.attrelid = k.conrelid AND a.attnum = ANY (k.conkey))
            OR (a.attrelid = k.confrelid AND a.attnum = ANY (k.confkey)))
      ORDER BY k.oid`,
    [columns.map(({ quotedTable }) => quotedTable), columns.map(({ name }) => name)],
  )
  return keys.map(({ table, name, definition }) => ({
    drop: `ALTER TABLE ${table} DROP CONSTRAINT ${name}`,
    add: `ALTER TABLE ${table} ADD CONSTRAINT ${name} ${definition}`,
  }))
}

/** Changes the column's type to the storage's, by PostgreSQL's own cast, since pg-sql may not be installed. */
function retype(schema: string, idColumn: IdColumn): string {
  const { column, family } = idColumn
  const { name: storage, column: type } = targetOf('postgres', idColumn)
  const cast = storage === 'text' ? 'text' : type.sql
  const change = `ALTER COLUMN ${column.quotedName} TYPE ${type.sql} USING ${column.quotedName}::${cast}`
  // If text stays text, so does its default.
  const isKept =
    column.defaultSql === undefined || (storage === 'text' && storagesOf('postgres', column).includes('text'))
  const isOurs = column.defaultSql?.includes(`${snakeCase(baseOf(family).name)}_generate`)
  const call = isOurs ? generateCall(family, storage, schema) : undefined
  const changes = [
    ...(isKept ? [] : [`ALTER COLUMN ${column.quotedName} DROP DEFAULT`]),
    change,
    ...(call === undefined ? [] : [`ALTER COLUMN ${column.quotedName} SET DEFAULT ${call}`]),
  ]
  return `ALTER TABLE ${column.quotedTable} ${changes.join(', ')}`
}
