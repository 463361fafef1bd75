import type { Database, IdFamily, IdStorage } from '@snoflax/core'
import { checkStored, isBytes, type NamedColumn, NamedColumns, withPath } from '@snoflax/core/adapter'
import type { DataSource, EntityMetadata, ObjectLiteral, ValueTransformer } from 'typeorm'
import type { ColumnMetadata } from 'typeorm/metadata/ColumnMetadata.js'
import { InstanceChecker } from 'typeorm/util/InstanceChecker.js'

/** Known to all copies of this package. */
const PREPARED: unique symbol = Symbol.for('@snoflax/typeorm prepared column') as never

/**
 * A column of ids in the metadata of one DataSource: own ids, or a foreign key. It is the transformer of its
 * column, which TypeORM may call twice: both directions are idempotent.
 */
export class PreparedColumn implements ValueTransformer {
  readonly [PREPARED] = true
  /** Entity and property. */
  readonly path: string

  constructor(
    readonly metadata: ColumnMetadata,
    readonly storage: IdStorage<string>,
    /** Generates its ids; undefined where the application does not. */
    readonly generate: (() => string) | undefined,
    /** Its index among the id columns of the DataSource. */
    readonly number: number,
  ) {
    this.path = pathOf(metadata)
  }

  /** The column, as errors name it. */
  get named(): NamedColumn {
    return { place: this.path, family: this.storage.family, storage: () => this.storage }
  }

  to(value: unknown): unknown {
    // A function stands for SQL, a list is the value of `Any`, and undefined asks for the column's default. What find
    // operators hold, which TypeORM 0.3 hands over too, is converted as a parameter.
    if (value === undefined || typeof value === 'function') return value
    if (InstanceChecker.isFindOperator(value)) return value
    if (Array.isArray(value)) return value.map((one) => this.to(one))
    const stored: unknown = withPath(this.path, () => this.storage.toDatabase(value))
    // TypeORM 0.3 knows equal bytes only in Buffers.
    return isBytes(stored) && globalThis.Buffer
      ? Buffer.from(stored.buffer, stored.byteOffset, stored.length)
      : stored
  }

  from(value: unknown): unknown {
    if (value === undefined) return undefined
    if (this.metadata.isArray && Array.isArray(value)) return value.map((one) => this.one(one))
    return this.one(value)
  }

  /** The same of one id, in an array too. */
  one(value: unknown): unknown {
    // Of an entity's values, which were read as a raw row's before.
    return this.storage.family.is(value) ? value : this.read(value)
  }

  /**
   * The id of a value that the database answered.
   *
   * @throws {IdError} for any other form, an id's text where another form is stored too: no condition finds that row.
   */
  read(value: unknown): unknown {
    try {
      if (value != null) checkStored(this.storage, value)
      return this.storage.fromDatabase(value)
    } catch (error) {
      // A closure for each value would be a third of the cost.
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

/** Which paths behind the name of a table lead to id columns. */
export type Paths = ReadonlyMap<string, PreparedColumn>

/** The id columns of a DataSource. */
export interface PreparedSource {
  readonly database: Database
  /** By their number. */
  readonly columns: readonly PreparedColumn[]
  /** All that TypeORM accepts as the name of an entity's id column: database name, property and relation. */
  readonly paths: ReadonlyMap<EntityMetadata, Paths>
  /** By their names in the database, for SQL whose text names them. */
  readonly named: NamedColumns
  /** Queries with their marks. */
  readonly marked: Map<string, Remembered>
  /** The id columns of selections. */
  readonly selected: Map<string, Remembered>
}

/** What a text means, where it has these sources. */
export interface Remembered {
  readonly sources: readonly { readonly name: string; readonly behind: unknown }[]
  readonly value: unknown
}

/**
 * All that is kept. Copies of this package, as ES module and CommonJS, patch one TypeORM: what one of them has done
 * the others know.
 */
interface State {
  /** By the metadata that a DataSource has built: when it builds them again, it needs preparing again. */
  readonly prepared: WeakMap<readonly EntityMetadata[], PreparedSource>
  /** The columns of each row whose ids we generated, by the list of rows that an insert has. */
  readonly generated: WeakMap<readonly ObjectLiteral[], (readonly PreparedColumn[])[]>
  /** Families of decorated properties, by the prototype that they are on. */
  readonly families: WeakMap<object, Map<string, IdFamily>>
  /** Drivers, loggers and prototypes of TypeORM that are patched. */
  readonly patched: WeakSet<object>
  /** Lists of parameters as drivers get them, and what each was before. */
  readonly bound: WeakMap<readonly unknown[], readonly unknown[]>
  /** Those of TypeORM's own statements, in which ids are converted. */
  readonly converted: WeakSet<object>
  /** Those of the queries that a query runner is at. */
  readonly running: WeakMap<object, Set<readonly unknown[]>>
  /** Copies of TypeORM that passed the self-test, by a prototype. */
  readonly rehearsed: WeakSet<object>
  /** DataSources whose tables are not to be looked at. */
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
  for (const column of columns) named.add(column.metadata.databaseName, column.named)
  return { database, columns, paths, named, marked: new Map(), selected: new Map() }
}

const UNPREPARED = preparedSource('sqlite', [], new Map())

/** What belongs to a DataSource: a builder, a query runner, the metadata of an entity. */
export interface Belonging {
  readonly dataSource: DataSource
}

/** TypeORM 0.3 calls it `connection`. */
export const dataSourceOf = (one: Belonging): DataSource =>
  (one.dataSource as DataSource | undefined) ??
  (one as unknown as { readonly connection: DataSource }).connection

/** Of a DataSource that was never prepared, none. */
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

/** As in TypeORM, later entries weigh more. */
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
