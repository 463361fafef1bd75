import { type Database, IdError, type Time } from '@snoflax/core'
import {
  type CanBeKey,
  checkGenerating,
  checkOptions,
  columnFaults,
  type FoundRow,
  findRow,
  type KeyColumn,
  keysOf,
  readKeyset,
  refuseFaults,
  type Timed,
  timeOf,
  wasCreatedBetween,
} from '@snoflax/core/adapter'
import {
  type AliasableExpression,
  CompiledQuery,
  createQueryId,
  type Expression,
  expressionBuilder,
  IdentifierNode,
  type Kysely,
  type KyselyPlugin,
  type PluginTransformQueryArgs,
  type PluginTransformResultArgs,
  type QueryExecutorProvider,
  type QueryResult,
  type RawBuilder,
  RawNode,
  type RootOperationNode,
  type Selectable,
  type SelectQueryBuilder,
  type SqlBool,
  sql,
  type UnknownRow,
} from 'kysely'
import type { IdAt, IdColumn, IdTables, TimeAt, WithIdColumns } from './columns.js'
import { type ColumnIds, declare } from './declared.js'
import { newId, Writes } from './writes.js'

/** A declared column, as `table.column`. */
export type IdPath<Tables extends IdTables> = {
  [Table in keyof Tables & string]: `${Table}.${keyof Tables[Table] & string}`
}[keyof Tables & string]

/**
 * Your database interface, such as kysely-codegen's `DB`, with the types of the declared id columns, for `Kysely<…>`.
 *
 * @example
 * type Database = WithIds<DB, typeof ids>
 * const db = new Kysely<Database>({ dialect, plugins: [ids] })
 */
export type WithIds<DB, Plugin> =
  Plugin extends IdPlugin<infer Tables>
    ? {
        [Table in keyof DB | keyof Tables]: Table extends keyof Tables & string
          ? WithIdColumns<Table extends keyof DB ? DB[Table] : unknown, Table, Tables>
          : Table extends keyof DB
            ? DB[Table]
            : never
      }
    : never

/** Options of {@link idPlugin}. */
export interface IdPluginOptions<Tables extends IdTables> {
  /** The database behind Kysely's dialect. PGlite is `postgres`. */
  readonly database: Database
  /** The id columns of each table or view, by the names that queries use. */
  readonly tables: Tables
}

/** Option of conditions on a declared column. */
export interface NameOption {
  /** What the query calls the column, such as `o.id`, or an expression. Default: its path. */
  readonly as?: string | Expression<unknown>
}

/** Options of `keyset`. */
export interface KeysetOptions<AnId extends string> extends NameOption {
  /** The last id of the previous page; undefined or null for the first page. */
  readonly after?: AnId | null | undefined
  /** Oldest first, or newest first. Default `asc`. */
  readonly order?: 'asc' | 'desc'
  /** Rows per page. Default: the query's own limit. */
  readonly take?: number
}

/** Columns that others reference. */
type Targets<Tables> = {
  [Table in keyof Tables]: {
    [Name in keyof Tables[Table]]: Tables[Table][Name] extends IdColumn<string, 'reference', infer Target>
      ? Target
      : never
  }[keyof Tables[Table]]
}[keyof Tables]

type IsKey<Tables, Table extends keyof Tables & string, Name extends keyof Tables[Table] & string> =
  Tables[Table][Name] extends IdColumn<string, 'generated'>
    ? true
    : `${Table}.${Name}` extends Targets<Tables>
      ? true
      : false

/** The rows that an id of this type can be of. */
export type FoundById<DB, Tables, AnId extends string> = {
  [Table in keyof DB & keyof Tables & string]: {
    [Name in keyof Tables[Table] & string]: [
      IsKey<Tables, Table, Name>,
      CanBeKey<AnId, IdAt<Tables, `${Table}.${Name}`>>,
    ] extends [true, true]
      ? FoundRow<Table, Selectable<DB[Table]>>
      : never
  }[keyof Tables[Table] & string]
}[keyof DB & keyof Tables & string]

