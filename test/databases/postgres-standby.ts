import type { Client } from 'pg'
import { onConnection } from './postgres-connection.js'

/** What only a standby can do. */
export interface Standby {
  /** Waits until what is committed on the primary by now can be read here. */
  caughtUp(): Promise<void>
  /** Receives nothing more from the primary: from here on the standby lags. */
  disconnect(): Promise<void>
  /** Becomes an independent server that takes writes. */
  promote(): Promise<void>
}

/** The replica follows the primary. */
export function standby(primary: { readonly url: string }, replica: { readonly url: string }): Standby {
  return {
    caughtUp: async () => {
      const { rows } = await onConnection(primary.url, (client) =>
        client.query<{ at: string }>('SELECT pg_current_wal_flush_lsn() AS at'),
      )
      await onConnection(replica.url, (client) =>
        until(client, 'SELECT pg_last_wal_replay_lsn() >= $1::pg_lsn AS yes', [rows[0]?.at]),
      )
    },
    disconnect: () =>
      onConnection(replica.url, async (client) => {
        await client.query("ALTER SYSTEM SET primary_conninfo = ''")
        await client.query('SELECT pg_reload_conf()')
        await until(client, 'SELECT NOT EXISTS (SELECT FROM pg_stat_wal_receiver) AS yes')
      }),
    promote: () =>
      onConnection(replica.url, async (client) => {
        await client.query('SELECT pg_promote()')
        await until(client, 'SELECT NOT pg_is_in_recovery() AS yes')
      }),
  }
}

async function until(client: Client, question: string, parameters: unknown[] = []): Promise<void> {
  for (const started = performance.now(); performance.now() - started < 240_000; ) {
    const { rows } = await client.query<{ yes: boolean }>(question, parameters)
    if (rows[0]?.yes) return
    await client.query('SELECT pg_sleep(0.01)')
  }
  throw new Error(`still not after four minutes: ${question}`)
}
