import { type Database, IdError } from '@snoflax/core'
import { isWord, readSql, splitAtCommas } from '@snoflax/core/adapter'
import type { DataSource, EntityMetadata } from 'typeorm'
import { idColumnsIn, type PreparedColumn, preparedOf, state } from '../columns/prepared.js'

/** A column as the database has it. */
interface StoredColumn {
  /** Index of its entity. */
  readonly entity: number
  readonly name: string
  /** As the database writes it. */
  readonly type: string
  /** Undefined or null where it has none. */
  readonly collation?: string | null | undefined
  /** Characters or bytes, where the type alone does not tell. */
  readonly length?: number | string | null
}

/**
 * Looks at the id columns that are in the database, by one query: another collation, width or type would find other
 * rows than the ids name, without an error. Tables and columns that are not there are TypeORM's affair.
 *
 * @throws {IdError} `STORAGE_REFUSED` with the columns that are wrong.
 */
export async function checkStoredColumns(dataSource: DataSource): Promise<void> {
  const { columns, database } = preparedOf(dataSource)
  if (columns.length === 0 || state.unchecked.has(dataSource)) return
  const entities = dataSource.entityMetadatas.filter(({ tableType }) => tableType !== 'view')
  const stored = await LOOKS[database](dataSource, entities)
  const wrong = entities.flatMap((metadata, entity) =>
    idColumnsIn(metadata).flatMap((column) => {
      const name = column.metadata.databaseName
      const found = stored.find((one) => one.entity === entity && one.name === name)
      return found && !FITS[database](found, column) ? [describe(metadata, column, found)] : []
    }),
  )
  if (wrong.length === 0) return
  throw new IdError(
    'STORAGE_REFUSED',
    `${wrong.join('; ')}. Change the column${wrong.length > 1 ? 's' : ''} by a migration, or the entity's storage; ` +
      'prepareDataSource(dataSource, { checkColumns: false }) starts without this check',
    { field: 'checkColumns' },
  )
}

function describe(
  { tablePath }: EntityMetadata,
  { path, metadata, storage }: PreparedColumn,
  found: StoredColumn,
) {
  const { length, collation } = found
  const sized = length == null || /\d/.test(found.type) ? found.type : `${found.type}(${length})`
  const is = collation ? `${sized} COLLATE ${collation}` : sized
  return `${path}: column ${tablePath}.${found.name} is ${is} and must be ${storage.column.sql}${metadata.isArray ? '[]' : ''}`
}

type Look = (dataSource: DataSource, entities: readonly EntityMetadata[]) => Promise<StoredColumn[]>

/** In MySQL and MariaDB; a database that is not named is the connection's. */
const lookInMysql: Look = async (dataSource, entities) => {
  const tables = entities.map((metadata) => dataSource.driver.parseTableName(metadata))
  const rows: Record<string, string>[] = await dataSource.query(
    `SELECT TABLE_SCHEMA AS db, TABLE_NAME AS tbl, COLUMN_NAME AS name, COLUMN_TYPE AS type, COLLATION_NAME AS collation,
      CHARACTER_MAXIMUM_LENGTH AS length, DATABASE() AS own FROM information_schema.COLUMNS
      WHERE ${tables.map(() => '(TABLE_SCHEMA = COALESCE(?, DATABASE()) AND TABLE_NAME = ?)').join(' OR ')}`,
    tables.flatMap(({ database, tableName }) => [database ?? null, tableName]),
  )
  return rows.map((row) => ({
    ...(row as unknown as StoredColumn),
    entity: tables.findIndex(
      ({ database, tableName }) =>
        (database ?? row['own'])?.toLowerCase() === row['db']?.toLowerCase() &&
        tableName.toLowerCase() === row['tbl']?.toLowerCase(),
    ),
  }))
}

