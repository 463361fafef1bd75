import { idle, type Signal, within } from './timing.js'

export interface Renewal<Window> {
  /** One attempt. Undefined means that the lease is lost; a rejection means nothing. */
  readonly renew: () => Promise<Window | undefined>
  readonly ttlMs: number
  readonly confirmed: (window: Window) => void
  readonly failed: (error: unknown) => void
  readonly lost: () => void
}

/** Renews after each third of the lease, sooner where that failed, until the lease is lost or the signal aborts. */
export async function keepRenewed<Window>(renewal: Renewal<Window>, signal: Signal): Promise<void> {
  const { renew, ttlMs, confirmed, failed, lost } = renewal
  const patienceMs = ttlMs / 3
  let failures = 0
  while (await idle(jittered(delayMs(ttlMs, failures)), signal)) {
    try {
      const window = await within(patienceMs, renew(), () => silence(patienceMs))
      if (signal.aborted) return
      if (window === undefined) return lost()
      confirmed(window)
      failures = 0
    } catch (error) {
      if (signal.aborted) return
      failures++
      failed(error)
    }
  }
}

/** A twelfth of the lease after the first failure, then twice as long each time. */
function delayMs(ttlMs: number, failures: number): number {
  return failures === 0 ? ttlMs / 3 : Math.min(ttlMs / 3, (ttlMs / 12) * 2 ** (failures - 1))
}

const silence = (ms: number): Error => new Error(`no answer within ${Math.round(ms)} ms`)

/** From 80 to 100 %: many holders that began at once spread out. */
const jittered = (ms: number): number => ms * (0.8 + Math.random() / 5)
