import { type Database, type DatabaseValue, IdError, type Time } from '@snoflax/core'
import {
  checkOptions,
  columnFaults,
  refuseFaults,
  requireMembers,
  wasCreatedBetween,
} from '@snoflax/core/adapter'
import {
  type AliasableExpression,
  CompiledQuery,
  createQueryId,
  type Expression,
  IdentifierNode,
  type KyselyPlugin,
  type PluginTransformQueryArgs,
  type PluginTransformResultArgs,
  type QueryExecutorProvider,
  type QueryResult,
  type RawBuilder,
  RawNode,
  type RootOperationNode,
  sql,
  type UnknownRow,
  ValueNode,
} from 'kysely'
import { type ColumnIds, type Declared, declare, idsAt } from './column-ids.js'
import type { IdAt, IdPluginOptions, IdTables, WithIdColumns } from './columns.js'
import { decodeRows } from './meaning.js'
import { marked } from './nodes.js'
import { type Answer, Rewriter, SUPPORTED } from './rewrite.js'

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
        [Table in keyof DB | keyof Tables]: Table extends keyof Tables
          ? WithIdColumns<Table extends keyof DB ? DB[Table] : unknown, Table & string, Tables>
          : Table extends keyof DB
            ? DB[Table]
            : never
      }
    : never

/**
 * The plugin that {@link idPlugin} returns, with functions for what queries alone can't do.
 *
 * @example
 * const newOrderId = (plugin: typeof ids): SnoId => plugin.generate('orders.id')
 */
export class IdPlugin<Tables extends IdTables> implements KyselyPlugin {
  private readonly declared: Declared
  private readonly rewriter: Rewriter
  private readonly inner: readonly KyselyPlugin[]
  private readonly answers = new WeakMap<object, Answer>()
  private readonly database: Database

  /** @throws {IdError} as {@link idPlugin}. */
  constructor(options: IdPluginOptions<Tables>) {
    checkOptions('idPlugin', options, { database: 'any', tables: 'any', inner: 'any' })
    const { database, tables, inner = [] } = options
    // By this id a result finds the meaning of its query's columns.
    requireMembers({ name: 'kysely', supported: SUPPORTED, by: '@snoflax/kysely' }, [
      { owner: CompiledQuery.raw(''), name: 'CompiledQuery', members: ['queryId'] },
    ])
    this.declared = declare(database, tables)
    this.inner = inner
    this.database = database
    this.rewriter = new Rewriter(this.declared, database, (name) => this.renamed([name])[0] as string)
  }

  /** Called by Kysely. */
  transformQuery({ node, queryId }: PluginTransformQueryArgs): RootOperationNode {
    const { node: rewritten, answer } = this.rewriter.rewrite(node)
    if (answer) this.answers.set(queryId, answer)
    let sent = rewritten
    for (const plugin of this.inner) sent = plugin.transformQuery({ node: sent, queryId })
    if (sent !== node) this.rewriter.keep(sent, node)
    return sent
  }

  /** Called by Kysely. */
  async transformResult({ result, queryId }: PluginTransformResultArgs): Promise<QueryResult<UnknownRow>> {
    let changed = result
    for (const plugin of this.inner) changed = await plugin.transformResult({ result: changed, queryId })
    const answer = this.answers.get(queryId)
    const [first] = changed.rows ?? []
    if (answer === undefined || first === undefined) return changed
    for (const [name] of answer) if (!(name in first)) throw missing(name)
    decodeRows(changed.rows, answer)
    return changed
  }

  private ids(path: string): ColumnIds {
    return idsAt(this.declared, path)
  }

  /**
   * A new id for a generated column: for rows that reference each other, and for MySQL, which returns no ids.
   *
   * @throws {IdError} `INVALID_OPTION` for a column whose ids the application does not generate.
   *
   * @example
   * const id = ids.generate('orders.id')
   */
  generate<Path extends IdPath<Tables>>(path: Path): IdAt<Tables, Path> {
    const ids = this.ids(path)
    if (ids.generate) return ids.generate() as IdAt<Tables, Path>
    throw ids.refuse('this column does not generate ids')
  }

  /**
   * An id as a parameter, for raw SQL from which its column can't be inferred.
   *
   * @throws {IdError} for a malformed id, when the query runs.
   *
   * @example
   * const id = ids.generate('orders.id')
   * sql`select decode_order(${ids.parameter('orders.id', id)})`
   */
  parameter<Path extends IdPath<Tables>>(
    path: Path,
    id: IdAt<Tables, Path>,
  ): AliasableExpression<IdAt<Tables, Path>> {
    return marked({ is: 'id', path: this.ids(path).path }, ValueNode.create(id))
  }

  /**
   * Declares that an expression returns ids of a column, so that they are converted.
   *
   * @example
   * ids.typed('orders.id', sql`last_order()`).as('id')
   */
  typed<Path extends IdPath<Tables>>(
    path: Path,
    expression: Expression<unknown>,
  ): AliasableExpression<IdAt<Tables, Path>> {
    return marked({ is: 'id', path: this.ids(path).path }, expression.toOperationNode())
  }

