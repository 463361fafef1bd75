import { type Database, IdError, type IdStorage, storageFor } from '@snoflax/core'
import { agree, databaseDefault, withPath } from '@snoflax/core/adapter'
import type { DataSource, EntityMetadata } from 'typeorm'
import type { ColumnMetadata } from 'typeorm/metadata/ColumnMetadata.js'
import { definitionOf, type IdColumnDefinition } from '../columns/definition.js'
import { PreparedColumn, pathOf } from '../columns/prepared.js'
import { once } from '../read/comparisons.js'

export type Definitions = ReadonlyMap<ColumnMetadata, IdColumnDefinition>

/** The id columns that the entities of a DataSource declare. */
export function definitionsOf({ entityMetadatas }: DataSource): Definitions {
  return new Map(
    entityMetadatas.flatMap(columnsOf).flatMap((column): [ColumnMetadata, IdColumnDefinition][] => {
      const definition = definitionOf(column.transformer)
      return definition ? [[column, definition]] : []
    }),
  )
}

/**
 * Gives every id column, and every column that references one, the type and the transformer of its database.
 *
 * @throws {IdError} with entity and property, for a column that the database can't hold.
 */
export function settleColumns(
  { entityMetadatas }: DataSource,
  definitions: Definitions,
  facts: DatabaseFacts,
): PreparedColumn[] {
  const prepared: PreparedColumn[] = []
  const storages: Storages = new Map()
  for (const column of new Set(entityMetadatas.flatMap(columnsOf))) {
    const one = prepare(column, definitions, facts, storages, prepared.length)
    if (one) prepared.push(one)
  }
  return prepared
}

/** A key and its foreign keys have one storage. */
type Storages = Map<IdColumnDefinition, IdStorage<string>>

/** TypeORM gives relations that share a column copies of it, which are in the relations alone. */
const columnsOf = (entity: EntityMetadata): ColumnMetadata[] => [...entity.columns, ...joinColumnsOf(entity)]

const joinColumnsOf = ({ relations }: EntityMetadata): ColumnMetadata[] =>
  relations.flatMap(({ joinColumns }) => joinColumns)

function prepare(
  column: ColumnMetadata,
  definitions: Definitions,
  { database, exactBigint }: DatabaseFacts,
  storages: Storages,
  number: number,
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
    const storage = once(storages, definition, () =>
      storageFor(family, database, { storage: definition.storage, exactBigint }),
    )
    if (storage.name === 'text' && storage.converts) {
      throw new IdError(
        'STORAGE_REFUSED',
        `${family.name}: TypeORM converts text twice, but a prefix can be removed only once; use another storage, or ` +
          `prefixed(…, { stored: 'prefixed' })`,
        { family: family.name, field: 'storage', path },
      )
    }
    if (own && own !== definition) agree({ path, ...own }, { ...target, family, storage: storage.name })
    applyType(column, storage)
    if (own) applyDefault(column, own, storage)
    const prepared = new PreparedColumn(column, storage, own?.generate, number)
    column.transformer = prepared
    return prepared
  })
}

/**
 * The id column that a foreign key leads to in the end; else its last one, or the column itself. A row may point at its
 * own current version: of columns that reference each other, the one whose ids are generated is the end.
 */
function referenced(column: ColumnMetadata, definitions: Definitions): ColumnMetadata {
  const [, ...followed] = follow(column)
  const end = followed.filter((one) => definitions.has(one)).at(-1) ?? followed.at(-1) ?? column
  const behind = follow(end)
  const circle = [...definitions.keys()].filter((one) => behind.has(one) && follow(one).has(end))
  const isGenerated = (one: ColumnMetadata) => {
    const { generate, databaseDefault } = definitions.get(one) as IdColumnDefinition
    return generate !== undefined || databaseDefault !== undefined
  }
  return circle.find(isGenerated) ?? circle[0] ?? end
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
  // SQLite orders text by bytes by default, and TypeORM would not find the collation again.
  if (collation !== undefined && database !== 'sqlite') column.collation = collation
  else delete column.collation
  if (type === 'char') column.charset = 'ascii'
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
  const expression = databaseDefault({ family, database, storage: name, ...options })
  column.default = () => expression
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
export interface DatabaseFacts {
  readonly database: Database
  /** Whether its driver keeps integers of 64 bits exact. */
  readonly exactBigint: boolean
}

/** @throws {IdError} `INVALID_OPTION` for a type of DataSource that there are no storages for. */
export function databaseOf({ options }: DataSource): DatabaseFacts {
  const database = DATABASES[options.type]
  if (database === undefined) {
    throw new IdError(
      'INVALID_OPTION',
      `id columns support ${Object.keys(DATABASES).join(', ')}; this DataSource is of type ${options.type}`,
      { field: 'type', value: options.type },
    )
  }
  return { database, exactBigint: keepsBigints(options) }
}

function keepsBigints(options: DataSource['options']): boolean {
  if (options.type === 'postgres') return options.parseInt8 !== true
  return (options.type === 'mysql' || options.type === 'mariadb') && options.supportBigNumbers !== false
}
