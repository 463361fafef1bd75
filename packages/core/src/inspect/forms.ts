import type { IdFamily, StorageName } from '../family.js'
import { fromHex } from '../primitives/bytes.js'
import { fail, show } from '../primitives/errors.js'
import { storageFor } from '../storage/index.js'

/** One form in which ids are written. */
export interface Form {
  readonly name: StorageName
  /** Whether the text could have this form, in any family. */
  fits(text: string): boolean
  /** @throws {IdError} if the text is not an id of the family in this form. */
  read(family: IdFamily, text: string): string
}

/**
 * The most specific form first: a uuid8 contains its family's tag; a text, and the uuid of a text, use the family's
 * alphabet; bytes and numbers of the right size are always an id.
 */
export const FORMS: readonly Form[] = [
  { name: 'uuid8', fits: isUuid, read: (family, text) => readStored(family, 'uuid8', uuidBytes(text)) },
  { name: 'text', fits: () => true, read: (family, text) => family.parse(text) },
  { name: 'uuid', fits: isUuid, read: (family, text) => readStored(family, 'uuid', uuidBytes(text)) },
  { name: 'binary', fits: isHex, read: (family, text) => family.encode(idBytes(family, text)) },
  { name: 'bigint', fits: isNumber, read: (family, text) => readStored(family, 'bigint', BigInt(text)) },
]

/** PostgreSQL has every storage. */
const readStored = (family: IdFamily, storage: StorageName, value: Uint8Array | bigint): string =>
  storageFor(family, 'postgres', { storage }).fromDatabase(value)

/** An integer without leading zeros. 64 bits have at most 20 digits. */
const NUMBER = /^(?:0|-?[1-9][0-9]{0,19})$/
const UUID = /^[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}$/i
/** `\x…` as in PostgreSQL, `0x…`, `X'…'` as in SQLite and MySQL, or bare digits. */
const HEX = /^(?:(?:\\x|0x)([0-9a-f]*)|x'([0-9a-f]*)'|([0-9a-f]+))$/i

function isNumber(text: string): boolean {
  return NUMBER.test(text)
}

function isUuid(text: string): boolean {
  return UUID.test(hexDigits(text) ?? text)
}

function isHex(text: string): boolean {
  return HEX.test(text)
}

function hexDigits(text: string): string | undefined {
  const [, marked, quoted, bare] = HEX.exec(text) ?? []
  return marked ?? quoted ?? bare
}

function uuidBytes(text: string): Uint8Array {
  return fromHex(hexDigits(text) ?? text.replaceAll('-', ''))
}

function idBytes({ name, byteLength }: IdFamily, text: string): Uint8Array {
  const digits = hexDigits(text) ?? ''
  if (digits.length === 2 * byteLength) return fromHex(digits)
  const reason = `an id has ${2 * byteLength} hex digits, not ${digits.length} (${show(text)})`
  return fail('INVALID_LENGTH', name, reason, text)
}
