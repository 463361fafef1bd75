import { createDecipheriv } from 'node:crypto'
import { IdError, type IdFamily } from '@snoflax/core'
import { baseOf } from '@snoflax/core/adapter'
import { readBlock, TEXT_LENGTH, writeBlock } from './base64url.js'
import { aes, type Cipher, ff1 } from './ff1.js'

/** How ids become sealed texts: a value of `size` bytes is enciphered, and written as text. */
export interface Form {
  /** Bytes of a value. */
  readonly size: number
  /** Characters of a text, without its prefix. */
  readonly length: number
  /** Matches a text, without its prefix. */
  readonly pattern: string
  /** Its name in JSON Schema, if it has one. */
  readonly format?: 'uuid'
  cipher(key: Uint8Array): Cipher
  /** Writes the id's bytes into the value at `at`. */
  put(id: Uint8Array, values: Uint8Array, at: number): void
  /** Whether the value at `at` can be one that `put` wrote. */
  isOurs(values: Uint8Array, at: number): boolean
  /** Writes the value at `at` into the id's bytes. */
  take(values: Uint8Array, at: number, id: Uint8Array): void
  /** The text of the enciphered value at `at`. */
  write(values: Uint8Array, at: number): string
  /** Reads the text from `start` on, which has the right length; false if `write` would not return it. */
  read(text: string, start: number, values: Uint8Array, at: number): boolean
}

/** Kinds of ids have keys of their own, see `deriveKey`; the forms of one kind have tweaks. */
const TWEAKS = { text: Buffer.from('text'), uuid: Buffer.from('uuid') }

const BLOCK_BYTES = 16
/** By the zeros after an id `open` recognizes our own texts; with 4 bytes a guess succeeds once in 2^32. */
const CHECK_BYTES = 4

/** An id and zeros in one block of AES, or, if they are longer, in one number for FF1. */
export function textForm({ byteLength }: IdFamily): Form {
  const isBlock = byteLength + CHECK_BYTES <= BLOCK_BYTES
  // FF1 splits a number into two halves of whole bytes.
  const size = isBlock ? BLOCK_BYTES : 2 * Math.ceil((byteLength + CHECK_BYTES) / 2)
  return {
    size,
    put(id, values, at) {
      for (let i = 0; i < byteLength; i++) values[at + i] = id[i] as number
    },
    isOurs(values, at) {
      let rest = 0
      for (let i = byteLength; i < size; i++) rest |= values[at + i] as number
      return rest === 0
    },
    take(values, at, id) {
      for (let i = 0; i < byteLength; i++) id[i] = values[at + i] as number
    },
    ...(isBlock ? blockForm : longForm(size)),
  }
}

type Written = Pick<Form, 'length' | 'pattern' | 'cipher' | 'write' | 'read'>

const blockForm: Written = {
  length: TEXT_LENGTH,
  pattern: '[A-Za-z0-9_\\-]{21}[AQgw]',
  cipher(key) {
    const decipher = createDecipheriv('aes-256-ecb', key, null).setAutoPadding(false)
    return { encrypt: aes(key), decrypt: (blocks) => decipher.update(blocks) }
  },
  write: writeBlock,
  read: readBlock,
}

/** The last character by the bits that it has. */
const LAST_CHARACTER = { 2: '[AQgw]', 4: '[AEIMQUYcgkosw048]', 6: '[A-Za-z0-9_\\-]' }

function longForm(size: number): Written {
  const length = Math.ceil((8 * size) / 6)
  const lastBits = (8 * size - 6 * (length - 1)) as keyof typeof LAST_CHARACTER
  return {
    length,
    pattern: `[A-Za-z0-9_\\-]{${length - 1}}${LAST_CHARACTER[lastBits]}`,
    cipher: (key) => ff1(key, 8 * size, TWEAKS.text),
    write: (values, at) => Buffer.from(values.buffer, values.byteOffset + at, size).toString('base64url'),
    read(text, start, values, at) {
      const digits = text.slice(start)
      // Buffer skips what is no digit, and spare bits.
      const bytes = Buffer.from(digits, 'base64url')
      values.set(bytes.subarray(0, size), at)
      return bytes.toString('base64url') === digits
    },
  }
}

/** The text of a UUID of version 4, in the family's own spelling. */
interface UuidText {
  readonly length: number
  readonly pattern: string
  readonly format?: 'uuid'
  write(bytes: Uint8Array): string
  /** For texts that match the pattern. */
  read(text: string): Uint8Array
}

