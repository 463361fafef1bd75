import type { IdFamily, StorageName } from '../family.js'
import { checkFamilies, checkFamily, isOpaque, isPrefixed, ownOf } from '../identity.js'
import { isPrefix, prefixed, prefixOf } from '../prefixed/index.js'
import { toUnixMs } from '../primitives/clock.js'
import { checkString, IdError } from '../primitives/errors.js'
import { checkOptions } from '../primitives/options.js'
import { FORMS, type Form } from './forms.js'

/** Options of {@link isPlausible} and `readings`. */
export interface ReadingOptions {
  /** The current time in Unix milliseconds. Default `Date.now()`. */
  readonly nowMs?: number | undefined
}

/** Snowflake, the first widely used time-ordered id, dates from 2010. */
const FIRST_MS = /* @__PURE__ */ Date.UTC(2010)
/** How far clocks may differ. */
const DAY_MS = 86_400_000

/**
 * Whether the id's time is one at which ids are generated: from 2010 to a day after now. Ids of another family, and
 * other values that happen to have an id's form, mostly contain another time. So do ids that were generated for older
 * rows.
 *
 * @throws {IdError} for a malformed id, and `INVALID_TIME` if `nowMs` is NaN.
 *
 * @example
 * console.log(isPlausible(flax, flax.generate())) // true
 * console.log(isPlausible(flax, flax.max)) // false
 */
export function isPlausible(family: IdFamily, id: string, options: ReadingOptions = {}): boolean {
  checkFamily(family, 'isPlausible: family')
  const { nowMs = Date.now() } = checkOptions(family.name, options, { nowMs: 'any' })
  const lastMs = toUnixMs(family.name, nowMs) + DAY_MS
  const timeMs = family.timeMs(id)
  return timeMs >= FIRST_MS && timeMs <= lastMs
}

/** One way to read a text as an id. */
export interface IdReading {
  /** One of the families passed, or `prefixed` of one if the text has a prefix; never with other keys that it accepts. */
  readonly family: IdFamily
  /** The storage whose form the text has. */
  readonly form: StorageName
  /** The canonical text. */
  readonly id: string
  /** Whether the id's time is one at which ids are generated; see {@link isPlausible}. True for opaque ids. */
  readonly plausible: boolean
}

/**
 * Every way to read a text as an id of these families, in any form that people and databases write: the canonical text,
 * with or without a prefix; a uuid, with or without hyphens, in either case; bytes as `\x…`, `0x…`, `X'…'` or bare hex;
 * a decimal number. Each id of a family is listed once. The array is empty if the text is not an id; `refusals` says
 * why.
 *
 * The likeliest is first: plausible times before others; then by form: uuid8 (which contains its family's tag), text,
 * uuid, binary, bigint; then in the order of `families`. Pass families with a small alphabet first: nearly every sno
 * can be read as a flax, but hardly any flax as a sno.
 *
 * @throws {IdError} `INVALID_TYPE` if the text is not a string, `INVALID_TIME` if `nowMs` is NaN, `INVALID_OPTION`
 * for a value that is not a family.
 *
 * @example
 * const [first] = readings('\\x4e6f2160a0ff9a0a1033', [sno, flax, flake])
 * first?.family.name // 'sno'
 * first?.form // 'binary'
 * first?.id // 'brpk4q72xwf2m63l'
 */
export function readings(
  text: string,
  families: readonly IdFamily[],
  options: ReadingOptions = {},
): IdReading[] {
  checkFamilies(families, 'readings')
  checkOptions('readings', options, { nowMs: 'any' })
  const found = kindsOf(families, text).flatMap((family) => readingsAs(family, text, options))
  return found.sort((a, b) => Number(b.plausible) - Number(a.plausible) || rankOf(a) - rankOf(b))
}

const rankOf = ({ form }: IdReading): number => FORMS.findIndex(({ name }) => name === form)

function readingsAs(family: IdFamily, text: string, options: ReadingOptions): IdReading[] {
  const forms = new Map<string, StorageName>()
  for (const { id, form } of attempts(family, text)) {
    if (id !== undefined && !forms.has(id)) forms.set(id, form)
  }
  return Array.from(forms, ([id, form]) => ({
    family,
    form,
    id,
    plausible: isOpaque(family) || isPlausible(family, id, options),
  }))
}

/** Why a text is not an id of a family. */
export interface IdRefusal {
  /** One of the families passed; of one that accepts other keys, its own family. */
  readonly family: IdFamily
  /** The storage whose form the text resembles. */
  readonly form: StorageName
  /** The error of reading the text in that form. */
  readonly error: IdError
}

/**
 * Why a text is not an id, for each family for which `readings` returns nothing.
 *
 * @throws {IdError} `INVALID_TYPE` if the text is not a string, `INVALID_OPTION` for a value that is not a family.
 *
 * @example
 * const [refusal] = refusals('BRPK4Q72XWF2M63L', [sno, flax])
 * refusal?.family.name // 'sno'
 * refusal?.error.position // 0
 */
export function refusals(text: string, families: readonly IdFamily[]): IdRefusal[] {
  checkFamilies(families, 'refusals')
  return Array.from(new Set(families.map(ownOf))).flatMap((family) =>
    kindsOf([family], text).length > 1 ? [] : (refusalBy(family, text) ?? []),
  )
}

function refusalBy(family: IdFamily, text: string): IdRefusal | undefined {
  const tried = attempts(family, text)
  if (tried.some(({ id }) => id !== undefined)) return undefined
  const likeliest =
    tried.find(({ form }) => looksLike(form, text)) ?? tried.find(({ form }) => form === 'text')
  return likeliest?.error && { family, form: likeliest.form, error: likeliest.error }
}

const MARKED_HEX = /^(?:\\x|0x|x')/i

/** Only unmistakable forms: every text may be meant as an id's text, and words can consist of hex digits. */
const looksLike = (form: StorageName, text: string): boolean =>
  form !== 'text' && (form !== 'binary' || MARKED_HEX.test(text))

/** The result of reading a text in one form. */
type Attempt =
  | { readonly form: StorageName; readonly id: string; readonly error?: undefined }
  | { readonly form: StorageName; readonly id?: undefined; readonly error: IdError }

/** The families, without other keys that they accept, and, for a text with a prefix, the prefixed families of which it may be an id. */
function kindsOf(families: readonly IdFamily[], text: string): IdFamily[] {
  return Array.from(new Set(families.map(ownOf))).flatMap((family) => {
    const prefix =
      isPrefixed(family) || isOpaque(family) ? undefined : prefixOf(family, checkString(family.name, text))
    if (prefix === undefined || !isPrefix(prefix)) return [family]
    const kind = prefixed(family, prefix)
    return kind.is(text) ? [family, kind] : [family]
  })
}

/** Reads the text in each form that it could have and that the family's ids have; always as text. */
function attempts(family: IdFamily, text: string): Attempt[] {
  checkString(family.name, text)
  return FORMS.filter((form) => hasForm(family, form) && form.fits(text)).map((form) =>
    attempt(form, family, text),
  )
}

/** Every id has a text, and bytes unless it is opaque, even if the family doesn't have those storages. */
const hasForm = (family: IdFamily, { name }: Form): boolean =>
  name === 'text' || (!isOpaque(family) && (name === 'binary' || family.storages.includes(name)))

function attempt(form: Form, family: IdFamily, text: string): Attempt {
  try {
    return { form: form.name, id: form.read(family, text) }
  } catch (error) {
    if (error instanceof IdError) return { form: form.name, error }
    throw error
  }
}
