import { setTimeout as sleep } from 'node:timers/promises'
import type { Patience, Session } from '../driver.js'
import { refuseOtherSession, refuseTransaction } from '../obstacles.js'
import { perform, type Work } from '../work.js'
import { SILENCE } from './triggers.js'

/** A pg Client or Pool, or PGlite. */
export interface PostgresClient {
  /** Runs one statement, with parameters `$1`, `$2`, … */
  query(text: string, values?: unknown[]): PromiseLike<{ rows: unknown[] }>
}

interface Lent extends PostgresClient {
  release(): void
  on(event: 'error', listener: () => void): unknown
  off(event: 'error', listener: () => void): unknown
}

interface PoolLike extends PostgresClient {
  connect(): Promise<Lent>
}

const isPool = (client: PostgresClient): client is PoolLike => 'idleCount' in client && 'connect' in client

/** Whatever the default is: the switch has to see what was committed before it got its locks. */
const BEGIN = 'BEGIN ISOLATION LEVEL READ COMMITTED'
const LOCK_NOT_AVAILABLE = '55P03'
const DEADLOCK = '40P01'
const QUERY_CANCELED = '57014'
const PAUSE_MS = 100
/** How long a batch tries to lock rows that the application has locked. */
const BACKFILL_PATIENCE_MS = 60_000

/** One session of the server, in which only we run transactions. */
export class PostgresSession implements Session {
  /** Whether its transactions disable triggers. */
  protected silenced = false

  constructor(private readonly client: PostgresClient) {}

  *query<Row>(sql: string, values: readonly unknown[] = []): Work<Row[]> {
    const { rows } = (yield this.client.query(sql, [...values])) as { rows: unknown[] }
    return rows as Row[]
  }

  *run(statements: readonly string[]): Work<void> {
    for (const statement of statements) yield this.client.query(statement)
  }

  /** One by one, since a transaction that locks several tables could deadlock with the application. */
  *apply(statements: readonly string[]): Work<void> {
    for (const statement of statements) yield* this.transaction(() => this.run([statement]))
  }

  transaction<Result>(work: (attempt: number) => Work<Result>): Work<Result> {
    return this.givingWay({ lockTimeoutMs: BACKFILL_PATIENCE_MS, blockForMs: undefined }, work)
  }

  /** Rolls back everything, settings included. */
  *peek<Result>(work: () => Work<Result>): Work<Result> {
    yield* this.run([BEGIN])
    try {
      return yield* work()
    } finally {
      yield* this.rollback()
    }
  }

  /**
   * Runs the work in a transaction that waits for locks for less than `deadlock_timeout` in all, then rolls back and
   * tries again: if it and a transaction of the application wait for each other, ours gives way.
   *
   * With `blockForMs` an attempt waits for so long instead.
   *
   * @throws the server's error 55P03 if no attempt succeeds within `lockTimeoutMs`.
   */
  protected *givingWay<Result>(
    { lockTimeoutMs, blockForMs }: Patience,
    work: (attempt: number) => Work<Result>,
    end: 'COMMIT' | 'ROLLBACK' = 'COMMIT',
  ): Work<Result> {
    const deadlockMs = yield* this.setting('deadlock_timeout')
    const attemptMs = blockForMs ?? Math.max(1, Math.min(lockTimeoutMs, deadlockMs / 2))
    const patienceMs = Math.max(lockTimeoutMs, attemptMs)
    const errors = blockForMs === undefined ? [LOCK_NOT_AVAILABLE] : [LOCK_NOT_AVAILABLE, DEADLOCK]
    const startMs = performance.now()
    for (let attempt = 1; ; attempt++) {
      yield* this.run([BEGIN])
      try {
        yield* this.setTimeout('lock_timeout', attemptMs)
        if (this.silenced) yield* this.run([SILENCE])
        const result = yield* work(attempt)
        yield* this.run([end])
        return result
      } catch (error) {
        yield* this.rollback()
        const isOver = performance.now() - startMs > patienceMs
        if (isOver || !errors.includes((error as { code: string }).code)) throw error
      }
      yield sleep(PAUSE_MS)
    }
  }

  /**
   * Locks tables within one attempt's time: first against writes only, parents before children. An insert holds its
   * table, and then asks for a weaker lock of the parent, which it gets; a transaction that goes from parents to children
   * goes on too. When nobody writes any more, against everything. The server takes the locks of one statement one after
   * the other, so a slow client doesn't prolong it.
   */
  protected *lock(parentsFirst: readonly string[]): Work<void> {
    const endMs = performance.now() + (yield* this.setting('lock_timeout'))
    const statementMs = yield* this.setting('statement_timeout')
    yield* this.run(['SAVEPOINT snoflax_lock'])
    try {
      for (const statement of lockStatements(parentsFirst)) {
        // Of all its locks together, which lock_timeout isn't.
        yield* this.setTimeout('statement_timeout', Math.max(1, endMs - performance.now()))
        yield* this.run([statement])
      }
    } catch (error) {
      const { code } = error as { code?: string }
      const isLate = code === QUERY_CANCELED && performance.now() >= endMs
      if (code !== LOCK_NOT_AVAILABLE && !isLate) throw error
      yield* this.run(['ROLLBACK TO SAVEPOINT snoflax_lock'])
      throw yield* this.lockRefused(parentsFirst)
    }
    yield* this.setTimeout('statement_timeout', statementMs)
  }

