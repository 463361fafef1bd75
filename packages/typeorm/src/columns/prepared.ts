import { type Database, IdError, type IdFamily, type IdStorage } from '@snoflax/core'
import { isBytes, storedReader, withPath } from '@snoflax/core/adapter'
import type { DataSource, EntityMetadata } from 'typeorm'
import type { ColumnMetadata } from 'typeorm/metadata/ColumnMetadata.js'
import { InstanceChecker } from 'typeorm/util/InstanceChecker.js'
import type { IdColumnDefinition, PreliminaryColumn } from './definition.js'

/** Marks the id columns in a DataSource's metadata. The same in all copies of this package; the doctor of snoflax reads it. */
const ID_COLUMN: unique symbol = Symbol.for('@snoflax/typeorm id column') as never

/** A column of ids in the metadata of one DataSource: own ids, or a foreign key. */
export class PreparedColumn {
  /** Entity and property. */
  readonly path: string
  /** The id of a stored value. */
  readonly read: (value: unknown) => string | null

  constructor(
    readonly metadata: ColumnMetadata,
    readonly storage: IdStorage<string>,
    /** Its declaration; undefined if it is only known by what it references. */
    readonly definition: IdColumnDefinition | undefined,
    /** Whether its type is that of a column that exists. */
    readonly keepsType: boolean,
    /** Whether writes are checked. */
    readonly isChecked: boolean,
  ) {
    this.path = pathOf(metadata)
    this.read = storedReader(storage)
    Object.assign(metadata, { [ID_COLUMN]: this })
  }

  /** Generates its ids; undefined if the application does not. */
  get generate(): (() => string) | undefined {
    return this.definition?.generate
  }

  /** Checks the text of an id, or of each in an array, that is about to be written. @throws {IdError} with the path. */
  check(value: unknown): void {
    if (!this.isChecked || value == null || typeof value === 'function') return
    const { family } = this.storage
    if (Array.isArray(value) && this.metadata.isArray) for (const one of value) this.check(one)
    else if (!family.is(value)) withPath(this.path, () => family.parse(value as string))
  }

  /** The stored form of an id, or of each in a list. A stored form stays, since TypeORM prepares some values twice. */
  to(value: unknown): unknown {
    // A function is SQL, and undefined means the column's default.
    if (value === undefined || typeof value === 'function' || InstanceChecker.isFindOperator(value))
      return value
    if (Array.isArray(value)) return value.map((one) => this.to(one))
    const stored: unknown = withPath(this.path, () => this.storage.toDatabase(value))
    // TypeORM 0.3 compares bytes only if they are Buffers.
    return isBytes(stored) && globalThis.Buffer
      ? Buffer.from(stored.buffer, stored.byteOffset, stored.length)
      : stored
  }

  /** The id of a stored value, or of each in an array. @throws {IdError} for any other value, an id's text too. */
  from(value: unknown): unknown {
    if (value === undefined) return value
    if (Array.isArray(value) && this.metadata.isArray) return value.map((one) => this.from(one))
    try {
      return this.read(value)
    } catch (error) {
      const { entityMetadata, databaseName } = this.metadata
      throw error instanceof IdError
        ? new IdError(
            error.code,
            `${this.path}: column ${databaseName} of ${entityMetadata.tablePath}: ${error.message}`,
            { family: this.storage.family.name, field: 'column', value, path: this.path },
          )
        : error
    }
  }
}

/** Rethrows an error with the path. Calling `withPath` for each value would be a third of the cost. */
export function fail(path: string, error: unknown): never {
  return withPath(path, () => {
    throw error
  })
}

/** Wraps a method of an object or of a prototype in a function that gets the object and the bound method. */
export function around<This, Args extends unknown[], Result>(
  owner: object,
  name: string,
  call: (self: This, method: (...args: Args) => Result, ...args: Args) => Result,
): void {
  const methods = owner as Record<string, (...args: Args) => Result>
  const method = methods[name] as (...args: Args) => Result
  // Drivers and metadata are asked for every value: binding each time would be half of the cost.
  const own = method.bind(owner)
  methods[name] = function (this: This, ...args) {
    return call(this, (this as unknown) === owner ? own : method.bind(this), ...args)
  }
}

/** What an object inherits from. */
export const prototypeOf = <One extends object>(one: One): One => Object.getPrototypeOf(one) as One

export const pathOf = (column: ColumnMetadata): string =>
  `${column.entityMetadata.name}.${column.propertyPath}`

export const idColumnFor = (column: ColumnMetadata): PreparedColumn | undefined =>
  (column as { [ID_COLUMN]?: PreparedColumn })[ID_COLUMN]

/** The column, if TypeORM and its user see other values than the database. */
export const convertingFor = (column: ColumnMetadata): PreparedColumn | undefined => {
  const idColumn = idColumnFor(column)
  return idColumn?.storage.converts ? idColumn : undefined
}

