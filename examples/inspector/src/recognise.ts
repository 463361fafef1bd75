import { IdError, type IdFamily, storageFor } from '@snoflax/core'
import { KNOWN } from './families.js'

/** How an id was written. `hex` is bare, or marked by `\x` or `0x`. */
export type Form = 'text' | 'uuid8' | 'uuid' | 'hex' | 'decimal'

/** One way to read a text as an id. */
export interface Fit {
  readonly family: IdFamily
  readonly form: Form
  readonly id: string
  /** Whether the id's time is one at which ids are made: from 2010 to tomorrow. */
  readonly likely: boolean
}

/** Why a text is no id of a family, in the words of its error. */
export interface Misfit {
  readonly family: IdFamily
  readonly reason: string
}

const UUID = /^[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}$/i
const HEX = /^(?:\\x|0x)?((?:[0-9a-f]{2})+)$/i
const MARKED_HEX = /^(?:\\x|0x)/i
const DECIMAL = /^(?:0|[1-9][0-9]*)$/
const FIRST_LIKELY_MS = Date.UTC(2010, 0, 1)
const DAY_MS = 86_400_000

type Reader = (family: IdFamily, text: string) => string

/** In the order in which they are believed, where several fit. */
const READERS: Readonly<Record<Form, Reader>> = {
  uuid8: (family, text) => uuidReader(family, text, 'uuid8'),
  text: (family, text) => family.parse(text),
  uuid: (family, text) => uuidReader(family, text, 'uuid'),
  hex: (family, text) => family.encode(bytesOf(match(HEX, text, family)[1] as string)),
  decimal: (family, text) =>
    storageFor(family, 'mysql', { storage: 'bigint' }).fromDatabase(BigInt(match(DECIMAL, text, family)[0])),
}

/** What was pasted, without the blanks and quotes around it. */
export const bare = (pasted: string): string => pasted.trim().replace(/^(['"`])(.*)\1$/, '$2')

/** Every family and form that the text can be read as, the likeliest first, each id of a family once. */
export function recognise(pasted: string, nowMs: number = Date.now()): Fit[] {
  const text = bare(pasted)
  const forms = Object.keys(READERS) as Form[]
  const fits = forms.flatMap((form) => KNOWN.flatMap(({ family }) => fitsOf(family, form, text, nowMs)))
  const first = fits.filter(
    (fit, i) => i === fits.findIndex(({ family, id }) => family === fit.family && id === fit.id),
  )
  return first.sort((a, b) => Number(b.likely) - Number(a.likely))
}

/** Why the text is no id, by family: in the form that it looks like. */
export function misfits(pasted: string): Misfit[] {
  const text = bare(pasted)
  const read = READERS[looksLike(text)]
  return KNOWN.flatMap(({ family }) => {
    const reason = refusalOf(() => read(family, text))
    return reason === undefined ? [] : [{ family, reason: reason.message }]
  })
}

function looksLike(text: string): Form {
  if (UUID.test(text)) return 'uuid8'
  return MARKED_HEX.test(text) ? 'hex' : 'text'
}

function fitsOf(family: IdFamily, form: Form, text: string, nowMs: number): Fit[] {
  let id: string | undefined
  if (refusalOf(() => (id = READERS[form](family, text))) || id === undefined) return []
  const timeMs = family.timeMs(id)
  return [{ family, form, id, likely: timeMs >= FIRST_LIKELY_MS && timeMs < nowMs + DAY_MS }]
}

/** The error by which the family refuses, if it does. Any other error is a bug, and comes out. */
function refusalOf(read: () => unknown): IdError | undefined {
  try {
    read()
    return undefined
  } catch (error) {
    if (error instanceof IdError) return error
    throw error
  }
}

function uuidReader(family: IdFamily, text: string, storage: 'uuid' | 'uuid8'): string {
  return storageFor(family, 'postgres', { storage }).fromDatabase(hyphened(match(UUID, text, family)[0]))
}

const hyphened = (uuid: string): string =>
  uuid.replaceAll('-', '').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')

/** @throws {IdError} for a text that is not in this form, whatever the family. */
function match(pattern: RegExp, text: string, { name }: IdFamily): RegExpExecArray {
  const found = pattern.exec(text)
  if (found) return found
  throw new IdError('INVALID_CHARACTER', `${name}: ${text} is not in that form`, {
    family: name,
    value: text,
  })
}

const bytesOf = (hex: string): Uint8Array =>
  Uint8Array.from({ length: hex.length / 2 }, (_, i) => Number.parseInt(hex.slice(2 * i, 2 * i + 2), 16))
