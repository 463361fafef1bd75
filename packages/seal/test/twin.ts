import { createCipheriv, webcrypto } from 'node:crypto'

const { subtle } = webcrypto
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

interface Kind {
  readonly family: string
  readonly prefix: string
}

/** Sealing as spec/seal.md says it, by Web Crypto and without a line of the package: slow and plain. */
export async function sealByTwin(
  key: Uint8Array,
  { family, prefix, bytes }: Kind & { readonly bytes: Uint8Array },
): Promise<string> {
  const derived = await derive(key, { family, prefix })
  const text = bytes.length > 12 ? longByTwin(derived, bytes) : base64url(await blockByTwin(derived, bytes))
  return prefix === '' ? text : `${prefix}_${text}`
}

/** The UUID of version 4 that the bytes of one of version 7 become. */
export async function uuidByTwin(key: Uint8Array, kind: Kind, uuid: Uint8Array): Promise<string> {
  const bits = bitsOf(uuid)
  const free = bits.slice(0, 48) + bits.slice(52, 64) + bits.slice(66)
  const sealed = ff1ByTwin(await derive(key, kind), 2, Buffer.from('uuid'))
    .encrypt(digitsOf(free))
    .join('')
  const hex = hexOf(`${sealed.slice(0, 48)}0100${sealed.slice(48, 60)}10${sealed.slice(60)}`)
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

/** The key of a kind. */
export async function derive(key: Uint8Array, { family, prefix }: Kind): Promise<Uint8Array> {
  const secret = await subtle.importKey('raw', key, 'HKDF', false, ['deriveBits'])
  const info = new TextEncoder().encode(`snoflax seal v1\n${family}\n${prefix}`)
  const salt = new Uint8Array(0)
  return new Uint8Array(await subtle.deriveBits({ name: 'HKDF', hash: 'SHA-256', salt, info }, secret, 256))
}

async function blockByTwin(derived: Uint8Array, bytes: Uint8Array): Promise<string> {
  const key = await subtle.importKey('raw', derived, 'AES-CBC', false, ['encrypt'])
  const block = new Uint8Array(16)
  block.set(bytes)
  // With an initial vector of zeros the first block of CBC is the block of AES itself.
  const encrypted = await subtle.encrypt({ name: 'AES-CBC', iv: new Uint8Array(16) }, key, block)
  return bitsOf(new Uint8Array(encrypted).subarray(0, 16))
}

/** The base64url of an id of more than 12 bytes. */
export function longByTwin(derived: Uint8Array, bytes: Uint8Array): string {
  const zeros = bytes.length % 2 === 0 ? 32 : 40
  const bits = bitsOf(bytes) + '0'.repeat(zeros)
  return base64url(ff1ByTwin(derived, 2, Buffer.from('text')).encrypt(digitsOf(bits)).join(''))
}

const bitsOf = (bytes: Uint8Array): string =>
  [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('')

const digitsOf = (bits: string): number[] => [...bits].map(Number)

const hexOf = (bits: string): string =>
  BigInt(`0b${bits}`)
    .toString(16)
    .padStart(bits.length / 4, '0')

const base64url = (bits: string): string =>
  (bits.match(/.{1,6}/g) ?? []).map((sextet) => LETTERS[Number.parseInt(sextet.padEnd(6, '0'), 2)]).join('')

type Digits = readonly number[]

/**
 * FF1, algorithms 7 and 8 of NIST SP 800-38G step by step, for each radix and each key of AES: by CBC where the package
 * goes block by block, and by big integers where it adds bytes.
 */
export function ff1ByTwin(
  key: Uint8Array,
  radix: number,
  tweak: Uint8Array,
): { encrypt(digits: Digits): number[]; decrypt(digits: Digits): number[] } {
  const encrypt = (mode: 'cbc' | 'ecb', bytes: Uint8Array): Buffer => {
    const iv = mode === 'cbc' ? new Uint8Array(16) : null
    return createCipheriv(`aes-${key.length * 8}-${mode}`, key, iv)
      .setAutoPadding(false)
      .update(bytes)
  }
  const num = (digits: Digits): bigint =>
    digits.reduce((sum, digit) => sum * BigInt(radix) + BigInt(digit), 0n)
  const str = (value: bigint, length: number): number[] => {
    const digits: number[] = []
    for (let rest = value; digits.length < length; rest /= BigInt(radix))
      digits.unshift(Number(rest % BigInt(radix)))
    return digits
  }
  const bytesOf = (value: bigint | number, length: number): Buffer =>
    length === 0 ? Buffer.alloc(0) : Buffer.from(value.toString(16).padStart(2 * length, '0'), 'hex')
  const power = (exponent: number): bigint => BigInt(radix) ** BigInt(exponent)

  /** y of round i for the half that is not changed. */
  const round = (i: number, n: number, half: Digits): bigint => {
    const t = tweak.length
    const u = Math.floor(n / 2)
    const v = n - u
    const b = Math.ceil((power(v) - 1n).toString(2).length / 8)
    const d = 4 * Math.ceil(b / 4) + 4
    const p = Buffer.concat([
      Buffer.from([1, 2, 1]),
      bytesOf(radix, 3),
      Buffer.from([10, u % 256]),
      bytesOf(n, 4),
      bytesOf(t, 4),
    ])
    const padding = Buffer.alloc((((-t - b - 1) % 16) + 16) % 16)
    const q = Buffer.concat([tweak, padding, Buffer.from([i]), bytesOf(num(half), b)])
    const r = encrypt('cbc', Buffer.concat([p, q])).subarray(-16)
    const s = [r]
    for (let j = 1; 16 * j < d; j++) {
      const block = BigInt(`0x${r.toString('hex')}`) ^ BigInt(j)
      s.push(encrypt('ecb', bytesOf(block, 16)))
    }
    return BigInt(`0x${Buffer.concat(s).subarray(0, d).toString('hex')}`)
  }

  return {
    encrypt(digits) {
      const n = digits.length
      const u = Math.floor(n / 2)
      let [a, b] = [digits.slice(0, u), digits.slice(u)]
      for (let i = 0; i < 10; i++) {
        const m = i % 2 === 0 ? u : n - u
        const c = (num(a) + round(i, n, b)) % power(m)
        ;[a, b] = [b, str(c, m)]
      }
      return [...a, ...b]
    },
    decrypt(digits) {
      const n = digits.length
      const u = Math.floor(n / 2)
      let [a, b] = [digits.slice(0, u), digits.slice(u)]
      for (let i = 9; i >= 0; i--) {
        const m = i % 2 === 0 ? u : n - u
        const c = (num(b) - round(i, n, a)) % power(m)
        ;[a, b] = [str(c < 0n ? c + power(m) : c, m), a]
      }
      return [...a, ...b]
    },
  }
}
