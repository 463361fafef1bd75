/** The numbers that may be leased, from `min` to `max`, both included. */
export interface LeaseNumbers {
  /** The smallest number to lease, from 0. */
  readonly min: number
  /** The largest number to lease, at most 65535 for sno and 1023 for flake. */
  readonly max: number
}

/** The times that a holder's ids can have, in Unix milliseconds: `startMs <= time < untilMs`. */
export interface LeaseWindow {
  /** The first millisecond. */
  readonly startMs: number
  /** The first millisecond after the window. */
  readonly untilMs: number
}

/** A request for a lease. */
export interface LeaseRequest {
  /** Name of the family; each has its own numbers. */
  readonly family: string
  /** The family's epoch, in Unix milliseconds. A number keeps the epoch that it was first leased with. */
  readonly epochMs: number
  /** The numbers to choose from. */
  readonly numbers: LeaseNumbers
  /** The number of shards that a number is divided into. A number keeps it, too. */
  readonly shards: number
  /** How long the lease lasts without a renewal, in milliseconds. */
  readonly ttlMs: number
  /** The holder's name, such as host name and process id, for people only. */
  readonly holder: string
}

/** A lease that was granted. */
export interface LeaseGrant extends LeaseWindow {
  /** Identifies the lease; only its holder knows it. */
  readonly token: string
  /** The number that is leased: sno's partition, flake's id. */
  readonly number: number
  /** The shard of the number, from 0. */
  readonly shard: number
}

/** No number is free. */
export interface LeaseRefusal {
  /** Milliseconds until a number may be free; undefined if no running lease could end. */
  readonly retryMs: number | undefined
}

/**
 * Records leases. A store guarantees that windows of one number and shard never overlap: a new holder's window begins
 * at or after the end of all windows that were ever confirmed for them, unless `release` reported that less was used.
 * It must not answer before its answer is durable. Its clock only decides when a number can be leased again.
 */
export interface LeaseStore {
  /** Leases the number that was used least recently. */
  acquire(request: LeaseRequest): Promise<LeaseGrant | LeaseRefusal>
  /**
   * Extends a lease to `ttlMs` from now; undefined if it was lost. If it rejects, the lease may or may not have been
   * extended.
   */
  renew(token: string, ttlMs: number, usedUntilMs: number): Promise<LeaseWindow | undefined>
  /** Frees the number at once; all ids generated with it have times before `usedUntilMs`. */
  release(token: string, usedUntilMs: number): Promise<void>
}
