import { createCipheriv } from 'node:crypto'

const BLOCK = 16
const ROUNDS = 10

/** Enciphers or deciphers values of one length that follow each other in the bytes. */
export type Permutation = (values: Uint8Array) => Uint8Array

/** Both directions of a permutation. */
export interface Cipher {
  readonly encrypt: Permutation
  readonly decrypt: Permutation
}

/** AES-256 of each block by itself. One call takes half a microsecond, however few blocks it gets. */
export function aes(key: Uint8Array): Permutation {
  const cipher = createCipheriv('aes-256-ecb', key, null).setAutoPadding(false)
  return (blocks) => cipher.update(blocks)
}

/**
 * FF1 of NIST SP 800-38G with radix 2 and AES-256, for numbers of an even count of bits: two halves of equal length,
 * each in whole big-endian bytes, so that n of 122 bits is 8 + 8 bytes that begin with 3 zero bits each. A list is
 * enciphered round by round, so that each round is one call of AES for all numbers. Names are the standard's.
 */
export function ff1(key: Uint8Array, n: number, tweak: Uint8Array): Cipher {
  const encipher = aes(key)
  const m = n / 2
  const b = Math.ceil(m / 8)
  const d = 4 * Math.ceil(b / 4) + 4
  const firstByte = 0xff >> (8 * b - m)

  // P and Q, with zeros for the round and the half. Their first blocks are the same for all numbers and rounds, and so is
  // the MAC of those, which is set against the first block that differs.
  const t = tweak.length
  const input = new Uint8Array(BLOCK + BLOCK * Math.ceil((t + 1 + b) / BLOCK))
  input.set([1, 2, 1, 0, 0, 2, ROUNDS, m & 0xff])
  new DataView(input.buffer).setUint32(8, n)
  new DataView(input.buffer).setUint32(12, t)
  input.set(tweak, BLOCK)
  const halfAt = input.length - b
  const roundAt = halfAt - 1
  let different = 0
  for (; different + BLOCK <= roundAt; different += BLOCK) {
    const mac = encipher(input.subarray(different, different + BLOCK))
    for (let i = 0; i < BLOCK; i++)
      input[different + BLOCK + i] = at(input, different + BLOCK + i) ^ at(mac, i)
  }

  /** S of each number, in blocks: R, and for halves of more than 12 bytes what the standard appends. */
  const output = (numbers: Uint8Array, from: number, round: number): Uint8Array[] => {
    const count = numbers.length / (2 * b)
    let r: Uint8Array = new Uint8Array(count * BLOCK)
    for (let start = different; start < input.length; start += BLOCK) {
      for (let k = 0; k < count; k++) {
        const block = k * BLOCK
        for (let i = 0; i < BLOCK; i++) r[block + i] = at(r, block + i) ^ at(input, start + i)
        if (roundAt >= start && roundAt < start + BLOCK) {
          r[block + roundAt - start] = at(r, block + roundAt - start) ^ round
        }
        const half = 2 * b * k + from + start - halfAt
        for (let i = Math.max(0, halfAt - start); i < BLOCK; i++) {
          r[block + i] = at(r, block + i) ^ at(numbers, half + i)
        }
      }
      r = encipher(r)
    }
    const s = [r]
    for (let j = 1; j * BLOCK < d; j++) {
      s.push(encipher(r.map((byte, i) => (i % BLOCK === BLOCK - 1 ? byte ^ j : byte))))
    }
    return s
  }

  /** Adds the last m bits of y to one half of each number, or subtracts them. */
  const add = (numbers: Uint8Array, to: number, s: readonly Uint8Array[], sign: 1 | -1): void => {
    for (let k = 0; k * 2 * b < numbers.length; k++) {
      const half = 2 * b * k + to
      let carry = 0
      for (let i = b - 1; i >= 0; i--) {
        const y = d - b + i
        const byte = at(s[y >> 4] as Uint8Array, k * BLOCK + (y & 15))
        const sum = at(numbers, half + i) + sign * byte + carry
        numbers[half + i] = sum
        carry = sum >> 8
      }
      numbers[half] = at(numbers, half) & firstByte
    }
  }

  // The halves stay where they are: what the standard swaps are their roles.
  const run = (given: Uint8Array, sign: 1 | -1): Uint8Array => {
    const numbers = Uint8Array.from(given)
    for (let i = 0; i < ROUNDS; i++) {
      const round = sign === 1 ? i : ROUNDS - 1 - i
      const from = round % 2 === 0 ? b : 0
      add(numbers, b - from, output(numbers, from, round), sign)
    }
    return numbers
  }
  return { encrypt: (numbers) => run(numbers, 1), decrypt: (numbers) => run(numbers, -1) }
}

const at = (bytes: Uint8Array, index: number): number => bytes[index] as number
