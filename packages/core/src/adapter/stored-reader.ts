import { isAccepting, isPrefixed } from '../identity.js'
import { fail, show } from '../primitives/errors.js'
import { isBytes } from '../primitives/realms.js'
import { directReader } from '../storage/convert.js'
import type { IdStorage } from '../storage/index.js'
import { bytesOfDriver } from '../storage/read.js'
import { UUID_TEXT } from '../storage/uuid.js'
import { hexOf } from './literal.js'

/**
 * Reads what a column returns: only the forms that drivers return for its storage. Other forms could be read as an id
 * too, but no condition finds a row that stores one. null stays null.
 *
 * @throws {IdError} `NOT_CANONICAL`, if SQL that bypasses the column wrote the value, such as a text into a BLOB;
 * otherwise as the storage's `fromDatabase`.
 *
 * @example
 * const read = storedReader(storageFor(flax, 'sqlite', { storage: 'binary' }))
 * read(flax.decode('Kpcan0M1FakODT4k')) // 'Kpcan0M1FakODT4k'
 */
export function storedReader(storage: IdStorage<string>): (value: unknown) => string | null {
  const { family, name } = storage
  const isBare = isPrefixed(family) && name !== 'text'
  const head = isBare ? `${family.prefix}_` : ''
  const direct = isAccepting(family) ? undefined : directReader(isBare ? family.base : family, name)
  return (value) => {
    if (value == null) return null
    try {
      const id = direct?.(value)
      if (id !== undefined) return head + id
    } catch {
      // `fromDatabase` throws it as the error of a stored value.
    }
    checkStored(storage, value)
    return storage.fromDatabase(value) as string
  }
}

function checkStored({ name, family }: IdStorage<string>, value: unknown): void {
  if (isStored[name](value, family.byteLength)) return
  const reason = `the column has storage ${name}, but the stored value is ${shown(value)}, ${causeOf(value)}`
  fail('NOT_CANONICAL', family.name, reason, value, 'column')
}

const causeOf = (value: unknown): string =>
  typeof value === 'object' && sizeOf(value) === undefined
    ? 'which contains no bytes. A cache that keeps rows as JSON may have lost them: keep this query out of it, or store the ids as text'
    : 'written by SQL that bypasses the column. Change that SQL to write the value of parameter()'

const isText = (value: unknown): value is string => typeof value === 'string'
const isUuid = (value: unknown): boolean =>
  isText(value) ? value.length === UUID_TEXT : sizeOf(value) === 16

const isStored: Record<IdStorage<string>['name'], (value: unknown, bytes: number) => boolean> = {
  text: isText,
  binary: (value, bytes) =>
    isBytes(value)
      ? value.length === bytes
      : isText(value)
        ? value.startsWith('\\x') && value.length === 2 + 2 * bytes
        : sizeOf(value) === bytes,
  uuid: isUuid,
  uuid8: isUuid,
  bigint: (value) => (isText(value) ? /^-?\d+$/.test(value) : sizeOf(value) === undefined),
}

/** The number of characters or bytes, whichever form of bytes a driver or the JSON of a cache has. */
function sizeOf(value: unknown): number | undefined {
  const { length, byteLength } = Object(bytesOfDriver(value))
  return length ?? byteLength
}

const SHOWN = 48

function shown(value: unknown): string {
  if (isBytes(value)) return `${value.length} bytes, \\x${hexOf(value.subarray(0, SHOWN))}`
  if (!isText(value)) return `the ${typeof value} ${typeof value === 'object' ? show(value) : String(value)}`
  const text = value.slice(0, SHOWN)
  return `the text ${JSON.stringify(text)}, \\x${codesOf(text)}`
}

/** The code points as hex; for ASCII, the bytes. */
const codesOf = (text: string): string =>
  Array.from(text, (character) => character.codePointAt(0)?.toString(16).padStart(2, '0')).join('')
