import { IdError } from './errors.js'

declare const crypto: { getRandomValues(bytes: Uint8Array): Uint8Array }

/** Fills the bytes with random ones. The default is the platform's CSPRNG; give another only in tests. */
export type RandomSource = (bytes: Uint8Array) => void

export const secureRandom: RandomSource = (bytes) => {
  if (typeof crypto === 'undefined') {
    throw new IdError(
      'UNSUPPORTED_VERSION',
      'no crypto.getRandomValues in this runtime; in React Native import react-native-get-random-values first',
      { field: 'crypto' },
    )
  }
  crypto.getRandomValues(bytes)
}

/** A call of the CSPRNG costs far more than the bytes of one id, so bytes are fetched for this many at once. */
const IDS_A_FETCH = 2048

/** Hands out fresh random bytes, `size` at a time, as an offset into `bytes`. No byte is handed out twice. */
export class RandomPool {
  readonly bytes: Uint8Array
  private used: number

  constructor(
    private readonly source: RandomSource,
    private readonly size: number,
  ) {
    this.bytes = new Uint8Array(size * IDS_A_FETCH)
    this.used = this.bytes.length
  }

  next(): number {
    if (this.used === this.bytes.length) {
      this.source(this.bytes)
      this.used = 0
    }
    const offset = this.used
    this.used += this.size
    return offset
  }
}
