import { IdError } from '@snoflax/core'
import { type Client, run } from './client.js'
import { grantSql } from './grant.js'
import { DEFAULT_SCHEMA, inSchema } from './schema.js'
import { FAMILIES, readSql, type SqlFamily, sqlFiles } from './sql-files.js'
import { statements } from './statements.js'
import { installedVersion, VERSION } from './version.js'

/** What is installed, where, and who may use it. */
export interface InstallOptions {
  /** Schema to install into, made if it isn't there. Default `snoflax`. */
  readonly schema?: string
  /** Families wanted; `uid` and `uid_local` come together. Default all. */
  readonly families?: readonly SqlFamily[]
  /** Roles that may read and make ids: they get USAGE of the schema and its sequences. */
  readonly grantTo?: readonly string[]
}

/** What {@link install} did. */
export interface Installed {
  /** The version that is there now: {@link VERSION}. */
  readonly version: string
  /** What was there before; undefined if nothing was. */
  readonly previousVersion: string | undefined
}

/**
 * The SQL text that installs the functions, or brings an older installation up to date. It keeps the state of
 * generators and can be run again. Run it in one transaction: `psql -1 -f`, or as one query.
 *
 * @throws {IdError} `INVALID_OPTION` for a schema name that needs quoting, or an unknown family.
 *
 * @example
 * await transaction.query(installSql({ schema: 'ids', families: ['flax'] }))
 */
export function installSql({
  schema = DEFAULT_SCHEMA,
  families = FAMILIES,
  grantTo = [],
}: InstallOptions = {}): string {
  families.forEach(checkFamily)
  const files = [readSql('install').replaceAll('@version@', VERSION), ...sqlFiles(families).map(readSql)]
  const grants = grantTo.map((role) => grantSql(schema, role))
  return [inSchema(files.join('\n'), schema), ...grants].join('\n')
}

function checkFamily(family: SqlFamily): void {
  if (FAMILIES.includes(family)) return
  const given = JSON.stringify(family)
  throw new IdError('INVALID_OPTION', `pg-sql: a family is one of ${FAMILIES.join(', ')}, not ${given}`, {
    field: 'families',
    value: family,
  })
}

/**
 * The statements of {@link installSql} one by one, without their semicolons, for what runs one at a time. Run
 * them in their order, in one transaction.
 *
 * @throws {IdError} as `installSql`.
 *
 * @example
 * for (const statement of installStatements({ families: ['flax'] })) await transaction.query(statement)
 */
export function installStatements(options: InstallOptions = {}): string[] {
  return statements(installSql(options))
}

/**
 * Installs the functions, in one transaction, or brings an older installation up to date.
 *
 * @throws {IdError} as `installSql`; and what the database throws: for a newer installation, a role that is
 * not there, or a right that is missing.
 *
 * @example
 * await install(pool, { families: ['flax', 'sno'], grantTo: ['app'] })
 */
export async function install(client: Client, options: InstallOptions = {}): Promise<Installed> {
  const previousVersion = await installedVersion(client, options)
  await run(client, installSql(options))
  return { version: VERSION, previousVersion }
}
