import type { UidTime } from './time.js'

/** The difference of two ids: time and sequence, each with its own sign. */
export interface UidDistance extends UidTime {
  /** The difference of the sequence numbers. */
  readonly sequence: number
}

/**
 * `a` minus `b`. The three parts of the time carry the sign of the whole; the sequence never borrows from it.
 */
export function distance(a: UidDistance, b: UidDistance): UidDistance {
  const delta = microSeconds(a) - microSeconds(b)
  const seconds = delta / 1_000_000n
  return {
    megaSeconds: Number(seconds / 1_000_000n),
    seconds: Number(seconds % 1_000_000n),
    microSeconds: Number(delta % 1_000_000n),
    sequence: a.sequence - b.sequence,
  }
}

/** A million megaseconds of microseconds don't fit a double. */
function microSeconds({ megaSeconds, seconds, microSeconds }: UidTime): bigint {
  return BigInt(megaSeconds * 1_000_000 + seconds) * 1_000_000n + BigInt(microSeconds)
}
