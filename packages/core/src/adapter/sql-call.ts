import type { IdFamily, StorageName } from '../family.js'
import { baseOf, isOpaque, isPrefixed } from '../identity.js'
import { IdError, show } from '../primitives/errors.js'
import { refuse } from '../primitives/options.js'
import type { Database } from '../storage/column.js'
import { checkMeta } from './id-source.js'
import { mysqlDefault } from './mysql-default.js'

/**
 * The default schema of @snoflax/pg-sql.
 *
 * @example
 * checkSchema(DEFAULT_SCHEMA) // 'snoflax'
 */
export const DEFAULT_SCHEMA = 'snoflax'

/** PostgreSQL's own begin with `pg_`. */
const SCHEMA = /^(?!pg_)[a-z_][a-z0-9_]{0,62}$/

/**
 * Returns the schema's name if it needs no quotes: the SQL files insert it into texts and function bodies unquoted.
 *
 * @throws {IdError} `INVALID_OPTION`.
 *
 * @example
 * checkSchema('ids') // 'ids'
 */
export function checkSchema(schema: string): string {
  if (typeof schema === 'string' && SCHEMA.test(schema) && !RESERVED_WORDS.has(schema)) return schema
  throw new IdError(
    'INVALID_OPTION',
    'schema must be a name of lower-case letters, digits and _, up to 63 characters, not beginning with pg_ and ' +
      `not a reserved word of SQL; got ${show(schema)}`,
    { field: 'schema', value: schema },
  )
}

/**
 * A name as SQL writes it.
 *
 * @example
 * snakeCase('timeMs') // 'time_ms'
 */
export const snakeCase = (name: string): string =>
  name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/**
 * The name of a function of @snoflax/pg-sql.
 *
 * @throws {IdError} `INVALID_OPTION` for a schema that it can't be installed into.
 *
 * @example
 * sqlFunction(flake, 'time') // 'snoflax.flake_time'
 */
export const sqlFunction = (family: IdFamily, verb: string, schema: string = DEFAULT_SCHEMA): string =>
  `${checkSchema(schema)}.${snakeCase(baseOf(family).name)}_${verb}`

/**
 * The function call with which PostgreSQL generates the ids of a column, for its DEFAULT.
 *
 * @throws {IdError} `INVALID_OPTION` for a malformed schema name, a metabyte for ids without one, and a family whose
 * ids the functions can't generate; `FIELD_OUT_OF_RANGE` for the metabyte.
 *
 * @example
 * sqlCall(sno, 'uuid', 'snoflax', 2) // 'snoflax.sno_generate_uuid(2)'
 * sqlCall(prefixed(flax, 'cus'), 'text') // "('cus_'::text || snoflax.flax_generate_text())"
 */
export function sqlCall(family: IdFamily, storage: StorageName, schema?: string, meta?: number): string {
  checkKnown(family)
  checkNeighbourhood(family)
  checkMeta(family, meta)
  checkBytes(family, storage)
  const ending = storage === 'binary' ? '' : `_${storage}`
  const call = `${sqlFunction(family, `generate${ending}`, schema)}(${meta ?? ''})`
  // As PostgreSQL returns it, so that a schema diff finds no change.
  return storage === 'text' && isPrefixed(family) ? `('${family.prefix}_'::text || ${call})` : call
}

function checkKnown(family: IdFamily): void {
  if (!isOpaque(family)) return
  refuseDefault(
    family,
    'needs a family that the database knows, and opaque ids come from your function; let the application generate the ids',
  )
}

const DEFAULT_NEIGHBOURHOOD = 8

/** Ids of uid don't contain their neighbourhood, and the database uses the default. The epoch of flake is set there. */
function checkNeighbourhood(passed: IdFamily): void {
  const family = baseOf(passed)
  if (family.name !== 'uid' || !('neighbourhood' in family)) return
  const { neighbourhood } = family
  if (neighbourhood === DEFAULT_NEIGHBOURHOOD) return
  const wrong = `${DEFAULT_NEIGHBOURHOOD}, not ${neighbourhood}`
  const reason = `the database generates ids with a neighbourhood of ${wrong}; let the application generate the ids`
  refuse('uid', 'neighbourhood', neighbourhood, reason)
}

