import { createRequire } from 'node:module'
import { UsageError } from '../../exit.js'
import type { ColumnFacts, Facts, Failure, Place, Reference, TableFacts } from './facts.js'
import { sample } from './generators.js'

type Dialect = 'pg' | 'mysql' | 'sqlite'

const DATABASES = { pg: 'postgres', mysql: 'mysql', sqlite: 'sqlite' } as const
const RENDERERS = { pg: 'PgDialect', mysql: 'MySqlDialect', sqlite: 'SQLiteSyncDialect' } as const

const COLUMNS: unique symbol = Symbol.for('drizzle:Columns') as never
const SCHEMA: unique symbol = Symbol.for('drizzle:Schema') as never
const NAME: unique symbol = Symbol.for('drizzle:Name') as never
const KIND: unique symbol = Symbol.for('drizzle:entityKind') as never
/** What a column of @snoflax/drizzle knows of its ids. */
const IDS: unique symbol = Symbol.for('snoflax.drizzle.ids') as never

interface Column {
  readonly name: string
  readonly table: Table
  readonly primary: boolean
  readonly notNull: boolean
  readonly default?: unknown
  readonly defaultFn?: () => unknown
  readonly [IDS]?: { readonly family: { readonly name: string } }
  getSQLType(): string
}

interface Table {
  readonly [NAME]: string
  readonly [SCHEMA]?: string
  readonly [COLUMNS]: Readonly<Record<string, Column>>
}

interface ForeignKey {
  readonly onDelete?: string
  readonly onUpdate?: string
  reference(): { readonly columns: readonly Column[]; readonly foreignColumns: readonly Column[] }
  getName(): string
}

interface Named {
  readonly name?: string
  readonly config?: object
  readonly columns?: readonly Column[]
}

interface Config {
  readonly primaryKeys: readonly { readonly columns: readonly Column[]; getName(): string }[]
  readonly foreignKeys: readonly ForeignKey[]
  readonly indexes: readonly Named[]
  readonly uniqueConstraints: readonly Named[]
  readonly checks: readonly { readonly name: string; readonly value: unknown }[]
  readonly policies?: readonly Named[]
}

interface Core {
  getTableConfig(table: Table): Config
}

interface Relations {
  readonly table: Table
  readonly config: (helpers: object) => Readonly<Record<string, Relation>>
}

interface Relation {
  readonly config?: { readonly fields?: readonly Column[]; readonly references?: readonly Column[] }
}

/** Loads modules of Drizzle tables, and tells what Drizzle knows of them. */
export function drizzleFacts(files: readonly string[]): Facts {
  const failures: Failure[] = []
  const tables = new Map<Table, Place[]>()
  const relations: Relations[] = []
  let loader: NodeJS.Require | undefined
  for (const file of files) {
    const require = createRequire(file)
    try {
      const module = require(file) as Record<string, unknown>
      loader ??= require
      for (const [name, value] of exportsOf(module)) {
        if (isTable(value)) tables.set(value, [...(tables.get(value) ?? []), { file, name }])
        else if (isRelations(value)) relations.push(value)
      }
    } catch (error) {
      failures.push({ file, reason: reasonOf(error) })
    }
  }
  const all = [...tables.keys()]
  const dialect = dialectOf(all)
  const core = loader && all.length > 0 ? (loader(`drizzle-orm/${dialect}-core`) as Core) : undefined
  const related = loader ? relationsIn(relations, loader) : []
  return {
    database: DATABASES[dialect],
    tables: all.map((table) =>
      factsOf(table, tables.get(table) as Place[], all, core as Core, dialect, related),
    ),
    failures,
  }
}

/** Exports, and tables in exported objects. */
function* exportsOf(module: Record<string, unknown>): Generator<[name: string, value: unknown]> {
  for (const [name, value] of Object.entries(module)) {
    yield [name, value]
    const isPlain =
      value !== null && typeof value === 'object' && Object.getPrototypeOf(value) === Object.prototype
    if (isPlain) for (const [inner, one] of Object.entries(value)) if (isTable(one)) yield [inner, one]
  }
}

const isTable = (value: unknown): value is Table =>
  value !== null && typeof value === 'object' && NAME in value && COLUMNS in value && !isView(value)

const isView = (value: object): boolean => Symbol.for('drizzle:ViewBaseConfig') in value

const kindOf = (value: unknown): string =>
  String((Object(value).constructor as { [KIND]?: string } | undefined)?.[KIND])

const isRelations = (value: unknown): value is Relations => kindOf(value) === 'Relations'

export const reasonOf = (error: unknown): string =>
  error instanceof Error ? (error.message.split('\n')[0] as string) : String(error)

function dialectOf(tables: readonly Table[]): Dialect {
  const kinds = new Set(tables.map((table) => /^(Pg|MySql|SQLite)/.exec(kindOf(table))?.[1]?.toLowerCase()))
  if (kinds.size > 1)
    throw new UsageError(`tables of several databases, ${[...kinds].join(' and ')}: pass the files of one`)
  return ([...kinds][0] ?? 'sqlite') as Dialect
}

