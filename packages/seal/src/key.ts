import { hkdfSync, randomBytes } from 'node:crypto'
import { IdError } from '@snoflax/core'
import { checkOptions, isBytes } from '@snoflax/core/adapter'

/** 32 secret bytes: as bytes, 64 hex digits, or the 43 base64url characters that {@link generateSealKey} returns. */
export type SealKey = string | Uint8Array

const KEY_BYTES = 32
const HEX = /^[0-9a-f]{64}$/i
const BASE64URL = /^[A-Za-z0-9_-]{43}=?$/
/** Random keys have 30 different bytes on average; one in 10^12 has fewer than these. */
const LEAST_DIFFERENT_BYTES = 18

/**
 * Generates a key: 43 characters for a secret store or an environment variable.
 *
 * @example
 * generateSealKey().length // 43
 */
export const generateSealKey = (): string => randomBytes(KEY_BYTES).toString('base64url')

/**
 * The options of `seal`, with the bytes of the keys in the same order.
 *
 * @throws {IdError} `INVALID_OPTION` for no key, a malformed key, one that can't be random, a key that occurs twice, and
 * other options. The error doesn't show the key, wherever among the options it is.
 */
export function readOptions(options: unknown): {
  readonly keys: readonly Uint8Array[]
  readonly as: 'uuid' | undefined
} {
  if (typeof options !== 'object' || options === null || Array.isArray(options))
    refuse('options', 'must be { keys: … }')
  // Names alone: checkOptions would show a key that was passed under another name.
  const names = Object.fromEntries(Object.keys(options).map((name) => [name, null]))
  checkOptions('seal', names, { keys: 'any', as: 'any' })
  const { keys, as } = { __proto__: null, ...options } as { readonly keys?: unknown; readonly as?: unknown }
  if (as !== undefined && as !== 'uuid') refuse('as', "must be 'uuid', or left out for a sealed text")
  const list = Array.isArray(keys) ? keys : [keys]
  if (list.length === 0) refuse('keys', 'must have at least one key; create one with generateSealKey()')
  const read = list.map((key, index) => readKey(Array.isArray(keys) ? `keys[${index}]` : 'keys', key))
  read.forEach((key, index) => {
    const twin = read.findIndex((other) => Buffer.compare(other, key) === 0)
    if (twin !== index) refuse(`keys[${index}]`, `must differ from keys[${twin}]`)
  })
  if (as === 'uuid' && read.length > 1) {
    refuse(
      'keys',
      "must be a single one with as: 'uuid', since a UUID has no check and opens with any; create a seal for each, and " +
        'look up all ids that they open',
    )
  }
  return { keys: read, as }
}

function readKey(field: string, key: unknown): Uint8Array {
  const bytes = bytesOf(key)
  if (bytes?.length !== KEY_BYTES) {
    refuse(
      field,
      'must be 32 bytes, 64 hex digits or 43 characters of base64url; create one with generateSealKey()',
    )
  }
  const steps = bytes.subarray(1).map((byte, i) => byte - (bytes[i] as number))
  if (new Set(bytes).size < LEAST_DIFFERENT_BYTES || new Set(steps).size === 1)
    refuse(field, 'must be random; create one with generateSealKey()')
  if (bytes.every((byte) => byte >= 0x20 && byte < 0x7f)) {
    refuse(field, 'must be random bytes, not text; create one with generateSealKey()')
  }
  return bytes
}

function bytesOf(key: unknown): Uint8Array | undefined {
  if (typeof key !== 'string') return isBytes(key) ? Uint8Array.from(key) : undefined
  if (HEX.test(key)) return Buffer.from(key, 'hex')
  // Buffer skips the two spare bits of the last character: only one spelling of a key is accepted.
  const bytes = Buffer.from(key, 'base64url')
  return BASE64URL.test(key) && bytes.toString('base64url') === key.replace('=', '') ? bytes : undefined
}

/** The key of one kind of ids: HKDF-SHA256 without salt. See spec/seal.md. */
export const deriveKey = (key: Uint8Array, family: string, prefix: string): Uint8Array =>
  new Uint8Array(hkdfSync('sha256', key, '', `snoflax seal v1\n${family}\n${prefix}`, KEY_BYTES))

function refuse(field: string, reason: string): never {
  throw new IdError('INVALID_OPTION', `seal: ${field} ${reason}`, { field })
}
