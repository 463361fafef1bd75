import { setTimeout as sleep } from 'node:timers/promises'
import { isBytes, quoteText } from '@snoflax/core/adapter'
import type { Patience, Session } from '../driver.js'
import { refuse, refuseOtherSession, refuseTransaction } from '../obstacles.js'
import { perform, type Work } from '../work.js'

/** A connection of mysql2/promise. */
export interface MariadbConnection {
  /** Runs one statement. */
  query(options: { sql: string }): PromiseLike<unknown>
}

/** A connection or pool of mysql2/promise. */
export interface MariadbClient extends MariadbConnection {
  /** Not called; by this method we recognize a client of MariaDB. */
  execute(...values: never[]): unknown
  /** In pools only: takes a connection. */
  getConnection?(): PromiseLike<MariadbConnection & { release(): void }>
}

export const LOCK_WAIT_TIMEOUT = 1205
const DEADLOCK = 1213
const PAUSE_MS = 100
/** How long a statement tries to lock tables that the application uses. */
const PATIENCE_MS = 60_000

/** The settings that the steps need; the previous ones are restored. */
const SETTINGS: Readonly<Record<string, string | number | bigint>> = {
  sql_mode: 'ANSI_QUOTES,STRICT_ALL_TABLES,NO_AUTO_VALUE_ON_ZERO,NO_ENGINE_SUBSTITUTION',
  sql_quote_show_create: 1,
  sql_safe_updates: 0,
  // Clients with safe updates set a small max_join_size, too.
  sql_big_selects: 1,
  sql_select_limit: 2n ** 64n - 1n,
  time_zone: '+00:00',
  // With it, INSERT … SELECT locks no rows that it reads.
  tx_isolation: 'READ-COMMITTED',
  autocommit: 1,
  foreign_key_checks: 1,
  unique_checks: 1,
  max_statement_time: 0,
  // In seconds. A statement that waits for a table blocks all later ones, so it waits briefly and repeatedly.
  lock_wait_timeout: 1,
}

/** One session of the server, in which only we run transactions. */
export class MariadbSession implements Session {
  protected patienceMs = PATIENCE_MS

  constructor(private readonly connection: MariadbConnection) {}

  *query<Row>(sql: string, values: readonly unknown[] = []): Work<Row[]> {
    const options = {
      sql: withValues(sql, values),
      supportBigNumbers: true,
      bigNumberStrings: true,
      rowsAsArray: false,
    }
    const [rows] = (yield this.connection.query(options)) as [Row[]]
    return Array.isArray(rows) ? rows : []
  }

  /** Each waits for tables for a second at a time. */
  *run(statements: readonly string[]): Work<void> {
    for (const statement of statements)
      yield* this.patiently(() => this.query(statement), [LOCK_WAIT_TIMEOUT])
  }

  apply(statements: readonly string[]): Work<void> {
    return this.run(statements)
  }

  *transaction<Result>(work: (attempt: number) => Work<Result>): Work<Result> {
    let attempt = 0
    return yield* this.patiently(() => this.once(() => work(++attempt)), [LOCK_WAIT_TIMEOUT, DEADLOCK])
  }

  peek<Result>(work: () => Work<Result>): Work<Result> {
    return work()
  }

  /** A transaction. A statement that changes the schema commits what was before it. */
  protected *once<Result>(work: () => Work<Result>): Work<Result> {
    yield* this.query('START TRANSACTION')
    try {
      const result = yield* work()
      yield* this.query('COMMIT')
      return result
    } catch (error) {
      yield* this.trying(['ROLLBACK'])
      throw error
    }
  }

  /** Runs statements after an error, and ignores their own errors. */
  *trying(statements: readonly string[]): Work<void> {
    for (const statement of statements) {
      try {
        yield* this.query(statement)
      } catch {}
    }
  }

  /** A statement that waits for a table blocks all later ones; usually for a second at most. */
  protected *waitFor({ lockTimeoutMs, blockForMs = 0 }: Patience): Work<void> {
    this.patienceMs = Math.max(lockTimeoutMs, blockForMs)
    yield* this.query(`SET SESSION lock_wait_timeout = ${Math.max(1, Math.ceil(blockForMs / 1000))}`)
  }

