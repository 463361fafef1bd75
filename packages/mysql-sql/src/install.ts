import { readFileSync } from 'node:fs'
import { IdError } from '@snoflax/core'
import {
  checkOptions,
  checkSchema,
  DEFAULT_SCHEMA,
  quoteMysqlName,
  quoteText,
  refuse,
} from '@snoflax/core/adapter'
import type { Server } from './column-sql.js'
import { type Client, MODE, type Run, SETTINGS, settled } from './session.js'
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
const LEASE_FILES = ['lease', 'lease-owner']
const FILES = [...FUNCTION_FILES, ...LEASE_FILES, 'manifest']
const LEASE_PROCEDURES = ['lease_acquire', 'lease_renew', 'lease_release']

/**
 * The statements of an installation one by one, for a migration. Unlike {@link install}, they neither check what is
 * installed nor prevent others from installing at the same time. The last ones restore the session's settings.
 *
 * @throws {IdError} `INVALID_OPTION` for a schema name that needs quoting, and for an account without a name.
 *
 * @example
 * for (const statement of installStatements('mariadb', { schema: 'snoflax' })) await connection.query(statement)
 */
export function installStatements(server: Server, options: InstallOptions = {}): string[] {
  const checked = checkInstall(options)
  const { schema = DEFAULT_SCHEMA } = checked
  const names = Object.keys(SETTINGS)
  return [
    `CREATE DATABASE IF NOT EXISTS ${checkSchema(schema)} CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`,
    `SET ${names.map((name) => `@snoflax_${name} = @@${name}`).join(', ')}`,
    ...MODE,
    ...statementsOf('installation', schema, server),
    ...objectStatements(server, checked),
    ...opening(schema),
    `SET SESSION ${names.map((name) => `${name} = @snoflax_${name}`).join(', ')}`,
    `SET ${names.map((name) => `@snoflax_${name} = NULL`).join(', ')}`,
  ]
}

const checkInstall = (options: InstallOptions): InstallOptions =>
  checkOptions('mysql-sql', options, { schema: 'any', grantTo: 'list', grantLeases: 'list' })

/** The database of functions and procedures. */
export const schemaOf = (caller: string, options: SchemaOption): string =>
  checkSchema(checkOptions(caller, options, { schema: 'any' }).schema ?? DEFAULT_SCHEMA)

const COMMIT = 'COMMIT AND NO CHAIN NO RELEASE'

/** Leases are granted once all is there. */
const opening = (schema: string): string[] => [
  `CALL ${schema}._lease_open()`,
  `UPDATE ${schema}._installation SET version = ${quoteText(VERSION)}, complete = true`,
  COMMIT,
]

