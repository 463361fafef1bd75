import { refuse } from '../refusal.js'
import { refuseOtherSession } from '../under-way.js'

/** What runs SQL: a pg Client or Pool, or PGlite. */
export interface PostgresClient {
  /** Runs one statement, with parameters `$1`, `$2`, … */
  query(text: string, values?: unknown[]): PromiseLike<{ rows: unknown[] }>
}

interface PoolLike extends PostgresClient {
  connect(): Promise<PostgresClient & { release(destroy?: boolean): void }>
}

export type Row = Record<string, unknown>

/** One session of the server, whose transactions are ours. */
export class Session {
  constructor(private readonly client: PostgresClient) {}

  async query<Result extends Row>(text: string, values: unknown[] = []): Promise<Result[]> {
    return (await this.client.query(text, values)).rows as Result[]
  }

  async run(statements: readonly string[]): Promise<void> {
    for (const statement of statements) await this.client.query(statement)
  }

  async transaction<T>(work: () => Promise<T>): Promise<T> {
    await this.client.query('BEGIN')
    try {
      const result = await work()
      await this.client.query('COMMIT')
      return result
    } catch (error) {
      await this.query('ROLLBACK').catch(() => {})
      throw error
    }
  }
}

/** Lends a session: one of the pool's, or the client itself. */
export async function withSession<T>(
  client: PostgresClient,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  if (!isPool(client)) {
    const session = new Session(client)
    await refuseTransaction(session)
    return work(session)
  }
  const lent = await client.connect()
  try {
    return await work(new Session(lent))
  } finally {
    lent.release()
  }
}

/** What is under way would be committed, or rolled back, by ours. */
async function refuseTransaction(session: Session): Promise<void> {
  const current = 'SELECT pg_current_xact_id()::text AS id'
  const [one, other] = [await session.query<Transaction>(current), await session.query<Transaction>(current)]
  if (one[0]?.id === other[0]?.id)
    refuse('client', 'it is inside a transaction; give a pool, or a client that is in none')
}

type Transaction = { id: string }

/** The same, refused while another session is at it. */
export function withOnlySession<T>(
  client: PostgresClient,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  return withSession(client, async (session) => {
    const [lock] = await session.query<{ free: boolean }>(`SELECT pg_try_advisory_lock(${LOCK}) AS free`)
    if (!lock?.free) refuseOtherSession()
    try {
      return await work(session)
    } finally {
      // Where the connection broke, the first error tells why, and the lock is gone with it.
      await session.query(`SELECT pg_advisory_unlock(${LOCK})`).catch(() => {})
    }
  })
}

/** An advisory lock of ours: `snoadopt` in ASCII. */
const LOCK = '8317138509926854772'

const isPool = (client: PostgresClient): client is PoolLike => 'idleCount' in client && 'connect' in client
