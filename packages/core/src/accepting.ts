import type { IdFamily } from './family.js'
import { checkFamily, isAccepting, isPrefixed, isSameFamily } from './identity.js'
import { IdError, show } from './primitives/errors.js'
import { isRegExp } from './primitives/realms.js'
import { standardSchema } from './primitives/standard-schema.js'
import { UUID_TEXT } from './storage/uuid.js'

/** Keys that a family accepts beside its own ids: a pattern, which must match the whole text, or a family. */
export type Accepted = RegExp | IdFamily

/** One or several kinds of keys. */
export type Accept = Accepted | readonly Accepted[]

/** The type of the accepted keys: `string` for a pattern, the ids of a family. */
export type AcceptedId<Accepts> = Accepts extends readonly (infer One)[]
  ? AcceptedId<One>
  : Accepts extends { readonly min: infer AnId extends string }
    ? AnId
    : string

/** Ids, and the accepted keys beside them. */
export type WithAccepted<AnId extends string, Accepts> =
  string extends AcceptedId<Accepts> ? string : AnId | AcceptedId<Accepts>

/** A family that accepts other keys beside its own ids. It generates its own only. */
export type AcceptingFamily<Own extends IdFamily = IdFamily, Accepts extends Accept = Accept> = IdFamily<
  WithAccepted<Own['min'], Accepts>,
  ReturnType<Own['unpack']>
> &
  Omit<Own, keyof IdFamily> & {
    /** The family without the other keys: `own.is(id)` tells whether an id is one of its own, which have a time. */
    readonly own: Own
    /** The other keys, as passed. */
    readonly accepted: readonly Accepted[]
  }

/**
 * A family whose columns keep the keys that they already have, such as cuids: `parse`, `is` and every column accept them
 * beside the family's ids, and new rows get ids of the family.
 *
 * `time`, `timeMs`, `unpack` and `decode` throw for an accepted key. Bounds of a time are those of the family: a range
 * compares texts, so it also selects accepted keys that sort between its ends (`exactRange` is false).
 *
 * A pattern or family that also matches ids of the family itself is refused: nobody could tell both apart, and older keys
 * would get invented times. `nanoid(16)` has the same form as flax.
 *
 * Ids are stored as text, since a compact storage can't convert the others. `uuid` remains if all are UUIDs, as with
 * `accepting(uuid7, uuid7.withVersion4())`.
 *
 * @param accept a pattern, a family, or a list of them. A pattern must match the whole text, also without `^` and `$`.
 * @throws {IdError} `INVALID_OPTION` for a pattern with other flags than i, s, u and v or one that matches the empty
 * text, or ids of the family itself, for a family whose ids can't be stored as text, and for one that already accepts others.
 *
 * @example
 * const userId = accepting(flax, /[a-z0-9]{24}/)
 * userId.is('tz4a98xxat96iws9zmbrgj3a') // true
 * userId.generate() // FlaxId, e.g. 'Kpcan0M1FakODT4k'
 */
export function accepting<Own extends IdFamily, const Accepts extends Accept>(
  family: Own,
  accept: Accepts,
): AcceptingFamily<Own, Accepts> {
  checkFamily(family, 'accepting: family')
  const accepted: readonly Accepted[] = Array.isArray(accept) ? accept : [accept]
  const refuse = (value: unknown, reason: string): never => {
    throw new IdError('INVALID_OPTION', `${family.name}: accept ${reason}`, {
      family: family.name,
      field: 'accept',
      value,
    })
  }
  if (isAccepting(family)) refuse(accept, 'is already set; pass all patterns and families in one list')
  if (accepted.length === 0) refuse(accept, 'is an empty list; pass a pattern or a family, or leave it out')
  if (!family.storages.includes('text')) {
    refuse(
      accept,
      'needs ids that sort as text; choose another family, or replace the other keys by `snoflax adopt`',
    )
  }
  const checks = accepted.map((one) => checkOf(one, refuse))
  for (const [at, one] of accepted.entries()) {
    const both = overlapOf(family, one, checks[at] as (text: string) => boolean)
    if (both === undefined) continue
    const shown = isRegExp(one) ? String(one) : one.name
    refuse(
      accept,
      `${shown} also matches ids of the column, such as ${show(both)}: accepted keys of that form would seem to ` +
        "have a time. Set a prefix for new ids, { prefix: 'cus' }, choose a family of another form, or a narrower pattern",
    )
  }
  const isAccepted = (text: string): boolean => checks.some((check) => check(text)) || isLabel(text)
  const is = (value: unknown): value is string =>
    typeof value === 'string' && (family.is(value) || isAccepted(value))
  const shown = accepted.map((one) => (isRegExp(one) ? String(one) : one.name)).join(' or ')
  const parse = (value: unknown): string => {
    if (is(value)) return value
    try {
      return family.parse(value)
    } catch (error) {
      if (!(error instanceof IdError)) throw error
      const { code, message } = error
      throw new IdError(code, `${message}; also accepted: ${shown}`, { ...error, value })
    }
  }
  /** A member of the family that accepted keys don't have. */
  const ownOnly =
    <Result>(read: (id: string) => Result) =>
    (id: string): Result => {
      if (family.is(id) || !is(id)) return read(id)
      throw new IdError(
        'NOT_CANONICAL',
        `${family.name}: ${show(id)} is an accepted key, which has no time and no fields`,
        { family: family.name, field: 'time', value: id },
      )
    }
  const pattern = patternOf(family, accepted)
  const changed = {
    own: family,
    accepted,
    storages: family.storages.filter(
      (one) => one === 'text' || (one === 'uuid' && [family, ...accepted].every(isUuid)),
    ),
    pattern,
    textLength: undefined,
    exactRange: false,
    is,
    parse,
    decode: ownOnly(family.decode),
    unpack: ownOnly(family.unpack),
    time: ownOnly(family.time),
    timeMs: ownOnly(family.timeMs),
    compare: (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0),
    '~standard': standardSchema(is, parse, pattern, undefined),
  }
  // Inherits the family's own members, such as `generate`, `monotonic` and `prefix`.
  return Object.create(family, Object.getOwnPropertyDescriptors(changed))
}

