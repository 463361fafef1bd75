import { IdError } from '@snoflax/core'
import { checkSchema, DEFAULT_SCHEMA } from '@snoflax/core/adapter'
import {
  type GeneratorOf,
  type LeasableFamily,
  type LeaseOptions,
  type LeaseRequest,
  type LeaseStore,
  type LeaseWindow,
  leasePartitionFrom,
  type PartitionLease,
  type Repetition,
  repeated,
} from '@snoflax/core/leases'

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
 * off; `INVALID_OPTION`, `FIELD_OUT_OF_RANGE`; and what the database throws.
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
  return leasePartitionFrom(postgresLeases(client, options), options)
}

/**
 * The store of leases in PostgreSQL, by the functions that `install` creates.
 *
 * @throws {IdError} `INVALID_OPTION` for a schema name that needs quoting. The store's functions throw what
 * the database throws, and `INVALID_OPTION` if a lease was taken in a transaction that is not committed.
 *
 * @example
 * const store = postgresLeases(pool, { schema: 'snoflax' })
 * const lease = await leasePartitionFrom(store, { family: sno, numbers: { min: 1, max: 64 } })
 * await lease.release()
 */
export function postgresLeases(
  client: LeaseClient,
  { schema = DEFAULT_SCHEMA }: { readonly schema?: string } = {},
): LeaseStore {
  const functions = checkSchema(schema)

  const rows = async (text: string, values: unknown[]): Promise<Row[]> => {
    const result = (await repeated(() => client.query(text, values), COLLISIONS)) as Row[] | { rows: Row[] }
    return Array.isArray(result) ? result : result.rows
  }
  const checkCommitted = async (xid: unknown): Promise<void> => {
    const [row] = await rows('SELECT pg_xact_status($1::text::xid8) AS status', [String(xid)])
    if (row?.['status'] !== 'committed') throw uncommitted(row?.['status'])
  }

  return {
    async acquire({ family, epochMs, numbers, shards, ttlMs, holder }: LeaseRequest) {
      const [row = {}] = await rows(`SELECT * FROM ${functions}.lease_acquire($1, $2, $3, $4, $5, $6, $7)`, [
        family,
        holder,
        ttlMs,
        numbers.min,
        numbers.max,
        shards,
        epochMs,
      ])
      const { token, wait_ms: waitMs } = row
      if (token === null) return { retryMs: waitMs === null ? undefined : Number(waitMs) }
      await checkCommitted(row['xid'])
      return {
        token: token as string,
        number: row['number'] as number,
        shard: row['shard'] as number,
        ...windowOf(row),
      }
    },
    async renew(token, ttlMs, usedUntilMs) {
      const [row] = await rows(`SELECT * FROM ${functions}.lease_renew($1, $2, $3)`, [
        token,
        ttlMs,
        usedUntilMs,
      ])
      if (row === undefined) return undefined
      await checkCommitted(row['xid'])
      return windowOf(row)
    },
    async release(token, usedUntilMs) {
      await rows(`SELECT ${functions}.lease_release($1, $2)`, [token, usedUntilMs])
    },
  }
}

/**
 * A statement that collided did nothing. It may collide if transactions are not READ COMMITTED, or if `lock_timeout` is
 * shorter than the wait for others who lease (55P03).
 */
const COLLISIONS: Repetition = {
  codes: ['40001', '40P01', '23505', '55P03'],
  attempts: 100,
  pauseMs: () => Math.random() * 50,
}

type Row = Record<string, unknown>

const windowOf = (row: Row): LeaseWindow => ({
  startMs: Number(row['start_ms']),
  untilMs: Number(row['until_ms']),
})

function uncommitted(status: unknown): IdError {
  return new IdError(
    'INVALID_OPTION',
    `a lease is valid only once committed, but the transaction of this one is ${status ?? 'unknown'}; ` +
      'lease with a pool, or with a connection outside of any transaction',
    { field: 'client' },
  )
}
