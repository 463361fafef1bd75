/** Of random tests; SNOFLAX_SEED repeats a run. */
export const SEED = Number(process.env['SNOFLAX_SEED'] ?? Math.floor(Math.random() * 2 ** 32)) >>> 0

/** Random ids of a quick run, all families and servers together; as many moments, and as many malformed values. */
export const CASES = Number(process.env['SNOFLAX_CASES'] ?? 600)

/** A repeatable source. */
export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** 32 bits, by splitmix32. */
  uint32(): number {
    this.#state = (this.#state + 0x9e3779b9) >>> 0
    let z = this.#state
    z = Math.imul(z ^ (z >>> 16), 0x21f0aaad)
    z = Math.imul(z ^ (z >>> 15), 0x735a2d97)
    return (z ^ (z >>> 15)) >>> 0
  }

  /** A whole number from 0 to below `limit`, which is at most 2^32. */
  below(limit: number): number {
    return Math.floor((this.uint32() / 2 ** 32) * limit)
  }

  /** A whole number in a span of up to 2^64. */
  bigint(from: bigint, to: bigint): bigint {
    const bits = (BigInt(this.uint32()) << 32n) | BigInt(this.uint32())
    return from + (bits % (to - from + 1n))
  }

  pick<Item>(items: ArrayLike<Item>): Item {
    return items[this.below(items.length)] as Item
  }

  chance(oneIn: number): boolean {
    return this.below(oneIn) === 0
  }

  /** Bytes, now and then with runs of all bits or none, where carries and signs go wrong. */
  bytes(length: number): Uint8Array {
    const bytes = Uint8Array.from({ length }, () => this.below(256))
    if (this.chance(3))
      bytes.fill(this.pick([0x00, 0xff, 0x7f, 0x80]), this.below(length), this.below(length + 1))
    return bytes
  }
}
