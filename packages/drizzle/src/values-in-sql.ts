import { is, Param, Placeholder, SQL, type SQLChunk } from 'drizzle-orm'
import { findIds } from './column-ids.js'
import { bindCompared, bound, isInlined } from './compared-values.js'
import { literal } from './literal.js'

/** What we use of a dialect. */
interface Dialect {
  buildSelection(fields: readonly SelectedField[], options?: object): SQL
}

interface SelectedField {
  readonly field: unknown
}

const cured = new WeakSet<object>()

/** Has Drizzle encode every value that a query compares with an id column, and write ids into views. */
export function encodeValuesInSql(dialect: { readonly prototype: object }): void {
  if (!cured.has(SQL)) cureBuilding()
  if (!cured.has(dialect)) cureSelection(dialect, dialect.prototype as Dialect)
}

function cureBuilding(): void {
  cured.add(SQL)
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
function cureSelection(dialect: object, prototype: Dialect): void {
  cured.add(dialect)
  const build = prototype.buildSelection
  prototype.buildSelection = function (fields, options) {
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
