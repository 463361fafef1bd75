import type { IdFamily } from '../family.js'
import { fromBigInt, fromHex } from '../primitives/bytes.js'
import { fail, IdError, refuseType, show } from '../primitives/errors.js'
import { isArrayBuffer, isBytes } from '../primitives/realms.js'
import { fromUuid, ofCharacters, UUID_BYTES, type UuidForm, uuidBytes } from './uuid.js'

const HEX_BYTES = /^\\x(?:[0-9a-f]{2})*$/i
/** An integer as drivers return it, without leading zeros. */
const DECIMAL = /^(?:0|-?[1-9][0-9]*)$/
/** Number of bytes of the families that can be stored as a number. */
export const BIGINT_BYTES = 8

/**
 * Reads an id in any form that drivers return or ORMs pass: canonical text, bytes, `\x` hex, a uuid's text or bytes, an
 * integer. Type and length decide which it is; `form` restricts a uuid to one of its two forms.
 *
 * @throws {IdError} as the family's `parse`.
 */
export function read<AnId extends string>(family: IdFamily<AnId>, value: unknown, form?: UuidForm): AnId {
  if (typeof value === 'string') return readText(family, value, form)
  if (isBytes(value)) return readBytes(family, value, form)
  if (isNumbered(family)) {
    if (typeof value === 'bigint') return readNumber(family, value, value)
    if (typeof value === 'number') return readNumber(family, exact(family, value), value)
  }
  return refuseType(family.name, 'an id must be a string', value)
}

/** The error of a stored value that is not an id. No `statusCode`: the request is not at fault. */
export function ofStored(family: IdFamily, value: unknown, error: unknown): unknown {
  if (!(error instanceof IdError)) return error
  const forms = isNumbered(family) ? 'text, bytes or an integer' : 'text or bytes'
  const message =
    error.code === 'INVALID_TYPE'
      ? `${family.name}: a stored id must be ${forms}, not ${show(value)}`
      : error.message
  return new IdError(error.code, message, { ...error, field: 'column' })
}

/**
 * Converts the other forms in which drivers and caches return bytes to a Uint8Array: an ArrayBuffer (libsql), an array
 * of numbers (Cloudflare D1), the JSON of a Buffer or of a Uint8Array. Returns other values unchanged.
 */
export function bytesOfDriver(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || isBytes(value)) return value
  if (isArrayBuffer(value)) return new Uint8Array(value)
  const { type, data } = value as { readonly type?: unknown; readonly data?: unknown }
  const list = type === 'Buffer' ? data : isIndexed(value) ? Object.values(value) : value
  return Array.isArray(list) && list.length > 0 && list.every(isByte)
    ? Uint8Array.from(list as number[])
    : value
}

/** Whether an object is the JSON of a Uint8Array: `{"0":1,"1":2}`. */
const isIndexed = (value: object): boolean =>
  !ArrayBuffer.isView(value) && Object.keys(value).every((key, index) => key === String(index))

const isByte = (value: unknown): boolean =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) <= 0xff

/** Whether a column can store ids of the family as numbers. */
export const isNumbered = ({ byteLength, storages }: IdFamily): boolean =>
  byteLength === BIGINT_BYTES && storages.includes('bigint')

function readText<AnId extends string>(family: IdFamily<AnId>, text: string, form?: UuidForm): AnId {
  if (text.length === family.textLength) return checkUnambiguous(family, family.parse(text))
  const uuid = uuidBytes(text)
  if (uuid) return fromUuid(family, uuid, form) as AnId
  if (HEX_BYTES.test(text)) return readBytes(family, fromHex(text.slice(2)), form)
  if (isNumbered(family) && DECIMAL.test(text)) return readNumber(family, BigInt(text), text)
  return family.parse(text)
}

/**
 * A text of digits could be both the family's text and a number: uidLocal has such texts from the year 3016.
 */
function checkUnambiguous<AnId extends string>(family: IdFamily<AnId>, id: AnId): AnId {
  if (!isNumbered(family) || !DECIMAL.test(id)) return id
  const reason = `${show(id)} can be the text of an id or its number; pass a bigint or bytes`
  fail('NOT_CANONICAL', family.name, reason, id)
}

function readBytes<AnId extends string>(family: IdFamily<AnId>, bytes: Uint8Array, form?: UuidForm): AnId {
  if (bytes.length === UUID_BYTES) return fromUuid(family, bytes, form) as AnId
  if (bytes.length === family.textLength) return ofCharacters(family, bytes, bytes)
  return family.encode(bytes)
}

function exact(family: IdFamily, value: number): bigint {
  if (Number.isSafeInteger(value)) return BigInt(value)
  const reason = `the integer ${value} was rounded; configure the driver to return bigints or strings`
  fail('FIELD_OUT_OF_RANGE', family.name, reason, value)
}

function readNumber<AnId extends string>(family: IdFamily<AnId>, number: bigint, value: unknown): AnId {
  if (number < 0n || number >= 2n ** 64n) {
    fail(
      'FIELD_OUT_OF_RANGE',
      family.name,
      `an id must be an integer from 0 to 2^64 - 1, not ${number}`,
      value,
    )
  }
  return family.encode(fromBigInt(number))
}
