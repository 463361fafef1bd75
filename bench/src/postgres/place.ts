import { install } from '@snoflax/pg-sql'
import { type PostgresDatabase, startServer } from '@snoflax/test'
import type { Surroundings } from '../report.js'
import { PEERS } from './peers.js'
import { SAMPLES } from './samples.js'

/** The first version with a native uuidv7(). */
const VERSION = 18

/** One session of a database with our functions, the peers and the samples. */
export interface Place {
  readonly database: PostgresDatabase
  /** The session in which everything is timed. */
  readonly session: Session
}

export type Session = Awaited<ReturnType<PostgresDatabase['connect']>>

/** A new, separate server. */
export async function openPlace(): Promise<Surroundings<Place>> {
  const server = await startServer({
    version: VERSION,
    settings: {
      autovacuum: 'off',
      checkpoint_timeout: '1h',
      max_wal_size: '2GB',
      shared_buffers: '256MB',
      jit: 'off',
      max_parallel_workers_per_gather: 0,
    },
  })
  try {
    const database = await server.database()
    const session = await database.connect()
    await install(session)
    await session.query(`
      SELECT snoflax.sno_set_partition(1), snoflax.flake_set_worker(1, 2), snoflax.uid_set_node('bench')`)
    await session.query(PEERS)
    await session.query(SAMPLES)
    const { rows } = await session.query<{ server_version: string }>('SHOW server_version')
    return {
      place: { database, session },
      circumstances: `, PostgreSQL ${rows[0]?.server_version}, fsync off`,
      close: async () => {
        await database.close()
        await server.stop()
      },
    }
  } catch (error) {
    await server.stop()
    throw error
  }
}
