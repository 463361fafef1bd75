/** Magnitude of class 0; instruments next to a source measure below zero. */
const LOWEST = -2

/** The class in a byte of the id: steps of half a magnitude, so that classes sort like magnitudes. */
export function magnitudeClass(magnitude: number): number {
  return Math.floor(2 * (magnitude - LOWEST))
}

/** The lowest magnitude of a class. */
export function lowestOf(magnitudeClass: number): number {
  return magnitudeClass / 2 + LOWEST
}