/** The families whose functions return a uuid or text. */
const NATIVE_UUIDS: readonly string[] = ['uuid7', 'ulid', 'typeid']

function checkBytes(family: IdFamily, storage: StorageName): void {
  if (storage !== 'binary' || !NATIVE_UUIDS.includes(baseOf(family).name)) return
  const advice = "use storage 'uuid', or let the application generate the ids"
  refuseDefault(family, `fills columns with storage uuid or text, not binary; ${advice}`)
}

/** A column whose ids the database generates. */
interface DatabaseDefaultRequest {
  /** The family of the column's ids. */
  readonly family: IdFamily
  /** The database of the column. */
  readonly database: Database
  /** The storage of the column. */
  readonly storage: StorageName
  /** PostgreSQL: the schema of @snoflax/pg-sql. */
  readonly schema?: string | undefined
  /** sno's metabyte. */
  readonly meta?: number | undefined
  /** MySQL and MariaDB: sno's partition or flake's worker id. PostgreSQL's functions have their own. */
  readonly number?: number | undefined
}

/**
 * The DEFAULT with which a database generates the ids of a column: in PostgreSQL a call of @snoflax/pg-sql, in MySQL
 * and MariaDB an expression of built-in functions.
 *
 * @throws {IdError} `INVALID_OPTION` for other databases, and for ids that the database can't generate.
 *
 * @example
 * databaseDefault({ family: flax, database: 'postgres', storage: 'text' }) // 'snoflax.flax_generate_text()'
 */
export function databaseDefault(request: DatabaseDefaultRequest): string {
  const { family, database, storage, schema, meta, number } = request
  checkKnown(family)
  if (database === 'postgres') return sqlCall(family, storage, schema, meta)
  checkMeta(family, meta)
  if (database === 'mysql' || database === 'mariadb') {
    return mysqlDefault(family, { database, storage, meta, number })
  }
  const advice = `in ${database} let the application generate the ids`
  return refuseDefault(family, `works with PostgreSQL, MySQL and MariaDB; ${advice}`)
}

function refuseDefault({ name }: IdFamily, reason: string): never {
  refuse(name, 'default', 'database', `default: 'database' ${reason}`)
}

/**
 * The words that PostgreSQL 18 wants quoted as the name of a schema, of a function or of a type: reserved
 * ones, and names of its own types and functions.
 */
const RESERVED_WORDS: ReadonlySet<string> = new Set(
  `all analyse analyze and any array as asc asymmetric authorization between bigint binary bit boolean
  both case cast char character check coalesce collate collation column concurrently constraint create
  cross current_catalog current_date current_role current_schema current_time current_timestamp
  current_user dec decimal default deferrable desc distinct do else end except exists extract false
  fetch float for foreign freeze from full grant greatest group grouping having ilike in initially inner
  inout int integer intersect interval into is isnull join json json_array json_arrayagg json_exists
  json_object json_objectagg json_query json_scalar json_serialize json_table json_value lateral leading
  least left like limit localtime localtimestamp merge_action national natural nchar none normalize not
  notnull null nullif numeric offset on only or order out outer overlaps overlay placing position
  precision primary real references returning right row select session_user setof similar smallint some
  substring symmetric system_user table tablesample then time timestamp to trailing treat trim true
  union unique user using values varchar variadic verbose when where window with xmlattributes xmlconcat
  xmlelement xmlexists xmlforest xmlnamespaces xmlparse xmlpi xmlroot xmlserialize xmltable`.split(/\s+/),
)

/**
 * The change of a table that gives PostgreSQL's planner the finest statistics of a key of type `uuid`. The planner doesn't
 * interpolate between two bounds of its histogram for that type, so with the default of 100 it expects a single row of every
 * range below a hundredth of the table, and joins such ranges row by row. With 10,000, the most that there are, that holds
 * only for ranges below a ten-thousandth. Other types need no more than the default. It takes effect with the next ANALYZE.
 *
 * @example
 * `ALTER TABLE visit ${keyStatistics('id')}` // 'ALTER TABLE visit ALTER COLUMN id SET STATISTICS 10000'
 */
export function keyStatistics(quotedColumn: string): string {
  return `ALTER COLUMN ${quotedColumn} SET STATISTICS 10000`
}
