import type { LeaseStore, LeaseWindow } from './store.js'
import { pause } from './timing.js'

/** A row by its columns. */
export type LeaseRow = Readonly<Record<string, unknown>>

/** What a store of leases in SQL has of its own. */
export interface LeaseSql {
  /** Runs one statement with parameters. */
  run(text: string, values: unknown[]): PromiseLike<unknown>
  /** The statement that calls `lease_acquire`, `lease_renew` or `lease_release` with so many parameters. */
  callOf(name: string, parameters: number): string
  /** A new token, the first parameter of `lease_acquire`; without it the database answers with one. */
  newToken?(): string
  /** Checks the answer of a lease that was granted or renewed. */
  check?(
    row: LeaseRow,
    query: (text: string, values: unknown[]) => Promise<LeaseRow | undefined>,
  ): Promise<void>
  /** The `code` of errors after which a statement is run again: it did nothing, or is idempotent. */
  readonly passing: readonly unknown[]
  /** The maximum number of attempts. */
  readonly attempts: number
  /** The pause after a failed attempt, in milliseconds. The first attempt is 1. */
  pauseMs(attempt: number): number
}

/**
 * A store of leases by the functions or procedures of a database: `lease_acquire`, `lease_renew` and `lease_release`,
 * as @snoflax/pg-sql and @snoflax/mysql-sql install them. The store's functions throw what `run` throws.
 *
 * @example
 * const numbered = (parameters: number) => Array.from({ length: parameters }, (_, i) => `$${i + 1}`).join(', ')
 * const store = sqlLeases({
 *   run: (text, values) => client.query(text, values),
 *   callOf: (name, parameters) => `SELECT * FROM snoflax.${name}(${numbered(parameters)})`,
 *   passing: ['40001', '40P01'],
 *   attempts: 10,
 *   pauseMs: () => Math.random() * 50,
 * })
 */
export function sqlLeases(sql: LeaseSql): LeaseStore {
  const query = async (text: string, values: unknown[]) => firstRow(await persistent(sql, text, values))
  const call = (name: string, values: unknown[]) => query(sql.callOf(name, values.length), values)
  const windowOf = async (row: LeaseRow): Promise<LeaseWindow> => {
    await sql.check?.(row, query)
    return { startMs: Number(row['start_ms']), untilMs: Number(row['until_ms']) }
  }

  return {
    async acquire({ family, epochMs, numbers: { min, max }, shards, ttlMs, holder }) {
      // Our own token, so that a retry after a lost answer returns the same number.
      const own = sql.newToken ? [sql.newToken()] : []
      const values = [...own, family, holder, ttlMs, min, max, shards, epochMs]
      const row = (await call('lease_acquire', values)) as LeaseRow
      const { token, number, shard, wait_ms: waitMs } = row
      if (number == null) return { retryMs: waitMs == null ? undefined : Number(waitMs) }
      const window = await windowOf(row)
      return { token: own[0] ?? String(token), number: Number(number), shard: Number(shard), ...window }
    },
    async renew(token, ttlMs, usedUntilMs) {
      const row = await call('lease_renew', [token, ttlMs, usedUntilMs])
      return row?.['start_ms'] == null ? undefined : windowOf(row)
    },
    async release(token, usedUntilMs) {
      await call('lease_release', [token, usedUntilMs])
    },
  }
}

async function persistent(
  { run, passing, attempts, pauseMs }: LeaseSql,
  text: string,
  values: unknown[],
): Promise<unknown> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run(text, values)
    } catch (error) {
      if (attempt >= attempts || !passing.includes((error as { code?: unknown }).code)) throw error
    }
    await pause(pauseMs(attempt), undefined)
  }
}

/** Clients resolve to rows, to an object with them, or, for a CALL, to a list of lists of them. */
function firstRow(result: unknown): LeaseRow | undefined {
  let found = (result as { rows?: unknown }).rows ?? result
  while (Array.isArray(found)) found = found[0]
  return found as LeaseRow | undefined
}