const columnOf = (path: string, { as = path }: NameOption): Expression<string> =>
  typeof as === 'string' ? sql.ref<string>(as) : (as as Expression<string>)

/**
 * The plugin that {@link idPlugin} returns, with functions that know its columns.
 *
 * @example
 * const newOrderId = (plugin: typeof ids): SnoId => plugin.generate('orders.id')
 */
export class IdPlugin<Tables extends IdTables> implements KyselyPlugin {
  private readonly database: Database
  /** By path. */
  private readonly declared: ReadonlyMap<string, ColumnIds>
  private readonly writes: Writes

  /** @throws {IdError} as {@link idPlugin}. */
  constructor(options: IdPluginOptions<Tables>) {
    const { database, tables } = checkOptions('idPlugin', options, { database: 'any', tables: 'any' })
    this.database = database
    this.declared = declare(database, tables)
    const generating = [...this.declared.values()].filter(({ role }) => role === 'generated')
    checkGenerating(
      generating.map(({ path, table, name, family }) => ({
        path,
        place: `${table.slice(table.lastIndexOf('.') + 1)}.${name}`,
        family,
      })),
      (target) => (target === undefined ? 'idColumn.plain(definition)' : `idColumn.ref('${target}')`),
    )
    this.writes = new Writes(this.declared.values())
  }

  /** @throws {IdError} `INVALID_OPTION` for a path that was not declared. */
  private at(path: string): ColumnIds {
    const ids = this.declared.get(path)
    if (ids) return ids
    throw new IdError('INVALID_OPTION', `${path}: not an id column; declare it in the tables of idPlugin()`, {
      path,
    })
  }

  /** Called by Kysely. */
  transformQuery({ node }: PluginTransformQueryArgs): RootOperationNode {
    return node.kind === 'SelectQueryNode' && node.with === undefined ? node : this.writes.sent(node)
  }

  /** Called by Kysely. */
  async transformResult({ result }: PluginTransformResultArgs): Promise<QueryResult<UnknownRow>> {
    return result
  }

  /**
   * A new id for a generated column: for rows that reference each other, and for MySQL, which returns no ids.
   *
   * @example
   * const id = ids.generate('orders.id')
   */
  generate<Path extends IdPath<Tables>>(path: Path): IdAt<Tables, Path> {
    const ids = this.at(path)
    if (ids.generate) return newId(ids) as IdAt<Tables, Path>
    throw ids.refused('this column does not generate ids')
  }

  /**
   * The row that has an id, in a declared column that generates ids or that another one references; null if none has it.
   * Other `plain` columns and references are not asked, since Kysely doesn't know whether they are keys.
   *
   * @throws {IdError} for a malformed id.
   *
   * @example
   * const found = await ids.find(db, lastSeenId)
   * if (found) console.log(found.model, found.row)
   */
  async find<DB, const AnId extends string>(
    db: Kysely<DB>,
    id: AnId,
  ): Promise<FoundById<DB, Tables, AnId> | null> {
    const keys = keysOf(this, () => {
      const all = [...this.declared.values()]
      const targets = new Set(all.map(({ target }) => target))
      return [
        ...all.filter(({ role }) => role === 'generated'),
        ...all.filter(({ role, path }) => role !== 'generated' && targets.has(path)),
      ].map(({ table: model, name: column, family }) => ({ model, column, family }))
    })
    const any = db as unknown as Kysely<Record<string, Record<string, string>>>
    const rowsOf = ({ model, column }: KeyColumn) => any.selectFrom(model).where(column, '=', id)
    const read = (key: KeyColumn, limit: number) => rowsOf(key).selectAll().limit(limit).execute()
    const count = async (several: readonly KeyColumn[]) => {
      const rows = sql`count(*)`.as('rows')
      const counts = several.map((key, at) => rowsOf(key).select(rows).as(`c${at}`))
      return Object.values(await any.selectNoFrom(counts).executeTakeFirstOrThrow())
    }
    return findRow(keys, id, read, count) as Promise<FoundById<DB, Tables, AnId> | null>
  }

