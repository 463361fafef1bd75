import type { Database, IdFamily, IdStorage } from '@snoflax/core'
import { isBytes, type SqlIdColumn, SqlIds, storedReader, withPath } from '@snoflax/core/adapter'
import type { DataSource, EntityMetadata, ObjectLiteral, ValueTransformer } from 'typeorm'
import type { ColumnMetadata } from 'typeorm/metadata/ColumnMetadata.js'
import { InstanceChecker } from 'typeorm/util/InstanceChecker.js'

/** Marks the id columns in a DataSource's metadata. The same in all copies of this package; the doctor of snoflax reads it. */
const ID_COLUMN: unique symbol = Symbol.for('@snoflax/typeorm id column') as never

/**
 * A column of ids in the metadata of one DataSource: own ids, or a foreign key. If its storage converts, it is the
 * transformer of its column. Both directions are idempotent, since TypeORM may call them twice.
 */
export class PreparedColumn implements ValueTransformer {
  /** Entity and property. */
  readonly path: string
  /** The column in SQL. */
  readonly inSql: SqlIdColumn & { readonly column: PreparedColumn }
  private readonly stored: (value: unknown) => unknown

  constructor(
    readonly metadata: ColumnMetadata,
    readonly storage: IdStorage<string>,
    /** Generates its ids; undefined if the application does not. */
    readonly generate: (() => string) | undefined,
  ) {
    this.path = pathOf(metadata)
    this.inSql = { place: this.path, storage: () => storage, column: this }
    this.stored = storedReader(storage)
    Object.assign(metadata, { [ID_COLUMN]: this })
  }

  /** Checks the text of an id, or of each in an array, that is about to be written. @throws {IdError} with the path. */
  check(value: unknown): void {
    if (value == null || typeof value === 'function') return
    const { family } = this.storage
    if (Array.isArray(value) && this.metadata.isArray) for (const one of value) this.check(one)
    else if (!family.is(value)) withPath(this.path, () => family.parse(value as string))
  }

  to(value: unknown): unknown {
    // A function is SQL, a list the value of `Any`, and undefined means the column's default. TypeORM 0.3 passes find
    // operators too; their values are converted as parameters.
    if (value === undefined || typeof value === 'function') return value
    if (InstanceChecker.isFindOperator(value)) return value
    if (Array.isArray(value)) return value.map((one) => this.to(one))
    const stored: unknown = withPath(this.path, () => this.storage.toDatabase(value))
    if (!isBytes(stored) || !globalThis.Buffer) return stored
    // TypeORM 0.3 compares bytes only if they are Buffers.
    const bytes = Buffer.from(stored.buffer, stored.byteOffset, stored.length)
    const text = typeof value === 'string' ? value : state.texts.get(value as object)
    if (text !== undefined) state.texts.set(bytes, text)
    return bytes
  }

  from(value: unknown): unknown {
    if (value === undefined) return undefined
    if (Array.isArray(value) && this.metadata.isArray) return value.map((one) => this.one(one))
    return this.one(value)
  }

  /** Reads one id, which TypeORM may do twice: as the value of a raw row, and of an entity. */
  private one(value: unknown): unknown {
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
      return this.stored(value)
    } catch (error) {
      return this.fail(error)
    }
  }

  /** Throws an error with the path. Calling `withPath` for each value would be a third of the cost. */
  fail(error: unknown): never {
    return withPath(this.path, () => {
      throw error
    })
  }
}

/** Wraps a method of an object or of a prototype in a function that gets the object and the bound method. */
export function around<This, Given extends unknown[], Result>(
  owner: object,
  name: string,
  call: (self: This, method: (...given: Given) => Result, ...given: Given) => Result,
): void {
  const methods = owner as Record<string, (...given: Given) => Result>
  const method = methods[name] as (...given: Given) => Result
  methods[name] = function (this: This, ...given) {
    return call(this, method.bind(this), ...given)
  }
}

export const pathOf = (column: ColumnMetadata): string =>
  `${column.entityMetadata.name}.${column.propertyPath}`

export const idColumnFor = (column: ColumnMetadata): PreparedColumn | undefined =>
  (column as { [ID_COLUMN]?: PreparedColumn })[ID_COLUMN]

/** Whether a transformer is an id column of any copy of this package. */
export const isIdTransformer = (transformer: { readonly metadata?: ColumnMetadata }): boolean =>
  transformer.metadata !== undefined && idColumnFor(transformer.metadata) === transformer

