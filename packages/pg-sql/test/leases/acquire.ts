import type { LeaseGrant, LeaseRequest } from '@snoflax/leases'
import { install, postgresLeases } from '@snoflax/pg-sql'
import { granted, type PostgresDatabase, poolTo, startServer, urlTo } from '@snoflax/test'

export { flakeRequest, request, TTL_MS } from '@snoflax/test'

type Place = Pick<PostgresDatabase, 'pool'>

/** A number, where one must be free. */
export const acquire = ({ pool }: Place, asked: LeaseRequest): Promise<LeaseGrant> =>
  granted(postgresLeases(pool).acquire(asked))

/** Promotes the standby of a server that died, and that had not received what came after `heard`. */
export async function failover<Heard, Unheard>({
  heard,
  unheard,
  after,
}: {
  heard(place: PostgresDatabase): Promise<Heard>
  unheard(place: PostgresDatabase): Promise<Unheard>
  after(promoted: Place, unheard: Unheard, heard: Heard): Promise<void>
}): Promise<void> {
  const server = await startServer()
  try {
    const place = await server.database()
    await install(place.pool, { families: ['sno'] })
    const standby = await server.standby()
    const before = await heard(place)
    await standby.caughtUp()
    await standby.disconnect()
    const lost = await unheard(place)
    await server.kill9()
    await standby.promote()
    const pool = poolTo(urlTo(standby.url, { database: place.name }))
    try {
      await after({ pool }, lost, before)
    } finally {
      await pool.end()
      await standby.stop()
    }
  } finally {
    await server.stop()
  }
}
