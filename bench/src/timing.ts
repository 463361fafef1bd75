export interface Timing {
  /** Lower quartile over all rounds, without the loop: other work of the machine can only lengthen a turn. */
  readonly stepNs: number
  /** How far the median is above the lower quartile, as a fraction of it. */
  readonly spread: number
}

export function quantile(samples: readonly number[], fraction: number): number {
  const sorted = [...samples].sort((a, b) => a - b)
  return sorted[Math.floor(fraction * (sorted.length - 1))] as number
}

export function shuffled<T>(items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, key: Math.random() }))
    .sort((a, b) => a.key - b.key)
    .map(({ item }) => item)
}
