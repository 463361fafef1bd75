import type { IdFamily } from '../family.js'
import { fromHex, toHex } from '../primitives/bytes.js'
import { IdError, show } from '../primitives/errors.js'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
export const UUID_BYTES = 16
/** What a uuid8 has room for: all but the version and variant digits and the tag. */
export const UUID8_BYTES = 14
/** Digits of a uuid8 before its two tag digits. */
const BODY_DIGITS = 30

export const isUuid = (text: string): boolean => UUID.test(text)

/** The hyphened lower-case text of 32 hex digits. */
function hyphened(hex: string): string {
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

/** The id's 16 characters, or its 16 bytes, as the bytes of a uuid. */
export function toUuid(family: IdFamily, id: string): string {
  const bytes = family.byteLength === UUID_BYTES ? family.decode(id) : ascii(id)
  return hyphened(toHex(bytes))
}

/** UUIDv8: the id's digits with an 8 put in at digits 12 and 16, zeros, and the family's tag. */
export function toUuid8(family: IdFamily, id: string): string {
  const hex = toHex(family.decode(id))
  const body = `${hex.slice(0, 12)}8${hex.slice(12, 15)}8${hex.slice(15)}`
  return hyphened(body.padEnd(BODY_DIGITS, '0') + tagDigits(family))
}

/** The two storages that look alike: both are a uuid. */
export type UuidForm = 'uuid' | 'uuid8'

/** The id of a uuid in the given form, or in whichever it is. */
export function fromUuid(family: IdFamily, uuid: string, form?: UuidForm): string {
  const hex = uuid.replaceAll('-', '').toLowerCase()
  if (family.byteLength === UUID_BYTES) return family.encode(fromHex(hex))
  return (form ?? formOf(family, hex)) === 'uuid8'
    ? fromUuid8(family, uuid, hex)
    : family.parse(textOf(fromHex(hex)))
}

/** Byte 8 of a uuid8 has its highest bit set, which no ASCII character has. */
function formOf(family: IdFamily, hex: string): UuidForm {
  return family.storages.includes('uuid') && hex.charAt(16) < '8' ? 'uuid' : 'uuid8'
}

function fromUuid8(family: IdFamily, uuid: string, hex: string): string {
  const digits = hex.slice(0, 12) + hex.slice(13, 16) + hex.slice(17, BODY_DIGITS)
  const idDigits = digits.slice(0, 2 * family.byteLength)
  const padding = digits.slice(2 * family.byteLength)
  if (hex[12] === '8' && hex[16] === '8' && /^0*$/.test(padding) && hex.endsWith(tagDigits(family))) {
    return family.encode(fromHex(idDigits))
  }
  throw new IdError(
    'NOT_CANONICAL',
    `${family.name}: ${show(uuid)} is no UUIDv8 of this family, which has an 8 at digits 12 and 16, ` +
      `${padding.length} zeros and ends in ${tagDigits(family)}`,
    { family: family.name, value: uuid },
  )
}

const tagDigits = (family: IdFamily): string => family.tag.toString(16).padStart(2, '0')

export const textOf = (bytes: Uint8Array): string => String.fromCharCode(...bytes)

function ascii(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length)
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i)
  return bytes
}