  /** An error with the server's code, the table that is held for the longest time, and who holds it. */
  private *lockRefused(tables: readonly string[]): Work<Error> {
    const holders = yield* this.query<{ name: string; pid: number; who: string; query: string }>(
      `SELECT name, a.pid, concat_ws(' of ', nullif(a.application_name, ''), a.usename) AS who, left(a.query, 100) AS query
       FROM unnest($1::text[]) AS name
         JOIN pg_locks AS l ON l.relation = name::regclass
         JOIN pg_stat_activity AS a ON a.pid = l.pid AND a.datname = current_database()
       WHERE l.granted AND l.pid <> pg_backend_pid()
       ORDER BY a.xact_start, l.mode = 'AccessShareLock', name`,
      [tables],
    )
    const [first] = holders
    const ofFirst = new Map(
      holders
        .filter(({ name }) => name === first?.name)
        .map(({ pid, who, query }) => [pid, `session ${pid} (${who}): ${query.replace(/\s+/g, ' ')}`]),
    )
    const why = first
      ? `${first.name} can't be locked, in use by ${[...ofFirst.values()].slice(0, 3).join('; ')}`
      : `the tables can't be locked in time, though no session locks one now`
    return Object.assign(
      new Error(
        `${why}; try again at a quieter time, with a longer lockTimeoutMs, or with blockForMs for one longer attempt`,
      ),
      {
        code: LOCK_NOT_AVAILABLE,
      },
    )
  }

  /** Runs statements within a transaction, or undoes all of them. Returns the server's error. */
  protected *refusalOf(statements: readonly string[]): Work<{ code: string; message: string } | undefined> {
    yield* this.run(['SAVEPOINT snoflax_try'])
    try {
      yield* this.run([...statements, 'RELEASE SAVEPOINT snoflax_try'])
      return undefined
    } catch (error) {
      const { code, message } = error as { code: string; message: string }
      if (code === LOCK_NOT_AVAILABLE) throw error
      yield* this.run(['ROLLBACK TO SAVEPOINT snoflax_try'])
      return { code, message }
    }
  }

  /** If the connection is lost, the first error is the cause. */
  private *rollback(): Work<void> {
    yield this.client.query('ROLLBACK').then(undefined, () => {})
  }

  private *setTimeout(name: 'lock_timeout' | 'statement_timeout', timeoutMs: number): Work<void> {
    yield* this.query('SELECT set_config($1, $2, true)', [name, String(Math.ceil(timeoutMs))])
  }

  private *setting(name: 'deadlock_timeout' | 'lock_timeout' | 'statement_timeout'): Work<number> {
    const [setting] = yield* this.query<{ ms: number }>(
      'SELECT setting::integer AS ms FROM pg_settings WHERE name = $1',
      [name],
    )
    return Number(setting?.ms)
  }
}

/** The server locks the tables of a statement in its order. */
export const lockStatements = (parentsFirst: readonly string[]): string[] =>
  ['SHARE ROW EXCLUSIVE', 'ACCESS EXCLUSIVE'].map(
    (mode) => `LOCK TABLE ${parentsFirst.join(', ')} IN ${mode} MODE`,
  )

/** Our advisory lock: `snoadopt` in ASCII. */
const LOCK = '8317138509926854772'

/** Runs the work with one of a pool's connections, or the client itself. */
export async function withClient<Result>(
  client: PostgresClient,
  isAlone: boolean,
  work: (client: PostgresClient) => Work<Result>,
): Promise<Result> {
  const run = (lent: PostgresClient) => perform(isAlone ? alone(lent, work) : work(lent))
  if (!isPool(client)) {
    await perform(checkOutside(new PostgresSession(client)))
    return run(client)
  }
  const lent = await client.connect()
  // A lost connection rejects the running query. Without a listener its error event would end the process.
  const ignore = (): void => {}
  lent.on('error', ignore)
  try {
    return await run(lent)
  } finally {
    lent.off('error', ignore)
    lent.release()
  }
}

function* checkOutside(session: PostgresSession): Work<void> {
  const current = 'SELECT pg_current_xact_id()::text AS id'
  const [one] = yield* session.query<{ id: string }>(current)
  const [other] = yield* session.query<{ id: string }>(current)
  if (one?.id === other?.id) refuseTransaction()
}

function* alone<Result>(
  client: PostgresClient,
  work: (client: PostgresClient) => Work<Result>,
): Work<Result> {
  const session = new PostgresSession(client)
  const [lock] = yield* session.query<{ free: boolean }>(`SELECT pg_try_advisory_lock(${LOCK}) AS free`)
  if (!lock?.free) refuseOtherSession()
  try {
    return yield* work(client)
  } finally {
    // If the connection is lost, the first error is the cause, and the lock is released anyway.
    yield client.query(`SELECT pg_advisory_unlock(${LOCK})`).then(undefined, () => {})
  }
}
