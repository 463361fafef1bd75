import { type Database, type DatabaseValue, type IdFamily, ulid } from '@snoflax/core'
import { type IdReading, readings } from '@snoflax/core/inspect'
import { families } from '../ids/families.js'
import { exactStorage } from '../ids/forms.js'
import { formOf, type IdForm, UUID } from './similar.js'
import { boundsOfNumbers, hyphenated } from './values.js'

/** Ids of one form in a column, and how it stores them. Values are shown as text: bytes as `\x…`, numbers in decimal. */
export interface Kept {
  readonly form: IdForm
  idOf(shown: string): string | undefined
  /** Undefined for what the column can't store. */
  storedFor(id: string): DatabaseValue | undefined
}

/** Undefined unless the values are ids of one form. A column of UUIDs may have those of another family, too. */
export function keptIn(kind: Database, isNumber: boolean, shown: readonly string[]): Kept[] {
  const areBytes = shown.every((one) => one.startsWith('\\x'))
  const texts = shown.map(asUuid)
  const form = formOf(texts)
  const stored = (text: string): DatabaseValue | undefined =>
    isNumber ? numberIn(kind, text) : areBytes ? bytesOf(text) : text
  const asItIs = form ? [{ form, idOf: asUuid, storedFor: stored }] : []
  if (!areBytes && !texts.every((one) => UUID.test(one))) return asItIs
  return [...asItIs, ...readingsOfAll(texts).flatMap((one) => asFamily(kind, areBytes, one, texts))]
}

const BYTES_16 = /^\\x([\da-f]{32})$/i

/** Sixteen bytes as a UUID. */
const asUuid = (shown: string): string => {
  const [, digits] = BYTES_16.exec(shown) ?? []
  return digits === undefined ? shown : hyphenated(digits.toLowerCase())
}

const bytesOf = (uuid: string): Buffer => Buffer.from(uuid.replaceAll('-', ''), 'hex')

/** Larger numbers aren't compared by index. */
function numberIn(kind: Database, digits: string): bigint | undefined {
  const [, beyond] = boundsOfNumbers(kind)
  const number = BigInt(digits)
  return String(number) === digits && number < beyond ? number : undefined
}

/** How all of the values read. Most UUIDs read as ULIDs. */
function readingsOfAll([first = '', ...rest]: readonly string[]): IdReading[] {
  const by = (known: readonly IdFamily[]): IdReading[] =>
    storedReadings(first, known).filter((one) => rest.every((other) => readAs(one, other) !== undefined))
  const found = by(families())
  return found.length > 0 ? found : by([ulid])
}

const storedReadings = (text: string, known: readonly IdFamily[]): IdReading[] =>
  readings(text, known).filter(({ form, id, plausible }) => plausible && form !== 'text' && id !== text)

const readAs = ({ family, form }: IdReading, text: string): string | undefined =>
  storedReadings(text, [family]).find((one) => one.form === form)?.id

function asFamily(kind: Database, areBytes: boolean, one: IdReading, texts: readonly string[]): Kept[] {
  const { family } = one
  const ids = texts.flatMap((text) => readAs(one, text) ?? [])
  const form = formOf(ids)
  const storage = exactStorage(family, kind, one.form)
  if (!form) return []
  return [
    {
      form: { ...form, fill: [family.min[1] as string, family.max[1] as string] },
      idOf: (shown) => readAs(one, asUuid(shown)),
      storedFor: (text) => {
        if (!family.is(text)) return undefined
        const value = storage.toDatabase(text)
        return areBytes && typeof value === 'string' ? bytesOf(value) : value
      },
    },
  ]
}