  /**
   * Declares the columns that raw SQL returns: the column whose ids they are, or `null` for anything that is not an id.
   * For whole statements, and for raw SQL in FROM.
   *
   * @example
   * await ids.rows({ id: 'orders.id', total: null }, sql`select id, total from orders`).execute(db)
   */
  rows<Columns extends Readonly<Record<string, IdPath<Tables> | null>>>(
    columns: Columns,
    query: RawBuilder<unknown>,
  ): RawBuilder<{
    [Name in keyof Columns]: Columns[Name] extends string ? IdAt<Tables, Columns[Name]> : unknown
  }> {
    for (const path of Object.values(columns)) if (path !== null) this.ids(path)
    return sql`${marked({ is: 'rows', columns }, query.toOperationNode())}`
  }

  /**
   * The type of a column, for migrations.
   *
   * @example
   * db.schema.createTable('orders').addColumn('id', ids.columnType('orders.id'), (column) => column.primaryKey())
   */
  columnType(path: IdPath<Tables>): RawBuilder<unknown> {
    const { storage, column } = this.ids(path)
    return sql.raw(column.role === 'list' ? `${storage.column.type}[]` : storage.column.sql)
  }

  /**
   * The DEFAULT of a column whose ids the database generates, for migrations.
   *
   * @throws {IdError} `INVALID_OPTION` for a column without `default: 'database'`.
   *
   * @example
   * db.schema.alterTable('jobs').alterColumn('id', (column) => column.setDefault(ids.columnDefault('jobs.id')))
   */
  columnDefault(path: IdPath<Tables>): Expression<unknown> {
    const ids = this.ids(path)
    if (ids.databaseDefault) return this.typed(path, sql.raw(ids.databaseDefault))
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
    const columns = [...this.declared].flatMap(([table, ids]) =>
      [...ids].map(([name, { path, storage, column }]) => {
        const [own = '', of = '', schema] = this.renamed([name, ...table.split('.').reverse()])
        return { path, schema, table: of, column: own, storage, isList: column.role === 'list' }
      }),
    )
    const faults = await columnFaults(this.database, columns, async (text, parameters) => {
      const { rows } = await db
        .getExecutor()
        .executeQuery<Record<string, unknown>>(CompiledQuery.raw(text, [...parameters]))
      return rows
    })
    refuseFaults(faults, 'the declaration')
  }

  /** Names as the inner plugins send them to the database. */
  private renamed(names: readonly string[]): readonly string[] {
    if (this.inner.length === 0) return names
    let node: RootOperationNode = RawNode.createWithChildren(names.map((name) => IdentifierNode.create(name)))
    for (const plugin of this.inner) node = plugin.transformQuery({ node, queryId: createQueryId() })
    return (node as RawNode).parameters.map((one) => (one as IdentifierNode).name)
  }

  /**
   * The value to pass to a driver for an id; null stays null.
   *
   * @throws {IdError} for a malformed id.
   *
   * @example
   * await pool.query('DELETE FROM orders WHERE id = $1', [ids.toDatabase('orders.id', sno.generate())])
   */
  toDatabase<Path extends IdPath<Tables>>(path: Path, id: IdAt<Tables, Path> | null): DatabaseValue | null {
    return this.ids(path).toDatabase(id) as DatabaseValue | null
  }

  /**
   * The id for a value in a driver's row; null stays null.
   *
   * @throws {IdError} for a value that is not an id in the column's storage.
   *
   * @example
   * const { rows } = await pool.query('SELECT id FROM orders')
   * rows.map((row) => ids.fromDatabase('orders.id', row.id))
   */
  fromDatabase<Path extends IdPath<Tables>>(path: Path, value: unknown): IdAt<Tables, Path> | null {
    return this.ids(path).fromDatabase(value) as IdAt<Tables, Path> | null
  }

  /**
   * Whether an id was generated at or after `from` and before `to`; false for another key that the column accepts. Recheck rows with it if the family's ranges are not
   * exact (uid).
   *
   * @throws {IdError} `INVALID_OPTION` if `from` is after `to`, `INVALID_TIME`, and for a malformed id.
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
    const ids = this.ids(path)
    return ids.placed(() => wasCreatedBetween(ids.family, id, from, to))
  }
}

const missing = (name: string): IdError =>
  new IdError(
    'INVALID_OPTION',
    `${name}: the rows of the result have no such column. If a plugin renames columns, as CamelCasePlugin does, pass it as ` +
      'inner: [new CamelCasePlugin()] to idPlugin() instead; otherwise compare the declaration with the table',
    { path: name },
  )

/**
 * A plugin for Kysely that generates ids on insert, and converts the ids of declared columns in queries and results.
 *
 * @throws {IdError} naming table and column: `GENERATOR_REQUIRED` for a generated column of a family without a default
 * generator, `STORAGE_REFUSED`, `INVALID_OPTION`, `FIELD_OUT_OF_RANGE` for the metabyte.
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
