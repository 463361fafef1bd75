import { type Database, IdError, type IdStorage, isSameFamily, storageFor } from '@snoflax/core'
import {
  agree,
  checkCondition,
  checkMismatch,
  checkOwnType,
  databaseDefault,
  withPath,
} from '@snoflax/core/adapter'
import type { DataSource } from 'typeorm'
import { CheckMetadata } from 'typeorm/metadata/CheckMetadata.js'
import type { ColumnMetadata } from 'typeorm/metadata/ColumnMetadata.js'
import type { IdColumnDefinition } from '../columns/definition.js'
import { dataSourceOf, PreparedColumn, pathOf, state } from '../columns/prepared.js'
import { checkGenerators, columnsOf, type Definitions, joinColumnsOf } from './declared.js'

/**
 * Sets the type of every id column, and of every column that references one.
 *
 * @throws {IdError} with entity and property, for a column that the database can't store, or that generates ids of another
 * column.
 */
export function settleColumns(
  { entityMetadatas }: DataSource,
  definitions: Definitions,
  facts: DatabaseFacts,
): PreparedColumn[] {
  const prepared: PreparedColumn[] = []
  const storages: Storages = new Map()
  for (const column of new Set(entityMetadatas.flatMap(columnsOf))) {
    const one = prepare(column, definitions, facts, storages)
    if (one) prepared.push(one)
  }
  checkGenerators(prepared, (column) => {
    const target = referenced(column, definitions)
    return target === column ? undefined : target
  })
  return prepared
}

/** One storage for a key and its foreign keys. */
type Storages = Map<IdColumnDefinition, IdStorage<string>>

function prepare(
  column: ColumnMetadata,
  definitions: Definitions,
  { database, exactBigint, rounding }: DatabaseFacts,
  storages: Storages,
): PreparedColumn | undefined {
  const own = definitions.get(column)
  const key = referenced(column, definitions)
  const definition = definitions.get(key)
  if (own === undefined && definition === undefined) return undefined
  const [path, target] = [pathOf(column), { path: pathOf(key) }]
  return withPath(path, () => {
    if (!definition) return agree({ path, ...(own as IdColumnDefinition) }, target) as undefined
    const { family } = definition
    if (column.isArray && database !== 'postgres') {
      throw new IdError(
        'INVALID_OPTION',
        `${path}: arrays of ids need PostgreSQL, not ${database}; use a relation, or an entity with a row per id`,
        { family: family.name, field: 'array', path },
      )
    }
    if (definition.storage === 'bigint' && rounding !== undefined) {
      throw new IdError(
        'STORAGE_REFUSED',
        `${family.name}: storage bigint needs exact integers, and ${rounding} rounds them; remove that option of the ` +
          'DataSource, or use another storage',
        { family: family.name, field: 'storage', value: 'bigint', path },
      )
    }
    const storage =
      storages.get(definition) ?? storageFor(family, database, { storage: definition.storage, exactBigint })
    storages.set(definition, storage)
    if (own && own !== definition) agree({ path, ...own }, { ...target, family, storage: storage.name })
    if (!definition.keepsType) applyType(column, storage)
    if (own) applyDefault(column, own, storage)
    if (own?.check) addCheck(column, storage)
    if (own) {
      const known = state.settled.has(own) ? state.settled.get(own) : family
      state.settled.set(own, known && isSameFamily(known, family) ? family : undefined)
    }
    delete column.transformer
    const { keepsType, onMismatch = 'error' } = definition
    checkMismatch(storage, onMismatch)
    checkOwnType(storage, keepsType ? column.type : undefined)
    return new PreparedColumn(column, storage, own, keepsType, onMismatch === 'error')
  })
}

/**
 * The id column at the end of a foreign key's chain of references; else the last column of the chain. Of columns that
 * reference each other (a row may reference its own current version), it is the one whose ids are generated.
 */
function referenced(column: ColumnMetadata, definitions: Definitions): ColumnMetadata {
  const [, ...followed] = follow(column)
  const end = followed.filter((one) => definitions.has(one)).at(-1) ?? followed.at(-1) ?? column
  const behind = follow(end)
  const circle = [...definitions.keys()].filter((one) => behind.has(one) && follow(one).has(end))
  return circle.find((one) => definitions.get(one)?.isGenerated) ?? circle[0] ?? end
}

/** A column and all that it references, also indirectly. Composite keys that share a column may form a cycle. */
function follow(column: ColumnMetadata, seen: Set<ColumnMetadata> = new Set()): Set<ColumnMetadata> {
  if (seen.has(column)) return seen
  seen.add(column)
  for (const target of targetsOf(column)) follow(target, seen)
  return seen
}

