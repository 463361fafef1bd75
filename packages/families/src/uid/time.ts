import { checkInteger, fail } from '@snoflax/core/define'
import { MAX_MEGA_SECONDS, MAX_SECONDS, MAX_STEP, STEP_US } from './layout.js'

/** A time as Erlang's `os:timestamp()` returns it. */
export interface UidTime {
  /** Millions of seconds, 0 to 1,048,575. */
  readonly megaSeconds: number
  /** 0 to 999,999 from a clock; ids can contain up to 1,048,575. */
  readonly seconds: number
  /** A multiple of 1024, 0 to 999,424 from a clock; ids can contain up to 1,047,552. */
  readonly microSeconds: number
}

/** A time and a sequence number, used once. */
export interface UidStep extends UidTime {
  readonly sequence: number
}

/** The time fields, if an id can contain them exactly. */
export function checkTime(family: string, { megaSeconds, seconds, microSeconds }: UidTime): UidTime {
  checkInteger(family, 'megaSeconds', megaSeconds, 0, MAX_MEGA_SECONDS)
  checkInteger(family, 'seconds', seconds, 0, MAX_SECONDS)
  checkInteger(family, 'microSeconds', microSeconds, 0, MAX_STEP * STEP_US)
  if (microSeconds % STEP_US !== 0) {
    const reason = `microSeconds must be a multiple of ${STEP_US}, not ${microSeconds}`
    fail('FIELD_OUT_OF_RANGE', family, reason, microSeconds, 'microSeconds')
  }
  return { megaSeconds, seconds, microSeconds }
}

/** Unix milliseconds, floored. */
export function unixMs({ megaSeconds, seconds, microSeconds }: UidTime): number {
  return (megaSeconds * 1_000_000 + seconds) * 1000 + Math.floor(microSeconds / 1000)
}

/** The first step that starts at or after a whole millisecond. */
export function timeAtOrAfter(timeMs: number): UidStep {
  const seconds = Math.floor(timeMs / 1000)
  const steps = Math.ceil(((timeMs % 1000) * 1000) / STEP_US) // 976 at most, which is a second's last
  return stepOf(seconds, steps, 0)
}

export function stepOf(seconds: number, steps: number, sequence: number): UidStep {
  return {
    megaSeconds: Math.floor(seconds / 1_000_000),
    seconds: seconds % 1_000_000,
    microSeconds: steps * STEP_US,
    sequence,
  }
}
