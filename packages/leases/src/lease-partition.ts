import type { OptionKind } from '@snoflax/core/adapter'
import { acquired, reached } from './acquisition.js'
import { type GeneratorOf, type LeasableFamily, leasedGenerator } from './families.js'
import { checkLeaseOptions, type LeaseOptions, requestOf } from './options.js'
import type { LeaseGrant, LeaseRequest, LeaseStore, LeaseWindow } from './store.js'
import { type AsyncDisposal, pause, type Signal, within } from './timing.js'
import { Waiting } from './waiting.js'
import { WindowClock } from './window-clock.js'

/** Exclusive use of a number until the lease is released or lost. `await using` releases it. */
export interface PartitionLease<Generator> extends AsyncDisposal {
  /**
   * Generates ids with the number. Outside the lease each call throws an `IdError` `LEASE_EXPIRED`: after
   * `release`, when the lease is lost, and while renewals fail for longer than the lease lasts.
   */
  readonly generator: Generator
  /** sno's partition or flake's worker id. */
  readonly partition: number
  /** The shard of the partition, from 0. */
  readonly shard: number
  /** The times that ids can have now. */
  readonly window: LeaseWindow
  /** Aborts, with an `IdError` as its reason, when the lease is lost to another holder. Lease again then. */
  readonly signal: Signal
  /**
   * Closes the generator, then frees the number at once. If it fails, you can call it again.
   *
   * @throws what the store throws; even then the number is free when the lease ends.
   */
  release(): Promise<void>
}

/**
 * Leases a partition (sno) or worker id (flake) from a store, and renews the lease until it is released. For PostgreSQL
 * and MySQL use `leasePartition` of \@snoflax/pg-sql and \@snoflax/mysql-sql, for etcd the store of \@snoflax/etcd.
 * {@link LeaseStore} says what a store of your own must guarantee.
 *
 * @param ofStore options that you pass to the store by the same object, with their kinds; others are refused.
 * @throws {IdError} `LEASE_UNAVAILABLE` if no number becomes free within `waitMs`, or this process's clock is too far
 * off; `INVALID_OPTION`, `INVALID_TYPE`, `FIELD_OUT_OF_RANGE`; and what the store throws.
 *
 * @example
 * const lease = await leasePartitionFrom(store, { family: flake, numbers: { min: 0, max: 31 } })
 * lease.generator.generate() // FlakeId
 * await lease.release()
 */
export async function leasePartitionFrom<Family extends LeasableFamily>(
  store: LeaseStore,
  passed: LeaseOptions<Family>,
  ofStore: Readonly<Record<string, OptionKind>> = {},
): Promise<PartitionLease<GeneratorOf<Family>>> {
  const options = checkLeaseOptions(passed, ofStore)
  const request = requestOf(options)
  const waiting = new Waiting(options)
  const grant = await acquired(store, request, waiting)
  const lease = new Lease(store, request, grant, options)
  try {
    await reached(lease.clock, waiting)
  } catch (error) {
    // The number becomes free when the lease ends anyway; report the original error.
    await lease.release().catch(() => {})
    throw error
  }
  return lease
}

declare class AbortController {
  readonly signal: Signal
  abort(reason?: unknown): void
}
declare const queueMicrotask: (callback: () => void) => void

class Lease<Family extends LeasableFamily> implements PartitionLease<GeneratorOf<Family>> {
  readonly generator: GeneratorOf<Family>
  readonly partition: number
  readonly shard: number
  readonly clock: WindowClock
  private readonly loss = new AbortController()
  private readonly renewing = new AbortController()
  private released: Promise<void> | undefined

  constructor(
    private readonly store: LeaseStore,
    private readonly request: LeaseRequest,
    private readonly grant: LeaseGrant,
    private readonly options: LeaseOptions<Family>,
  ) {
    const { family, clock = () => Date.now(), generator } = options
    this.partition = grant.number
    this.shard = grant.shard
    this.clock = new WindowClock(family.name, nameOf(request, grant), clock, family.layout, grant)
    const leased = {
      number: grant.number,
      shard: grant.shard,
      shards: request.shards,
      clock: this.clock.read,
    }
    this.generator = leasedGenerator(family, leased, generator)
    void this.keepRenewed()
  }

  get window(): LeaseWindow {
    return this.clock.window
  }

  get signal(): Signal {
    return this.loss.signal
  }

  release(): Promise<void> {
    this.released ??= this.closeAndRelease().catch((error) => {
      this.released = undefined
      throw error
    })
    return this.released
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.release()
  }

  private async closeAndRelease(): Promise<void> {
    this.clock.close('was released')
    this.renewing.abort()
    if (!this.loss.signal.aborted) await this.store.release(this.grant.token, this.clock.usedUntilMs)
  }

  /** Renews after each third of the lease, earlier after a failure, until the lease is lost or released. */
  private async keepRenewed(): Promise<void> {
    const { ttlMs } = this.request
    const { signal } = this.renewing
    const renew = () => this.store.renew(this.grant.token, ttlMs, this.clock.usedUntilMs)
    const silence = () => new Error(`no answer within ${Math.round(ttlMs / 3)} ms`)
    let failures = 0
    while (await pause(jittered(delayMs(ttlMs, failures)), signal, false)) {
      try {
        const window = await within(ttlMs / 3, renew(), silence)
        if (signal.aborted) return
        if (window === undefined) return this.loss.abort(this.clock.close(LOST))
        this.clock.move(window)
        failures = 0
      } catch (error) {
        if (signal.aborted) return
        failures++
        this.renewalFailed(error)
      }
    }
  }

  private renewalFailed(error: unknown): void {
    this.clock.blame(error)
    // Outside the renewals, so that an error of the listener can't end them.
    queueMicrotask(() => this.options.onRenewalFailed?.(error))
  }
}

const LOST = 'was lost: it expired, and another process may have the number; lease again'

/** The pause after a failure: a twelfth of the lease, then twice as long each time. */
function delayMs(ttlMs: number, failures: number): number {
  return failures === 0 ? ttlMs / 3 : Math.min(ttlMs / 3, (ttlMs / 12) * 2 ** (failures - 1))
}

/** 80 to 100 % of a pause, so that holders that began together spread out. */
const jittered = (ms: number): number => ms * (0.8 + Math.random() / 5)

const nameOf = ({ shards }: LeaseRequest, { number, shard }: LeaseGrant): string =>
  `the lease of ${shards === 1 ? '' : `shard ${shard} of `}number ${number}`
