import { IdError } from '@snoflax/core'

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
      await this.client.query('ROLLBACK')
      throw error
    }
  }
}

/** Lends a session: one of the pool's, or the client itself. */
export async function withSession<T>(
  client: PostgresClient,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  if (!isPool(client)) return work(new Session(client))
  const lent = await client.connect()
  try {
    return await work(new Session(lent))
  } finally {
    lent.release()
  }
}

/** The same, refused while another session is at it. */
export function withOnlySession<T>(
  client: PostgresClient,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  return withSession(client, async (session) => {
    const [lock] = await session.query<{ free: boolean }>(`SELECT pg_try_advisory_lock(${LOCK}) AS free`)
    if (!lock?.free)
      throw new IdError('INVALID_OPTION', 'another session is at this adoption; wait, or end it')
    try {
      return await work(session)
    } finally {
      await session.query(`SELECT pg_advisory_unlock(${LOCK})`)
    }
  })
}

/** An advisory lock of ours: `snoadopt` in ASCII. */
const LOCK = '8317138509926854772'

const isPool = (client: PostgresClient): client is PoolLike => 'idleCount' in client && 'connect' in client
