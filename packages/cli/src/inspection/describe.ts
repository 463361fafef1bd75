import { fieldBits, type IdReading } from '@snoflax/core'
import { formsOf, hexOf } from '../ids/forms.js'
import { showLocal, showUtc } from '../ids/time.js'

/** One field of an id, as JSON can have it. */
export interface DescribedBits {
  /** Name of the field. */
  readonly name: string
  /** Its bits as `0` and `1`. */
  readonly bits: string
  /** The same as an unsigned number, in decimal: it may be above 2^53. */
  readonly value: string
}

/** All that an id says. */
export interface Description {
  /** Name of the family. */
  readonly family: string
  /** The canonical text. */
  readonly id: string
  /** The form in which it was given. */
  readonly form: string
  /** When it was made, in Unix milliseconds. */
  readonly timeMs: number
  /** The same as ISO 8601 in UTC. */
  readonly timeUtc: string
  /** The same in the zone of this process. */
  readonly timeLocal: string
  /** False for a time before 2010 or in the future: perhaps it is another family's id. */
  readonly plausible: boolean
  /** Its parts by name; bytes as hex. */
  readonly fields: Readonly<Record<string, string | number>>
  /** The same parts as they lie in the bits, from the most significant one. */
  readonly bits: readonly DescribedBits[]
  /** Every storage's form by its name. */
  readonly forms: Readonly<Record<string, string>>
}

export function describeReading({ family, form, id, plausible }: IdReading): Description {
  const timeMs = family.timeMs(id)
  return {
    family: family.name,
    id,
    form,
    timeMs,
    timeUtc: showUtc(timeMs),
    timeLocal: showLocal(timeMs),
    plausible,
    fields: fieldsOf(family.unpack(id) as object),
    bits: fieldBits(family, id).map(({ name, bits, value }) => ({ name, bits, value: String(value) })),
    forms: formsOf(family, id),
  }
}

const fieldsOf = (fields: object): Record<string, string | number> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, value instanceof Uint8Array ? hexOf(value) : value]),
  )
