import { isAccepting } from '../identity.js'
import { isRegExp } from '../primitives/realms.js'
import type { IdStorage } from '../storage/index.js'

/** A part of a pattern: one of some characters, a sequence, alternatives, or a part that is repeated. */
type Part =
  | { readonly chars: string }
  | { readonly all: readonly Part[] }
  | { readonly any: readonly Part[] }
  | { readonly of: Part; readonly min: number; readonly max: number }

const DIGITS = '0123456789'
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** Characters that mean the same in each database's patterns, in every SQL mode. */
const CHARACTERS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_.:~+/=@-'
/** PostgreSQL counts no further. */
const MAX_COUNT = 255

const between = (first: string, last: string): string =>
  String.fromCharCode(
    ...Array.from(
      { length: last.charCodeAt(0) - first.charCodeAt(0) + 1 },
      (_, at) => first.charCodeAt(0) + at,
    ),
  )

type Refuse = (what: string) => never

/** Reads a pattern that consists of characters, classes, counts, groups and alternatives. */
class PatternReader {
  private at = 0
  private depth = 0

  constructor(
    private readonly source: string,
    private readonly flags: string,
    private readonly refuse: Refuse,
  ) {}

  read(): Part {
    const { flags, source } = this
    if (flags.includes('i') && /[uv]/.test(flags)) this.refuse(`the flags ${flags}`)
    if (flags.includes('v') && source.includes('--')) this.refuse('a difference of classes')
    const part = this.alternatives()
    return this.at < source.length ? this.refuse(`"${this.next()}"`) : part
  }

  private alternatives(): Part {
    const any = [this.sequence()]
    while (this.take('|')) any.push(this.sequence())
    return any.length === 1 ? (any[0] as Part) : { any }
  }

  private sequence(): Part {
    const all: Part[] = []
    // A pattern must match the whole text anyway.
    if (this.depth === 0) this.take('^')
    while (this.at < this.source.length && !'|)'.includes(this.source.charAt(this.at))) {
      if (this.depth === 0 && /^\$(\||$)/.test(this.source.slice(this.at))) this.at++
      else all.push(this.counted(this.atom()))
    }
    if (all.length === 0) this.refuse('an empty alternative')
    return all.length === 1 ? (all[0] as Part) : { all }
  }

  private atom(): Part {
    const char = this.next()
    if (char === '[') return this.characterClass()
    if (char === '\\') return this.inCase(this.escaped())
    if (char === '.') this.refuse('"."')
    if (char !== '(') return this.inCase(this.known(char))
    if (!this.take('?:') && this.source.charAt(this.at) === '?')
      this.refuse(`"(${this.next()}${this.next()}"`)
    this.depth++
    const part = this.alternatives()
    if (!this.take(')')) this.refuse('an open group')
    this.depth--
    return part
  }

  private counted(of: Part): Part {
    const [text, from, comma, to] = /^(?:[*+?]|\{(\d+)(,?)(\d*)\})/.exec(this.source.slice(this.at)) ?? []
    if (text === undefined) return of
    this.at += text.length
    // Whether a count takes few or many characters first doesn't matter for the whole text.
    this.take('?')
    const min = from === undefined ? Number(text === '+') : Number(from)
    const last = comma ? Number(to || Number.POSITIVE_INFINITY) : min
    const max = from === undefined ? (text === '?' ? 1 : Number.POSITIVE_INFINITY) : last
    if (Math.max(min, Number.isFinite(max) ? max : 0) > MAX_COUNT) this.refuse(`a count above ${MAX_COUNT}`)
    if (max > 1 && isUnlimited(of)) this.refuse('a repeated part of unlimited length')
    return { of, min, max }
  }

  private characterClass(): Part {
    if (this.take('^')) this.refuse('a class of all other characters')
    let chars = ''
    while (!this.take(']')) {
      const first = this.member()
      if (first.length > 1 || !/^-[^\]]/.test(this.source.slice(this.at))) {
        chars += first
        continue
      }
      this.at++
      const last = this.member()
      const range =
        last.length === 1 && first <= last ? between(first, last) : this.refuse(`a range to ${last}`)
      for (const char of range) chars += this.known(char)
    }
    return this.inCase(chars)
  }

  private member(): string {
    const char = this.next()
    return char === '\\' ? this.escaped() : this.known(char)
  }

  private escaped(): string {
    const char = this.next()
    if (char === 'd') return DIGITS
    if (char === 'w') return `${DIGITS}${LETTERS}_`
    return LETTERS.includes(char) || DIGITS.includes(char) ? this.refuse(`"\\${char}"`) : this.known(char)
  }

  private known(char: string): string {
    return CHARACTERS.includes(char) ? char : this.refuse(JSON.stringify(char))
  }

  private inCase(chars: string): Part {
    if (chars === '') this.refuse('an empty class')
    return { chars: this.flags.includes('i') ? chars.toLowerCase() + chars.toUpperCase() : chars }
  }

  private next(): string {
    const char = this.source[this.at++]
    return char === undefined || char === '' ? this.refuse('its end') : char
  }

  private take(text: string): boolean {
    const isNext = this.source.startsWith(text, this.at)
    if (isNext) this.at += text.length
    return isNext
  }
}

function isUnlimited(part: Part): boolean {
  if ('chars' in part) return false
  if ('of' in part) return part.max === Number.POSITIVE_INFINITY || isUnlimited(part.of)
  return ('all' in part ? part.all : part.any).some(isUnlimited)
}