/** Where labels are kept, for each copy of this module in a process. */
const LABELS = Symbol.for('@snoflax/core labels')
type WithLabels = { [LABELS]?: readonly RegExp[] }

const isLabel = (text: string): boolean =>
  ((globalThis as WithLabels)[LABELS] ?? []).some((pattern) => pattern.test(text))

/**
 * Lets every column that accepts other keys accept these too, in this process: for the fixed labels of tests, called
 * once by their set-up, so that no label stands in the schema. Without an argument no labels are accepted any more.
 *
 * @param pattern must match the whole text.
 * @throws {IdError} `INVALID_OPTION` as `accepting` for its patterns.
 *
 * @example
 * acceptLabels(/(?:user|post)-\d+/)
 */
export function acceptLabels(...pattern: readonly RegExp[]): void {
  const refuse = (value: unknown, reason: string): never => {
    throw new IdError('INVALID_OPTION', `acceptLabels ${reason}`, { field: 'pattern', value })
  }
  const labels = pattern.map((one) => (isRegExp(one) ? wholeOf(one, refuse) : refuse(one, 'takes a RegExp')))
  ;(globalThis as WithLabels)[LABELS] = labels
}

const FLAGS = /^[isuv]*$/

function checkOf(
  one: Accepted,
  refuse: (value: unknown, reason: string) => never,
): (text: string) => boolean {
  if (!isRegExp(one)) {
    checkFamily(one, 'accept: each entry must be a RegExp, or it')
    return isAccepting(one) ? refuse(one, 'takes families that accept no others themselves') : one.is
  }
  const whole = wholeOf(one, refuse)
  return (text) => whole.test(text)
}

function wholeOf(one: RegExp, refuse: (value: unknown, reason: string) => never): RegExp {
  const { source, flags } = one
  if (!FLAGS.test(flags)) refuse(one, `takes patterns with the flags i, s, u and v, not ${one}`)
  const whole = new RegExp(`^(?:${source})$`, flags)
  if (whole.test('')) refuse(one, `takes no pattern that matches the empty text, as ${one} does`)
  return whole
}

/** Sets of characters by which keys are usually spelled. */
const SPELLINGS = [
  /./,
  /[a-z]/,
  /[A-Z]/,
  /\d/,
  /[0-7]/,
  /[a-z\d]/,
  /[A-Z\d]/,
  /[a-zA-Z]/,
  /[a-zA-Z\d]/,
  /[a-f\d]/,
  /[A-F\d]/,
]
/** Texts for each of them, ids with random bytes, and beginnings of ids of these years. */
const TEXTS = 6
const IDS = 64
const HEADS = 16

/** Ids of these years are tried. */
const FIRST_YEAR_MS = Date.UTC(2026)
const YEARS_MS = 20 * 31_557_600_000

