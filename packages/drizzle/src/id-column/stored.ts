import { IdError, type IdStorage } from '@snoflax/core'
import { hexOf } from './literal.js'

const UUID_LENGTHS = { text: 36, bytes: 16 }

/**
 * A stored value, if it has one of the forms that drivers give for the storage, bytes as bytes: an ArrayBuffer
 * (libsql), an array of numbers (D1), a Buffer's JSON.
 *
 * @throws {IdError} `NOT_CANONICAL` for another form: something wrote it past the column, such as a text into a BLOB.
 */
export function storedIn({ name, family }: IdStorage<string>, value: unknown): unknown {
  if (value == null) return null
  const stored = bytesOf(value) ?? value
  const size = typeof stored === 'string' || stored instanceof Uint8Array ? stored.length : undefined
  const isText = typeof stored === 'string'
  const isStored = {
    text: isText,
    binary: isText
      ? stored.startsWith('\\x') && size === 2 + 2 * family.byteLength
      : size === family.byteLength,
    uuid: size === (isText ? UUID_LENGTHS.text : UUID_LENGTHS.bytes),
    uuid8: size === (isText ? UUID_LENGTHS.text : UUID_LENGTHS.bytes),
    bigint: isText ? /^-?\d+$/.test(stored) : size === undefined,
  }
  if (isStored[name]) return stored
  throw new IdError(
    'NOT_CANONICAL',
    `${family.name}: an id has storage ${name} in this column, and the stored value is ${shown(stored)}: SQL that ` +
      'bypasses the column wrote it. Convert it by toDatabase(column, id)',
    { family: family.name, value },
  )
}

function bytesOf(value: NonNullable<unknown>): Uint8Array | undefined {
  if (value instanceof ArrayBuffer) return new Uint8Array(value)
  const { type, data } = value as { readonly type?: unknown; readonly data?: unknown }
  const numbers = type === 'Buffer' ? data : value
  return Array.isArray(numbers) ? Uint8Array.from(numbers) : undefined
}

const SHOWN = 48

function shown(value: unknown): string {
  if (value instanceof Uint8Array) return `${value.length} bytes, \\x${hexOf(value.subarray(0, SHOWN))}`
  if (typeof value !== 'string') return `${typeof value} ${value}`
  const text = value.slice(0, SHOWN)
  return `the text ${JSON.stringify(text)}, \\x${hexOf(new TextEncoder().encode(text))}`
}
