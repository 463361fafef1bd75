import { IdError } from '@snoflax/core'
import { entityKind, getTableName, SQL, type Table } from 'drizzle-orm'
import { npmVersion } from 'drizzle-orm/version'
import type { DrizzleClass, IdDialect } from './id-column/dialect.js'

/** A copy of Drizzle, as far as we use it. A process can have several: `import` and `require` load one each. */
export interface DrizzleCopy {
  readonly version: string
  readonly SQL: typeof SQL
  readonly Dialect: DrizzleClass
  readonly Insert: DrizzleClass
}

/** The copy that we import. */
export const ownCopy = ({ Dialect, Insert }: IdDialect): DrizzleCopy => ({
  version: npmVersion,
  SQL,
  Dialect,
  Insert,
})

/**
 * The copy that defines the table: the application's, which need not be the one that we import. To be called while
 * the table is built.
 *
 * @throws {IdError} `UNSUPPORTED_VERSION` for a copy that is out of reach.
 */
export function copyBehind(table: Table, dialect: IdDialect): DrizzleCopy {
  if (classOfSql(table) === SQL) return ownCopy(dialect)
  const file = callerInDrizzle()
  const copy = file === undefined ? undefined : copyAt(file, dialect)
  if (copy && (classOfSql(table) ?? copy.SQL) === copy.SQL) return copy
  throw new IdError(
    'UNSUPPORTED_VERSION',
    `${getTableName(table)}: this table is defined with another copy of drizzle-orm (${copy?.version ?? 'bundled'}` +
      `${file ? `, ${file}` : ''}) than @snoflax/drizzle imports (${npmVersion}), and the package can't reach it. ` +
      'Make both use one copy: run `npm ls drizzle-orm`, and bundle or transform both packages or neither',
    { field: 'drizzle-orm', value: copy?.version, path: getTableName(table) },
  )
}

/** Undefined in versions whose tables are no SQL. */
const classOfSql = (table: Table): unknown => table.getSQL?.().constructor

const TABLE_FILE = /(?<=[\\/](?<core>\w+-core)[\\/])table(?=\.c?js$)/

/** The file of Drizzle that builds a table, and has just called us. */
function callerInDrizzle(): string | undefined {
  const { prepareStackTrace, stackTraceLimit } = Error
  Error.stackTraceLimit = 20
  Error.prepareStackTrace = (_, sites) => sites.map((site) => site.getFileName() ?? '')
  try {
    const files = new Error().stack as unknown as readonly string[]
    return files.find((file) => TABLE_FILE.test(file))
  } finally {
    Object.assign(Error, { prepareStackTrace, stackTraceLimit })
  }
}

/** It is loaded already, so that `require` has what the application has, be it an ES module. */
function copyAt(file: string, { Dialect, Insert }: IdDialect): DrizzleCopy | undefined {
  const require = globalThis.process?.getBuiltinModule?.('node:module').createRequire(file)
  if (require === undefined) return undefined
  const load = (name: string) => require(`../${name}${file.slice(file.lastIndexOf('.'))}`)
  const classes = Object.values<DrizzleClass>(load(`${TABLE_FILE.exec(file)?.groups?.['core']}/index`))
  const theirs = (own: DrizzleClass) => classes.find((one) => kindOf(one) === kindOf(own)) as DrizzleClass
  return {
    version: load('version').npmVersion,
    SQL: load('sql/sql').SQL,
    Dialect: theirs(Dialect),
    Insert: theirs(Insert),
  }
}

const kindOf = (value: object): unknown => (value as { readonly [entityKind]?: unknown })[entityKind]
