/** Magnitude of class 0; instruments next to a source measure below zero. */
const LOWEST = -2

/** The class that goes into a byte of the id: half a magnitude each, so that classes sort as magnitudes do. */
export function magnitudeClass(magnitude: number): number {
  return Math.floor(2 * (magnitude - LOWEST))
}

/** The lowest magnitude of a class. */
export function lowestOf(magnitudeClass: number): number {
  return magnitudeClass / 2 + LOWEST
}