/** The columns that a column references, by relations and by separately declared foreign keys. */
function targetsOf(column: ColumnMetadata): ColumnMetadata[] {
  const isSame = (one: ColumnMetadata) =>
    one.entityMetadata === column.entityMetadata && one.databaseName === column.databaseName
  const joined = [column, ...joinColumnsOf(column.entityMetadata).filter(isSame)]
  const declared = column.entityMetadata.foreignKeys.map(
    ({ columns, referencedColumns }) => referencedColumns[columns.findIndex(isSame)],
  )
  return [...joined.map(({ referencedColumn }) => referencedColumn), ...declared].filter(
    (one) => one !== undefined,
  )
}

function applyType(
  column: ColumnMetadata,
  { database, name, column: { type, length, collation } }: IdStorage<string>,
): void {
  const isText = type === 'char' || type === 'varchar'
  column.type = type
  column.length = isText || type === 'binary' ? String(length) : ''
  column.unsigned = name === 'bigint' && (database === 'mysql' || database === 'mariadb')
  // SQLite sorts text by bytes anyway, and TypeORM doesn't read collations back, so each sync would find a difference.
  if (collation !== undefined && database !== 'sqlite') column.collation = collation
  else delete column.collation
  if (isText) column.charset = 'utf8mb4'
  else delete column.charset
}

function applyDefault(
  column: ColumnMetadata,
  { family, databaseDefault: options }: IdColumnDefinition,
  { database, name }: IdStorage<string>,
): void {
  if (options === undefined) {
    delete (column as Partial<ColumnMetadata>).default
    return
  }
  if (database === 'mysql') {
    throw new IdError(
      'INVALID_OPTION',
      `${family.name}: default: 'database' needs INSERT … RETURNING, which MySQL lacks, so entities would get no ids; ` +
        "let the application generate them, or connect to MariaDB with type: 'mariadb'",
      { family: family.name, field: 'default', value: 'database' },
    )
  }
  if (database !== 'postgres' && options.schema !== undefined) {
    throw new IdError(
      'INVALID_OPTION',
      `${family.name}: schema names the functions of @snoflax/pg-sql in PostgreSQL; in ${database} leave it out`,
      { family: family.name, field: 'schema', value: options.schema },
    )
  }
  const expression = databaseDefault({ family, database, storage: name, ...options })
  // TypeORM drops casts from the defaults that it reads from PostgreSQL, so each sync would find a difference.
  const spelled = expression.replace('::text ', '')
  column.default = () => spelled
}

function addCheck(column: ColumnMetadata, storage: IdStorage<string>): void {
  const { entityMetadata } = column
  const { database, family } = storage
  const isWritten = database === 'postgres' || database === 'sqlite'
  if (!isWritten || column.isArray) {
    throw new IdError(
      'INVALID_OPTION',
      `${family.name}: TypeORM writes no CHECK ${isWritten ? 'of arrays' : `in ${database}`}; leave check: true out, and ` +
        'add the constraint in a migration',
      { family: family.name, field: 'check', value: true },
    )
  }
  const { driver, namingStrategy } = dataSourceOf(entityMetadata)
  const expression = checkCondition(storage, driver.escape(column.databaseName))
  if (expression === undefined) return
  const args = { target: entityMetadata.target, expression }
  const check = new CheckMetadata({ entityMetadata, args }).build(namingStrategy)
  // If relations share a column, it has copies.
  if (entityMetadata.checks.every(({ name }) => name !== check.name)) entityMetadata.checks.push(check)
}

const DATABASES: Readonly<Record<string, Database>> = {
  postgres: 'postgres',
  mysql: 'mysql',
  mariadb: 'mariadb',
  'better-sqlite3': 'sqlite',
  sqljs: 'sqlite',
  capacitor: 'sqlite',
  cordova: 'sqlite',
  expo: 'sqlite',
  nativescript: 'sqlite',
  'react-native': 'sqlite',
}

/** The facts of a DataSource on which storages depend. */
interface DatabaseFacts {
  readonly database: Database
  /** Whether its driver returns 64-bit integers exactly. */
  readonly exactBigint: boolean
  /** The option by which a driver that could returns rounded ones. */
  readonly rounding: string | undefined
}

/** @throws {IdError} `INVALID_OPTION` for an unsupported type of DataSource. */
export function databaseOf({ options }: DataSource): DatabaseFacts {
  const database = DATABASES[options.type]
  if (database === undefined) {
    throw new IdError(
      'INVALID_OPTION',
      `id columns support ${Object.keys(DATABASES).join(', ')}; this DataSource is of type ${options.type}`,
      { field: 'type', value: options.type },
    )
  }
  const rounding = roundingOf(options)
  return { database, exactBigint: database !== 'sqlite' && rounding === undefined, rounding }
}

/** The option by which the driver rounds 64-bit integers, if it is set. */
function roundingOf(options: DataSource['options']): string | undefined {
  if (options.type === 'postgres') return options.parseInt8 === true ? 'parseInt8: true' : undefined
  if (options.type !== 'mysql' && options.type !== 'mariadb') return undefined
  const { supportBigNumbers } = { ...options, ...(options.extra as Partial<typeof options> | undefined) }
  return supportBigNumbers === false ? 'supportBigNumbers: false' : undefined
}
