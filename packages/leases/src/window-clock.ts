import { type Clock, IdError, type Layout } from '@snoflax/core'
import type { LeaseWindow } from './store.js'

/**
 * A clock that returns only times within a lease, so that its generator generates no id outside the lease, even if the
 * process is suspended, the clock is set or renewals fail between two ids.
 */
export class WindowClock {
  private granted: LeaseWindow
  /** The window, shrunk to whole units, since an id contains only the unit of its time. */
  private whole: LeaseWindow
  private usedMs = Number.NEGATIVE_INFINITY
  private ended: IdError | undefined
  private failure: unknown

  /** @param what the lease's name in messages. */
  constructor(
    private readonly family: string,
    private readonly what: string,
    private readonly clock: Clock,
    private readonly units: Pick<Layout, 'epochMs' | 'unitMs'>,
    { startMs, untilMs }: LeaseWindow,
  ) {
    this.granted = { startMs, untilMs }
    this.whole = this.inUnits(this.granted)
  }

  get window(): LeaseWindow {
    return this.granted
  }

  /** No id has this time or a later one. */
  get usedUntilMs(): number {
    return this.usedMs === Number.NEGATIVE_INFINITY ? this.granted.startMs : this.unitAfter(this.usedMs)
  }

  /** The time. @throws {IdError} `LEASE_EXPIRED` outside the window, and always once it is closed. */
  readonly read: Clock = () => {
    const nowMs = this.clock()
    const refusal = this.refusalAt(nowMs)
    if (refusal !== undefined) throw refusal
    if (nowMs > this.usedMs) this.usedMs = nowMs
    return nowMs
  }

  /** The error that `read` would throw. */
  refusal(): IdError | undefined {
    return this.refusalAt(this.clock())
  }

  /** Sets a window that the store has confirmed. */
  move(window: LeaseWindow): void {
    this.granted = window
    this.whole = this.inUnits(window)
    this.failure = undefined
  }

  /** Keeps the error of a failed renewal as the cause of later errors. */
  blame(failure: unknown): void {
    this.failure = failure
  }

  /** From now on `read` throws this error. */
  close(why: string): IdError {
    this.ended ??= this.expired(why)
    return this.ended
  }

  private refusalAt(nowMs: number): IdError | undefined {
    if (this.ended !== undefined) return this.ended
    if (nowMs < this.whole.startMs) return this.tooEarly(nowMs)
    if (nowMs >= this.whole.untilMs) return this.tooLate(nowMs)
    return undefined
  }

  private inUnits({ startMs, untilMs }: LeaseWindow): LeaseWindow {
    return { startMs: this.unitAt(startMs, Math.ceil), untilMs: this.unitAt(untilMs, Math.floor) }
  }

  private unitAt(timeMs: number, round: (units: number) => number): number {
    const { epochMs, unitMs } = this.units
    return epochMs + round((timeMs - epochMs) / unitMs) * unitMs
  }

  private unitAfter(timeMs: number): number {
    return this.unitAt(timeMs, Math.floor) + this.units.unitMs
  }

  private tooLate(nowMs: number): IdError {
    return this.expired(
      `expired at ${shown(this.granted.untilMs)}; this process's clock is at ${shown(nowMs)}`,
    )
  }

  private tooEarly(nowMs: number): IdError {
    const waitMs = Math.ceil(this.whole.startMs - nowMs)
    return this.expired(`starts in ${waitMs} ms by this process's clock`, waitMs)
  }

  private expired(why: string, waitMs?: number): IdError {
    const cause = this.failure
    return new IdError('LEASE_EXPIRED', `${this.family}: ${this.what} ${why}`, {
      family: this.family,
      waitMs,
      cause,
    })
  }
}

const shown = (timeMs: number): string =>
  Math.abs(timeMs) <= 8.64e15 ? new Date(timeMs).toISOString() : `${timeMs} ms`
