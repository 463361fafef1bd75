import { isPrefixed } from '@snoflax/core/adapter'
import { likelyReadings } from './values.js'

/** What the ids of a column look like, told by its first and last ones. */
export interface IdForm {
  /** What all of them begin with: a prefix and its `_`, or nothing. */
  readonly head: string
  /** The number of characters behind it; of a UUID the digits. */
  readonly length: number
  readonly alphabet: string
  readonly isUuid: boolean
  /** The smallest and the largest, behind the head. */
  readonly first: string
  readonly last: string
}

/** Ids that may have been meant. */
export interface Similar {
  /** By what is added to an id, cut from its prefix, changed in case or order: a few. */
  readonly likely: readonly string[]
  /** By a character that is another one or missing: a thousand, and by characters missing at the beginning. */
  readonly changed: readonly string[]
  /** Bounds of the ids that begin so. */
  readonly ranges: readonly (readonly [from: string, to: string])[]
}

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
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/
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
  const bodies = rest.map((one) => (isUuid ? one.replaceAll('-', '') : one)).sort(byCharacter)
  const [first = '', last = ''] = [bodies[0], bodies.at(-1)]
  const alphabet = ALPHABETS.find((characters) =>
    bodies.every((body) => [...body].every((one) => characters.includes(one))),
  )
  const isOneLength = bodies.length === ids.length && bodies.every(({ length }) => length === first.length)
  if (alphabet === undefined || !isOneLength || first.length < SHORTEST) return undefined
  return { head, length: first.length, alphabet, isUuid, first, last }
}

const byCharacter = (a: string, b: string): number => (a < b ? -1 : Number(a > b))

function sharedBy(a: string, b: string): number {
  let length = 0
  while (length < a.length && a[length] === b[length]) length++
  return length
}

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

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** The ids of a form that a text may mean. */
export function similarTo(text: string, form: IdForm): Similar {
  const { length, alphabet, first, last } = form
  const whole = (body: string): string => form.head + (form.isUuid ? hyphenated(body) : body)
  const likely = new Set<string>()
  const changed = new Set<string>()
  const ranges: (readonly [string, string])[] = []
  for (const body of bodiesIn(text, form)) {
    const without = (at: number): string => body.slice(0, at) + body.slice(at + 1)
    const places = Array.from(body, (_, at) => at)
    if (body.length === length) {
      likely.add(body)
      for (const at of places.slice(1))
        likely.add(body.slice(0, at - 1) + body[at] + body[at - 1] + body.slice(at + 1))
      for (const at of places)
        for (const one of alphabet) changed.add(body.slice(0, at) + one + body.slice(at + 1))
      for (const one of casesOf(body, form)) changed.add(one)
    } else if (body.length === length + 1) {
      for (const at of places) likely.add(without(at))
    } else if (body.length < length) {
      const [low, high] = [alphabet[0] as string, alphabet.at(-1) as string]
      ranges.push([whole(body.padEnd(length, low)), whole(body.padEnd(length, high))])
      for (const start of startsBetween(first, last, length - body.length, alphabet))
        changed.add(start + body)
      if (body.length === length - 1)
        for (const at of [...places, body.length])
          for (const one of alphabet) changed.add(body.slice(0, at) + one + body.slice(at))
    }
  }
  return {
    likely: [...likely].map(whole),
    changed: [...changed].filter((body) => !likely.has(body)).map(whole),
    ranges,
  }
}

const hyphenated = (digits: string): string => digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')

/** The id in each upper and lower case, character by character, as far as they lie between the column's first and last id. */
function casesOf(body: string, { alphabet, first, last }: IdForm): string[] {
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
