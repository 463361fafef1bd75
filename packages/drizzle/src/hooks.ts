import type { Database } from '@snoflax/core'
import { arrayLiteral, literalOf, requireMembers } from '@snoflax/core/adapter'
import { Column, is, Param, Placeholder, SQL, type SQLChunk, type Table } from 'drizzle-orm'
import {
  bindCompared,
  bound,
  boundWrite,
  inSelecting,
  inStatement,
  mapResult,
  type Row,
  rememberSelected,
  type SelectConfig,
  type Writing,
} from './binding/values.js'
import { boundInsert, boundUnion, type Insert } from './binding/writes.js'
import { checkBuilder, copyBehind, type DrizzleCopy, isBefore1, ownCopy, rememberPatched } from './copy.js'
import type { IdDialect } from './id-column/dialect.js'
import { type ColumnIds, findIds } from './id-column/ids.js'
import { literal } from './id-column/literal.js'
import { rejectRefusals, relationalQueryIn } from './rejections.js'
import { keepingIds, type RelationalQuery, withAnswers } from './relational-queries.js'
import { type Hooks, type Selecting, shared } from './shared.js'

/** The methods that build SQL: the first in Drizzle 0.45, the others in 1.0. */
interface BuildingMembers {
  readonly shouldInlineParams: boolean
  buildQueryFromSourceParams(
    chunks: SQLChunk[],
    config: Writing & { readonly inlineParams?: boolean },
  ): unknown
  collectSQL(chunks: SQLChunk[], writing: Writing, ...more: unknown[]): void
  collectBoundValue(value: unknown, encoder: object, ...more: unknown[]): void
}

/** The members of a dialect that we use. */
interface DialectMembers {
  buildSelection(fields: readonly { readonly field: unknown }[], options?: object): SQL
  buildInsertQuery(insert: Insert): unknown
  buildSelectQuery(config: SelectConfig): SQL
  buildUpdateQuery(config: Selecting): SQL
  buildDeleteQuery(config: Selecting): SQL
  buildUpdateSet(table: Table, set: Row): SQL
  [relationalMethod: string]: Method
}

const CANDIDATE = '1.0.0-rc.5'
const SUPPORTED = `^0.45.0 || ${CANDIDATE}`
const checked = new WeakSet<object>()
/** Registered, so that two copies of this package patch a class once. */
const CURED = Symbol.for('snoflax.drizzle.cured')
const HOOKED = Symbol.for('snoflax.drizzle.hooked')
const RELATED = Symbol.for('snoflax.drizzle.related')

/**
 * Makes refusals of columns reject in the table's copy of Drizzle and in the one that we import.
 *
 * @throws {IdError} `UNSUPPORTED_VERSION` for a version of Drizzle that lacks a member that we need, and for a copy that
 * we can't load.
 */
export function hookInto(dialect: IdDialect, table: Table, builder: object): Hooks {
  const copies = [copyBehind(table, dialect), ownCopy(dialect)]
  for (const copy of copies) {
    if (checked.has(copy.Dialect)) continue
    check(copy, dialect, table, builder)
    once(copy.Dialect, CURED, () => {
      const unexported = isBefore1(copy) ? relationalQueryIn(copy.core, dialect) : {}
      rejectRefusals({ ...copy.core, ...unexported }, copy, dialect.database)
    })
    const { QueryPromise } = copy
    once(QueryPromise, CURED, () => rejectRefusals({ QueryPromise }, copy, dialect.database))
    checked.add(copy.Dialect)
  }
  const extras = () => {
    for (const copy of copies) once(copy.Dialect, RELATED, () => hookIntoRelations(copy, dialect))
  }
  return {
    extras,
    converting() {
      for (const copy of copies) {
        once(copy.SQL, HOOKED, () => {
          rememberPatched(copy.SQL)
          hookIntoBuilding(copy)
        })
        once(copy.Dialect, HOOKED, () => hookIntoDialect(copy, dialect))
      }
      extras()
    },
  }
}

const DIALECT_METHODS = [
  ...['buildSelection', 'buildSelectQuery', 'buildInsertQuery'],
  ...['buildUpdateQuery', 'buildUpdateSet', 'buildDeleteQuery'],
]

function check(copy: DrizzleCopy, dialect: IdDialect, table: Table, builder: object): void {
  const { version, SQL, QueryPromise, Dialect, Insert } = copy
  const of = isBefore1(copy)
    ? {
        table: ['getSQL'],
        building: ['buildQueryFromSourceParams'],
        dialect: [...DIALECT_METHODS, ...dialect.relationalMethods],
      }
    : {
        table: [],
        building: ['collectSQL', 'collectBoundValue'],
        dialect: [...DIALECT_METHODS, 'buildRelationalQuery'],
      }
  // Its snapshots, such as 1.0.0-rc.5-ab785fc, have its version in their code.
  const named = version === CANDIDATE ? `${version}-snapshot (see \`npm ls drizzle-orm\`)` : version
  requireMembers({ name: 'drizzle-orm', version: named, supported: SUPPORTED, by: '@snoflax/drizzle' }, [
    { owner: table, name: 'Table.prototype', members: of.table },
    { owner: builder, name: 'ColumnBuilder', members: ['config', 'foreignKeyConfigs'] },
    { owner: new Param('', {} as never), name: 'Param', members: ['value', 'encoder'] },
    { owner: QueryPromise?.prototype, name: 'QueryPromise.prototype', members: ['then'] },
    { owner: Insert?.prototype, name: 'Insert.prototype', members: ['prepare'] },
    { owner: SQL.prototype, name: 'SQL.prototype', members: of.building },
    { owner: new SQL([]), name: 'SQL', members: ['queryChunks', 'decoder', 'shouldInlineParams'] },
    {
      owner: Dialect?.prototype,
      name: `${dialect.prefix}Dialect.prototype`,
      members: of.dialect,
    },
  ])
}

