import { isPrefixed } from '@snoflax/core/adapter'
import { decoded } from '../live/address.js'
import { hyphenated, likelyReadings } from './values.js'

/** What the ids of a column look like, by a sample of them. */
export interface IdForm {
  /** What all of them begin with: a prefix and its `_`, or nothing. */
  readonly head: string
  /** The number of characters behind it; of a UUID the digits. */
  readonly length: number
  readonly alphabet: string
  /** What fills up the first id with a beginning, and the last one: collations sort `_` behind letters, or before them. */
  readonly fill: readonly [first: string, ...last: string[]]
  readonly isUuid: boolean
}

export type Ends = readonly [first: string, last: string]

const DIGITS = '0123456789'
const LOWER = 'abcdefghijklmnopqrstuvwxyz'
const UPPER = LOWER.toUpperCase()
/** In the order of their characters. */
const ALPHABETS = [
  DIGITS,
  `${DIGITS}abcdef`,
  `${DIGITS}${LOWER}`,
  `${DIGITS}${UPPER}`,
  `-${DIGITS}${UPPER}_${LOWER}`,
]
export const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/
/** Shorter keys are words and numbers, of which many are alike. */
const SHORTEST = 10
/** Fewer characters of an id say little. */
const FEWEST = 4
const MOST = 16_384

/** Undefined if the keys are no ids of one length. */
export function formOf(ids: readonly string[]): IdForm | undefined {
  const [id = ''] = ids
  const [family] = likelyReadings(id).map((reading) => reading.family)
  const common = ids.reduce((head, other) => head.slice(0, sharedBy(head, other)), id)
  const head =
    family && isPrefixed(family) ? `${family.prefix}_` : (/^[a-z][a-z0-9]*_/.exec(common)?.[0] ?? '')
  const rest = ids.filter((one) => one.startsWith(head)).map((one) => one.slice(head.length))
  const isUuid = rest.every((one) => UUID.test(one))
  const bodies = rest.map((one) => (isUuid ? one.replaceAll('-', '') : one))
  const length = bodies[0]?.length ?? 0
  const alphabet = ALPHABETS.find((characters) =>
    bodies.every((body) => [...body].every((one) => characters.includes(one))),
  )
  const isOneLength = bodies.length === ids.length && bodies.every((body) => body.length === length)
  if (alphabet === undefined || !isOneLength || length < SHORTEST) return undefined
  const last = alphabet.at(-1) as string
  const isText = !isUuid && alphabet !== DIGITS
  const fill = [isText ? '' : '0', last, ...(alphabet.includes('_') ? ['_'] : [])] as const
  return { head, length, alphabet, fill, isUuid }
}

function sharedBy(a: string, b: string): number {
  let length = 0
  while (length < a.length && a[length] === b[length]) length++
  return length
}

const bodyOf = ({ head, isUuid }: Pick<IdForm, 'head' | 'isUuid'>, id: string): string =>
  isUuid ? id.slice(head.length).replaceAll('-', '') : id.slice(head.length)

/** What of a text may be an id of the form, damaged or not, behind its head. */
function bodiesIn(text: string, { head, length, alphabet, isUuid }: IdForm): string[] {
  const hasOneCase = alphabet.toLowerCase() === alphabet || alphabet.toUpperCase() === alphabet
  const fold = (body: string): string => {
    const digits = isUuid ? body.replaceAll('-', '') : body
    return hasOneCase && alphabet !== DIGITS
      ? alphabet.includes('a')
        ? digits.toLowerCase()
        : digits.toUpperCase()
      : digits
  }
  const tokens = new Set([text, decoded(text)].flatMap((one) => one.match(/[\w-]+/g) ?? []))
  const bodies = [...tokens].flatMap((token) => [
    ...(token.toLowerCase().startsWith(head) ? [token.slice(head.length)] : []),
    token,
    ...Array.from(token.matchAll(/[_-]/g), ({ index }) => token.slice(index + 1)),
    token.slice(-length),
  ])
  return [...new Set(bodies.map(fold))].filter(
    (body) => body.length >= FEWEST && [...body].every((one) => alphabet.includes(one)),
  )
}

const whole = ({ head, isUuid }: IdForm, body: string): string => head + (isUuid ? hyphenated(body) : body)

/** What a text most likely means: an id with something around it, in place of its prefix, one character more, or two swapped. */
export function likelyIn(text: string, form: IdForm): string[] {
  const found = bodiesIn(text, form).flatMap((body) => {
    const places = Array.from(body, (_, at) => at)
    if (body.length === form.length + 1) return places.map((at) => body.slice(0, at) + body.slice(at + 1))
    if (body.length !== form.length) return []
    const swapped = places
      .slice(1)
      .map((at) => body.slice(0, at - 1) + body[at] + body[at - 1] + body.slice(at + 1))
    return [body, ...swapped]
  })
  return [...new Set(found)].map((body) => whole(form, body))
}

/**
 * What it may mean if a character is another one, is missing, or some are at the beginning, or its case is lost. With the
 * column's first and last id.
 */
export function changedIn(text: string, form: IdForm, ends: Ends): string[] {
  const { length, alphabet } = form
  const [first, last] = ends.map((id) => bodyOf(form, id)) as [string, string]
  const found = bodiesIn(text, form).flatMap((body) => {
    const missing = length - body.length
    if (missing < 0) return []
    // In place of a character, or before it.
    const places = missing > 1 ? [] : Array.from({ length: body.length + missing }, (_, at) => at)
    return [
      ...places.flatMap((at) =>
        Array.from(alphabet, (one) => body.slice(0, at) + one + body.slice(missing === 0 ? at + 1 : at)),
      ),
      ...(missing === 0
        ? casesOf(body, alphabet, first, last)
        : startsBetween(first, last, missing, alphabet).map((start) => start + body)),
    ]
  })
  return [...new Set(found)].map((body) => whole(form, body))
}

/** Bounds of the ids that begin as a text does: the first one, and the last one, which depends on the collation. */
export function boundsIn(text: string, form: IdForm): (readonly [from: string, ...to: string[]])[] {
  const { length, fill } = form
  return bodiesIn(text, form)
    .filter((body) => body.length < length)
    .map((body) => {
      const [from, ...to] = fill.map((one) => whole(form, body.padEnd(length, one)))
      return [from as string, ...to]
    })
}

/** The id in each upper and lower case, character by character, as far as they lie between the column's first and last id. */
function casesOf(body: string, alphabet: string, first: string, last: string): string[] {
  if (!alphabet.includes('a') || !alphabet.includes('A')) return []
  let starts = ['']
  for (const one of body) {
    const cases = new Set([one.toLowerCase(), one.toUpperCase()])
    starts = starts.flatMap((start) => [...cases].map((character) => start + character))
    starts = starts.filter((start) => isBetween(start, first, last))
    if (starts.length > MOST) return []
  }
  return starts
}

/** The beginnings of that length that ids between the first and the last can have; none if they are too many. */
function startsBetween(first: string, last: string, length: number, alphabet: string): string[] {
  let starts = ['']
  for (let at = 0; at < length; at++) {
    starts = starts.flatMap((start) => Array.from(alphabet, (one) => start + one))
    starts = starts.filter((start) => isBetween(start, first, last))
    if (starts.length > MOST) return []
  }
  return starts
}

const isBetween = (start: string, first: string, last: string): boolean =>
  start >= first.slice(0, start.length) && start <= last.slice(0, start.length)
