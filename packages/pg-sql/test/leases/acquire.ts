import type { LeaseGrant, LeaseRequest } from '@snoflax/core/leases'
import { postgresLeases } from '@snoflax/pg-sql'
import { granted, type PostgresDatabase } from '@snoflax/test'

export { flakeRequest, request, TTL_MS } from '@snoflax/test'

/** A number, where one must be free. */
export const acquire = (database: Pick<PostgresDatabase, 'pool'>, asked: LeaseRequest): Promise<LeaseGrant> =>
  granted(postgresLeases(database.pool).acquire(asked))
