import { IdError } from '@snoflax/core'
import type { LeaseGrant, LeaseRefusal, LeaseRequest, LeaseStore } from './store.js'
import type { Waiting } from './waiting.js'
import type { WindowClock } from './window-clock.js'

/** Acquires a lease, waiting until a number is free. @throws {IdError} `LEASE_UNAVAILABLE`. */
export async function acquired(
  store: LeaseStore,
  request: LeaseRequest,
  waiting: Waiting,
): Promise<LeaseGrant> {
  waiting.check()
  for (;;) {
    const answer = await asked(store, request, waiting)
    if ('token' in answer) return answer
    if (!(await waiting.more(answer.retryMs))) throw exhausted(request, answer, waiting)
  }
}

/** One attempt, which may exceed the time for waiting by a third of the lease. */
async function asked(
  store: LeaseStore,
  request: LeaseRequest,
  waiting: Waiting,
): Promise<LeaseGrant | LeaseRefusal> {
  const answer = store.acquire(request)
  try {
    return await waiting.answer(answer, request.ttlMs / 3, () => silent(request, waiting))
  } catch (error) {
    answer.then((late) => releaseLate(store, late)).catch(() => {})
    throw error
  }
}

/** Releases a lease that was granted too late to be used. */
async function releaseLate(store: LeaseStore, late: LeaseGrant | LeaseRefusal): Promise<void> {
  if ('token' in late) await store.release(late.token, late.startMs)
}

/** Resolves when the clock has reached the window. @throws {IdError} `LEASE_UNAVAILABLE`. */
export async function reached(clock: WindowClock, waiting: Waiting): Promise<void> {
  for (;;) {
    waiting.check()
    const refusal = clock.refusal()
    if (refusal === undefined) return
    if (!(await waiting.more(refusal.waitMs))) throw outOfStep(refusal)
  }
}

function silent({ family }: LeaseRequest, waiting: Waiting): IdError {
  const what = `no answer from the lease store for ${Math.round(waiting.waitedMs)} ms`
  const message = `${family}: ${what}; check the connection and the pool's size`
  return new IdError('LEASE_UNAVAILABLE', message, { family })
}

function exhausted(request: LeaseRequest, { retryMs }: LeaseRefusal, waiting: Waiting): IdError {
  const { family, numbers, shards } = request
  const what = `no free number from ${numbers.min} to ${numbers.max}${shards === 1 ? '' : ` in ${shards} shards`}`
  const why =
    retryMs === undefined
      ? ': the database uses them itself, or they were leased with other shards or another epoch; allow more numbers'
      : ` after ${Math.round(waiting.waitedMs)} ms; the next one may be free in ${retryMs} ms: wait longer (waitMs), ` +
        'allow more numbers, or find their holders in the view "leases"'
  return new IdError('LEASE_UNAVAILABLE', `${family}: ${what}${why}`, {
    family,
    field: 'numbers',
    value: numbers,
    waitMs: retryMs,
  })
}

/** The error if the window begins too late or ends too early for this clock. */
function outOfStep(refusal: IdError): IdError {
  const { family, waitMs } = refusal
  return new IdError('LEASE_UNAVAILABLE', `${refusal.message}; compare it with the database's clock`, {
    family,
    waitMs,
    cause: refusal,
  })
}
