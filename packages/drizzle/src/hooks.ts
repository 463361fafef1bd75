import { requireMembers } from '@snoflax/core/adapter'
import { Param, type SQLChunk, type Table } from 'drizzle-orm'
import { boundStatement, checkSet, TABLE_SET, type Writing } from './binding/statement.js'
import { hookIntoWrites } from './checked-writes.js'
import { checkBuilder, copyBehind, type DrizzleCopy, isBefore1, ownCopy, rememberPatched } from './copy.js'
import type { Hooks, IdDialect } from './id-column/dialect.js'
import type { ColumnIds } from './id-column/ids.js'
import { rejectRefusals, relationalQueryIn } from './rejections.js'
import { keepingIds } from './relational-queries.js'
import { shared } from './shared.js'

const CANDIDATE = '1.0.0-rc.5'
const SUPPORTED = `^0.45.0 || ${CANDIDATE}`
const checked = new WeakSet<object>()
/** Registered, so that two copies of this package patch a class once. */
const CURED = Symbol.for('snoflax.drizzle.cured')
const HOOKED = Symbol.for('snoflax.drizzle.hooked')
const WRITING = Symbol.for('snoflax.drizzle.writing')
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
    check(copy, dialect, builder)
    once(copy.Dialect, CURED, () => {
      const unexported = isBefore1(copy) ? relationalQueryIn(copy.core, dialect) : {}
      rejectRefusals({ ...copy.core, ...unexported }, copy, dialect.database)
    })
    const { QueryPromise } = copy
    once(QueryPromise, CURED, () => rejectRefusals({ QueryPromise }, copy, dialect.database))
    checked.add(copy.Dialect)
  }
  const extras = () => {
    for (const copy of copies) {
      once(copy.Dialect, RELATED, () => {
        hookIntoRelations(copy, dialect)
        shared.related++
      })
    }
  }
  return {
    extras,
    checkedWrites() {
      for (const copy of copies) once(copy.Dialect, WRITING, () => hookIntoWrites(copy))
    },
    converting() {
      for (const copy of copies) {
        once(copy.SQL, HOOKED, () => {
          rememberPatched(copy.SQL)
          hookIntoBuilding(copy)
        })
        once(copy.Dialect, HOOKED, () => hookIntoUpdates(copy))
      }
      extras()
    },
  }
}

function check(copy: DrizzleCopy, dialect: IdDialect, builder: object): void {
  const { version, SQL, QueryPromise, Dialect, Insert } = copy
  // Its snapshots, such as 1.0.0-rc.5-ab785fc, have its version in their code.
  const named = version === CANDIDATE ? `${version}-snapshot (see \`npm ls drizzle-orm\`)` : version
  requireMembers({ name: 'drizzle-orm', version: named, supported: SUPPORTED, by: '@snoflax/drizzle' }, [
    { owner: builder, name: 'ColumnBuilder', members: ['config', 'foreignKeyConfigs'] },
    { owner: new Param('', {} as never), name: 'Param', members: ['value', 'encoder'] },
    { owner: QueryPromise?.prototype, name: 'QueryPromise.prototype', members: ['then'] },
    { owner: Insert?.prototype, name: 'Insert.prototype', members: ['prepare'] },
    { owner: SQL.prototype, name: 'SQL.prototype', members: ['buildQueryFromSourceParams'] },
    { owner: new SQL([]), name: 'SQL', members: ['queryChunks', 'decoder', 'shouldInlineParams'] },
    {
      owner: Dialect?.prototype,
      name: `${dialect.prefix}Dialect.prototype`,
      members: ['buildInsertQuery', 'buildUpdateSet', ...(isBefore1(copy) ? dialect.relationalMethods : [])],
    },
  ])
}

function once(hookable: object, mark: symbol, hook: () => void): void {
  if (Object.hasOwn(hookable, mark)) return
  hook()
  Object.defineProperty(hookable, mark, { value: true })
}

/** How often a column looks which copy of Drizzle reads its name: a look costs as much as building a statement. */
const LOOKS = 16
const looks = new WeakMap<ColumnIds, number>()

/** @throws {IdError} `UNSUPPORTED_VERSION` if a copy that is not patched reads the name of a column that converts. */
export function checkCopy(ids: ColumnIds): void {
  if (shared.isBuilding || shared.patched.size === 0) return
  const look = looks.get(ids) ?? 0
  if (look === LOOKS) return
  looks.set(ids, look + 1)
  checkBuilder(ids)
}

type Building = (
  this: { readonly shouldInlineParams: boolean },
  chunks: readonly SQLChunk[],
  writing: Writing,
) => object

function hookIntoBuilding({ SQL }: DrizzleCopy): void {
  const prototype = SQL.prototype as unknown as { buildQueryFromSourceParams: Building }
  const build = prototype.buildQueryFromSourceParams
  const value: Building = function (chunks, writing) {
    // Drizzle 0.45 calls it for the parts of a statement too.
    if (shared.isBuilding) return build.call(this, chunks, writing)
    shared.isBuilding = true
    try {
      const isInline = writing.inlineParams || this.shouldInlineParams
      return build.call(this, boundStatement(chunks, writing, isInline), writing)
    } finally {
      shared.isBuilding = false
    }
  }
  Object.defineProperty(prototype, 'buildQueryFromSourceParams', {
    value,
    writable: true,
    configurable: true,
  })
}

type UpdateSet = (this: object, table: Table, set: object) => object

function hookIntoUpdates({ Dialect }: DrizzleCopy): void {
  const prototype = Dialect.prototype as { buildUpdateSet: UpdateSet }
  const build = prototype.buildUpdateSet
  const value: UpdateSet = function (table, set) {
    checkSet(table, set)
    return Object.assign(build.call(this, table, set), { [TABLE_SET]: table })
  }
  Object.defineProperty(prototype, 'buildUpdateSet', { value, writable: true, configurable: true })
}

function hookIntoRelations(copy: DrizzleCopy, { relationalMethods, inJson }: IdDialect): void {
  if (!isBefore1(copy)) return
  const prototype = copy.Dialect.prototype as Record<string, (query: never) => never>
  for (const method of relationalMethods) {
    const build = prototype[method] as (query: never) => never
    const value = function (this: object, query: never) {
      return keepingIds((changed) => build.call(this, changed as never), query, inJson)
    }
    Object.defineProperty(prototype, method, { value, writable: true, configurable: true })
  }
}
