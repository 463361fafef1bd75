import type { Database } from '@snoflax/core'
import { type Column, is, SQL, sql } from 'drizzle-orm'
import { bound, idColumnOf, mapAnswer } from './binding/values.js'
import type { IdDialect } from './id-column/dialect.js'
import { findIds, isList } from './id-column/ids.js'
import { TimeDecoder } from './time.js'

// The rows below a row of `db.query` travel as JSON, which has no bytes and rounds integers above 2^53; and Drizzle
// drops the decoders of `extras`. Both are cured where the dialect builds such a query: ids go into JSON as text,
// by way of Drizzle's own `extras`, and each selected field gets its decoder back.

/** What we read of the arguments of a dialect's method. */
export interface RelationalQuery {
  readonly tableConfig: { readonly columns: Record<string, Column> }
  readonly queryConfig: true | QueryConfig
  readonly nestedQueryRelation?: unknown
}

interface QueryConfig {
  readonly columns?: Record<string, boolean | undefined>
  readonly extras?: Extras | ((...given: GivenByDrizzle) => Extras)
  readonly where?: SQL | ((...given: GivenByDrizzle) => SQL | undefined)
}

type GivenByDrizzle = [fields: Record<string, Column>, operators: object]

type Extras = Record<string, SQL.Aliased>

export interface BuiltQuery {
  readonly selection: { readonly tsKey: string; readonly isJson: boolean; field: unknown }[]
}

type InJson = IdDialect['inJson']

/** For Drizzle 0.45: builds a relational query with ids brought through its JSON. */
export function keepingIds(
  build: (query: RelationalQuery) => BuiltQuery,
  query: RelationalQuery,
  database: Database,
  inJson: InJson,
): BuiltQuery {
  const cure =
    query.nestedQueryRelation === undefined ? new Cure(query, database) : new Cure(query, database, inJson)
  return cure.restore(build({ ...query, queryConfig: cure.config() }))
}

/** The cure of one query, of a table or of the rows below a row. */
class Cure {
  /** What each key of a row is decoded by, where Drizzle would lose it. */
  private readonly fields = new Map<string, unknown>()
  private readonly given: QueryConfig
  /** Keys of the columns that go as extras. */
  private readonly columns: readonly string[]

  constructor(
    private readonly query: RelationalQuery,
    private readonly database: Database,
    private readonly inJson?: InJson,
  ) {
    this.given = query.queryConfig === true ? {} : query.queryConfig
    this.columns = inJson ? columnsToCure(query.tableConfig.columns, this.given, inJson) : []
  }

  /** The same selection, in which nothing gets lost. */
  config(): true | QueryConfig {
    const { given, columns } = this
    if (this.query.queryConfig === true && columns.length === 0) return true
    return {
      ...given,
      ...(columns.length > 0 && { columns: {} }),
      extras: (...of) => ({ ...this.columnExtras(of[0]), ...this.ownExtras(of) }),
      ...(given.where && { where: (...of) => this.where(of) }),
    }
  }

  /** Bound now, since Drizzle drops the decoders in it, which tell what its expressions are. */
  private where(of: GivenByDrizzle): SQL | undefined {
    const { where } = this.given
    const query = typeof where === 'function' ? where(...of) : where
    return query && bound(query)
  }

  /** Gives the decoders back. */
  restore(built: BuiltQuery): BuiltQuery {
    for (const item of built.selection) {
      if (!item.isJson && this.fields.has(item.tsKey)) item.field = this.fields.get(item.tsKey)
    }
    return built
  }

  /** All columns as extras, not only ours, so that the keys of a row keep their order. */
  private columnExtras(fields: Record<string, Column>): Extras {
    const extras = this.columns.map((key) => {
      const column = fields[key] as Column
      this.fields.set(key, column)
      return [key, this.exact(column, sql`${column}`).as(column.name)]
    })
    return Object.fromEntries(extras)
  }

  /** The user's extras: those that give ids or times of ids keep their decoder. */
  private ownExtras(of: GivenByDrizzle): Extras {
    const { extras } = this.given
    const own = Object.entries(typeof extras === 'function' ? extras(...of) : (extras ?? {}))
    return Object.fromEntries(own.map(([key, extra]) => [key, this.keep(key, extra)]))
  }

  private keep(key: string, extra: SQL.Aliased): SQL.Aliased {
    const { sql: expression } = extra
    const isOfIds = mapAnswer(expression, this.database)
    const { decoder } = expression as unknown as { decoder: object }
    const isTime = TimeDecoder.isDecoder(decoder)
    if (!isOfIds && !isTime) return extra
    this.fields.set(key, extra)
    const column = isTime ? decoder.answers : idColumnOf(expression)
    return column ? this.exact(column, expression).as(extra.fieldAlias) : extra
  }

  private exact(column: Column, expression: SQL): SQL {
    return (this.inJson && exactIn(this.inJson, column, expression)) ?? expression
  }
}

/** What is exact as JSON, of an expression that has the storage of a column; undefined where it is exact itself. */
function exactIn(inJson: InJson, column: Column, expression: SQL): SQL | undefined {
  const ids = findIds(column)
  return ids && inJson(ids.storage.name, expression, isList(column))
}

/** All that is selected, where something of it is not exact as JSON. */
function columnsToCure(
  all: Record<string, Column>,
  { columns }: QueryConfig,
  inJson: InJson,
): readonly string[] {
  const selected = selectedColumns(all, columns)
  return selected.some((key) => exactIn(inJson, all[key] as Column, sql`${all[key]}`)) ? selected : []
}

/** The keys that Drizzle selects by `columns`: those that are true, or all but those that are false. */
function selectedColumns(all: Record<string, Column>, wanted: QueryConfig['columns']): readonly string[] {
  if (wanted === undefined) return Object.keys(all)
  const flags = Object.entries(wanted).filter(([key, flag]) => flag !== undefined && key in all)
  if (flags.length === 0) return []
  const isIncluding = flags.some(([, flag]) => flag)
  return Object.keys(all).filter((key) => (isIncluding ? wanted[key] === true : wanted[key] === undefined))
}

/** What we read of the argument of Drizzle 1.0's method. */
interface Level {
  readonly extras?: Readonly<Record<string, unknown>>
  readonly with?: Readonly<Record<string, Level | boolean | undefined>>
}

/** For Drizzle 1.0: the query, its extras read as the ids that they answer. */
export const withAnswers = <Query extends { readonly queryConfig: Level | true }>(
  query: Query,
  database: Database,
): Query => ({ ...query, queryConfig: answered(query.queryConfig, database) })

function answered<Given extends Level | boolean | undefined>(level: Given, database: Database): Given {
  if (typeof level !== 'object') return level
  const map = (given: object, of: (one: unknown) => unknown) =>
    Object.fromEntries(Object.entries(given).map(([key, one]) => [key, of(one)]))
  const answer = (extra: unknown) => {
    const { sql: query } = is(extra, SQL.Aliased) ? extra : { sql: extra }
    if (is(query, SQL)) mapAnswer(query, database)
    return extra
  }
  const extraOf = (one: unknown) =>
    typeof one === 'function' ? (...given: unknown[]) => answer(one(...given)) : answer(one)
  return {
    ...level,
    ...(level.extras && { extras: map(level.extras, extraOf) }),
    ...(level.with && { with: map(level.with, (one) => answered(one as Level, database)) }),
  }
}
