import { IdError } from '@snoflax/core'
import { checkOptions, checkSchema, DEFAULT_SCHEMA } from '@snoflax/core/adapter'
import {
  type GeneratorOf,
  type LeasableFamily,
  type LeaseOptions,
  type LeaseStore,
  leasePartitionFrom,
  type PartitionLease,
  sqlLeases,
} from '@snoflax/leases'

/**
 * The client for leases: a pg Pool, PGlite, or postgres.js as `{ query: (text, values) => sql.unsafe(text, values) }`.
 * Each step is one statement that leaves nothing behind in the session, so a pooler in transaction mode works. A single
 * connection works, too, if nobody opens transactions on it: a lease that could be rolled back is refused.
 */
export interface LeaseClient {
  /** Runs one statement with parameters, and resolves to rows or `{ rows }`. */
  query(text: string, values: unknown[]): PromiseLike<unknown>
}

/**
 * Leases a partition (sno) or worker id (flake) from the database, and renews the lease until it is released.
 *
 * @throws {IdError} `LEASE_UNAVAILABLE` if no number becomes free within `waitMs`, or this process's clock is too far
 * off; `INVALID_OPTION`, `INVALID_TYPE`, `FIELD_OUT_OF_RANGE`; and what the database throws.
 *
 * @example
 * const lease = await leasePartition(pool, { family: sno, numbers: { min: 1, max: 64 } })
 * lease.generator.generate() // SnoId
 * await lease.release()
 */
export function leasePartition<Family extends LeasableFamily>(
  client: LeaseClient,
  options: LeaseOptions<Family> & { readonly schema?: string },
): Promise<PartitionLease<GeneratorOf<Family>>> {
  return leasePartitionFrom(postgresLeases(client, { schema: options?.schema }), options, { schema: 'any' })
}

/**
 * The store of leases in PostgreSQL, by the functions that `install` creates.
 *
 * @throws {IdError} `INVALID_OPTION` for a schema name that needs quoting, or an unknown option. The store's functions
 * throw what the database throws, and `INVALID_OPTION` if a lease was taken in a transaction that is not committed.
 *
 * @example
 * const store = postgresLeases(pool, { schema: 'snoflax' })
 * const lease = await leasePartitionFrom(store, { family: sno, numbers: { min: 1, max: 64 } })
 * await lease.release()
 */
export function postgresLeases(
  client: LeaseClient,
  options: { readonly schema?: string | undefined } = {},
): LeaseStore {
  const { schema = DEFAULT_SCHEMA } = checkOptions('postgresLeases', options, { schema: 'any' })
  const functions = checkSchema(schema)
  return sqlLeases({
    run: (text, values) => client.query(text, values),
    callOf(name, parameters) {
      const numbered = Array.from({ length: parameters }, (_, i) => `$${i + 1}`)
      return `SELECT * FROM ${functions}.${name}(${numbered.join(', ')})`
    },
    async check({ xid }, query) {
      const row = await query('SELECT pg_xact_status($1::text::xid8) AS status', [String(xid)])
      if (row?.['status'] !== 'committed') throw uncommitted(row?.['status'])
    },
    // A statement that collided did nothing. It may collide if transactions are not READ COMMITTED, or if `lock_timeout`
    // is shorter than the wait for others who lease (55P03).
    passing: ['40001', '40P01', '23505', '55P03'],
    attempts: 100,
    pauseMs: () => Math.random() * 50,
  })
}

function uncommitted(status: unknown): IdError {
  return new IdError(
    'INVALID_OPTION',
    `a lease is valid only once committed, but the transaction of this one is ${status ?? 'unknown'}; ` +
      'lease with a pool, or with a connection outside of any transaction',
    { field: 'client' },
  )
}
