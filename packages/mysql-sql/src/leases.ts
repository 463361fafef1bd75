import { randomUUID } from 'node:crypto'
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
 * The client for leases: a pool of mysql2/promise, or a connection that is not in a transaction. Each step is one CALL,
 * which commits by itself.
 */
export interface LeaseClient {
  /** Runs one statement with parameters. */
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
  return leasePartitionFrom(mysqlLeases(client, { schema: options?.schema }), options, { schema: 'any' })
}

/**
 * The store of leases in MySQL or MariaDB, by the procedures that `install` creates.
 *
 * @throws {IdError} `INVALID_OPTION` for a schema name that needs quoting, or an unknown option. The store's functions
 * throw what the database throws.
 *
 * @example
 * const store = mysqlLeases(pool, { schema: 'snoflax' })
 * const lease = await leasePartitionFrom(store, { family: sno, numbers: { min: 1, max: 64 } })
 * await lease.release()
 */
export function mysqlLeases(
  client: LeaseClient,
  options: { readonly schema?: string | undefined } = {},
): LeaseStore {
  const { schema = DEFAULT_SCHEMA } = checkOptions('mysqlLeases', options, { schema: 'any' })
  const procedures = checkSchema(schema)
  return sqlLeases({
    run: (text, values) => client.query(text, values),
    callOf: (name, parameters) => `CALL ${procedures}.${name}(${Array(parameters).fill('?').join(', ')})`,
    // Not from Node's cache of random bytes, which a copy of the process has too.
    newToken: () => randomUUID({ disableEntropyCache: true }),
    // Collisions, which did nothing, and lost connections, since every step is idempotent.
    passing: [
      'ER_LOCK_DEADLOCK',
      'ER_CHECKREAD',
      'ER_LOCK_WAIT_TIMEOUT',
      'PROTOCOL_CONNECTION_LOST',
      'ECONNRESET',
      'EPIPE',
    ],
    attempts: 8,
    pauseMs: (attempt) => 10 * attempt * (1 + Math.random()),
  })
}