function once(hookable: object, mark: symbol, hook: () => void): void {
  if (Object.hasOwn(hookable, mark)) return
  hook()
  Object.defineProperty(hookable, mark, { value: true })
}

/** @throws {IdError} `UNSUPPORTED_VERSION` if a copy that is not patched reads the name of a column that converts. */
export function checkCopy(ids: ColumnIds): void {
  if (shared.building === 0 && shared.patched.size > 0 && ids.storage.converts) checkBuilder(ids.place)
}

type Method = (...given: never[]) => unknown

/** Replaces a method of Drizzle by ours, which gets the original, and counts its running calls. */
function replace<Members, Name extends keyof Members, Replaced extends Method & Members[Name]>(
  prototype: Members,
  name: Name,
  replacement: (
    this: Members,
    original: (...given: Parameters<Replaced>) => ReturnType<Replaced>,
    ...given: Parameters<Replaced>
  ) => ReturnType<Replaced>,
): void {
  const original = prototype[name] as (...given: Parameters<Replaced>) => ReturnType<Replaced>
  const value = function (this: Members, ...given: Parameters<Replaced>) {
    shared.building++
    try {
      return replacement.call(this, original.bind(this), ...given)
    } finally {
      shared.building--
    }
  }
  Object.defineProperty(prototype, name, { value, writable: true, configurable: true })
}

function hookIntoBuilding(copy: DrizzleCopy): void {
  const prototype = copy.SQL.prototype as unknown as BuildingMembers
  if (isBefore1(copy)) {
    replace(prototype, 'buildQueryFromSourceParams', function (build, given, config) {
      return inStatement(given, config, () => {
        const chunks = bindCompared(given)
        return build(config.inlineParams || this.shouldInlineParams ? chunks.map(inline) : chunks, config)
      })
    })
    return
  }
  replace(prototype, 'collectSQL', (collect, chunks, writing, ...more) =>
    inStatement(chunks, writing, () => collect(bindCompared(chunks), writing, ...more)),
  )
  replace(prototype, 'collectBoundValue', (collect, value, encoder, ...more) => {
    const [, , , isInline, out] = more as [unknown, unknown, unknown, boolean, { sql: string }]
    const ids = isInline && value != null ? findIds(encoder) : undefined
    if (!ids) return collect(value, encoder, ...more)
    const stored = (encoder as Column).mapToDriverValue(value)
    out.sql += literalOf(Array.isArray(stored) ? arrayLiteral(stored) : stored, ids.storage.database)
  })
}

function hookIntoRelations(copy: DrizzleCopy, { database, relationalMethods, inJson }: IdDialect): void {
  const prototype = copy.Dialect.prototype as DialectMembers
  if (!isBefore1(copy)) return
  for (const method of relationalMethods) {
    replace(prototype, method, (build, query: RelationalQuery & Selecting) =>
      inSelecting(query, () => keepingIds(build as never, query, database, inJson)),
    )
  }
}

function hookIntoDialect(copy: DrizzleCopy, { database }: IdDialect): void {
  const prototype = copy.Dialect.prototype as DialectMembers
  if (!isBefore1(copy)) {
    // Columns have their own methods for JSON. Each condition is bound separately, since the query is one long list of
    // chunks.
    replace(prototype, 'buildRelationalQuery', (build, query) => {
      const built = build(withAnswers(query as never, database) as never) as { readonly sql: SQL }
      return { ...built, sql: new SQL(built.sql.queryChunks.map((one) => (is(one, SQL) ? bound(one) : one))) }
    })
  }
  // Drizzle replaces columns by bare names there.
  replace(prototype, 'buildSelection', (build, fields, options) => {
    const bound = fields.map((selected) => ({ ...selected, field: boundField(selected.field, database) }))
    const selection = build(bound, options)
    rememberSelected(selection, fields)
    return selection
  })
  replace(prototype, 'buildInsertQuery', (build, insert) => {
    const bound = boundInsert(insert, database)
    return inSelecting(bound, () => build(bound))
  })
  replace(prototype, 'buildUpdateSet', (build, table, set) => build(table, boundWrite(table, set, database)))
  replace(prototype, 'buildSelectQuery', (build, config) =>
    inSelecting(config, () => build(boundUnion(config))),
  )
  for (const method of ['buildUpdateQuery', 'buildDeleteQuery'] as const) {
    replace(prototype, method, (build, config) => inSelecting(config, () => build(config)))
  }
}

/** Writes an id as a literal, since Drizzle has none for bytes and bigints. */
function inline(chunk: SQLChunk): SQLChunk {
  if (!is(chunk, Param) || chunk.value == null || is(chunk.value, Placeholder)) return chunk
  const ids = findIds(chunk.encoder)
  return ids ? literal(chunk.encoder.mapToDriverValue(chunk.value), ids.storage.database) : chunk
}

function boundField(field: unknown, database: Database): unknown {
  if (field instanceof Column) return field
  const query = is(field, SQL.Aliased) ? field.sql : field
  if (is(query, SQL)) mapResult(query, database)
  if (is(field, SQL.Aliased)) return isOfSubquery(field) ? field : bound(field.sql).as(field.fieldAlias)
  return is(field, SQL) ? bound(field) : field
}

const isOfSubquery = (field: SQL.Aliased): boolean =>
  (field as unknown as { isSelectionField: boolean }).isSelectionField
