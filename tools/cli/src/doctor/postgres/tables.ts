import { isOpaque, isPrefixed, keyStatistics, quoteName } from '@snoflax/core/adapter'
import { showUtc } from '../../ids/time.js'
import { placeOf } from '../../live/database.js'
import type { Examination, TableChecks } from '../examination.js'
import type { StoredIds } from '../id-column.js'
import { orphans, storedColumns } from '../references.js'
import { type Finding, finding } from '../report.js'
import { readStored } from '../stored-value.js'

const tablesOf = ({ columns }: Examination): string[] => [
  ...new Set(columns.map(({ column }) => column.quotedTable)),
]

/** Finds foreign keys that were added without checking existing rows. */
async function unchecked(examination: Examination): Promise<Finding[]> {
  const rows = await examination.database.query(
    `SELECT listed.name AS table, k.conname AS name, a.attname AS column
       FROM unnest($1::text[]) AS listed(name) JOIN pg_catalog.pg_constraint k ON k.conrelid = listed.name::regclass
       JOIN pg_catalog.pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = k.conkey[1]
      WHERE k.contype = 'f' AND NOT k.convalidated ORDER BY listed.name, k.conname`,
    [tablesOf(examination)],
  )
  return rows.flatMap(({ table, name, column: of }) => {
    const own = examination.columns.find(({ column }) => column.quotedTable === table && column.name === of)
    if (own === undefined) return []
    const message = `foreign key ${name} is NOT VALID: existing rows may reference rows that don't exist`
    const sql = `ALTER TABLE ${table} VALIDATE CONSTRAINT ${quoteName(name as string)}`
    return [finding('reference', placeOf(own.column), message, { sql }, 'warning')]
  })
}

async function invalidIndexes(examination: Examination): Promise<Finding[]> {
  const rows = await examination.database.query(
    `SELECT listed.name AS table, i.indexrelid::regclass::text AS name, i.indisunique AS is_unique
       FROM unnest($1::text[]) AS listed(name) JOIN pg_catalog.pg_index i ON i.indrelid = listed.name::regclass
      WHERE NOT i.indisvalid ORDER BY 2`,
    [tablesOf(examination)],
  )
  return rows.map(({ table, name, is_unique }) => {
    const place =
      examination.columns.find(({ column }) => column.quotedTable === table)?.column.table ?? table
    const does = is_unique ? 'may let duplicates in' : 'is used by no query'
    const message = `index ${name} is invalid and ${does}: CREATE INDEX CONCURRENTLY failed or is still running`
    return finding('index', place as string, message, { sql: `REINDEX INDEX ${name}` })
  })
}

const BOUNDS = /^FOR VALUES FROM \(.*\) TO \('((?:[^']|'')*)'\)$/

async function partitions(examination: Examination): Promise<Finding[]> {
  const rows = await examination.database.query(
    `SELECT listed.name AS table, a.attname AS column, pg_get_expr(c.relpartbound, c.oid) AS bounds,
        p.partdefid <> 0 AS has_default
       FROM unnest($1::text[]) AS listed(name) JOIN pg_catalog.pg_partitioned_table p ON p.partrelid = listed.name::regclass
       JOIN pg_catalog.pg_attribute a ON a.attrelid = p.partrelid AND a.attnum = p.partattrs[0]
       JOIN pg_catalog.pg_inherits h ON h.inhparent = p.partrelid JOIN pg_catalog.pg_class c ON c.oid = h.inhrelid
      WHERE p.partstrat = 'r' AND p.partnatts = 1`,
    [tablesOf(examination)],
  )
  return storedColumns(examination).flatMap((idColumn) => {
    const { column, family, storage } = idColumn
    const own = rows.filter(({ table, column: of }) => table === column.quotedTable && of === column.name)
    const ends = own.flatMap(({ bounds }) => {
      const [, to] = BOUNDS.exec(String(bounds)) ?? []
      return to ?? []
    })
    const prefix = storage.name === 'text' && isPrefixed(family) ? family.prefix : undefined
    if (prefix !== undefined && ends.some((end) => !end.startsWith(`${prefix}_`))) {
      const message = `its partitions have bounds without ${prefix}_, so none is for the column's ids`
      const leaves = `create them again, by partition_ddl(…, prefix => '${prefix}')`
      return [finding('partition', placeOf(column), message, { leaves }, 'error')]
    }
    if (own.some(({ has_default, bounds }) => has_default || /TO \(MAXVALUE\)/.test(String(bounds))))
      return []
    // Numbers, hex digits and ids all sort so.
    const last = ends.sort((one, other) => one.length - other.length || (one < other ? -1 : 1)).at(-1)
    return last === undefined ? [] : endingPartition(examination, idColumn, last)
  })
}

const SOON_MS = 7 * 86_400_000

/** Tables whose last partition, up to this bound, ends within a week. */
function endingPartition({ nowMs }: Examination, { column, storage }: StoredIds, bound: string): Finding[] {
  if (isOpaque(storage.family)) return []
  const read = readStored(storage, storage.name === 'binary' ? Buffer.from(bound.slice(2), 'hex') : bound)
  if (read.is === 'malformed') return []
  const ends = storage.family.timeMs(read.id)
  if (ends > nowMs + SOON_MS) return []
  const isOver = ends <= nowMs
  const message = `its last partition ends at ${showUtc(ends)}${isOver ? ': rows with new ids are refused' : ''}`
  const leaves = 'add partitions; npx snoflax range prints the bounds of a time'
  return [finding('partition', placeOf(column), message, { leaves }, isOver ? 'error' : 'warning')]
}

/** In smaller tables, a hundredth is so few rows that an estimate of one does no harm. */
const LARGE = 100_000

/** Finds keys of type uuid of which the planner knows too little to estimate a range of time. */
async function coarseStatistics(examination: Examination): Promise<Finding[]> {
  const keys = storedColumns(examination).flatMap(({ column }) =>
    column.type === 'uuid' && column.isKey && column.rows >= LARGE ? [column] : [],
  )
  const rows = await examination.database.query(
    `SELECT listed.name AS table, listed.key AS column
       FROM unnest($1::text[], $2::text[]) AS listed(name, key)
       JOIN pg_catalog.pg_attribute a ON a.attrelid = listed.name::regclass AND a.attname = listed.key
      WHERE coalesce(a.attstattarget, -1) < 0`,
    [keys.map(({ quotedTable }) => quotedTable), keys.map(({ name }) => name)],
  )
  return keys.flatMap((column) => {
    const { quotedTable, quotedName, name } = column
    if (!rows.some(({ table, column: of }) => table === quotedTable && of === name)) return []
    const message =
      'PostgreSQL does not interpolate statistics of type uuid: it expects one row of any range below a hundredth of the ' +
      'table, and joins ranges of time row by row'
    const sql = `ALTER TABLE ${quotedTable} ${keyStatistics(quotedName)};\nANALYZE ${quotedTable}`
    return [finding('statistics', placeOf(column), message, { sql }, 'warning')]
  })
}

export const tableChecks: TableChecks = [
  ['reference', orphans],
  ['reference', unchecked],
  ['index', invalidIndexes],
  ['partition', partitions],
  ['statistics', coarseStatistics],
]
