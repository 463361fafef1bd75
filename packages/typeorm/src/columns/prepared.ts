import type { Database, IdFamily, IdStorage } from '@snoflax/core'
import { checkStored, isBytes, type NamedColumn, NamedColumns, withPath } from '@snoflax/core/adapter'
import type { DataSource, EntityMetadata, ObjectLiteral, ValueTransformer } from 'typeorm'
import type { ColumnMetadata } from 'typeorm/metadata/ColumnMetadata.js'
import { InstanceChecker } from 'typeorm/util/InstanceChecker.js'

/** The same in all copies of this package. */
const PREPARED: unique symbol = Symbol.for('@snoflax/typeorm prepared column') as never

/**
 * A column of ids in the metadata of one DataSource: own ids, or a foreign key. It is the transformer of its
 * column. Both directions are idempotent, since TypeORM may call them twice.
 */
export class PreparedColumn implements ValueTransformer {
  readonly [PREPARED] = true
  /** Entity and property. */
  readonly path: string

  constructor(
    readonly metadata: ColumnMetadata,
    readonly storage: IdStorage<string>,
    /** Generates its ids; undefined if the application does not. */
    readonly generate: (() => string) | undefined,
    /** Its index among the id columns of the DataSource. */
    readonly number: number,
  ) {
    this.path = pathOf(metadata)
  }

  /** The column, as errors name it. */
  get named(): NamedColumn {
    return {
      table: this.metadata.entityMetadata.tableName,
      place: this.path,
      family: this.storage.family,
      storage: () => this.storage,
    }
  }

  to(value: unknown): unknown {
    // A function is SQL, a list the value of `Any`, and undefined means the column's default. TypeORM 0.3 passes find
    // operators too; their values are converted as parameters.
    if (value === undefined || typeof value === 'function') return value
    if (InstanceChecker.isFindOperator(value)) return value
    if (Array.isArray(value)) return value.map((one) => this.to(one))
    const stored: unknown = withPath(this.path, () => this.storage.toDatabase(value))
    // TypeORM 0.3 compares bytes only if they are Buffers.
    return isBytes(stored) && globalThis.Buffer
      ? Buffer.from(stored.buffer, stored.byteOffset, stored.length)
      : stored
  }

  from(value: unknown): unknown {
    if (value === undefined) return undefined
    if (this.metadata.isArray && Array.isArray(value)) return value.map((one) => this.one(one))
    return this.one(value)
  }

  /** Reads one id: the column's value, or an element of its array. */
  one(value: unknown): unknown {
    // Values of an entity were already read, as values of a raw row.
    return this.storage.family.is(value) ? value : this.read(value)
  }

  /**
   * The id for a value that the database returned.
   *
   * @throws {IdError} for any other form. That includes an id's text in a column of another storage: no condition finds
   * such a row.
   */
  read(value: unknown): unknown {
    try {
      if (value != null) checkStored(this.storage, value)
      return this.storage.fromDatabase(value)
    } catch (error) {
      // Only for errors: a closure for each value would be a third of the cost.
      return withPath(this.path, () => {
        throw error
      })
    }
  }
}

export const pathOf = (column: ColumnMetadata): string =>
  `${column.entityMetadata.name}.${column.propertyPath}`

export const isPreparedColumn = (transformer: object): transformer is PreparedColumn =>
  PREPARED in transformer

export const idColumnFor = ({ transformer }: ColumnMetadata): PreparedColumn | undefined =>
  transformer && isPreparedColumn(transformer) ? transformer : undefined

/** The id columns of an entity. */
export const idColumnsIn = ({ columns }: EntityMetadata): PreparedColumn[] =>
  columns.flatMap((column) => idColumnFor(column) ?? [])

/** The id columns of an entity whose ids the application generates. */
export const generatedColumnsIn = (metadata: EntityMetadata): PreparedColumn[] =>
  idColumnsIn(metadata).filter(({ generate }) => generate !== undefined)

/** The id columns of a table, by the paths that can follow its name. */
export type Paths = ReadonlyMap<string, PreparedColumn>

/** The id columns of a DataSource. */
export interface PreparedSource {
  readonly database: Database
  /** By their number. */
  readonly columns: readonly PreparedColumn[]
  /** Every name that TypeORM accepts for an entity's id column: database name, property and relation. */
  readonly paths: ReadonlyMap<EntityMetadata, Paths>
  /** By their names in the database, for SQL whose text names them. */
  readonly named: NamedColumns
  /** Queries with marked parameters, by their text. */
  readonly marked: Map<string, Remembered>
  /** The id columns that queries select, by the queries' texts. */
  readonly selected: Map<string, Remembered>
}