  /**
   * Rows whose id was generated at or after `from` and before `to`. Also finds ids of uid nearby, and other keys that the
   * column accepts and that sort between: recheck with `wasCreatedBetween`.
   *
   * @throws {IdError} `INVALID_OPTION` if `from` is after `to`, `INVALID_TIME`.
   *
   * @example
   * db.selectFrom('orders as o').selectAll().where(ids.createdBetween('orders.id', from, to, { as: 'o.id' }))
   */
  createdBetween<Path extends IdPath<Tables>>(
    path: Path & Timed<IdAt<Tables, Path>>,
    from: Time,
    to: Time,
    options: NameOption = {},
  ): AliasableExpression<SqlBool> {
    const ids = this.at(path)
    const own = checkOptions('createdBetween', options, { as: 'any' })
    const { gte, lt, lte } = ids.placed((family) => family.range(from, to))
    const column = columnOf(path, own)
    const eb = expressionBuilder<never, never>()
    const begins = eb(column, '>=', gte)
    const end = lte === undefined ? lt && eb(column, '<', lt) : eb(column, '<=', lte)
    return end ? eb.and([begins, end]) : begins
  }

  /**
   * Rows whose id was generated at or after the time; options are those of `createdBetween`.
   *
   * @example
   * db.selectFrom('orders').selectAll().where(ids.createdAfter('orders.id', Date.now() - 3_600_000))
   */
  createdAfter<Path extends IdPath<Tables>>(
    path: Path & Timed<IdAt<Tables, Path>>,
    time: Time,
    options?: NameOption,
  ): AliasableExpression<SqlBool> {
    return this.createdBetween(path, time, Number.POSITIVE_INFINITY, options)
  }

  /**
   * Rows whose id was generated before the time; options are those of `createdBetween`.
   *
   * @example
   * db.deleteFrom('orders').where(ids.createdBefore('orders.id', new Date('2020-01-01')))
   */
  createdBefore<Path extends IdPath<Tables>>(
    path: Path & Timed<IdAt<Tables, Path>>,
    time: Time,
    options?: NameOption,
  ): AliasableExpression<SqlBool> {
    return this.createdBetween(path, Number.NEGATIVE_INFINITY, time, options)
  }

  /**
   * When an id was generated: null for null, and for another key that the column accepts.
   *
   * @throws {IdError} for a malformed id.
   *
   * @example
   * ids.createdAt('orders.id', lastSeenId)
   */
  createdAt<Path extends IdPath<Tables>, AnId extends IdAt<Tables, Path> | null>(
    path: Path & Timed<IdAt<Tables, Path>>,
    id: AnId,
  ): TimeAt<Tables, Path> | Extract<AnId, null> {
    const ids = this.at(path)
    return (id === null ? null : ids.placed((family) => timeOf(family, id))) as TimeAt<Tables, Path>
  }

  /**
   * Whether an id was generated at or after `from` and before `to`; false for another key that the column accepts.
   *
   * @throws {IdError} as `createdBetween`, and for a malformed id.
   *
   * @example
   * rows.filter((row) => ids.wasCreatedBetween('events.id', row.id, from, to))
   */
  wasCreatedBetween<Path extends IdPath<Tables>>(
    path: Path & Timed<IdAt<Tables, Path>>,
    id: IdAt<Tables, Path>,
    from: Time,
    to: Time,
  ): boolean {
    return this.at(path).placed((family) => wasCreatedBetween(family, id, from, to))
  }