const LOOKS: Readonly<Record<Database, Look>> = {
  /** Finds tables as statements do, by the connection's search_path; a domain is its base type. */
  postgres: (dataSource, entities) => {
    const paths = entities.map(({ tablePath }) =>
      tablePath
        .split('.')
        .map((part) => dataSource.driver.escape(part))
        .join('.'),
    )
    return dataSource.query(
      `SELECT given.i::int - 1 AS entity, a.attname AS name,
        format_type(CASE WHEN t.typbasetype = 0 THEN t.oid ELSE t.typbasetype END,
          CASE WHEN t.typbasetype = 0 THEN a.atttypmod ELSE t.typtypmod END) AS type,
        CASE co.collprovider WHEN 'c' THEN co.collcollate WHEN 'd' THEN (
          SELECT CASE coalesce(to_jsonb(d) ->> 'datlocprovider', 'c') WHEN 'c' THEN d.datcollate WHEN 'b' THEN 'C.UTF-8'
            ELSE 'of the database' END FROM pg_database d WHERE d.datname = current_database())
          ELSE co.collname END AS collation
      FROM unnest($1::text[]) WITH ORDINALITY AS given(path, i)
      JOIN pg_attribute a ON a.attrelid = to_regclass(given.path) AND a.attnum > 0 AND NOT a.attisdropped
      JOIN pg_type t ON t.oid = a.atttypid
      LEFT JOIN pg_collation co ON co.oid = a.attcollation`,
      [paths],
    )
  },
  /** SQLite tells no collations but in the text of the table. */
  sqlite: async (dataSource, entities) => {
    const tables = entities.map((metadata) => dataSource.driver.parseTableName(metadata).tableName)
    const rows: Record<'tbl' | 'name' | 'type' | 'sql', string>[] = await dataSource.query(
      `SELECT m.name AS tbl, c.name AS name, c.type AS type, m.sql AS sql
        FROM sqlite_master m JOIN pragma_table_xinfo(m.name) c
        WHERE m.type = 'table' AND m.name IN (${tables.map(() => '?').join(', ')})`,
      tables,
    )
    return rows.map(({ tbl, name, type, sql }) => ({
      entity: tables.indexOf(tbl),
      name,
      type: type.toLowerCase(),
      collation: collationIn(sql, name),
    }))
  },
  mysql: lookInMysql,
  mariadb: lookInMysql,
}

/** The collation of a column in CREATE TABLE. */
function collationIn(sql: string, column: string): string | undefined {
  const tokens = readSql(sql, { dialect: 'sqlite' })
  const open = tokens.findIndex(({ text }) => text === '(')
  const definition = splitAtCommas(tokens.slice(open + 1, -1)).find(
    ([first]) => first?.parts[0]?.toLowerCase() === column.toLowerCase(),
  )
  const collate = definition?.findIndex((token) => isWord(token, 'COLLATE')) ?? -1
  const name = collate === -1 ? undefined : definition?.[collate + 1]?.text
  return name?.toUpperCase() === 'BINARY' ? undefined : name
}

type Fits = (found: StoredColumn, column: PreparedColumn) => boolean

const fitsInMysql: Fits = ({ type, collation, length }, { storage: { name, column } }) => {
  const width = column.length ?? 0
  if (name === 'bigint') return /^bigint\b.*\bunsigned\b/.test(type)
  // What is shorter than its column is filled up with zeros in binary.
  if (name === 'binary')
    return type === `binary(${width})` || (/^varbinary/.test(type) && Number(length) >= width)
  return /^(var)?char/.test(type) && Number(length) >= width && /_bin$/.test(collation ?? '')
}

/** Collations of PostgreSQL that compare bytes. */
const BY_BYTES = /^(C|POSIX|C\.utf-?8|ucs_basic|pg_c_utf8)$/i

const FITS: Readonly<Record<Database, Fits>> = {
  postgres: ({ type, collation }, { metadata, storage: { family, name, column } }) => {
    const [, base, width] = /^(.*?)(?:\((\d+)\))?(?:\[\])*$/.exec(type) ?? []
    if (type.endsWith('[]') !== metadata.isArray) return false
    if (name !== 'text') return base === column.type
    const isWide = width === undefined || Number(width) >= (family.textLength ?? 0)
    return (base === 'text' || base === 'character varying') && isWide && BY_BYTES.test(collation ?? '')
  },
  // What counts is the affinity: that of numbers would change texts of digits.
  sqlite: ({ type, collation }, { storage: { name } }) =>
    name === 'text'
      ? /char|clob|text/.test(type) && !/int/.test(type) && collation === undefined
      : type === '' || (/blob/.test(type) && !/int|char|clob|text/.test(type)),
  mysql: fitsInMysql,
  mariadb: fitsInMysql,
}
