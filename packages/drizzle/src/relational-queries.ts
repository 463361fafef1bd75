import { type Column, type SQL, sql } from 'drizzle-orm'
import type { IdDialect } from './id-column/dialect.js'
import { findIds, isList } from './id-column/ids.js'
import { TimeDecoder } from './time.js'

// `db.query` returns nested rows as JSON, which has no bytes and rounds integers above 2^53, and Drizzle drops the
// decoders of `extras`. So when the dialect builds such a query, we put ids into the JSON as text, by Drizzle's own
// `extras`, and give each selected field its decoder back.

/** The arguments of a dialect's method that we read. */
export interface RelationalQuery {
  readonly tableConfig: { readonly columns: Record<string, Column> }
  readonly queryConfig: true | QueryConfig
  readonly nestedQueryRelation?: unknown
}

interface QueryConfig {
  readonly columns?: Record<string, boolean | undefined>
  readonly extras?: Extras | ((...given: GivenByDrizzle) => Extras)
}

type GivenByDrizzle = [fields: Record<string, Column>, operators: object]

type Extras = Record<string, SQL.Aliased>

export interface BuiltQuery {
  readonly selection: { readonly tsKey: string; readonly isJson: boolean; field: unknown }[]
}

type InJson = IdDialect['inJson']

/** For Drizzle 0.45: builds a relational query that keeps ids exact in its JSON. */
export function keepingIds(
  build: (query: RelationalQuery) => BuiltQuery,
  query: RelationalQuery,
  inJson: InJson,
): BuiltQuery {
  const exact = new ExactQuery(query, query.nestedQueryRelation === undefined ? undefined : inJson)
  return exact.restore(build({ ...query, queryConfig: exact.config() }))
}

/** One query changed so, of a table or of nested rows. */
class ExactQuery {
  /** The decoders that Drizzle would lose, by the key in a row. */
  private readonly fields = new Map<string, unknown>()
  private readonly given: QueryConfig
  /** Keys of the columns that are selected as extras. */
  private readonly columns: readonly string[]

  constructor(
    private readonly query: RelationalQuery,
    private readonly inJson: InJson | undefined,
  ) {
    this.given = query.queryConfig === true ? {} : query.queryConfig
    this.columns = inJson ? inexactColumns(query.tableConfig.columns, this.given, inJson) : []
  }

  /** The same selection, changed so that it loses nothing. */
  config(): true | QueryConfig {
    const { given, columns } = this
    if (this.query.queryConfig === true && columns.length === 0) return true
    return {
      ...given,
      ...(columns.length > 0 && { columns: {} }),
      extras: (...of) => ({ ...this.columnExtras(of[0]), ...this.ownExtras(of) }),
    }
  }

  /** Puts the decoders back. */
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

  /** The user's extras; those that are mapped with an id column or are times keep their decoder. */
  private ownExtras(of: GivenByDrizzle): Extras {
    const { extras } = this.given
    const own = Object.entries(typeof extras === 'function' ? extras(...of) : (extras ?? {}))
    return Object.fromEntries(own.map(([key, extra]) => [key, this.keep(key, extra)]))
  }

  private keep(key: string, extra: SQL.Aliased): SQL.Aliased {
    const { sql: expression } = extra
    const { decoder } = expression as unknown as { decoder: object }
    const isTime = TimeDecoder.isDecoder(decoder)
    if (!isTime && !findIds(decoder)) return extra
    this.fields.set(key, extra)
    const column = isTime ? decoder.answers : (decoder as Column)
    return column ? this.exact(column, expression).as(extra.fieldAlias) : extra
  }

  private exact(column: Column, expression: SQL): SQL {
    return (this.inJson && exactIn(this.inJson, column, expression)) ?? expression
  }
}

/** An expression of a column's storage, made exact in JSON; undefined if it already is. */
function exactIn(inJson: InJson, column: Column, expression: SQL): SQL | undefined {
  const ids = findIds(column)
  return ids && inJson(ids.storage.name, expression, isList(column))
}

/** All selected columns, if one of them is not exact in JSON. */
function inexactColumns(
  all: Record<string, Column>,
  { columns }: QueryConfig,
  inJson: InJson,
): readonly string[] {
  const selected = selectedColumns(all, columns)
  return selected.some((key) => exactIn(inJson, all[key] as Column, sql`${all[key]}`)) ? selected : []
}

/** The keys that Drizzle selects for `columns`: those that are true, else all except those that are false. */
function selectedColumns(all: Record<string, Column>, wanted: QueryConfig['columns']): readonly string[] {
  if (wanted === undefined) return Object.keys(all)
  const flags = Object.entries(wanted).filter(([key, flag]) => flag !== undefined && key in all)
  if (flags.length === 0) return []
  const isIncluding = flags.some(([, flag]) => flag)
  return Object.keys(all).filter((key) => (isIncluding ? wanted[key] === true : wanted[key] === undefined))
}
