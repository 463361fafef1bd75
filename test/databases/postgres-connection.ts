import { setTimeout as sleep } from 'node:timers/promises'
import { Client, Pool, type PoolConfig } from 'pg'

/** A provider's result: a running server, with a user that may create databases. */
export interface StartedPostgres {
  /** Where the server comes from, for people. */
  readonly provider: string
  readonly url: string
  stop(): Promise<void>
}

/** A connected client. */
export async function connectTo(url: string, options: { connectTimeoutMs?: number } = {}): Promise<Client> {
  const client = new Client({
    connectionString: url,
    connectionTimeoutMillis: options.connectTimeoutMs ?? 60_000,
  })
  // A server that goes away emits this on idle clients too, and unheard it ends the process. A query that was
  // under way, and each later one, is rejected all the same.
  client.on('error', () => {})
  await client.connect()
  return client
}

/** A pool of clients. */
export function poolTo(url: string, options: PoolConfig = {}): Pool {
  const pool = new Pool({ ...options, connectionString: url })
  // The same: idle clients whose database is dropped would end the process.
  pool.on('error', () => {})
  return pool
}

/** Runs the work on a separate connection. */
export async function onConnection<Result>(
  url: string,
  work: (client: Client) => Promise<Result>,
): Promise<Result> {
  const client = await connectTo(url)
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** Retries until the server accepts a connection. If `failure` rejects, it stops. */
export async function untilReachable(
  url: string,
  timeoutMs: number,
  failure?: Promise<never>,
): Promise<void> {
  const started = performance.now()
  for (;;) {
    const attempt = onConnection(url, (client) => client.query('SELECT 1'))
    try {
      await (failure ? Promise.race([attempt, failure]) : attempt)
      return
    } catch (error) {
      attempt.catch(() => {})
      if (failure) await Promise.race([sleep(15), failure])
      else await sleep(15)
      if (performance.now() - started > timeoutMs) throw error
    }
  }
}

/** The same server and user, another database (or another user). */
export function urlTo(url: string, parts: { database?: string; user?: string; password?: string }): string {
  const changed = new URL(url)
  if (parts.database !== undefined) changed.pathname = `/${parts.database}`
  if (parts.user !== undefined) changed.username = parts.user
  if (parts.password !== undefined) changed.password = parts.password
  return changed.href
}

/** The URL without its password. */
export function withoutPassword(url: string): string {
  const shown = URL.canParse(url) ? new URL(url) : undefined
  if (!shown?.host) return 'a text that is no URL'
  if (shown.password) shown.password = '***'
  // It may be given there as well.
  shown.search = ''
  return shown.href
}
