import type { RandomSource } from '@snoflax/core'

/** Gives these bytes first in each call, then random ones. */
export const startingWith =
  (first: Uint8Array): RandomSource =>
  (bytes) => {
    crypto.getRandomValues(bytes)
    bytes.set(first)
  }