/** The column, if TypeORM and its user see other values than the database. */
export const convertingFor = (column: ColumnMetadata): PreparedColumn | undefined => {
  const idColumn = idColumnFor(column)
  return idColumn?.storage.converts ? idColumn : undefined
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

/** The columns whose ids we generated in a row of an insert, but for those of TypeORM's events. */
export const generatedFor = (rows: readonly ObjectLiteral[], row: number): readonly PreparedColumn[] =>
  state.generated.get(rows)?.[row] ?? []

/** The id columns of a DataSource. */
export interface PreparedSource {
  readonly database: Database
  readonly columns: readonly PreparedColumn[]
  /** Whether a column converts, so that TypeORM is patched. */
  readonly converts: boolean
  /** By their names in SQL that TypeORM doesn't know. */
  readonly ids: SqlIds
  /** All columns, by their names. */
  readonly named: ReadonlyMap<string, readonly ColumnMetadata[]>
  readonly pending: Pending
  /** The texts of statements with marked parameters, and the parameters in them. */
  readonly marked: Map<string, unknown>
  readonly uses: Map<string, unknown>
}

/** The ids that wait for their insert, and rows that need the id of another one at once. */
export interface Pending {
  readonly ids: Set<unknown>
  /** New entities with an id of their own: TypeORM looked for it and doesn't update them, so they are inserted complete. */
  readonly given: WeakSet<object>
  /** The entities that those reference. */
  readonly needed: WeakSet<object>
}

/** What to do with the rows that a statement returned. */
export type RowReader = (rows: readonly Record<string, unknown>[]) => void

/**
 * All state of this package. Its copies, such as ES module and CommonJS, share it, since they patch one TypeORM.
 */
interface State {
  /** Whether `asText()` was ever called. */
  hasTexts: boolean
  /** By the metadata of a DataSource: if it builds them again, it must be prepared again. */
  readonly prepared: WeakMap<readonly EntityMetadata[], PreparedSource>
  /** The columns of an entity whose ids the application generates. */
  readonly generating: WeakMap<EntityMetadata, readonly PreparedColumn[]>
  /** The columns whose ids we generated, for each row, by an insert's list of rows. */
  readonly generated: WeakMap<readonly ObjectLiteral[], (readonly PreparedColumn[])[]>
  /** Families of decorated properties, by the prototype of their class. */
  readonly families: WeakMap<object, Map<string, IdFamily>>
  /** Drivers, loggers, query runners and prototypes of TypeORM that are patched. */
  readonly patched: WeakSet<object>
  /** The lists of parameters of TypeORM's own statements, in which ids are already converted. */
  readonly own: WeakMap<object, RowReader>
  /** The texts of ids by their bytes, for logs and errors. */
  readonly texts: WeakMap<object, string>
  /** What to do when the insert with these parameters has run. */
  readonly inserted: WeakMap<object, () => Promise<void>>
  /** DataSources that generate and check ids. */
  readonly hooked: WeakSet<DataSource>
  /** DataSources with `checkColumns: false`. */
  readonly unchecked: WeakSet<DataSource>
}

const STATE: unique symbol = Symbol.for('@snoflax/typeorm 1') as never
const all = globalThis as { [STATE]?: State }
all[STATE] ??= {
  hasTexts: false,
  prepared: new WeakMap(),
  generating: new WeakMap(),
  generated: new WeakMap(),
  families: new WeakMap(),
  patched: new WeakSet(),
  own: new WeakMap(),
  texts: new WeakMap(),
  inserted: new WeakMap(),
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

const ADVICE =
  'pass parameter(column, id) for an id of the column, or asText(value) for a text that is not one'

function preparedSource(
  database: Database,
  columns: readonly PreparedColumn[],
  metadatas: readonly EntityMetadata[],
): PreparedSource {
  const ids = new SqlIds(ADVICE)
  const named = new Map<string, ColumnMetadata[]>()
  for (const column of new Set(metadatas.flatMap((one) => one.columns))) {
    const [idColumn, name] = [idColumnFor(column), column.databaseName.toLowerCase()]
    if (idColumn) ids.add(name, idColumn.inSql)
    else ids.addOther(name)
    named.set(name, [...(named.get(name) ?? []), column])
  }
  return {
    database,
    columns,
    converts: columns.some(({ storage }) => storage.converts),
    ids,
    named,
    pending: { ids: new Set(), given: new WeakSet(), needed: new WeakSet() },
    marked: new Map(),
    uses: new Map(),
  }
}

const UNPREPARED = preparedSource('sqlite', [], [])

/** The id columns of a DataSource; none if it was never prepared. */
export const preparedOf = ({ entityMetadatas }: DataSource): PreparedSource =>
  state.prepared.get(entityMetadatas) ?? UNPREPARED

export const isPrepared = ({ entityMetadatas }: DataSource): boolean => state.prepared.has(entityMetadatas)

export function remember(
  { entityMetadatas }: DataSource,
  database: Database,
  columns: readonly PreparedColumn[],
): void {
  state.prepared.set(entityMetadatas, preparedSource(database, columns, entityMetadatas))
  for (const one of entityMetadatas)
    state.generating.set(
      one,
      idColumnsIn(one).filter(({ generate }) => generate),
    )
}