/** Members of a class, letters and digits first, since `[:` and `[.` begin something else; a hyphen is last. */
function classOf(chars: string): string {
  const has = (some: string) => [...some].filter((char) => chars.includes(char)).join('')
  const runs = [DIGITS, LETTERS].flatMap((some) => has(some).match(/./g) ?? [])
  let text = ''
  for (let at = 0; at < runs.length; ) {
    let end = at
    while (runs[end + 1]?.charCodeAt(0) === (runs[end] as string).charCodeAt(0) + 1) end++
    text += end - at > 1 ? `${runs[at]}-${runs[end]}` : runs.slice(at, end + 1).join('')
    at = end + 1
  }
  return text + has('_.:~+/=@-')
}

/** Without backslashes, which SQL modes read differently, and without `?`, a placeholder of drivers. */
function regexOf(part: Part): string {
  if ('chars' in part) {
    const members = classOf(part.chars)
    return members.length > 1 || '.+'.includes(members) ? `[${members}]` : members
  }
  if ('all' in part)
    return part.all.map((one) => ('any' in one ? `(${regexOf(one)})` : regexOf(one))).join('')
  if ('any' in part) return part.any.map(regexOf).join('|')
  const { of, min, max } = part
  const text = 'chars' in of ? regexOf(of) : `(${regexOf(of)})`
  if (min === max) return `${text}{${min}}`
  return `${text}{${min},${Number.isFinite(max) ? max : ''}}`
}

const charsOf = (part: Part): string => {
  if ('chars' in part) return part.chars
  return 'of' in part ? charsOf(part.of) : ('all' in part ? part.all : part.any).map(charsOf).join('')
}

/** Texts of one length, by the characters at each place, or of any length with one class behind it. */
interface Shape {
  readonly head: readonly string[]
  readonly tail?: string
}

/** Shapes and places that a condition of SQLite writes at most. */
const MAX_SHAPES = 40
const MAX_PLACES = 300

function shapesOf(part: Part, refuse: Refuse): readonly Shape[] {
  const few = (shapes: readonly Shape[]): readonly Shape[] =>
    shapes.length > MAX_SHAPES || shapes.some(({ head }) => head.length > MAX_PLACES)
      ? refuse('so many lengths and alternatives, which SQLite has no patterns for')
      : shapes
  const joined = (some: readonly Shape[], next: readonly Shape[]): readonly Shape[] =>
    few(
      some.flatMap(({ head, tail }) =>
        tail === undefined
          ? next.map((one) => ({ ...one, head: [...head, ...one.head] }))
          : refuse('an unlimited count before its end, which SQLite has no patterns for'),
      ),
    )
  if ('chars' in part) return [{ head: [classOf(part.chars)] }]
  if ('any' in part) return few(part.any.flatMap((one) => shapesOf(one, refuse)))
  if ('all' in part) return part.all.map((one) => shapesOf(one, refuse)).reduce(joined)
  const { of, min, max } = part
  const ofOne = shapesOf(of, refuse)
  let least: readonly Shape[] = [{ head: [] }]
  for (let count = 0; count < min; count++) least = joined(least, ofOne)
  if (max === Number.POSITIVE_INFINITY) {
    if (!('chars' in of)) refuse('an unlimited count of a group, which SQLite has no patterns for')
    return least.map(({ head }) => ({ head, tail: classOf(charsOf(of)) }))
  }
  const all = [...least]
  for (let count = min; count < max; count++) {
    least = joined(least, ofOne)
    all.push(...least)
    few(all)
  }
  return all
}

const globOf = (head: readonly string[]): string =>
  head.map((members) => (members.length > 1 ? `[${members}]` : members)).join('')

/** By GLOB. It stops reading at a NUL, as length() does. */
function shapeCondition(name: string, { head, tail }: Shape): string {
  const glob = globOf(head)
  if (tail === undefined) return `${name} GLOB '${glob}'`
  const rest = head.length === 0 ? name : `substr(${name},${head.length + 1})`
  return `${name} GLOB '${glob}*' AND ${rest} NOT GLOB '*[^${tail}]*'`
}

/**
 * The condition of a column whose keys have patterns of users: those of its ids, and of other keys that it accepts. A
 * `uuid` leaves nothing to check.
 *
 * @throws what `refuse` does, for a pattern that doesn't mean the same in the database.
 */
export function patternCondition(
  { family, database, name: storage }: IdStorage<string>,
  name: string,
  refuse: (reason: string) => never,
): string {
  if (storage !== 'text') return ''
  const parts = (isAccepting(family) ? [family.own, ...family.accepted] : [family]).map((one) => {
    const { source, flags } = isRegExp(one) ? one : one.pattern
    const shown = isRegExp(one) ? String(one) : `the pattern of ${one.name}, ${one.pattern}`
    const refuseOne: Refuse = (what) =>
      refuse(
        `check: true can't write ${shown} as a CHECK, because of ${what}. Write classes such as [a-z0-9], counts, ` +
          'alternatives and the characters A-Z a-z 0-9 _ . : ~ + / = @ -, or leave check out',
      )
    const part = new PatternReader(source, flags, refuseOne).read()
    return { part, shapes: database === 'sqlite' ? shapesOf(part, refuseOne) : [] }
  })
  if (database === 'sqlite') {
    const conditions = parts.flatMap(({ shapes }) => shapes.map((shape) => shapeCondition(name, shape)))
    return `(${conditions.join(' OR ')}) AND instr(${name},char(0)) = 0`
  }
  const any = { any: parts.map(({ part }) => part) }
  const regex = `'^(${regexOf(any)})$'`
  if (database === 'postgres') return `${name} ~ ${regex}`
  // There $ also stands before a newline at the end.
  return `${name} REGEXP ${regex} AND ${name} NOT REGEXP '[^${classOf(charsOf(any))}]'`
}