const UUID: UuidText = {
  length: 36,
  pattern: '[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}',
  format: 'uuid',
  write(bytes) {
    const hex = Buffer.from(bytes).toString('hex')
    return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
  },
  read: (text) => Buffer.from(text.replaceAll('-', ''), 'hex'),
}

const BASE32 = '0123456789abcdefghjkmnpqrstvwxyz'
const DIGIT = '[0-9a-hjkmnp-tv-z]'

/** TypeID's suffix: two zero bits and the UUID, in digits of 5 bits. */
const TYPEID: UuidText = {
  length: 26,
  pattern: `[0-7]${DIGIT}{9}[89]${DIGIT}{2}[89abrstv]${DIGIT}{12}`,
  write(bytes) {
    let text = ''
    let bits = 2
    let rest = 0
    for (const byte of bytes) {
      rest = (rest << 8) | byte
      for (bits += 8; bits >= 5; text += BASE32[(rest >> bits) & 31]) bits -= 5
    }
    return text
  },
  read(text) {
    const bytes = new Uint8Array(16)
    let bits = -2
    let rest = 0
    let at = 0
    for (const digit of text) {
      rest = (rest << 5) | BASE32.indexOf(digit)
      bits += 5
      if (bits >= 8) {
        bits -= 8
        bytes[at++] = rest >> bits
      }
    }
    return bytes
  },
}

/**
 * UUIDs of version 7 as UUIDs of version 4: both have 122 free bits, of which FF1 makes others. A TypeID stays one.
 *
 * @throws {IdError} `INVALID_OPTION` for ids that are not UUIDs of version 7.
 */
export function uuidForm(family: IdFamily): Form {
  const base = baseOf(family)
  const [min, max] = [base.decode(base.min), base.decode(base.max)]
  if (!isVersion7(min) || !isVersion7(max)) {
    throw new IdError(
      'INVALID_OPTION',
      `${family.name}: as: 'uuid' needs ids that are all UUIDs of version 7, as those of uuid7 and typeid are; leave ` +
        'as out for a sealed text',
      { family: family.name, field: 'as', value: 'uuid' },
    )
  }
  const text = TYPEID.write(min) === base.min ? TYPEID : UUID
  const pattern = new RegExp(`^${text.pattern}$`)
  const uuid = new Uint8Array(16)
  return {
    size: 16,
    length: text.length,
    pattern: text.pattern,
    ...(text.format && { format: text.format }),
    cipher: (key) => ff1(key, 122, TWEAKS.uuid),
    put: packUuid,
    isOurs: () => true,
    take: (values, at, id) => unpackUuid(values, at, id, 7),
    write(values, at) {
      unpackUuid(values, at, uuid, 4)
      return text.write(uuid)
    },
    read(input, start, values, at) {
      const id = input.slice(start)
      if (!pattern.test(id)) return false
      packUuid(text.read(id), values, at)
      return true
    },
  }
}

const isVersion7 = ({ length, 6: version = 0, 8: variant = 0 }: Uint8Array): boolean =>
  length === 16 && version >> 4 === 7 && variant >> 6 === 0b10

/** The 122 bits of a UUID without version and variant: two halves of 61 bits, in 8 bytes each. */
function packUuid(uuid: Uint8Array, values: Uint8Array, at: number): void {
  const byte = (i: number): number => uuid[i] as number
  const middle = ((byte(6) & 0x0f) << 8) | byte(7)
  values[at] = byte(0) >> 3
  for (let i = 1; i < 6; i++) values[at + i] = (byte(i - 1) << 5) | (byte(i) >> 3)
  values[at + 6] = (byte(5) << 5) | (middle >> 7)
  values[at + 7] = (middle << 1) | ((byte(8) >> 5) & 1)
  values[at + 8] = byte(8) & 0x1f
  for (let i = 9; i < 16; i++) values[at + i] = byte(i)
}

function unpackUuid(values: Uint8Array, at: number, uuid: Uint8Array, version: number): void {
  const byte = (i: number): number => values[at + i] as number
  for (let i = 0; i < 6; i++) uuid[i] = (byte(i) << 3) | (byte(i + 1) >> 5)
  uuid[6] = (version << 4) | ((byte(6) >> 1) & 0x0f)
  uuid[7] = (byte(6) << 7) | (byte(7) >> 1)
  uuid[8] = 0x80 | ((byte(7) & 1) << 5) | byte(8)
  for (let i = 9; i < 16; i++) uuid[i] = byte(i)
}
