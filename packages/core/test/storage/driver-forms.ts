import type { IdFamily } from '@snoflax/core'
import { hexOf } from '../bytes.js'

const hyphened = (hex: string): string =>
  hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, (_, ...groups) => groups.slice(0, 5).join('-'))

/** Bytes that don't start at the beginning of their buffer, as drivers slice them out of a packet. */
function sliced(bytes: Uint8Array): Uint8Array {
  const packet = new Uint8Array(bytes.length + 9).fill(0xaa)
  packet.set(bytes, 5)
  return packet.subarray(5, 5 + bytes.length)
}

const bytesForms = (bytes: Uint8Array): unknown[] => [bytes, Buffer.from(bytes), sliced(bytes)]
const textForms = (text: string): unknown[] => [text, text.toUpperCase()]

/** The UUIDv8 of an id, spelled out digit by digit. */
export function uuid8Of(family: IdFamily, id: string): string {
  const digits = [...hexOf(family.decode(id))]
  digits.splice(12, 0, '8')
  digits.splice(16, 0, '8')
  while (digits.length < 30) digits.push('0')
  return hyphened(digits.join('') + family.tag.toString(16).padStart(2, '0'))
}

const uuidForms = (uuid: string): unknown[] => [
  ...textForms(uuid),
  ...bytesForms(Buffer.from(uuid.replaceAll('-', ''), 'hex')),
]

/** The forms of an id as a UUIDv8. */
export const uuid8Forms = (family: IdFamily, id: string): unknown[] => uuidForms(uuid8Of(family, id))

/** The forms of an id of 16 characters as a uuid; none for other families. */
export const uuidTextForms = (family: IdFamily, id: string): unknown[] =>
  family.textLength === 16 ? uuidForms(hyphened(Buffer.from(id, 'latin1').toString('hex'))) : []

/** Every form but uuids in which some driver hands over, or some ORM hands back, an id of the family. */
export function formsOf(family: IdFamily, id: string): unknown[] {
  const bytes = family.decode(id)
  const forms = [id, ...bytesForms(bytes), `\\x${hexOf(bytes)}`, `\\x${hexOf(bytes).toUpperCase()}`]
  if (family.textLength !== undefined && family.textLength !== 16) {
    forms.push(...bytesForms(Buffer.from(id, 'latin1')))
  }
  if (family.byteLength === 8) {
    const number = BigInt(`0x${hexOf(bytes)}`)
    forms.push(number)
    // Eleven digits could be the text of a uidLocal.
    if (number.toString().length !== family.textLength) forms.push(number.toString())
    if (number <= BigInt(Number.MAX_SAFE_INTEGER)) forms.push(Number(number))
  }
  return forms
}

/** A database value as spec/cases writes it: `\x` hex for bytes, decimal for numbers. */
export function written(value: unknown): string {
  return value instanceof Uint8Array ? `\\x${hexOf(value)}` : String(value)
}

/** The forms in which drivers give a value that spec/cases writes as text. */
export function readings(storage: string, value: string): unknown[] {
  switch (storage) {
    case 'binary':
      return [value, ...bytesForms(Buffer.from(value.slice(2), 'hex'))]
    case 'uuid':
    case 'uuid8':
      return uuidForms(value)
    case 'bigint':
      return [value, BigInt(value)]
    default:
      return [value]
  }
}
