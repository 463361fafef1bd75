import { idle, type Signal, within } from './timing.js'

export interface Renewal<Window> {
  /** One attempt. Undefined means that the lease is lost; after a rejection it may still be held. */
  readonly renew: () => Promise<Window | undefined>
  readonly ttlMs: number
  readonly confirmed: (window: Window) => void
  readonly failed: (error: unknown) => void
  readonly lost: () => void
}

/** Renews after each third of the lease, earlier after a failure, until the lease is lost or the signal aborts. */
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

/** The pause after a failure: a twelfth of the lease, then twice as long each time. */
function delayMs(ttlMs: number, failures: number): number {
  return failures === 0 ? ttlMs / 3 : Math.min(ttlMs / 3, (ttlMs / 12) * 2 ** (failures - 1))
}

const silence = (ms: number): Error => new Error(`no answer within ${Math.round(ms)} ms`)

/** 80 to 100 % of a pause, so that holders that began together spread out. */
const jittered = (ms: number): number => ms * (0.8 + Math.random() / 5)