/** A result for a text, valid for these sources. */
export interface Remembered {
  readonly sources: readonly { readonly name: string; readonly behind: unknown }[]
  readonly value: unknown
}

/**
 * All state of this package. Its copies, such as ES module and CommonJS, share it, since they patch one TypeORM.
 */
interface State {
  /** By the metadata of a DataSource: if it builds them again, it must be prepared again. */
  readonly prepared: WeakMap<readonly EntityMetadata[], PreparedSource>
  /** The columns whose ids we generated, for each row, by an insert's list of rows. */
  readonly generated: WeakMap<readonly ObjectLiteral[], (readonly PreparedColumn[])[]>
  /** Families of decorated properties, by the prototype of their class. */
  readonly families: WeakMap<object, Map<string, IdFamily>>
  /** Drivers, loggers and prototypes of TypeORM that are patched. */
  readonly patched: WeakSet<object>
  /** The marked values of each list of parameters, by the list that the driver gets. */
  readonly bound: WeakMap<readonly unknown[], readonly unknown[]>
  /** Lists of parameters in which ids are already converted, as in TypeORM's own statements. */
  readonly converted: WeakSet<object>
  /** Lists of parameters of the queries that a query runner is running. */
  readonly running: WeakMap<object, Set<readonly unknown[]>>
  /** Copies of TypeORM that passed the self-test, by a prototype. */
  readonly rehearsed: WeakSet<object>
  /** DataSources with `checkColumns: false`. */
  readonly unchecked: WeakSet<DataSource>
}

const STATE: unique symbol = Symbol.for('@snoflax/typeorm 1') as never
const all = globalThis as { [STATE]?: State }
all[STATE] ??= {
  prepared: new WeakMap(),
  generated: new WeakMap(),
  families: new WeakMap(),
  patched: new WeakSet(),
  bound: new WeakMap(),
  converted: new WeakSet(),
  running: new WeakMap(),
  rehearsed: new WeakSet(),
  unchecked: new WeakSet(),
}
export const state: State = all[STATE]

const preparedSource = (
  database: Database,
  columns: readonly PreparedColumn[],
  paths: PreparedSource['paths'],
): PreparedSource => {
  const named = new NamedColumns()
  for (const { tableName } of paths.keys()) named.addTable(tableName)
  for (const column of columns) named.add(column.metadata.databaseName, column.named)
  return { database, columns, paths, named, marked: new Map(), selected: new Map() }
}

const UNPREPARED = preparedSource('sqlite', [], new Map())

/** A builder, a query runner or an entity's metadata, which belong to a DataSource. */
export interface Belonging {
  readonly dataSource: DataSource
}

/** TypeORM 0.3 calls it `connection`. */
export const dataSourceOf = (one: Belonging): DataSource =>
  (one.dataSource as DataSource | undefined) ??
  (one as unknown as { readonly connection: DataSource }).connection

/** The id columns of a DataSource; none if it was never prepared. */
export const preparedOf = ({ entityMetadatas }: DataSource): PreparedSource =>
  state.prepared.get(entityMetadatas) ?? UNPREPARED

export const isPrepared = ({ entityMetadatas }: DataSource): boolean => state.prepared.has(entityMetadatas)

export function remember(
  { entityMetadatas }: DataSource,
  database: Database,
  columns: readonly PreparedColumn[],
): void {
  const paths = new Map(entityMetadatas.map((metadata) => [metadata, new Map(entriesOf(metadata))]))
  state.prepared.set(entityMetadatas, preparedSource(database, columns, paths))
}

/** Later entries take precedence, as in TypeORM. */
function entriesOf({ relations, columns }: EntityMetadata): [string, PreparedColumn][] {
  const joined = relations.flatMap(({ propertyPath, joinColumns, inverseJoinColumns }) => [
    ...joinColumns.slice(0, 1).map((column) => [propertyPath, column] as const),
    ...[...joinColumns, ...inverseJoinColumns].map(
      (column) => [`${propertyPath}.${column.referencedColumn?.propertyPath}`, column] as const,
    ),
  ])
  const named = (['databaseName', 'propertyName', 'propertyPath'] as const).flatMap((name) =>
    columns.map((column) => [column[name], column] as const),
  )
  const entries = [...joined, ...named].flatMap(([path, column]): [string, PreparedColumn][] => {
    const found = idColumnFor(column)
    return found ? [[path, found]] : []
  })
  // SQL folds the case of names without quotes.
  return [
    ...entries.map(([path, column]): [string, PreparedColumn] => [path.toLowerCase(), column]),
    ...entries,
  ]
}
