import { IdError } from '@snoflax/core'
import { getTableName, QueryPromise, SQL, Table } from 'drizzle-orm'
import { npmVersion } from 'drizzle-orm/version'
import type { IdDialect } from './id-column/dialect.js'
import type { ColumnIds } from './id-column/ids.js'
import { shared } from './shared.js'

/** A class that we patch. */
interface DrizzleClass {
  readonly prototype: object
}

/** The parts of a copy of Drizzle that we use. A process can have several: `import` and `require` load one each. */
export interface DrizzleCopy {
  readonly version: string
  readonly SQL: typeof SQL
  readonly QueryPromise: new () => object
  /** The module of its dialect. */
  readonly core: object
  readonly Dialect: DrizzleClass
  readonly Insert: DrizzleClass
}

/** Drizzle 1.0 builds SQL by other methods. */
export const isBefore1 = ({ version }: { readonly version: string }): boolean => version.startsWith('0.')

/** The copy that we import. */
export const ownCopy = (dialect: IdDialect): DrizzleCopy => ({
  version: npmVersion,
  SQL,
  // Abstract in its types only.
  QueryPromise: QueryPromise as never,
  ...classesIn(dialect.core, dialect),
})

/**
 * The copy that defines the table: the application's, which may differ from the one that we import. Call it while the
 * table is being built.
 *
 * @throws {IdError} `UNSUPPORTED_VERSION` for a copy that we can't load.
 */
export function copyBehind(table: Table, dialect: IdDialect): DrizzleCopy {
  if (isOf(table, Table)) return ownCopy(dialect)
  const file = callerIn(/[\\/]\w+-core[\\/]table\.c?js$/)
  const load = file === undefined ? undefined : modulesBeside(file, '..')
  const core = /\b\w+-core(?=.table\.)/.exec(file ?? '')?.[0]
  const copy = load && {
    version: load('version').npmVersion,
    SQL: load('sql/sql').SQL,
    QueryPromise: load('query-promise').QueryPromise,
    ...classesIn(load(`${core}/index`), dialect),
  }
  const isOne = load && copy && isOf(table, load('table').Table)
  if (isOne && isBefore1(copy) === isBefore1(ownCopy(dialect))) return copy
  throw anotherCopy(getTableName(table), 'this table is defined', copy?.version, file)
}

/** In Drizzle 1.0 `instanceof` treats the classes of all copies as one. */
const isOf = (table: Table, { prototype }: typeof Table): boolean =>
  Object.prototype.isPrototypeOf.call(prototype, table)

const BUILDING_FILE = /([\\/])(?:casing|sql[\\/]sql|\w+-core[\\/]dialect)\.(c?js)$/

/** Remembers a copy that is about to be patched, by the file that calls `getSQL` on a part of its SQL. */
export function rememberPatched(TheirSQL: typeof SQL): void {
  const part = {
    getSQL: () => {
      const file = callerIn(BUILDING_FILE)
      if (file !== undefined) shared.patched.add(file)
      return new TheirSQL([])
    },
  }
  new TheirSQL([part]).toQuery({ escapeName: String, escapeParam: String, escapeString: String } as never)
}

/**
 * Checks that SQL with a column is built by a copy that we patch: a workspace can define its tables with one and open
 * the database with another. Call it while Drizzle reads the column's name.
 *
 * The file identifies the copy. Loading its modules would not: tsx's `require` returns another copy than its `import`.
 *
 * @throws {IdError} `UNSUPPORTED_VERSION`.
 */
export function checkBuilder(ids: ColumnIds): void {
  const file = callerIn(BUILDING_FILE)
  if (file === undefined || shared.patched.has(file.replace(BUILDING_FILE, '$1sql$1sql.$2'))) return
  if (!ids.storage.converts) return
  const load = modulesBeside(file, /casing\./.test(file) ? '.' : '..')
  throw anotherCopy(ids.place, 'this query is built', load?.('version').npmVersion, file)
}

const anotherCopy = (
  path: string,
  what: string,
  version: string | undefined,
  file: string | undefined,
): IdError =>
  new IdError(
    'UNSUPPORTED_VERSION',
    `${path}: ${what} by another copy of drizzle-orm (${version ?? 'bundled'}${file ? `, ${file}` : ''}) than the table ` +
      `or @snoflax/drizzle (${npmVersion}), where ids would not be converted. Use one copy: run \`npm ls drizzle-orm\`, ` +
      'and either bundle every package that imports it, or none',
    { field: 'drizzle-orm', value: version, path },
  )

/** The file of this name in the present call stack. */
function callerIn(pattern: RegExp): string | undefined {
  const { prepareStackTrace, stackTraceLimit } = Error
  Error.stackTraceLimit = 20
  Error.prepareStackTrace = (_, sites) => sites.map((site) => site.getFileName() ?? '')
  try {
    const files: unknown = new Error().stack
    // In engines other than V8 it is a text.
    return Array.isArray(files) ? files.find((file) => pattern.test(file)) : undefined
  } finally {
    Object.assign(Error, { prepareStackTrace, stackTraceLimit })
  }
}

/** Loads modules of the copy that the file belongs to. They are loaded already, so `require` returns the same ones. */
function modulesBeside(file: string, root: '.' | '..') {
  const require = globalThis.process?.getBuiltinModule?.('node:module').createRequire(file)
  return require && ((name: string) => require(`${root}/${name}${file.slice(file.lastIndexOf('.'))}`))
}

function classesIn(core: object, { prefix }: IdDialect) {
  const classes = core as Readonly<Record<string, DrizzleClass>>
  return {
    core,
    Dialect: classes[`${prefix}Dialect`] as DrizzleClass,
    // The names in Drizzle 1.0 and in 0.45.
    Insert: (classes[`${prefix}AsyncInsertBase`] ?? classes[`${prefix}InsertBase`]) as DrizzleClass,
  }
}
