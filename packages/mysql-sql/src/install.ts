import { readFileSync } from 'node:fs'
import { IdError } from '@snoflax/core'
import { checkOptions, checkSchema, DEFAULT_SCHEMA, quoteText, refuse } from '@snoflax/core/adapter'
import type { Server } from './column-sql.js'
import { statementsOf } from './sql-files.js'

/**
 * The version of this package, which is that of the SQL it installs.
 *
 * @example
 * console.log(`this program installs ${VERSION}`)
 */
export const VERSION: string = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
).version

/** A connection of mysql2/promise. */
export interface Connection {
  /** Runs one statement. */
  query(text: string): PromiseLike<unknown>
}

/** A connection, or a pool of mysql2/promise. */
export interface Client extends Connection {
  /** In pools only: takes a connection. */
  getConnection?(): PromiseLike<Connection & { release(): void }>
}

/** Where functions and procedures are. */
export interface SchemaOption {
  /** Their database. Default `snoflax`. */
  readonly schema?: string
}

/** Options of {@link install}. */
export interface InstallOptions extends SchemaOption {
  /** Accounts that may call the functions, such as `app@%`. */
  readonly grantTo?: readonly string[]
  /** Accounts that may lease numbers of sno and flake. */
  readonly grantLeases?: readonly string[]
}

/** What {@link install} did. */
export interface Installed {
  /** The version that is installed now: {@link VERSION}. */
  readonly version: string
  /** The version before; undefined if none was installed, or one that had not finished. */
  readonly previousVersion: string | undefined
}

const FUNCTION_FILES = ['functions', 'codecs', 'random']
const FILES = [...FUNCTION_FILES, 'lease', 'manifest']
const LEASE_PROCEDURES = ['lease_acquire', 'lease_renew', 'lease_release']

/**
 * The statements of an installation one by one, for a migration. Unlike {@link install}, they neither check what is
 * installed nor prevent others from installing at the same time, and leave the session with their `sql_mode`,
 * `sql_safe_updates` and `collation_connection`.
 *
 * @throws {IdError} `INVALID_OPTION` for a schema name that needs quoting, and for an account without a name.
 *
 * @example
 * for (const statement of installStatements('mariadb', { schema: 'snoflax' })) await connection.query(statement)
 */
export function installStatements(server: Server, options: InstallOptions = {}): string[] {
  const { schema = DEFAULT_SCHEMA } = checkInstall(options)
  return [
    `CREATE DATABASE IF NOT EXISTS ${checkSchema(schema)} CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`,
    `SET SESSION ${MODE}`,
    ...statementsOf('installation', schema, server),
    ...objectStatements(server, options),
    completed(schema),
  ]
}

function checkInstall(options: InstallOptions): InstallOptions {
  checkOptions('mysql-sql', options, { schema: 'any', grantTo: 'list', grantLeases: 'list' })
  return options
}

/** The database of functions and procedures. */
export function schemaOf(caller: string, options: SchemaOption): string {
  checkOptions(caller, options, { schema: 'any' })
  return checkSchema(options.schema ?? DEFAULT_SCHEMA)
}

/** The settings with which the bodies will run, and an end to safe updates, which refuse to change all rows of a table. */
const MODE =
  "sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION', sql_safe_updates = 0, collation_connection = utf8mb4_bin"

const completed = (schema: string): string =>
  `UPDATE ${schema}._installation SET version = ${quoteText(VERSION)}, complete = true`

function objectStatements(server: Server, { schema = DEFAULT_SCHEMA, ...options }: InstallOptions): string[] {
  const { grantTo = [], grantLeases = [] } = options
  const functions = FUNCTION_FILES.flatMap((file) => statementsOf(file, schema, server))
  const granted = (objects: readonly string[], accounts: readonly string[]) =>
    accounts.flatMap((account) => objects.map((object) => `GRANT ${object} TO ${accountSql(account)}`))
  const statements = [...functions, ...statementsOf('lease', schema, server)]
  const names = objectsIn(statements, schema).map(({ name }) => name)
  return [
    ...statements,
    ...statementsOf('manifest', schema, server).map((one) =>
      one.replaceAll('@names@', names.join("', '")).replace('@definitions@', definitionsOf(schema)),
    ),
    ...granted(
      objectsIn(functions, schema).map(({ kind, name }) => `EXECUTE ON ${kind} ${schema}.${name}`),
      grantTo,
    ),
    ...granted(
      [
        `SELECT ON ${schema}.leases`,
        ...LEASE_PROCEDURES.map((name) => `EXECUTE ON PROCEDURE ${schema}.${name}`),
      ],
      grantLeases,
    ),
  ]
}

export const definitionsOf = (schema: string): string => statementsOf('definitions', schema, 'mysql').join('')

interface Named {
  readonly kind: string
  readonly name: string
}

function objectsIn(statements: readonly string[], schema: string): Named[] {
  const create = new RegExp(
    `^CREATE (?:OR REPLACE )?(?:SQL SECURITY DEFINER )?(TABLE|VIEW|PROCEDURE|FUNCTION) (?:IF NOT EXISTS )?${schema}\\.(\\w+)`,
  )
  return statements.flatMap((statement) => {
    const [, kind, name] = create.exec(statement) ?? []
    return kind && name ? [{ kind, name }] : []
  })
}

