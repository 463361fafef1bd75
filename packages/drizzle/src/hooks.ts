import { requireMembers } from '@snoflax/core/adapter'
import { is, Param, Placeholder, SQL, type SQLChunk, sql } from 'drizzle-orm'
import { npmVersion } from 'drizzle-orm/version'
import { bindCompared, bound, isInlined } from './binding/values.js'
import type { IdDialect } from './id-column/dialect.js'
import { findIds } from './id-column/ids.js'
import { literal } from './id-column/literal.js'
import { keepingIds } from './relational-queries.js'

/** What we use of a dialect. */
interface DialectMembers {
  buildSelection(fields: readonly SelectedField[], options?: object): SQL
  [method: string]: (this: unknown, ...given: never[]) => unknown
}

interface SelectedField {
  readonly field: unknown
}

const hooked = new WeakSet<object>()

/**
 * Has Drizzle encode every value that a query compares with an id column, write ids into views, and bring them
 * through the JSON of relational queries. Once per class.
 *
 * @throws {IdError} `UNSUPPORTED_VERSION` for a version of Drizzle that lacks what is patched or relied on.
 */
export function hookInto(dialect: IdDialect): void {
  if (hooked.has(dialect.Dialect)) return
  const prototype = dialect.Dialect.prototype as DialectMembers
  requireMembers({ name: 'drizzle-orm', version: npmVersion, supported: '^0.45.0', by: '@snoflax/drizzle' }, [
    { owner: SQL.prototype, name: 'SQL.prototype', members: ['buildQueryFromSourceParams'] },
    { owner: sql``, name: 'SQL', members: ['queryChunks', 'decoder', 'shouldInlineParams'] },
    {
      owner: prototype,
      name: `${dialect.Dialect.name}.prototype`,
      members: ['buildSelection', ...dialect.relationalMethods],
    },
    { owner: dialect.Column.prototype, name: 'Column.prototype', members: ['mapToDriverValue'] },
  ])
  if (!hooked.has(SQL)) hookIntoBuilding()
  hookIntoSelection(prototype)
  for (const method of dialect.relationalMethods) {
    prototype[method] = keepingIds(prototype[method] as never, dialect.inJson)
  }
  hooked.add(SQL).add(dialect.Dialect)
}

function hookIntoBuilding(): void {
  const build = SQL.prototype.buildQueryFromSourceParams
  SQL.prototype.buildQueryFromSourceParams = function (given, config) {
    const chunks = bindCompared(given)
    return build.call(this, config.inlineParams || isInlined(this) ? chunks.map(inline) : chunks, config)
  }
}

/** Where Drizzle writes values into SQL, it has no form for bytes and bigints. */
function inline(chunk: SQLChunk): SQLChunk {
  if (!is(chunk, Param) || chunk.value == null || is(chunk.value, Placeholder)) return chunk
  const ids = findIds(chunk.encoder)
  return ids ? literal(chunk.encoder.mapToDriverValue(chunk.value), ids.storage.database) : chunk
}

/** Drizzle puts bare names in the place of columns there. */
function hookIntoSelection(dialect: DialectMembers): void {
  const build = dialect.buildSelection
  dialect.buildSelection = function (fields, options) {
    return build.call(
      this,
      fields.map((selected) => ({ ...selected, field: boundField(selected.field) })),
      options,
    )
  }
}

function boundField(field: unknown): unknown {
  if (is(field, SQL.Aliased)) return isOfSubquery(field) ? field : bound(field.sql).as(field.fieldAlias)
  return is(field, SQL) ? bound(field) : field
}

/** It goes by its name there. */
const isOfSubquery = (field: SQL.Aliased): boolean =>
  (field as unknown as { isSelectionField: boolean }).isSelectionField