/** The value of a column in its stored form. */
export const storedIn = (column: ColumnMetadata, value: unknown): unknown => {
  const idColumn = convertingFor(column)
  return idColumn ? idColumn.to(value) : value
}

/** The id columns of an entity. */
export const idColumnsIn = ({ columns }: EntityMetadata): PreparedColumn[] =>
  columns.flatMap((column) => idColumnFor(column) ?? [])

/** Those that convert. */
export const convertingIn = ({ columns }: EntityMetadata): PreparedColumn[] =>
  columns.flatMap((column) => convertingFor(column) ?? [])

/** The id columns of an entity whose ids the application generates. */
export const generatedColumnsIn = (metadata: EntityMetadata): readonly PreparedColumn[] =>
  state.generating.get(metadata) ?? []

/** The id columns of a DataSource. */
interface PreparedSource {
  readonly database: Database
  readonly columns: readonly PreparedColumn[]
  /** Whether a column converts. */
  readonly converts: boolean
  readonly pending: Pending
}

/** The ids that wait for their insert, and rows that need the id of another one at once. */
export interface Pending {
  readonly ids: Set<unknown>
  /** New entities with an id of their own: TypeORM looked for it and doesn't update them, so they are inserted complete. */
  readonly complete: WeakSet<object>
  /** The entities that those reference. */
  readonly needed: WeakSet<object>
}

/**
 * All state of this package. Its copies, such as ES module and CommonJS, share it, since they patch one TypeORM.
 */
interface State {
  /** By the metadata of a DataSource: if it builds them again, it must be prepared again. */
  readonly prepared: WeakMap<readonly EntityMetadata[], PreparedSource>
  /** The columns of an entity whose ids the application generates. */
  readonly generating: WeakMap<EntityMetadata, readonly PreparedColumn[]>
  /** The metadata of an entity's class or definitions, for each combination of storages that a DataSource has. */
  readonly entities: WeakMap<object, Map<string, EntityMetadata>>
  /** Decorated properties, by the prototype of their class. */
  readonly declared: WeakMap<object, Map<string, PreliminaryColumn>>
  /** Families of prepared columns; undefined if a base class has columns that reference different ones. */
  readonly settled: WeakMap<IdColumnDefinition, IdFamily | undefined>
  /** Prototypes of TypeORM that are patched. */
  readonly patched: WeakSet<object>
  /** DataSources that generate and check ids. */
  readonly hooked: WeakSet<DataSource>
  /** DataSources with `checkColumns: false`. */
  readonly unchecked: WeakSet<DataSource>
}

const STATE: unique symbol = Symbol.for('@snoflax/typeorm 1') as never
const all = globalThis as { [STATE]?: State }
all[STATE] ??= {
  prepared: new WeakMap(),
  generating: new WeakMap(),
  entities: new WeakMap(),
  declared: new WeakMap(),
  settled: new WeakMap(),
  patched: new WeakSet(),
  hooked: new WeakSet(),
  unchecked: new WeakSet(),
}
export const state: State = all[STATE]

/** A builder, a query runner or an entity's metadata, which belong to a DataSource. */
export interface Belonging {
  readonly dataSource: DataSource
}

/** TypeORM 0.3 calls it `connection`. */
export const dataSourceOf = (one: Belonging): DataSource =>
  (one.dataSource as DataSource | undefined) ??
  (one as unknown as { readonly connection: DataSource }).connection

const preparedSource = (database: Database, columns: readonly PreparedColumn[]): PreparedSource => ({
  database,
  columns,
  converts: columns.some(({ storage }) => storage.converts),
  pending: { ids: new Set(), complete: new WeakSet(), needed: new WeakSet() },
})

const UNPREPARED = preparedSource('sqlite', [])

/** The id columns of a DataSource; none if it was never prepared. */
export const preparedOf = ({ entityMetadatas }: DataSource): PreparedSource =>
  state.prepared.get(entityMetadatas) ?? UNPREPARED

export const isPrepared = ({ entityMetadatas }: DataSource): boolean => state.prepared.has(entityMetadatas)

export function remember(
  { entityMetadatas }: DataSource,
  database: Database,
  columns: readonly PreparedColumn[],
): void {
  state.prepared.set(entityMetadatas, preparedSource(database, columns))
  for (const one of entityMetadatas) {
    const own = idColumnsIn(one)
    state.generating.set(
      one,
      own.filter(({ generate }) => generate),
    )
    const storages = own.map(({ storage }) => storage.name).join()
    const definitions = own.flatMap(({ definition }) => definition ?? [])
    for (const key of typeof one.target === 'function' ? [one.target] : definitions) {
      const known = state.entities.get(key) ?? new Map<string, EntityMetadata>()
      state.entities.set(key, known.set(`${one.name} ${storages}`, one))
    }
  }
}