function accountSql(account: string): string {
  const at = account.lastIndexOf('@')
  const [name, host] = at < 0 ? [account, '%'] : [account.slice(0, at), account.slice(at + 1)]
  if (name !== '' && host !== '' && !/['\\]/.test(account)) return `'${name}'@'${host}'`
  refuse(
    'mysql-sql',
    'grantTo',
    account,
    `an account must be name or name@host, not ${JSON.stringify(account)}`,
  )
}

/**
 * Installs functions and procedures, or upgrades an older installation. DDL can't be rolled back: a first installation
 * that fails removes what it created; an upgrade that fails continues when you call it again. Until then,
 * {@link installedVersion} returns undefined.
 *
 * @throws {IdError} `INVALID_OPTION` as `installStatements`, for a newer installation, and while another one runs;
 * `UNSUPPORTED_VERSION` for an older server; and what the database throws.
 *
 * @example
 * await install(pool, { grantLeases: ['app@%'] })
 */
export async function install(client: Client, options: InstallOptions = {}): Promise<Installed> {
  const { schema = DEFAULT_SCHEMA } = checkInstall(options)
  checkSchema(schema)
  return alone(client, schema, async (run) => {
    const server = await serverOf(run)
    const statements = objectStatements(server, options)
    const before = await stateOf(run, schema)
    if (before?.version !== undefined && isNewer(before.version, VERSION)) {
      throw refusal(
        `version ${before.version} is installed in ${schema}, which is newer than ${VERSION}; install with the newer package`,
      )
    }
    const isNew = await isMissing(run, schema)
    if (isNew) await run(`CREATE DATABASE ${schema} CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`)
    try {
      for (const statement of statementsOf('installation', schema, server)) await run(statement)
      if (isNew) await run(`UPDATE ${schema}._installation SET owns_schema = true`)
      await run(`UPDATE ${schema}._installation SET complete = false`)
      for (const statement of statements) await run(statement)
      await run(completed(schema))
    } catch (error) {
      if (before === undefined) await remove(run, schema, server, isNew)
      throw error
    }
    return { version: VERSION, previousVersion: before?.complete ? before.version : undefined }
  })
}

/**
 * The version that is installed in a database; undefined if none is, or if an installation has not finished.
 *
 * @throws {IdError} `INVALID_OPTION` for a schema name that needs quoting; and what the database throws.
 *
 * @example
 * if ((await installedVersion(pool)) !== VERSION) await install(pool)
 */
export async function installedVersion(
  client: Client,
  options: SchemaOption = {},
): Promise<string | undefined> {
  const schema = schemaOf('installedVersion', options)
  const state = await stateOf(async (text) => rowsOf(await client.query(text)), schema)
  return state?.complete ? state.version : undefined
}

/**
 * Drops what the installer created, including the database if it created that. Throws, and names them, while views,
 * triggers, routines or events elsewhere use it, or numbers are leased.
 *
 * @throws {IdError} `INVALID_OPTION` in these cases, and for a schema name that needs quoting; and what the database
 * throws.
 *
 * @example
 * await uninstall(pool, { schema: 'ids' })
 */
export async function uninstall(client: Client, options: SchemaOption = {}): Promise<void> {
  const schema = schemaOf('uninstall', options)
  await alone(client, schema, async (run) => {
    const server = await serverOf(run)
    if ((await stateOf(run, schema)) === undefined) throw refusal(`nothing is installed in ${schema}`)
    const pattern = quoteText(`%${schema.replaceAll('_', String.raw`\_`)}%.%`)
    const users = await run(`
      SELECT concat('view ', table_schema, '.', table_name) AS what FROM information_schema.views
       WHERE table_schema <> '${schema}' AND replace(view_definition, '\`', '') LIKE ${pattern}
      UNION ALL SELECT concat('trigger ', trigger_schema, '.', trigger_name) FROM information_schema.triggers
       WHERE replace(action_statement, '\`', '') LIKE ${pattern}
      UNION ALL SELECT concat(lower(routine_type), ' ', routine_schema, '.', routine_name) FROM information_schema.routines
       WHERE routine_schema <> '${schema}' AND replace(routine_definition, '\`', '') LIKE ${pattern}
      UNION ALL SELECT concat('event ', event_schema, '.', event_name) FROM information_schema.events
       WHERE event_schema <> '${schema}' AND replace(event_definition, '\`', '') LIKE ${pattern}`)
    if (users.length > 0) {
      throw refusal(
        `${schema} is used by ${users.map(({ what }) => what).join(', ')}; change or drop that first`,
      )
    }
    const [leased] = await run(`
      SELECT family, number, holder FROM ${schema}.leases
       WHERE state = 'held' OR reserved_until > utc_timestamp(3) LIMIT 1`)
    if (leased !== undefined) {
      throw refusal(
        `number ${leased['number']} of ${leased['family']} is leased to ${leased['holder']}; stop that process first`,
      )
    }
    const [row] = await run(`SELECT owns_schema FROM ${schema}._installation`)
    await remove(run, schema, server, Boolean(row?.['owns_schema']))
  })
}

async function remove(run: Run, schema: string, server: Server, ownsSchema: boolean): Promise<void> {
  const statements = [...FILES, 'installation'].flatMap((file) => statementsOf(file, schema, server))
  // An earlier version may have created objects that this one doesn't have.
  const earlier = (await hasTable(run, schema, '_manifest'))
    ? await run(
        `SELECT object FROM ${schema}._manifest WHERE object RLIKE '^(function|procedure|table|view) '`,
      )
    : []
  for (const { kind, name } of objectsIn(statements, schema))
    await run(`DROP ${kind} IF EXISTS ${schema}.${name}`)
  for (const { object } of earlier) {
    const [kind, name] = String(object).split(' ')
    await run(`DROP ${kind} IF EXISTS ${schema}.${name}`)
  }
  if (!ownsSchema) return
  const others = await run(`
    SELECT 1 FROM information_schema.tables WHERE table_schema = '${schema}'
    UNION ALL SELECT 1 FROM information_schema.routines WHERE routine_schema = '${schema}' LIMIT 1`)
  if (others.length === 0) await run(`DROP DATABASE ${schema}`)
}

type Row = Readonly<Record<string, unknown>>
export type Run = (text: string) => Promise<Row[]>

/** The result of mysql2: rows and fields. */
export const rowsOf = (result: unknown): Row[] => {
  const [rows] = result as [unknown]
  return Array.isArray(rows) ? rows : []
}

/** Runs one installation at a time, on one connection, and restores its settings. */
async function alone<Result>(
  client: Client,
  schema: string,
  work: (run: Run) => Promise<Result>,
): Promise<Result> {
  const pooled = await client.getConnection?.()
  const connection = pooled ?? client
  const run: Run = async (text) => rowsOf(await connection.query(text))
  const lock = quoteText(`snoflax install ${schema}`.slice(0, 64))
  try {
    const [locked] = await run(`SELECT get_lock(${lock}, 60) AS mine, is_used_lock(${lock}) AS owner`)
    if (Number(locked?.['mine']) !== 1) {
      throw refusal(`connection ${locked?.['owner']} is installing into ${schema}; wait for it, or KILL it`)
    }
    await run(
      'SET @snoflax_mode = @@sql_mode, @snoflax_safe = @@sql_safe_updates, @snoflax_collation = @@collation_connection',
    )
    await run(`SET SESSION ${MODE}`)
    try {
      return await work(run)
    } finally {
      await run(
        'SET SESSION sql_mode = @snoflax_mode, sql_safe_updates = @snoflax_safe, collation_connection = @snoflax_collation',
      )
      await run(`DO release_lock(${lock})`)
    }
  } finally {
    pooled?.release()
  }
}

async function serverOf(run: Run): Promise<Server> {
  const [row] = await run('SELECT version() AS version')
  const version = String(row?.['version'])
  const server = version.includes('MariaDB') ? 'mariadb' : 'mysql'
  const [least, name] = server === 'mariadb' ? ['10.10.0', 'MariaDB'] : ['8.0.13', 'MySQL']
  // Some servers put the version that old clients expect in front.
  const own = /(?<!\d)(\d+\.\d+\.\d+)-MariaDB/.exec(version)?.[1] ?? version
  if (!isNewer(least, own)) return server
  throw new IdError(
    'UNSUPPORTED_VERSION',
    `mysql-sql needs ${name} ${least} or newer, but this is ${version}`,
    {
      field: 'client',
      value: version,
    },
  )
}

const isMissing = async (run: Run, schema: string): Promise<boolean> =>
  (await run(`SELECT 1 FROM information_schema.schemata WHERE schema_name = '${schema}'`)).length === 0

export const hasTable = async (run: Run, schema: string, table: string): Promise<boolean> =>
  (
    await run(
      `SELECT 1 FROM information_schema.tables WHERE table_schema = '${schema}' AND table_name = '${table}'`,
    )
  ).length > 0

interface State {
  readonly version: string | undefined
  readonly complete: boolean
}

export async function stateOf(run: Run, schema: string): Promise<State | undefined> {
  if (!(await hasTable(run, schema, '_installation'))) return undefined
  const [row] = await run(`SELECT version, complete FROM ${schema}._installation`)
  return {
    version: (row?.['version'] ?? undefined) as string | undefined,
    complete: Boolean(row?.['complete']),
  }
}

/** A pre-release is compared as its release. */
function isNewer(one: string, other: string): boolean {
  const numbers = (version: string) => version.split(/[-.]/).slice(0, 3).map(Number)
  const [a, b] = [numbers(one), numbers(other)]
  const at = a.findIndex((part, i) => part !== b[i])
  return at >= 0 && (a[at] as number) > (b[at] as number)
}

export const refusal = (what: string): IdError =>
  new IdError('INVALID_OPTION', `mysql-sql: ${what}`, { field: 'schema' })
