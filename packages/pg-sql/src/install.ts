import { readFileSync } from 'node:fs'
import {
  checkOptions,
  checkSchema,
  DEFAULT_SCHEMA,
  type OptionKind,
  quoteText,
  refuse,
} from '@snoflax/core/adapter'
import { type Client, queryValue, run } from './client.js'
import { grantLeasesSql, grantSql, ownersFunctions } from './grant.js'
import { withManifest } from './manifest.js'
import { FAMILIES, filesOf, type SqlFamily, sqlOf } from './sql-files.js'

/**
 * The version of this package, which is that of the SQL it installs.
 *
 * @example
 * console.log(`this program installs ${VERSION}`)
 */
export const VERSION: string = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
).version

/** Options of {@link install}. */
export interface InstallOptions {
  /** Schema to install into, created if it doesn't exist. Default `snoflax`. */
  readonly schema?: string
  /** Families to install; `uid` and `uid_local` come together. Default all. */
  readonly families?: readonly SqlFamily[]
  /** Roles that may read and generate ids: they get USAGE on the schema and its sequences. */
  readonly grantTo?: readonly string[]
  /** Roles that may lease numbers of sno and flake. */
  readonly grantLeases?: readonly string[]
}

/** What {@link install} did. */
export interface Installed {
  /** The version that is installed now: {@link VERSION}. */
  readonly version: string
  /** The version before; undefined if none was installed. */
  readonly previousVersion: string | undefined
}

/**
 * The SQL text that installs the functions or upgrades an older installation. It keeps the state of generators and can
 * be run again. Run it in one transaction: `psql -1 -f`, or as one query.
 *
 * @throws {IdError} `INVALID_OPTION` for a schema name that needs quoting, an unknown family, or `grantLeases` without
 * sno and flake.
 *
 * @example
 * await transaction.query(installSql({ schema: 'ids', families: ['flax'] }))
 */
export function installSql(options: InstallOptions = {}): string {
  const {
    schema = DEFAULT_SCHEMA,
    families = FAMILIES,
    grantTo = [],
    grantLeases = [],
  } = checkOptions('pg-sql', options, INSTALL_OPTIONS)
  families.forEach(checkFamily)
  const files = filesOf(families)
  if (grantLeases.length > 0) checkLeased(files)
  const script = sqlOf(['install', ...files, 'manifest', 'revoke'], schema)
  const owners = ownersFunctions(schema).map(quoteText).join(', ')
  const sql = withManifest(script, schema)
    .replaceAll('@version@', VERSION)
    .replace('@owners@', () => owners)
  return [
    sql,
    ...grantTo.map((role) => grantSql(schema, role)),
    ...grantLeases.map((role) => grantLeasesSql(schema, role)),
    sqlOf(['end'], schema),
  ].join('\n')
}

export const INSTALL_OPTIONS: Readonly<Record<keyof InstallOptions, OptionKind>> = {
  schema: 'any',
  families: 'list',
  grantTo: 'list',
  grantLeases: 'list',
}

function checkLeased(files: readonly string[]): void {
  if (files.includes('lease')) return
  refuse(
    'pg-sql',
    'grantLeases',
    undefined,
    'grantLeases needs a family whose numbers can be leased; add sno or flake to families',
  )
}

function checkFamily(family: SqlFamily): void {
  if (FAMILIES.includes(family)) return
  const shown = JSON.stringify(family)
  refuse('pg-sql', 'families', family, `a family must be one of ${FAMILIES.join(', ')}, not ${shown}`)
}

/**
 * The statements of {@link installSql} one by one, without semicolons, for clients that run one statement at a time.
 * Run them in this order, in one transaction.
 *
 * @throws {IdError} as `installSql`.
 *
 * @example
 * for (const statement of installStatements({ families: ['flax'] })) await transaction.query(statement)
 */
export function installStatements(options: InstallOptions = {}): string[] {
  const script = installSql(options)
  const statements: string[] = []
  let start = 0
  for (const { 0: token, index } of script.matchAll(COMMENT_QUOTED_OR_END)) {
    if (token !== ';') continue
    statements.push(script.slice(start, index).replace(LEADING_COMMENTS, '').trimEnd())
    start = index + 1
  }
  return statements
}

const LEADING_COMMENTS = /^(?:\s|--.*)+/
/** Our own files have no comments in C's style. */
const COMMENT_QUOTED_OR_END = /--.*|(['"])[\s\S]*?\1|\$(\w*)\$[\s\S]*?\$\2\$|;/g

/**
 * Installs the functions or upgrades an older installation, in one transaction.
 *
 * @throws {IdError} as `installSql`; and what the database throws: if a newer version is installed, a role doesn't
 * exist, or a privilege is missing.
 *
 * @example
 * await install(pool, { families: ['flax', 'sno'], grantTo: ['app'] })
 */
export async function install(client: Client, options: InstallOptions = {}): Promise<Installed> {
  const sql = installSql(options)
  const previousVersion = await versionIn(client, options.schema)
  // Of several installations at once, each has to see what the one before it did. A transaction that is open on this
  // client has begun, so its level can't change any more.
  const isOpen = await queryValue(
    client,
    'SELECT pg_catalog.now() OPERATOR(pg_catalog.<>) pg_catalog.statement_timestamp()',
  )
  await run(client, isOpen ? sql : `SET TRANSACTION ISOLATION LEVEL READ COMMITTED;\n${sql}`)
  return { version: VERSION, previousVersion }
}

/**
 * The version that is installed in a database, or undefined.
 *
 * @throws {IdError} `INVALID_OPTION` for a schema name that needs quoting; and what the database throws.
 *
 * @example
 * if ((await installedVersion(pool)) !== VERSION) await install(pool)
 */
export async function installedVersion(
  client: Client,
  options: { readonly schema?: string } = {},
): Promise<string | undefined> {
  return versionIn(client, checkOptions('installedVersion', options, { schema: 'any' }).schema)
}

async function versionIn(client: Client, schema: string = DEFAULT_SCHEMA): Promise<string | undefined> {
  // Reads its definition instead of calling it, since it may belong to another role.
  const version = await queryValue(
    client,
    `SELECT pg_catalog.substring(pg_catalog.pg_get_functiondef(pg_catalog.to_regprocedure(
       '${checkSchema(schema)}.version()'::pg_catalog.text)::pg_catalog.oid), 'RETURN ''([^'']+)'''::pg_catalog.text)`,
  )
  return (version ?? undefined) as string | undefined
}

/**
 * Drops the schema with everything that the installer created. Fails, naming them, if columns, defaults, indexes, views
 * or functions outside the schema use it, or if numbers are leased.
 *
 * @throws {IdError} `INVALID_OPTION` for a schema name that needs quoting; and what the database throws, also if
 * nothing is installed, since the schema doesn't exist.
 *
 * @example
 * await uninstall(pool, { schema: 'ids' })
 */
export async function uninstall(client: Client, options: { readonly schema?: string } = {}): Promise<void> {
  const { schema = DEFAULT_SCHEMA } = checkOptions('uninstall', options, { schema: 'any' })
  await run(client, uninstallSql(schema))
}

/** The statement of {@link uninstall}. */
export function uninstallSql(schema: string): string {
  return sqlOf(['uninstall'], schema)
}
