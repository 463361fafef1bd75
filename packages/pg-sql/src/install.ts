import { type Client, run } from './client.js'
import { DEFAULT_SCHEMA, inSchema } from './schema.js'
import { FAMILIES, readSql, type SqlFamily, sqlFiles } from './sql-files.js'
import { statements } from './statements.js'
import { installedVersion, VERSION } from './version.js'

export interface InstallOptions {
  /** Schema to install into, made if it isn't there. Default `snoflax`. */
  readonly schema?: string
  /** Families wanted; `uid` and `uid_local` come together. Default all. */
  readonly families?: readonly SqlFamily[]
  /** Roles that may read and make ids: they get USAGE of the schema and its sequences. */
  readonly grantTo?: readonly string[]
}

export interface Installed {
  readonly version: string
  /** What was there before; undefined if nothing was. */
  readonly previousVersion: string | undefined
}

/**
 * The SQL text that installs the functions, or brings an older installation up to date. It keeps the state of
 * generators and can be run again. Run it in one transaction: `psql -1 -f`, or as one query.
 *
 * @throws {TypeError} for a schema name that needs quoting, or an unknown family.
 */
export function installSql({
  schema = DEFAULT_SCHEMA,
  families = FAMILIES,
  grantTo = [],
}: InstallOptions = {}): string {
  for (const family of families) {
    if (!FAMILIES.includes(family))
      throw new TypeError(`pg-sql: a family is one of ${FAMILIES.join(', ')}, not ${family}`)
  }
  const script = [...sqlFiles(families).map(readSql), ...grantTo.map(grant)].join('\n')
  return inSchema([readSql('install').replaceAll('@version@', VERSION), script].join('\n'), schema)
}

/**
 * The statements of {@link installSql} one by one, without their semicolons, for what runs one at a time. Run
 * them in their order, in one transaction.
 *
 * @throws {TypeError} as `installSql`.
 *
 * @example
 * for (const statement of installStatements({ families: ['flax'] })) await transaction.query(statement)
 */
export function installStatements(options: InstallOptions = {}): string[] {
  return statements(installSql(options))
}

/**
 * Installs the functions, in one transaction.
 *
 * @example
 * await install(pool, { families: ['flax', 'sno'], grantTo: ['app'] })
 */
export async function install(client: Client, options: InstallOptions = {}): Promise<Installed> {
  const previousVersion = await installedVersion(client, options)
  await run(client, installSql(options))
  return { version: VERSION, previousVersion }
}

function grant(role: string): string {
  const name = `"${role.replaceAll('"', '""')}"`
  return `GRANT USAGE ON SCHEMA snoflax TO ${name};\nGRANT USAGE ON ALL SEQUENCES IN SCHEMA snoflax TO ${name};`
}
