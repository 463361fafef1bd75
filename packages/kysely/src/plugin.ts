import type { Database, Time } from '@snoflax/core'
import {
  type CanBeKey,
  checkKeyset,
  checkOptions,
  columnFaults,
  type FoundRow,
  findRow,
  type KeyColumn,
  keysOf,
  refuseFaults,
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
import { type Declared, declare } from './declared.js'
import { Writes } from './writes.js'

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

/** The rows that an id of this type can be of. */
export type FoundById<DB, Tables, AnId extends string> = {
  [Table in keyof DB & keyof Tables & string]: {
    [Name in keyof Tables[Table] & string]: [
      Tables[Table][Name] extends IdColumn<string, 'generated'> ? true : false,
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
  private readonly declared: Declared
  private readonly writes: Writes
  private readonly database: Database

  /** @throws {IdError} as {@link idPlugin}. */
  constructor(options: IdPluginOptions<Tables>) {
    checkOptions('idPlugin', options, { database: 'any', tables: 'any' })
    this.database = options.database
    this.declared = declare(options.database, options.tables)
    this.writes = new Writes(this.declared)
  }

  /** Called by Kysely. */
  transformQuery({ node }: PluginTransformQueryArgs): RootOperationNode {
    return node.kind === 'SelectQueryNode' && node.with === undefined ? node : this.writes.of(node)
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
    const ids = this.declared.at(path)
    if (ids.generate) return ids.generate() as IdAt<Tables, Path>
    throw ids.refuse('this column does not generate ids')
  }

  /**
   * The row that has an id, of the tables whose ids are generated; null if none has it. If several can have it, one
   * statement by their keys says which do, and their rows are read.
   *
   * @throws {IdError} for a malformed id.
   *
   * @example
   * const found = await ids.find(db, lastSeenId)
   * if (found) console.log(found.model, found.row)
   */
  find<DB, const AnId extends string>(db: Kysely<DB>, id: AnId): Promise<FoundById<DB, Tables, AnId> | null> {
    const keys = keysOf(this, () =>
      [...this.declared.columns].flatMap(([model, columns]) =>
        [...columns].flatMap(([name, { family, column }]) =>
          column.role === 'generated' ? [{ model, column: name, family }] : [],
        ),
      ),
    )
    const any = db as unknown as Kysely<Record<string, Record<string, string>>>
    const rowsOf = ({ model, column }: KeyColumn) => any.selectFrom(model).where(column, '=', id)
    const found = findRow(
      keys,
      id,
      (key) => rowsOf(key).selectAll().executeTakeFirst(),
      async (several) => {
        const counts = several.map((key, at) =>
          rowsOf(key)
            .select(({ fn }) => fn.countAll().as('rows'))
            .as(`c${at}`),
        )
        return Object.values(await any.selectNoFrom(counts).executeTakeFirstOrThrow())
      },
    )
    return found as Promise<FoundById<DB, Tables, AnId> | null>
  }

  /**
   * Rows whose id was generated at or after `from` and before `to`, and those nearby of a family whose `exactRange` is
   * false (uid). It compares texts, so other keys that the column accepts may sort between the ends. Recheck both with
   * `wasCreatedBetween`.
   *
   * @throws {IdError} `INVALID_OPTION` if `from` is after `to`, `INVALID_TIME`.
   *
   * @example
   * const [from, to] = [new Date('2026-11-01'), new Date('2026-12-01')]
   * db.selectFrom('orders').selectAll().where(ids.createdBetween('orders.id', from, to))
   * db.selectFrom('orders as o').selectAll().where(ids.createdBetween('orders.id', from, to, { as: 'o.id' }))
   */
  createdBetween(
    path: IdPath<Tables>,
    from: Time,
    to: Time,
    options: NameOption = {},
  ): AliasableExpression<SqlBool> {
    const ids = this.declared.at(path)
    checkOptions('createdBetween', options, { as: 'any' })
    const { gte, lt } = ids.placed(() => ids.family.range(from, to))
    const column = columnOf(path, options)
    const eb = expressionBuilder<never, never>()
    const begins = eb(column, '>=', gte)
    return lt === undefined ? begins : eb.and([begins, eb(column, '<', lt)])
  }

  /**
   * Rows whose id was generated at or after the time; options are those of `createdBetween`.
   *
   * @example
   * db.selectFrom('orders').selectAll().where(ids.createdAfter('orders.id', Date.now() - 3_600_000))
   */
  createdAfter(path: IdPath<Tables>, time: Time, options?: NameOption): AliasableExpression<SqlBool> {
    return this.createdBetween(path, time, Number.POSITIVE_INFINITY, options)
  }

  /**
   * Rows whose id was generated before the time; options are those of `createdBetween`.
   *
   * @example
   * db.deleteFrom('orders').where(ids.createdBefore('orders.id', new Date('2020-01-01')))
   */
  createdBefore(path: IdPath<Tables>, time: Time, options?: NameOption): AliasableExpression<SqlBool> {
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
  createdAt<Path extends IdPath<Tables>, Given extends IdAt<Tables, Path> | null>(
    path: Path,
    id: Given,
  ): TimeAt<Tables, Path> | Extract<Given, null> {
    const ids = this.declared.at(path)
    return (id === null ? null : ids.placed(() => timeOf(ids.family, id))) as TimeAt<Tables, Path>
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
    path: Path,
    id: IdAt<Tables, Path>,
    from: Time,
    to: Time,
  ): boolean {
    const ids = this.declared.at(path)
    return ids.placed(() => wasCreatedBetween(ids.family, id, from, to))
  }

  /**
   * Keyset pagination by a unique id column, such as the primary key, for `$call`: page 1000 costs as much as page 1, and
   * inserted or deleted rows shift no page.
   *
   * @throws {IdError} for a malformed cursor, another order, or a `take` that is not a positive integer.
   *
   * @example
   * db.selectFrom('orders').selectAll()
   *   .$call(ids.keyset('orders.id', { after: lastSeenId, order: 'desc', take: 20 }))
   */
  keyset<Path extends IdPath<Tables>>(
    path: Path,
    options: KeysetOptions<IdAt<Tables, Path>> = {},
  ): <Query>(query: Query) => Query {
    const ids = this.declared.at(path)
    const order = checkKeyset(options, { take: 'number', as: 'any' })
    const { after, take } = options
    const column = columnOf(path, options)
    const eb = expressionBuilder<never, never>()
    const beyond = after == null ? undefined : eb(column, order === 'asc' ? '>' : '<', ids.parse(after))
    return <Query>(query: Query): Query => {
      const all = query as unknown as SelectQueryBuilder<never, never, unknown>
      const page = (beyond ? all.where(beyond) : all).orderBy(column, order)
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
    const { storage, column } = this.declared.at(path)
    return sql.raw(column.role === 'list' ? `${storage.column.type}[]` : storage.column.sql)
  }

  /**
   * The DEFAULT of a column with `default: 'database'`, for migrations.
   *
   * @example
   * db.schema.alterTable('jobs').alterColumn('id', (column) => column.setDefault(ids.columnDefault('jobs.id')))
   */
  columnDefault(path: IdPath<Tables>): RawBuilder<unknown> {
    const ids = this.declared.at(path)
    if (ids.databaseDefault) return sql.raw(ids.databaseDefault)
    throw ids.refuse("only with default: 'database' does the database generate its ids")
  }

  /**
   * Compares the declared id columns with those in the database, by one query. Run it when your application starts, or
   * after migrations: with another collation, width or type, queries would silently find wrong rows.
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
    const declared = [...this.declared.columns].flatMap(([table, columns]) =>
      [...columns].map(([name, { path, storage, column }]) => {
        const [own = '', of = '', schema] = renamed([name, ...table.split('.').reverse()])
        return { path, schema, table: of, column: own, storage, isList: column.role === 'list' }
      }),
    )
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
 * @throws {IdError} naming table and column: `GENERATOR_REQUIRED` for a generated column of a family without a default
 * generator, `STORAGE_REFUSED` for a storage other than the id itself, `INVALID_OPTION`, `FIELD_OUT_OF_RANGE` for the
 * metabyte.
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