  /**
   * Keyset pagination by a unique id column, for `$call`: page 1000 costs as much as page 1.
   *
   * @throws {IdError} with status 400 for an `after` that is no id of the column; for another order, or a `take` that is not a positive integer.
   *
   * @example
   * db.selectFrom('orders').selectAll()
   *   .$call(ids.keyset('orders.id', { after: lastSeenId, order: 'desc', take: 20 }))
   */
  keyset<Path extends IdPath<Tables>>(
    path: Path,
    options: KeysetOptions<IdAt<Tables, Path>> = {},
  ): <Query>(query: Query) => Query {
    const ids = this.at(path)
    const { after, order } = readKeyset(ids, options, 'optional', { as: 'any' })
    const { take } = options
    const column = columnOf(path, options)
    return <Query>(query: Query): Query => {
      const all = query as unknown as SelectQueryBuilder<never, never, unknown>
      const rest = after === undefined ? all : all.where(column, order === 'asc' ? '>' : '<', after)
      const page = rest.orderBy(column, order)
      return (take === undefined ? page : page.limit(take)) as Query
    }
  }

  /**
   * The type of a column, for migrations.
   *
   * @example
   * db.schema.createTable('orders').addColumn('id', ids.columnType('orders.id'), (column) => column.primaryKey())
   */
  columnType(path: IdPath<Tables>): RawBuilder<unknown> {
    const { storage, role } = this.at(path)
    return sql.raw(role === 'list' ? `${storage.column.type}[]` : storage.column.sql)
  }

  /**
   * The DEFAULT of a column with `default: 'database'`, for migrations.
   *
   * @example
   * db.schema.alterTable('jobs').alterColumn('id', (column) => column.setDefault(ids.columnDefault('jobs.id')))
   */
  columnDefault(path: IdPath<Tables>): RawBuilder<unknown> {
    const ids = this.at(path)
    if (ids.databaseDefault) return sql.raw(ids.databaseDefault)
    throw ids.refused("only with default: 'database' does the database generate its ids")
  }

  /**
   * Compares the declared id columns with those in the database, by one query: with another collation, width or type,
   * queries would find wrong rows. Run it when your application starts.
   *
   * @throws {IdError} `STORAGE_REFUSED` listing the columns that are wrong or missing.
   *
   * @example
   * await ids.checkColumns(db)
   */
  async checkColumns(db: QueryExecutorProvider): Promise<void> {
    const executor = db.getExecutor()
    /** Names as other plugins of `db` send them to the database. */
    const renamed = (names: readonly string[]): readonly string[] => {
      const node = RawNode.createWithChildren(names.map((name) => IdentifierNode.create(name)))
      const sent = executor.transformQuery(node, createQueryId())
      return sent.parameters.map((one) => (one as IdentifierNode).name)
    }
    const declared = [...this.declared.values()].map(({ path, table, name, storage, role }) => {
      const [column = '', of = '', schema] = renamed([name, ...table.split('.').reverse()])
      return { path, schema, table: of, column, storage, isList: role === 'list' }
    })
    const faults = await columnFaults(this.database, declared, async (text, parameters) => {
      const query = CompiledQuery.raw(text, [...parameters])
      return (await executor.withoutPlugins().executeQuery<Record<string, unknown>>(query)).rows
    })
    refuseFaults(faults, 'the declaration')
  }
}

/**
 * A plugin for Kysely that generates ids on insert, and checks the ids that are written to declared columns. Put it
 * before plugins that rename.
 *
 * @throws {IdError} `INVALID_OPTION`, also for a second column that generates ids of one prefix; `GENERATOR_REQUIRED`,
 * `STORAGE_REFUSED`, `FIELD_OUT_OF_RANGE` for the metabyte.
 *
 * @example
 * const ids = idPlugin({
 *   database: 'sqlite',
 *   tables: { customers: { id: flaxId() }, orders: { id: flaxId(), customer_id: flaxId.ref('customers.id') } },
 * })
 * const db = new Kysely<WithIds<DB, typeof ids>>({ dialect, plugins: [ids] })
 */
export function idPlugin<const Tables extends IdTables>(options: IdPluginOptions<Tables>): IdPlugin<Tables> {
  return new IdPlugin(options)
}
