import { checkDatabaseGenerator, type Database, IdError, type IdStorage, storageFor } from '@snoflax/core'
import type { DataSource, EntityMetadata } from 'typeorm'
import type { ColumnMetadata } from 'typeorm/metadata/ColumnMetadata.js'
import { IdColumnDefinition, type Origin } from '../columns/definition.js'
import { PreparedColumn, pathOf } from '../columns/prepared.js'
import { placed } from '../placed.js'

type Definitions = ReadonlyMap<ColumnMetadata, IdColumnDefinition>

/**
 * Gives every id column, and every column that references one, the type and the transformer of its database.
 *
 * @throws {IdError} with entity and property, for a column that the database can't hold.
 */
export function settleColumns(dataSource: DataSource): PreparedColumn[] {
  const columns = [...new Set(dataSource.entityMetadatas.flatMap(columnsOf))]
  const definitions = definitionsOf(columns)
  if (definitions.size === 0) return []
  const facts = databaseOf(dataSource)
  const prepared: PreparedColumn[] = []
  for (const column of columns) {
    const one = prepare(column, definitions, facts, prepared.length)
    if (one) prepared.push(one)
  }
  return prepared
}

/** TypeORM gives relations that share a column copies of it, which are in the relations alone. */
const columnsOf = (entity: EntityMetadata): ColumnMetadata[] => [...entity.columns, ...joinColumnsOf(entity)]

const joinColumnsOf = ({ relations }: EntityMetadata): ColumnMetadata[] =>
  relations.flatMap(({ joinColumns }) => joinColumns)

function definitionsOf(columns: readonly ColumnMetadata[]): Definitions {
  return new Map(
    columns.flatMap((column) =>
      column.transformer instanceof IdColumnDefinition ? [[column, column.transformer] as const] : [],
    ),
  )
}

function prepare(
  column: ColumnMetadata,
  definitions: Definitions,
  { database, exactBigint }: DatabaseFacts,
  number: number,
): PreparedColumn | undefined {
  const own = definitions.get(column)
  const key = referenced(column, definitions)
  const definition = definitions.get(key)
  if (own && own !== definition) checkAgreement(own, definition, pathOf(column), pathOf(key))
  if (!definition) return undefined
  return placed(pathOf(column), () => {
    const storage = storageFor(definition.family, database, { storage: definition.storage, exactBigint })
    applyType(column, storage)
    if (own) applyDefault(column, databaseDefault(own, storage))
    const source = own?.origin?.kind === 'application' ? own.origin.source : undefined
    const prepared = new PreparedColumn(column, storage, source, number)
    column.transformer = prepared
    return prepared
  })
}

/** The id column that a foreign key leads to in the end; else its last one, or the column itself. */
function referenced(column: ColumnMetadata, definitions: Definitions): ColumnMetadata {
  const [, ...followed] = follow(column)
  return followed.filter((one) => definitions.has(one)).at(-1) ?? followed.at(-1) ?? column
}

/** A column and all that it leads to. Composite keys that share a column may lead back to it. */
function follow(column: ColumnMetadata, seen: Set<ColumnMetadata> = new Set()): Set<ColumnMetadata> {
  if (seen.has(column)) return seen
  seen.add(column)
  for (const target of targetsOf(column)) follow(target, seen)
  return seen
}

/** What a column references by its relations, and by foreign keys that are declared apart. */
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
  const sized = type === 'char' || type === 'binary'
  column.type = type
  column.length = sized ? String(length) : ''
  column.unsigned = name === 'bigint' && (database === 'mysql' || database === 'mariadb')
  // SQLite orders text by bytes unless told otherwise, and TypeORM would not find the collation again.
  if (collation !== undefined && database !== 'sqlite') column.collation = collation
  else delete column.collation
  if (type === 'char') column.charset = 'ascii'
  else delete column.charset
}

function applyDefault(column: ColumnMetadata, call: (() => string) | undefined): void {
  if (call === undefined) delete (column as Partial<ColumnMetadata>).default
  else column.default = call
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

/** What storages have to know of a DataSource. */
interface DatabaseFacts {
  readonly database: Database
  /** Whether its driver keeps integers of 64 bits exact. */
  readonly exactBigint: boolean
}

/** @throws {IdError} `INVALID_OPTION` for a type of DataSource that there are no storages for. */
function databaseOf({ options }: DataSource): DatabaseFacts {
  const database = DATABASES[options.type]
  if (database === undefined) {
    throw new IdError(
      'INVALID_OPTION',
      `id columns are there for ${Object.keys(DATABASES).join(', ')}, not for a DataSource of type ${options.type}`,
      { field: 'type', value: options.type },
    )
  }
  return { database, exactBigint: keepsBigints(options) }
}

function keepsBigints(options: DataSource['options']): boolean {
  if (options.type === 'postgres') return options.parseInt8 !== true
  return (options.type === 'mysql' || options.type === 'mariadb') && options.supportBigNumbers !== false
}

/**
 * A foreign key that is declared as an id column says nothing else than its target.
 *
 * @throws {IdError} `INVALID_OPTION` with entity and property.
 */
function checkAgreement(
  own: IdColumnDefinition,
  target: IdColumnDefinition | undefined,
  place: string,
  targetPlace: string,
): void {
  const says = (what: string) => {
    throw new IdError('INVALID_OPTION', `${place}: ${what}`, { family: own.family.name, path: place })
  }
  if (target === undefined) says(`it references ${targetPlace}, which is no id column`)
  else if (target.family.name !== own.family.name) {
    says(
      `it holds ids of ${own.family.name}, but references ${targetPlace} with ids of ${target.family.name}`,
    )
  } else if (own.storage !== undefined && own.storage !== target.storage) {
    says(`it asks for storage ${own.storage}, but takes that of ${targetPlace}; leave it out here`)
  }
}

const PLAIN_NAME = /^[a-z_][a-z0-9_]*$/

/**
 * The default of a column whose ids the database makes; undefined for others.
 *
 * @throws {IdError} `INVALID_OPTION` where the database has no such functions, or makes other ids.
 */
function databaseDefault(
  { origin, family }: IdColumnDefinition,
  { database, name }: IdStorage<string>,
): (() => string) | undefined {
  if (origin?.kind !== 'database') return undefined
  if (database !== 'postgres') {
    throw new IdError(
      'INVALID_OPTION',
      `${family.name}: default: 'database' needs PostgreSQL with @snoflax/pg-sql; in ${database} the application makes the ids`,
      { family: family.name, field: 'default', value: 'database' },
    )
  }
  checkDatabaseGenerator(family)
  const call = callOf(origin, family.name, name)
  return () => call
}

function callOf(
  { schema, arguments: given }: Origin & { kind: 'database' },
  family: string,
  storage: string,
): string {
  if (!PLAIN_NAME.test(schema)) {
    throw new IdError(
      'INVALID_OPTION',
      `${family}: the schema's name ${JSON.stringify(schema)} is not lower-case letters, digits and _`,
      {
        family,
        field: 'schema',
        value: schema,
      },
    )
  }
  const wrong = given.findIndex((argument) => !Number.isSafeInteger(argument))
  if (wrong !== -1) refuseArgument(given[wrong], family)
  const prefix = family.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  const suffix = storage === 'binary' ? '' : `_${storage}`
  return `${schema}.${prefix}_generate${suffix}(${given.join(', ')})`
}

function refuseArgument(value: unknown, family: string): never {
  throw new IdError(
    'INVALID_OPTION',
    `${family}: an argument of its SQL function is a whole number, not ${JSON.stringify(value) ?? value}`,
    { family, field: 'functionArguments', value },
  )
}
