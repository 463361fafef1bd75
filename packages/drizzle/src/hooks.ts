import { requireMembers } from '@snoflax/core/adapter'
import { is, Param, Placeholder, SQL, type SQLChunk, type Table } from 'drizzle-orm'
import { bindCompared, bound, isInlined } from './binding/values.js'
import { boundInsert, boundRow, type Insert, type Row, withFreshIds } from './binding/writes.js'
import { copyBehind, type DrizzleCopy, ownCopy } from './copy.js'
import type { IdDialect } from './id-column/dialect.js'
import { findIds } from './id-column/ids.js'
import { literal } from './id-column/literal.js'
import { keepingIds } from './relational-queries.js'

/** What we use of a dialect. */
interface DialectMembers {
  buildSelection(fields: readonly SelectedField[], options?: object): SQL
  buildInsertQuery(insert: Insert): unknown
  buildUpdateSet(table: Table, set: Row): SQL
  [method: string]: (this: unknown, ...given: never[]) => unknown
}

interface InsertMembers {
  prepare(this: unknown, ...given: unknown[]): unknown
}

interface SelectedField {
  readonly field: unknown
}

const checked = new WeakSet<object>()
/** Registered, so that two copies of this package patch a class once. */
const HOOKED = Symbol.for('snoflax.drizzle.hooked')

/**
 * Has the copies of Drizzle that a table meets, its own and the one that we import, encode every value that a query
 * compares with an id column, write ids into views, and bring them through the JSON of relational queries.
 *
 * @throws {IdError} `UNSUPPORTED_VERSION` for a version of Drizzle that lacks what is patched or relied on, and for a
 * copy that is out of reach.
 */
export function hookInto(dialect: IdDialect, table: Table): void {
  for (const copy of new Set([ownCopy(dialect), copyBehind(table, dialect)])) {
    if (checked.has(copy.Dialect)) continue
    check(copy, dialect, table)
    once(copy.SQL, () => hookIntoBuilding(copy.SQL.prototype))
    once(copy.Insert, () => hookIntoPreparing(copy.Insert.prototype as InsertMembers))
    once(copy.Dialect, () => hookIntoDialect(copy.Dialect.prototype as DialectMembers, dialect))
    checked.add(copy.Dialect)
  }
}

function check({ version, SQL, Dialect, Insert }: DrizzleCopy, dialect: IdDialect, table: Table): void {
  requireMembers({ name: 'drizzle-orm', version, supported: '^0.45.0', by: '@snoflax/drizzle' }, [
    { owner: Insert?.prototype, name: 'Insert.prototype', members: ['prepare'] },
    { owner: table, name: 'Table.prototype', members: ['getSQL'] },
    { owner: SQL.prototype, name: 'SQL.prototype', members: ['buildQueryFromSourceParams'] },
    { owner: new SQL([]), name: 'SQL', members: ['queryChunks', 'decoder', 'shouldInlineParams'] },
    {
      owner: Dialect.prototype,
      name: `${Dialect.name}.prototype`,
      members: ['buildSelection', 'buildInsertQuery', 'buildUpdateSet', ...dialect.relationalMethods],
    },
  ])
}

function once(hookable: object, hook: () => void): void {
  if (Object.hasOwn(hookable, HOOKED)) return
  hook()
  Object.defineProperty(hookable, HOOKED, { value: true })
}

/** Whether the insert that is being built will be executed again and again. */
let isPreparing = false

function hookIntoPreparing(prototype: InsertMembers): void {
  const { prepare } = prototype
  prototype.prepare = function (...given) {
    isPreparing = true
    try {
      return prepare.apply(this, given)
    } finally {
      isPreparing = false
    }
  }
}

function hookIntoBuilding(prototype: SQL): void {
  const build = prototype.buildQueryFromSourceParams
  prototype.buildQueryFromSourceParams = function (given, config) {
    const chunks = bindCompared(given)
    return build.call(this, config.inlineParams || isInlined(this) ? chunks.map(inline) : chunks, config)
  }
}

function hookIntoDialect(prototype: DialectMembers, { relationalMethods, inJson }: IdDialect): void {
  for (const method of relationalMethods) {
    prototype[method] = keepingIds(prototype[method] as never, inJson)
  }
  const { buildSelection, buildInsertQuery, buildUpdateSet } = prototype
  // Drizzle puts bare names in the place of columns there.
  prototype.buildSelection = function (fields, options) {
    const bound = fields.map((selected) => ({ ...selected, field: boundField(selected.field) }))
    return buildSelection.call(this, bound, options)
  }
  prototype.buildInsertQuery = function (insert) {
    const bound = boundInsert(insert)
    if (!isPreparing || insert.select) return buildInsertQuery.call(this, bound)
    const { rows, answer } = withFreshIds(insert.table, bound.values as readonly Row[])
    return answer(buildInsertQuery.call(this, { ...bound, values: rows }))
  }
  prototype.buildUpdateSet = function (table, set) {
    return buildUpdateSet.call(this, table, boundRow(table, set))
  }
}

/** Where Drizzle writes values into SQL, it has no form for bytes and bigints. */
function inline(chunk: SQLChunk): SQLChunk {
  if (!is(chunk, Param) || chunk.value == null || is(chunk.value, Placeholder)) return chunk
  const ids = findIds(chunk.encoder)
  return ids ? literal(chunk.encoder.mapToDriverValue(chunk.value), ids.storage.database) : chunk
}

function boundField(field: unknown): unknown {
  if (is(field, SQL.Aliased)) return isOfSubquery(field) ? field : bound(field.sql).as(field.fieldAlias)
  return is(field, SQL) ? bound(field) : field
}

/** It goes by its name there. */
const isOfSubquery = (field: SQL.Aliased): boolean =>
  (field as unknown as { isSelectionField: boolean }).isSelectionField
