import { type FlakeFamily, flake, sno } from '@snoflax/core'
import type { LeaseGrant, LeaseRefusal, LeaseRequest } from '@snoflax/leases'

export const TTL_MS = 10_000

/** The default request of a process named `holder` to a store. */
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

/** The answer, where a number must be free. */
export async function granted(asked: Promise<LeaseGrant | LeaseRefusal>): Promise<LeaseGrant> {
  const answer = await asked
  if ('token' in answer) return answer
  throw new Error(`none is free, the next one in ${answer.retryMs} ms`)
}
