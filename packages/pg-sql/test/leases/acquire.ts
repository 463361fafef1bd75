import { type FlakeFamily, flake, sno } from '@snoflax/core'
import type { LeaseGrant, LeaseRequest } from '@snoflax/core/leases'
import { postgresLeases } from '@snoflax/pg-sql'
import type { PostgresDatabase } from '@snoflax/test'

export const TTL_MS = 10_000

/** What a process named `holder` asks for, if nothing else is said. */
export const request = (holder: string, changes: Partial<LeaseRequest> = {}): LeaseRequest => ({
  family: 'sno',
  epochMs: sno.layout.epochMs,
  numbers: { min: 1, max: 2 },
  shards: 1,
  ttlMs: TTL_MS,
  holder,
  ...changes,
})

export const flakeRequest = (holder: string, family: FlakeFamily = flake): LeaseRequest =>
  request(holder, { family: 'flake', epochMs: family.layout.epochMs })

/** A number, where one must be free. */
export async function acquire(
  database: Pick<PostgresDatabase, 'pool'>,
  asked: LeaseRequest,
): Promise<LeaseGrant> {
  const answer = await postgresLeases(database.pool).acquire(asked)
  if ('token' in answer) return answer
  throw new Error(`no number is free for ${asked.holder}, the next one in ${answer.retryMs} ms`)
}