  private *patiently<Result>(work: () => Work<Result>, errors: readonly number[]): Work<Result> {
    const startMs = performance.now()
    for (;;) {
      try {
        return yield* work()
      } catch (error) {
        const { errno } = error as { errno?: number }
        if (errno === undefined || !errors.includes(errno)) throw error
        if (performance.now() - startMs > this.patienceMs) throw error
      }
      yield sleep(PAUSE_MS)
    }
  }
}

/** Replaces `$1`, `$2`, … outside quotes by literals of their values. */
const withValues = (sql: string, values: readonly unknown[]): string =>
  sql.replace(/"(?:[^"]|"")*"|`(?:[^`]|``)*`|'(?:[^']|'')*'|\$(\d+)/g, (text, number?: string) =>
    number === undefined ? text : literal(values[Number(number) - 1]),
  )

export function literal(value: unknown): string {
  if (value === null || value === undefined) return 'NULL'
  if (isBytes(value)) return `x'${Buffer.from(value).toString('hex')}'`
  if (typeof value === 'number' || typeof value === 'bigint') return String(value)
  return quoteText(String(value).replaceAll('\\', '\\\\'))
}

/** Names of locks are unique per server, not per database. */
export const lockName = (what: string): string => `concat('snoflax_${what}_', md5(database()))`

/** Runs the work with one of a pool's connections, or the connection itself, with its settings changed meanwhile. */
export async function withConnection<Result>(
  client: MariadbClient,
  isAlone: boolean,
  work: (connection: MariadbConnection) => Work<Result>,
): Promise<Result> {
  if (client.getConnection === undefined) return await perform(prepared(client, isAlone, work))
  const lent = await client.getConnection()
  try {
    return await perform(prepared(lent, isAlone, work))
  } finally {
    lent.release()
  }
}

function* prepared<Result>(
  connection: MariadbConnection,
  isAlone: boolean,
  work: (connection: MariadbConnection) => Work<Result>,
): Work<Result> {
  const session = new MariadbSession(connection)
  yield* refuseServer(session)
  // The server itself keeps what was set, since it accepts no text as a number.
  const names = Object.keys(SETTINGS)
  yield* session.query(`SET ${names.map((name) => `@snoflax_${name} = @@SESSION.${name}`).join(', ')}`)
  const set = (given: (name: string) => string): string =>
    `SET ${names.map((name) => `SESSION ${name} = ${given(name)}`).join(', ')}`
  const restore = [`SELECT release_lock(${lockName('adoption')})`, set((name) => `@snoflax_${name}`)]
  yield* session.query(set((name) => literal(SETTINGS[name])))
  let result: Result
  try {
    if (isAlone) yield* refuseOther(session)
    result = yield* work(connection)
  } catch (error) {
    yield* session.trying(restore)
    throw error
  }
  yield* session.run(restore)
  return result
}

function* refuseOther(session: MariadbSession): Work<void> {
  const [lock] = yield* session.query<{ free: unknown }>(
    `SELECT get_lock(${lockName('adoption')}, 0) AS free`,
  )
  if (Number(lock?.free) !== 1) refuseOtherSession()
}

/** RENAME of several tables is atomic from 10.6 on, and MySQL's SQL differs. */
function* refuseServer(session: MariadbSession): Work<void> {
  const [server] = yield* session.query<{ version: string; database: string | null }>(
    'SELECT version() AS `version`, database() AS `database`',
  )
  const { version = '', database } = server ?? {}
  const [major = 0, minor = 0] = version.split('.').map(Number.parseFloat)
  if (!/mariadb/i.test(version))
    refuse(
      'client',
      `adopt supports PostgreSQL, SQLite and MariaDB, not MySQL ${version}; pass a client of one of them`,
    )
  if (major * 100 + minor < 1006)
    refuse('client', `MariaDB ${version} cannot rename several tables at once; upgrade to 10.6 or newer`)
  if (database === null) refuse('client', "no database selected; set the connection's database")
  const [own] = yield* session.query<{ open: unknown }>('SELECT @@in_transaction AS `open`')
  if (Number(own?.open) === 1) refuseTransaction()
}