/** What relations in code say of columns without a foreign key. */
function relationsIn(relations: readonly Relations[], require: NodeJS.Require): [Column, Column][] {
  const { createTableRelationsHelpers } = require('drizzle-orm') as {
    createTableRelationsHelpers?: (table: Table) => object
  }
  if (!createTableRelationsHelpers) return []
  return relations.flatMap(({ table, config }) =>
    Object.values(config(createTableRelationsHelpers(table))).flatMap(({ config: one }) =>
      (one?.fields ?? []).flatMap((field, at): [Column, Column][] => {
        const target = one?.references?.[at]
        return target ? [[field, target]] : []
      }),
    ),
  )
}

function factsOf(
  table: Table,
  places: readonly Place[],
  all: readonly Table[],
  core: Core,
  dialect: Dialect,
  related: readonly [Column, Column][],
): TableFacts {
  const config = core.getTableConfig(table)
  const schema = table[SCHEMA]
  const toSql = rendererOf(core, dialect)
  const keys = config.primaryKeys.flatMap(({ columns }) => columns)
  const reference = (target: Column, by: Reference['by']): Reference[] => {
    const at = all.indexOf(target.table)
    const key = Object.entries(target.table[COLUMNS]).find(([, one]) => one.name === target.name)?.[0]
    return at < 0 || key === undefined ? [] : [{ table: at, key, by }]
  }
  const columns = Object.entries(table[COLUMNS]).map(([key, column]): ColumnFacts => {
    const text = column.default === undefined ? undefined : toSql(column.default)
    const references = [
      ...config.foreignKeys.flatMap((one) => {
        const { columns: from, foreignColumns } = one.reference()
        const target = foreignColumns[from.findIndex(({ name }) => name === column.name)]
        return target ? reference(target, from.length === 1 ? 'column' : 'key') : []
      }),
      ...related.flatMap(([from, to]) => (from === column ? reference(to, 'relation') : [])),
    ]
    const ids = column[IDS]
    return {
      key,
      name: column.name,
      type: column.getSQLType(),
      isNullable: !column.notNull,
      isPrimary: column.primary || keys.some(({ name }) => name === column.name),
      ...(text !== undefined && { default: text }),
      ...(column.defaultFn && { generated: sample(column.defaultFn) }),
      ...(text && UUID_DEFAULT.test(text) && { isUuidGenerated: true }),
      ...(ids && { definition: ids.family.name }),
      references,
    }
  })
  return {
    name: table[NAME],
    ...(schema !== undefined && { schema }),
    places,
    columns,
    constraints: constraintsOf(config, toSql),
  }
}

export const UUID_DEFAULT = /^\(?(?:\w+\.)?(?:gen_random_uuid|uuid_generate_v4|uuidv7|uuid)\(\)\)?$/i

function rendererOf(core: Core, dialect: Dialect): (value: unknown) => string {
  const Renderer = (core as unknown as Record<string, new () => { sqlToQuery(value: unknown): object }>)[
    RENDERERS[dialect]
  ] as new () => { sqlToQuery(value: unknown): { sql: string; params: unknown[] } }
  const renderer = new Renderer()
  return (value) => {
    if (!/^SQL/.test(kindOf(value))) return JSON.stringify(value) ?? String(value)
    const { sql, params } = renderer.sqlToQuery(value)
    return params.length > 0 ? `${sql} ${JSON.stringify(params)}` : sql
  }
}

function constraintsOf(config: Config, toSql: (value: unknown) => string): string[] {
  const names = (columns: readonly { readonly name?: string }[] | undefined): string =>
    (columns ?? []).map((one) => one.name ?? toSql(one)).join(', ')
  const foreign = config.foreignKeys.map((one) => {
    const { columns, foreignColumns } = one.reference()
    const target = foreignColumns[0]?.table
    return `${one.getName()}: (${names(columns)}) references ${target?.[SCHEMA] ?? ''}.${target?.[NAME]} (${names(foreignColumns)}) ${one.onDelete} ${one.onUpdate}`
  })
  const indexes = config.indexes.map(({ config: own }) => {
    const { columns, where, ...more } = own as { columns?: readonly Column[]; where?: unknown }
    return `index (${names(columns)}) ${where ? toSql(where) : ''} ${JSON.stringify({ ...more, table: undefined })}`
  })
  return [
    ...config.primaryKeys.map((one) => `${one.getName()}: primary key (${names(one.columns)})`),
    ...foreign,
    ...indexes,
    ...config.uniqueConstraints.map((one) => `${one.name}: unique (${names(one.columns)})`),
    ...config.checks.map(({ name, value }) => `${name}: check ${toSql(value)}`),
    ...(config.policies ?? []).map(({ name }) => `policy ${name}`),
  ].sort()
}