/** The same numbers each time: a declaration that is accepted once always is. */
function sequence(): () => number {
  let state = 1
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/**
 * A text that is an id of the family and an accepted key; undefined if none is found. Patterns can't be compared, so
 * they are tried on ids: random ones, ones spelled by a part of the alphabet only, and ones with the literal parts of
 * the pattern in them. A pattern of any length, such as `user-\d+`, is refused for ids of the next years only.
 */
function overlapOf(
  family: IdFamily,
  one: Accepted,
  isAccepted: (text: string) => boolean,
): string | undefined {
  // Such as uuid7, and uuid7 with version 4: one text means the same in both.
  if (!isRegExp(one) && isSameFamily(one, family)) return undefined
  const { ids, spelled, timed, start } = sampleOf(family)
  if (!isRegExp(one))
    return [...sampleOf(one).ids, ...ids].find((text) => family.is(text) && isAccepted(text))
  const [nowMs, laterMs] = windowOf(family)
  const isOverlap = (id: string): boolean => {
    if (!isAccepted(id) || !family.is(id)) return false
    const timeMs = family.timeMs(id)
    return (
      (timeMs >= nowMs && timeMs < laterMs) || !(isAccepted(id.slice(0, -1)) || isAccepted(id + id.slice(-1)))
    )
  }
  const prefix = family.min.slice(0, start)
  const words = (one.source.replace(/\[[^[\]]*\]|\\.|\{[^{}]*\}/g, ' ').match(/[\w-]+/g) ?? [])
    .map((word) => (word.startsWith(prefix) ? word.slice(start) : word))
    .filter((word) => word !== '')
  const worded = spelled.flatMap((text) =>
    words.flatMap((word) => [
      put(word, text, start),
      put(word, text, Math.max(start, text.length - word.length)),
    ]),
  )
  return [...spelled, ...timed, ...worded, ...ids].find(isOverlap)
}

/** Texts on which patterns are tried: ids, and some spelled by a part of the alphabet, also with the time of an id. */
interface Sample {
  readonly ids: readonly string[]
  readonly spelled: readonly string[]
  readonly timed: readonly string[]
  /** Where the text behind the prefix begins. */
  readonly start: number
}

const samples = new WeakMap<IdFamily, Sample>()

function sampleOf(family: IdFamily): Sample {
  if (isPrefixed(family) && family.min === `${family.prefix}_${family.base.min}`) {
    const { ids, spelled, timed } = sampleOf(family.base)
    const behind = (texts: readonly string[]) => texts.map((text) => `${family.prefix}_${text}`)
    return {
      ids: behind(ids),
      spelled: behind(spelled),
      timed: behind(timed),
      start: family.prefix.length + 1,
    }
  }
  const known = samples.get(family) ?? sampled(family)
  samples.set(family, known)
  return known
}

function sampled(family: IdFamily): Sample {
  const random = sequence()
  const oneOf = (some: readonly string[]): string => some[Math.floor(random() * some.length)] as string
  const ids = [family.min, family.max, ...idsOf(family, random)]
  const [nowMs, laterMs] = windowOf(family)
  const [now, later] = [family.lowerBound(nowMs), family.lowerBound(laterMs)]
  let shared = 0
  while (now[shared] === later[shared] && shared < now.length) shared++
  const length = family.textLength ?? now.length
  const seen = ids.filter((id) => id.length === length)
  const places = Array.from({ length }, (_, at) => [...new Set(seen.map((id) => id.charAt(at)))])
  const digits = [...new Set(places.flat())]
  const start = isPrefixed(family) ? family.prefix.length + 1 : 0
  const heads = Array.from({ length: HEADS }, () =>
    family.lowerBound(nowMs + random() * (laterMs - nowMs - 1)).slice(start, shared + 1),
  )
  const spelled: string[] = []
  const timed: string[] = []
  for (const spelling of SPELLINGS) {
    const allowed = new Set(digits.filter((digit) => spelling.test(digit)))
    const choices = places.map((all) => {
      const some = all.filter((digit) => allowed.has(digit))
      return some.length > 0 ? some : all
    })
    const beginnings = heads.filter((head) => [...head].every((digit) => allowed.has(digit)))
    for (let i = 0; i < TEXTS; i++) {
      const text = choices.map(oneOf).join('')
      spelled.push(text)
      if (beginnings.length > 0) timed.push(put(oneOf(beginnings), text, start))
    }
  }
  return { ids, spelled, timed, start }
}

const put = (part: string, text: string, at: number): string =>
  text.slice(0, at) + part + text.slice(at + part.length)

function windowOf({ firstMs, lastMs }: IdFamily): readonly [nowMs: number, laterMs: number] {
  const nowMs = Math.min(Math.max(FIRST_YEAR_MS, firstMs), lastMs)
  return [nowMs, Math.min(nowMs + YEARS_MS, lastMs)]
}

/** Ids with random bytes; without those that a family of one's own refuses. */
function idsOf(family: IdFamily, random: () => number): string[] {
  return Array.from({ length: IDS }, () => {
    const bytes = Uint8Array.from({ length: family.byteLength }, () => Math.floor(random() * 256))
    try {
      return family.encode(bytes)
    } catch (error) {
      if (!(error instanceof IdError)) throw error
      return family.lowerBound(family.firstMs + Math.floor(random() * (family.lastMs - family.firstMs)))
    }
  })
}

/** Whether its texts are those of uuids, which a column of type uuid stores unconverted. */
const isUuid = (one: Accepted): boolean =>
  !isRegExp(one) && one.textLength === UUID_TEXT && one.storages.includes('uuid')

/** What can't stand in one alternation with others. */
const NUMBERED = /\\[1-9k]|\(\?</

/** Matches every text that one of them matches. */
function patternOf(own: IdFamily, accepted: readonly Accepted[]): RegExp {
  const patterns = [own, ...accepted].map((one) => (isRegExp(one) ? one : one.pattern))
  if (patterns.some(({ flags, source }) => flags !== '' || NUMBERED.test(source))) return /^[\s\S]+$/
  return new RegExp(`^(?:${patterns.map(({ source }) => `(?:${source})`).join('|')})$`)
}
