/** Numbers that may be leased, from `min` to `max`, both included. */
export interface LeaseNumbers {
  /** The smallest number that is given out, from 0. */
  readonly min: number
  /** The largest one: 65535 at most for sno, 1023 for flake. */
  readonly max: number
}

/** The moments that ids of a holder may carry, in Unix milliseconds: `startMs <= time < untilMs`. */
export interface LeaseWindow {
  /** The first millisecond. */
  readonly startMs: number
  /** The first millisecond that is no longer the holder's. */
  readonly untilMs: number
}

/** What a store is asked for. */
export interface LeaseRequest {
  /** Name of the family; each has its own numbers. */
  readonly family: string
  /** Where the family's time begins. Numbers keep the epoch that they were first leased for. */
  readonly epochMs: number
  /** The numbers to choose from. */
  readonly numbers: LeaseNumbers
  /** Into how many shards a number is divided. Numbers keep that too. */
  readonly shards: number
  /** How long the lease lasts without a renewal, in milliseconds. */
  readonly ttlMs: number
  /** Shown to people. */
  readonly holder: string
}

/** A lease that was given. */
export interface LeaseGrant extends LeaseWindow {
  /** Known to the holder alone. */
  readonly token: string
  /** The number that is leased: sno's partition, flake's id. */
  readonly number: number
  /** From 0. */
  readonly shard: number
}

/** No number is free. */
export interface LeaseRefusal {
  /** Milliseconds until one may be free; undefined where no lease runs that could end. */
  readonly retryMs: number | undefined
}

/**
 * What keeps leases. Its promise: windows given out for one number and shard never overlap. Each new holder's
 * window begins at or after the end of all windows that were ever confirmed for it, except where `release` told
 * that less was used. An answer is given only when what it says is durable. What it takes for a clock decides
 * when a number may change hands, and nothing else.
 */
export interface LeaseStore {
  /** Gives the number that was used least recently. */
  acquire(request: LeaseRequest): Promise<LeaseGrant | LeaseRefusal>
  /**
   * Prolongs a lease to `ttlMs` from now. Undefined if it was lost. A failure means nothing: the lease may or
   * may not have been prolonged.
   */
  renew(token: string, ttlMs: number, usedUntilMs: number): Promise<LeaseWindow | undefined>
  /** Frees the number at once; all ids generated with it have times before `usedUntilMs`. */
  release(token: string, usedUntilMs: number): Promise<void>
}
