import { IdError } from '@snoflax/core'
import { isAccepting } from '@snoflax/core/adapter'
import { type Column, getTableName, is, SQL, sql, type Table } from 'drizzle-orm'
import type { IdDialect } from './id-column/dialect.js'
import { findIds, IDS, idColumnsOf, idsOf, literal } from './id-column/ids.js'
import { shared } from './shared.js'

// drizzle-kit writes `$1` or `?` for a value in a check, partial index or policy, and nothing supplies the value. So we
// write the values into the SQL of the constraints of tables with ids.

type ExtraConfig = (...given: [columns: object, ...more: unknown[]]) => object

/** Where Drizzle keeps a table's checks, indexes and policies. */
const EXTRA_CONFIG = Symbol.for('drizzle:ExtraConfigBuilder')

/** Inlines the values in the constraints of a column's table, and adds a check for the column if requested. */
export function watchConstraints(dialect: IdDialect, table: Table, column: Column, isChecked: boolean): void {
  const known = shared.checked.get(table)
  const columns = known ?? []
  if (isChecked) columns.push(column)
  if (known) return
  shared.checked.set(table, columns)
  let given: ExtraConfig | undefined
  const extraConfig: ExtraConfig = (...of) => {
    lendIds(table, of[0] as Readonly<Record<string, Column>>)
    const own = given?.(...of) ?? []
    const all: object[] = Array.isArray(own) ? own.flat() : Object.values(own)
    return [...all.map(withoutParameters), ...columns.flatMap((one) => checkOf(dialect, one))]
  }
  Object.defineProperty(table, EXTRA_CONFIG, {
    get: () => (given || columns.length > 0 ? extraConfig : undefined),
    set: (builder: ExtraConfig | undefined) => {
      given = builder
    },
    configurable: true,
  })
}

/** PostgreSQL's index builders get columns other than the table's, without our methods. */
function lendIds(table: Table, given: Readonly<Record<string, Column>>): void {
  for (const [key, column] of idColumnsOf(table)) {
    const { mapToDriverValue } = column
    Object.assign(given[key] as Column, { [IDS]: findIds(column), mapToDriverValue })
  }
}

/** The members of checks, indexes and policies that contain SQL. */
const PARTS = ['value', 'where', 'using', 'withCheck', 'columns'] as const

function withoutParameters<Builder extends object>(builder: Builder): Builder {
  const { config } = builder as { readonly config?: object }
  for (const holder of [builder, config ?? {}] as Partial<Record<(typeof PARTS)[number], unknown>>[]) {
    for (const part of PARTS) if (holder[part] !== undefined) holder[part] = inlined(holder[part])
  }
  return builder
}

/** Copies the SQL, since the user may use it in queries as well. */
function inlined(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(inlined)
  return is(part, SQL) ? Object.create(part, { shouldInlineParams: { value: true } }) : part
}

/** Names columns alone, as the SQL of indexes does: SQLite copies a check to a table of another name. */
function withoutTable(check: SQL): SQL {
  const toQuery: SQL['toQuery'] = (config) => check.toQuery({ ...config, invokeSource: 'indexes' })
  return Object.create(check, { toQuery: { value: toQuery } })
}

/** A check of the value's length and prefix, and of its type where the column accepts any. */
function checkOf({ core, database }: IdDialect, column: Column): object[] {
  const { place, storage: declared } = idsOf(column)
  const { family, name: storage, column: stored } = declared
  if (isAccepting(family)) {
    const reason = "check: true can't describe the other keys that its target accepts; leave check out"
    throw new IdError('INVALID_OPTION', `${place}: ${reason}`, { family: family.name, path: place })
  }
  const { check } = core as { readonly check: (name: string, value: SQL) => object }
  const name = sql`${column}`
  const { prefix } = family as { readonly prefix?: string }
  const length = sql.raw(storage === 'binary' && database !== 'sqlite' ? 'octet_length' : 'length')
  const head = `${prefix}_`
  const parts = [
    ...(database === 'sqlite' ? [sql`typeof(${name}) = ${literal(stored.type, database)}`] : []),
    ...(stored.length === undefined ? [] : [sql`${length}(${name}) = ${sql.raw(String(stored.length))}`]),
    ...(prefix === undefined || storage !== 'text'
      ? []
      : [sql`substr(${name}, 1, ${sql.raw(String(head.length))}) = ${literal(head, database)}`]),
  ]
  if (parts.length === 0) return []
  const isStored = sql.join(parts, sql` and `)
  return [
    check(
      `${getTableName(column.table)}_${column.name}_check`,
      withoutTable(column.notNull ? isStored : sql`${name} is null or ${isStored}`),
    ),
  ]
}
