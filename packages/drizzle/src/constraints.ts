import { IdError } from '@snoflax/core'
import { isAccepting } from '@snoflax/core/adapter'
import { type Column, getTableName, type SQL, sql, type Table } from 'drizzle-orm'
import { idsOf, literal } from './id-column/ids.js'

type ExtraConfig = (...given: readonly unknown[]) => object

/** Where Drizzle keeps a table's checks, indexes and policies: it sets them once the columns are built. */
const EXTRA_CONFIG = Symbol.for('drizzle:ExtraConfigBuilder')

/** Adds a check for the column to the constraints of its table. */
export function addCheck(table: Table, column: Column): void {
  const before = Object.getOwnPropertyDescriptor(table, EXTRA_CONFIG) ?? {}
  let given: ExtraConfig | undefined
  const extraConfig: ExtraConfig = (...of) => {
    const constraints = (before.get ? (before.get() as ExtraConfig) : given)?.(...of) ?? []
    const all: object[] = Array.isArray(constraints) ? constraints.flat() : Object.values(constraints)
    return [...all, ...checkOf(column)]
  }
  Object.defineProperty(table, EXTRA_CONFIG, {
    get: () => extraConfig,
    set: before.set ?? ((builder) => (given = builder)),
    configurable: true,
  })
}

/** Names columns alone, as the SQL of indexes does: SQLite copies a check to a table of another name. */
function withoutTable(check: SQL): SQL {
  const toQuery: SQL['toQuery'] = (config) => check.toQuery({ ...config, invokeSource: 'indexes' })
  return Object.create(check, { toQuery: { value: toQuery } })
}

/** A check of the value's length and prefix, and of its type where the column accepts any. */
function checkOf(column: Column): object[] {
  const { place, storage: declared, dialect } = idsOf(column)
  const { family, name: storage, column: stored, database } = declared
  if (isAccepting(family)) {
    const reason = "check: true can't describe the other keys that its target accepts; leave check out"
    throw new IdError('INVALID_OPTION', `${place}: ${reason}`, { family: family.name, path: place })
  }
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
    dialect.core.check(
      `${getTableName(column.table)}_${column.name}_check`,
      withoutTable(column.notNull ? isStored : sql`${name} is null or ${isStored}`),
    ),
  ]
}