function objectStatements(
  server: Server,
  { schema = DEFAULT_SCHEMA, grantTo = [], grantLeases = [] }: InstallOptions,
): string[] {
  const functions = FUNCTION_FILES.flatMap((file) => statementsOf(file, schema, server))
  const granted = (objects: readonly string[], accounts: readonly string[]) =>
    accounts.flatMap((account) => objects.map((object) => `GRANT ${object} TO ${accountSql(account)}`))
  const statements = [...functions, ...LEASE_FILES.flatMap((file) => statementsOf(file, schema, server))]
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
    `^CREATE (?:OR REPLACE )?(?:ALGORITHM = TEMPTABLE SQL SECURITY DEFINER )?(TABLE|VIEW|PROCEDURE|FUNCTION) (?:IF NOT EXISTS )?${schema}\\.(\\w+)`,
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

/** Without the schema's name, since a dump has the statement as it was, and may be restored into another schema. */
async function createTrigger(run: Run, schema: string, statement: string): Promise<void> {
  const [row] = await run('SELECT database() AS selected')
  // What was not selected can't be again.
  if (row?.['selected'] == null) return void (await run(statement))
  const back = `USE \`${row['selected']}\``
  await run(`USE ${schema}`)
  try {
    await run(statement.replaceAll(`${schema}.`, ''))
  } finally {
    await run(back).catch(() => run(back))
  }
}

/** Works with the rights of a procedure that somebody else calls: without roles in MariaDB, with default ones in MySQL. */
async function asDefiner(run: Run, server: Server, work: () => Promise<void>): Promise<void> {
  const [row] = await run('SELECT current_role() AS role')
  const role = row?.['role'] ?? 'NONE'
  const back = `SET ROLE ${server === 'mariadb' && role !== 'NONE' ? quoteMysqlName(String(role)) : role}`
  await run(`SET ROLE ${server === 'mariadb' ? 'NONE' : 'DEFAULT'}`)
  try {
    await work()
  } finally {
    await run(back).catch(() => run(back))
  }
}

/** The errors of an account that may not use a table, a column or a routine. */
const LACKS_RIGHTS: readonly unknown[] = [1142, 1143, 1370]

/**
 * Installs functions and procedures, or upgrades an older installation. DDL can't be rolled back: a first installation
 * that fails removes what it created; an upgrade that fails continues when you call it again. Until then,
 * {@link installedVersion} returns undefined.
 *
 * @throws {IdError} `INVALID_OPTION` as `installStatements`, for a newer installation, while another one runs, and for
 * an account whose own rights don't suffice for leases, as those of its roles don't count;
 * `UNSUPPORTED_VERSION` for an older server; and what the database throws.
 *
 * @example
 * await install(pool, { grantLeases: ['app@%'] })
 */
export async function install(client: Client, options: InstallOptions = {}): Promise<Installed> {
  const checked = checkInstall(options)
  const { schema = DEFAULT_SCHEMA } = checked
  checkSchema(schema)
  return alone(client, schema, async (run) => {
    const server = await serverOf(run)
    const statements = objectStatements(server, checked)
    const before = await stateOf(run, schema)
    if (before?.version !== undefined && isNewer(before.version, VERSION)) {
      throw refusal(
        `version ${before.version} is installed in ${schema}, which is newer than ${VERSION}; install with the newer package`,
      )
    }
    const isNew = await isMissing(run, schema)
    const isFirst = before === undefined && (await isClosed(run, schema))
    if (isNew) await run(`CREATE DATABASE ${schema} CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`)
    try {
      for (const statement of statementsOf('installation', schema, server)) await run(statement)
      if (isNew) await run(`UPDATE ${schema}._installation SET owns_schema = true`)
      await run(`UPDATE ${schema}._installation SET complete = false`)
      for (const statement of statements) {
        if (statement.startsWith('CREATE TRIGGER')) await createTrigger(run, schema, statement)
        else await run(statement)
      }
      await asDefiner(run, server, async () => {
        for (const statement of opening(schema)) await run(statement)
      })
    } catch (error) {
      // Once open, numbers may be leased.
      if (isFirst && (await isClosed(run, schema))) await remove(run, schema, server, isNew)
      if (!LACKS_RIGHTS.includes((error as { errno?: unknown }).errno)) throw error
      const [row] = await run('SELECT current_user() AS account')
      const [name, host] = String(row?.['account']).split(/@(?=[^@]*$)/)
      throw refusal(
        `leases run with the rights of the installing account itself, not of its roles (${(error as Error).message}); ` +
          `GRANT SELECT, INSERT, UPDATE, EXECUTE, TRIGGER ON ${schema}.* TO '${name}'@'${host}'`,
      )
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
  const state = await settled(client, (run) => stateOf(run, schema))
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
    if (!(await isClosed(run, schema))) {
      try {
        await run(`SELECT ${schema}._lease_close(${schema}._now_us() DIV 1000)`)
        await run(COMMIT)
      } catch (error) {
        const { sqlState, message } = error as { sqlState?: unknown; message: string }
        throw sqlState === '45000' ? refusal(message) : error
      }
    }
    const [row] = await run(`SELECT owns_schema FROM ${schema}._installation`)
    await remove(run, schema, server, Boolean(row?.['owns_schema']))
  })
}

/** Whether no leases are granted: a table that is new, or about to be dropped, has rows of no server. */
async function isClosed(run: Run, schema: string): Promise<boolean> {
  if (!(await hasTable(run, schema, '_lease_family'))) return !(await hasTable(run, schema, '_lease'))
  const families = await run(`SELECT server FROM ${schema}._lease_family`)
  return families.length > 0 && families.every(({ server }) => server === '')
}

/** What finds an installation is dropped last, so that a removal that was interrupted can be finished. */
async function remove(run: Run, schema: string, server: Server, ownsSchema: boolean): Promise<void> {
  const statements = FILES.flatMap((file) => statementsOf(file, schema, server))
  // An earlier version may have created objects that this one doesn't have.
  const earlier = (await hasTable(run, schema, '_manifest'))
    ? await run(
        `SELECT object FROM ${schema}._manifest WHERE object RLIKE '^(function|procedure|table|view) '`,
      )
    : []
  const known = objectsIn(statements, schema).reverse()
  const isKnown = new Set(known.map(({ name }) => name))
  for (const { object } of earlier) {
    const [kind, name] = String(object).split(' ') as [string, string]
    if (!isKnown.has(name)) await run(`DROP ${kind} IF EXISTS ${schema}.${name}`)
  }
  for (const { kind, name } of known) await run(`DROP ${kind} IF EXISTS ${schema}.${name}`)
  const others = await run(`
    SELECT 1 FROM information_schema.tables WHERE table_schema = '${schema}' AND table_name <> '_installation'
    UNION ALL SELECT 1 FROM information_schema.routines WHERE routine_schema = '${schema}' LIMIT 1`)
  await run(
    ownsSchema && others.length === 0
      ? `DROP DATABASE ${schema}`
      : `DROP TABLE IF EXISTS ${schema}._installation`,
  )
}

/** Runs one installation at a time. */
const alone = <Result>(
  client: Client,
  schema: string,
  work: (run: Run) => Promise<Result>,
): Promise<Result> =>
  settled(client, async (run) => {
    const lock = quoteText(`snoflax install ${schema}`.slice(0, 64))
    const [locked] = await run(`SELECT get_lock(${lock}, 60) AS mine, is_used_lock(${lock}) AS owner`)
    if (Number(locked?.['mine']) !== 1) {
      throw refusal(`connection ${locked?.['owner']} is installing into ${schema}; wait for it, or KILL it`)
    }
    const unlock = `DO release_lock(${lock})`
    try {
      return await work(run)
    } finally {
      await run(unlock).catch(() => run(unlock))
    }
  })

async function serverOf(run: Run): Promise<Server> {
  const [row] = await run('SELECT version() AS version')
  const version = String(row?.['version'])
  const server = version.includes('MariaDB') ? 'mariadb' : 'mysql'
  const [least, name] = server === 'mariadb' ? ['10.10.0', 'MariaDB'] : ['8.0.29', 'MySQL']
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
