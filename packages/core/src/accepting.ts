import type { IdFamily, IdsOf, Timeless } from './family.js'
import { checkFamily, isAccepting, isOpaque } from './identity.js'
import { overlapOf } from './overlap.js'
import { unanchored } from './prefixed/text.js'
import { automatonOf, isExponential } from './primitives/automaton.js'
import type { Time } from './primitives/clock.js'
import { fail, IdError, show } from './primitives/errors.js'
import { portable } from './primitives/pattern.js'
import { isRegExp, once } from './primitives/realms.js'
import { standardSchema } from './primitives/standard-schema.js'
import { UUID_TEXT } from './storage/uuid.js'

/** Keys that a family accepts beside its own ids: a pattern, which must match the whole text, or a family. */
export type Accepted = RegExp | IdFamily

/** One or several kinds of keys. */
export type Accept = Accepted | readonly Accepted[]

/** The type of the accepted keys: `string` for a pattern, the ids of a family. */
type AcceptedId<Accepts> = Accepts extends readonly (infer One)[]
  ? AcceptedId<One>
  : Accepts extends IdFamily
    ? IdsOf<Accepts>
    : string

/** Ids, and the accepted keys beside them. */
export type WithAccepted<AnId extends string, Accepts> =
  string extends AcceptedId<Accepts> ? string : AnId | AcceptedId<Accepts>

/** A family that accepts other keys beside its own ids. It generates its own only. */
export type AcceptingFamily<Own extends IdFamily = IdFamily, Accepts extends Accept = Accept> = IdFamily<
  WithAccepted<IdsOf<Own>, Accepts>,
  ReturnType<Own['unpack']>
> &
  Omit<Own, keyof IdFamily> &
  (Own extends Timeless ? Timeless : unknown) & {
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
 * compares texts, so it also selects accepted keys that sort between its ends (`exactRange` is false); one without an end
 * ends at the family's last id.
 *
 * A pattern or family that also matches ids of the family itself is refused: nobody could tell both apart, and older keys
 * would get invented times. `nanoid(16)` has the same form as flax.
 *
 * Ids are stored as text, since a compact storage can't convert the others. `uuid` remains if all are UUIDs, as with
 * `accepting(uuid7, uuid7.withVersion4())`.
 *
 * @param accept a pattern, a family, or a list of them. A pattern must match the whole text, also without `^` and `$`.
 * @throws {IdError} `INVALID_OPTION` for a pattern with other flags than i, s, u and v or one that matches the empty
 * text, ids of the family itself, or a text in exponential time, such as `(a+)+`; for a family whose ids can't be stored
 * as text, and for one that already accepts others.
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
  const refuse = (value: unknown, reason: string): never =>
    fail('INVALID_OPTION', family.name, `accept ${reason}`, value, 'accept')
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
    // Opaque ids have no time that other keys could seem to have.
    if (isOpaque(family)) break
    const both = overlapOf(family, one, checks[at] as (text: string) => boolean)
    if (both === undefined) continue
    const shown = isRegExp(one) ? String(one) : one.name
    refuse(
      accept,
      `${shown} also matches ids of the column, such as ${show(both)}: accepted keys of that form would seem to ` +
        "have a time. Set a prefix for new ids, { prefix: 'cus' }, choose a family of another form, or a narrower pattern, such as one of fewer characters",
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
      fail(
        'NOT_CANONICAL',
        family.name,
        `${show(id)} is an accepted key, which has no time and no fields`,
        id,
        'time',
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
    range(from: Time, to: Time) {
      const range = family.range(from, to)
      return range.lt === undefined ? { ...range, lte: family.max } : range
    },
    compare: (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0),
    '~standard': standardSchema(is, parse, pattern, undefined),
  }
  // Inherits the family's own members, such as `generate`, `monotonic` and `prefix`.
  return Object.create(family, Object.getOwnPropertyDescriptors(changed))
}

/** Patterns of `acceptLabels`. */
export const labels = () => once<{ patterns: readonly RegExp[] }>('labels', () => ({ patterns: [] }))

const isLabel = (text: string): boolean => labels().patterns.some((pattern) => pattern.test(text))

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

export function wholeOf(one: RegExp, refuse: (value: unknown, reason: string) => never): RegExp {
  const { source, flags } = one
  if (!FLAGS.test(flags)) refuse(one, `takes patterns with the flags i, s, u and v, not ${one}`)
  const whole = new RegExp(`^(?:${source})$`, flags)
  if (whole.test('')) refuse(one, `takes no pattern that matches the empty text, as ${one} does`)
  if (isExponential(automatonOf(one))) {
    refuse(
      one,
      `takes no pattern such as ${one}, in which a loop can repeat the same text in two ways: texts that don't match ` +
        'take twice the time with each character more. Write it without a loop within a loop, [a-z]+ for ([a-z]+)+',
    )
  }
  return whole
}

/** Whether its texts are those of uuids, which a column of type uuid stores unconverted. */
const isUuid = (one: Accepted): boolean =>
  !isRegExp(one) && one.textLength === UUID_TEXT && one.storages.includes('uuid')

/** What can't stand in one alternation with others. */
const NUMBERED = /\\[1-9k]|\(\?</

/** Matches every text that one of them matches. */
function patternOf(own: IdFamily, accepted: readonly Accepted[]): RegExp {
  const sources = [own, ...accepted].map((one) =>
    portable(isRegExp(one) ? one : new RegExp(unanchored(one.pattern), one.pattern.flags)),
  )
  if (sources.some((source) => source === undefined || NUMBERED.test(source))) return /^[\s\S]+$/
  return new RegExp(`^(?:${sources.map((source) => `(?:${source})`).join('|')})$`)
}
