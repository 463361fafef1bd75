/** A set of characters: a bit for each of ASCII, and one for all others. */
export type Characters = bigint

const OTHER = 128
/** What stands for all other characters. */
const FOREIGN = 'é中'

/** Takes one of the characters, or none if there are no characters. */
interface State {
  readonly characters: Characters
  /** Of a loop: what follows it, and its body. */
  readonly next: number[]
}

/** A loop's state, and the first state behind those of its body. */
type Loop = readonly [hub: number, end: number]

/** The texts that a pattern matches as a whole. State 0 is the end. */
export interface Automaton {
  readonly states: readonly State[]
  readonly start: number
  readonly loops: readonly Loop[]
  /** False if it also has texts that the pattern doesn't match, since lookarounds and references aren't followed. */
  readonly isExact: boolean
}

/** A part of a pattern: adds its states, which go on to `to`, and returns the first. */
type Part = (to: number) => number

// A source closes its classes; that the last bracket is optional keeps the search linear.
const CLASS = /\[(?:\\[\s\S]|[^\\\]])*\]?/
/** With flag v a class may have classes. */
const CLASSES = /\[(?:\\[\s\S]|\[(?:\\[\s\S]|[^\\\]])*\]?|[^\\\]])*\]?/
const OTHERS =
  /\\(?:x[\da-f]{2}|u[\da-f]{4}|u\{[\da-f]+\}|c[a-z]|[pP]\{[^}]*\}|k<[^>]*>|[1-9]\d*|[\s\S])|\(\?(?:<?[=!]|:|<[^>]*>)|[\s\S]/
const QUANTIFIER = /(?:[*+?]|\{(\d+)(,?)(\d*)\})\??/y
const ANCHOR = /^[$^]$/
const WORD_END = /^\\b$/i
/** Matches what a group has matched. */
const REFERENCE = /^\\[1-9k]/
const LOOKAROUND = /^\(\?<?[=!]/
/** What classes of flag v may have besides, which isn't followed: words, and classes in classes in classes. */
const DEEP = /\\q|\[[^\]]*\[[^\]]*\[/
/** Ids are shorter. */
const MOST = 300

/** Reads a pattern. Which characters a class or an escape has, the engine itself says. */
export function automatonOf({ source, flags }: RegExp): Automaton {
  const states: State[] = [{ characters: 0n, next: [] }]
  const loops: Loop[] = []
  const sets = new Map<string, Characters>()
  const hasClasses = flags.includes('v')
  const isDeep = hasClasses && DEEP.test(source)
  const token = new RegExp(`${(hasClasses ? CLASSES : CLASS).source}|${OTHERS.source}`, 'iuy')
  let isExact = !isDeep
  let at = 0

  const add = (next: number[], characters = 0n): number => states.push({ characters, next }) - 1
  const nothing: Part = (to) => to
  const repeated =
    (part: Part): Part =>
    (to) => {
      const next = [to]
      const hub = add(next)
      next.push(part(hub))
      loops.push([hub, states.length])
      return hub
    }
  const one = (single: string): Part => {
    let set = sets.get(single)
    if (set === undefined) {
      const pattern = new RegExp(`^(?:${single})$`, flags)
      const isForeign =
        /[^\0-\x7f]|\\[upx]/i.test(single) || Array.from(FOREIGN).some((one) => pattern.test(one))
      set = isForeign ? 1n << BigInt(OTHER) : 0n
      for (let code = 0; code < OTHER; code++)
        if (pattern.test(String.fromCharCode(code))) set |= 1n << BigInt(code)
      sets.set(single, set)
    }
    return (to) => add([to], set)
  }
  const anything = () => repeated(one(String.raw`[\s\S]`))
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at
    const found = pattern.exec(source)
    if (found !== null) at = pattern.lastIndex
    return found
  }
  const counted = (part: Part): Part => {
    const found = take(QUANTIFIER)
    if (found === null) return part
    const [all, low, comma, high] = found
    const least = all.startsWith('+') ? 1 : Math.min(Number(low ?? 0), MOST)
    const most =
      low === undefined ? (all.startsWith('?') ? 1 : MOST + 1) : Number(comma === '' ? low : high || MOST + 1)
    return (to) => {
      let first = to
      if (most > MOST) first = repeated(part)(to)
      else for (let i = least; i < most; i++) first = add([part(first), to])
      for (let i = 0; i < least; i++) first = part(first)
      return first
    }
  }
  const atom = (): Part => {
    const [taken] = take(token) as RegExpExecArray
    const isFollowed = ![WORD_END, REFERENCE, LOOKAROUND].some((kind) => kind.test(taken))
    isExact &&= isFollowed
    if (taken.startsWith('(')) {
      const group = alternatives()
      at++
      return isFollowed ? group : nothing
    }
    if (REFERENCE.test(taken)) return anything()
    return isFollowed && !ANCHOR.test(taken) ? one(taken) : nothing
  }
  const alternatives = (): Part => {
    const all: Part[] = []
    do {
      const parts: Part[] = []
      if (all.length > 0) at++
      while (at < source.length && !'|)'.includes(source.charAt(at))) parts.push(counted(atom()))
      all.push((to) => parts.reduceRight((next, part) => part(next), to))
    } while (source.charAt(at) === '|')
    return (to) => (all.length === 1 ? (all[0] as Part)(to) : add(all.map((part) => part(to))))
  }

  const start = (isDeep ? anything() : alternatives())(0)
  return { states, start, loops, isExact }
}

/** A text that both match, one of several by `random`; undefined if there is none. */
export function commonText(a: Automaton, b: Automaton, random: () => number): string | undefined {
  const indexBelow = (length: number): number => Math.floor(random() * length)
  const seen = new Set<number>()
  const open: [p: number, q: number, text: string][] = []
  const reach = (p: number, q: number, text: string): void => {
    const pair = p * b.states.length + q
    if (seen.has(pair)) return
    seen.add(pair)
    open.push([p, q, text])
  }
  reach(a.start, b.start, '')
  while (open.length > 0) {
    const last = open.length - 1
    const chosen = indexBelow(open.length)
    ;[open[chosen], open[last]] = [open[last] as never, open[chosen] as never]
    const [p, q, text] = open.pop() as (typeof open)[number]
    if (p === 0 && q === 0) return text
    const [x, y] = [a.states[p] as State, b.states[q] as State]
    if (x.characters === 0n) for (const next of x.next) reach(next, q, text)
    if (y.characters === 0n) for (const next of y.next) reach(p, next, text)
    const both = charactersOf(x.characters & y.characters)
    if (both.length > 0) reach(x.next[0] as number, y.next[0] as number, text + both[indexBelow(both.length)])
  }
  return undefined
}

/**
 * The characters at each place, if all texts of the pattern have one length; undefined if it varies, or may, with
 * characters outside ASCII, which can be two.
 */
export function placesOf({ states, start }: Automaton): Characters[] | undefined {
  const places: Characters[] = []
  const seen = new Set<string>()
  const open: [at: number, place: number][] = [[start, 0]]
  let length: number | undefined
  for (const [at, place] of open) {
    if (at === 0) {
      if (length !== undefined && length !== place) return undefined
      length = place
      continue
    }
    if (place > MOST) return undefined
    if (seen.has(`${at} ${place}`)) continue
    seen.add(`${at} ${place}`)
    const { characters, next } = states[at] as State
    if (characters >> BigInt(OTHER) !== 0n) return undefined
    if (characters !== 0n) places[place] = (places[place] ?? 0n) | characters
    for (const to of next) open.push([to, place + Number(characters !== 0n)])
  }
  return places
}

/** Loops go on until the text is as long as this, if they take characters at all. */
const LOOPED = 24

/** A text of the automaton, one of many by `random`, of letters and digits where there is a choice. */
export function textOf({ states, start, loops }: Automaton, random: () => number): string {
  const oneOf = <One>(list: readonly One[]): One => list[Math.floor(random() * list.length)] as One
  const hubs = new Set(loops.map(([hub]) => hub))
  let text = ''
  for (let at = start, steps = 0; at !== 0; steps++) {
    const { characters, next } = states[at] as State
    const all = charactersOf(characters)
    const plain = all.filter((one) => /\w/.test(one))
    if (all.length > 0) text += oneOf(plain.length > 0 ? plain : all)
    const [out, into] = next as [number, number]
    at = hubs.has(at) ? (text.length < LOOPED && steps < MOST ? into : out) : oneOf(next)
  }
  return text
}

export function charactersOf(set: Characters): string[] {
  const all = set.toString(2)
  return Array.from(all, (bit, i) => {
    const code = all.length - 1 - i
    return bit === '0' ? '' : code === OTHER ? FOREIGN.charAt(0) : String.fromCharCode(code)
  }).filter((one) => one !== '')
}

/**
 * Whether a loop of the pattern can repeat one text in two ways, as `(a+)+` repeats `aa`: a text that doesn't match
 * then takes twice the time with each character more.
 */
export const isExponential = (automaton: Automaton): boolean =>
  automaton.isExact && automaton.loops.some((loop) => isAmbiguous(automaton, loop))

function isAmbiguous({ states, loops }: Automaton, [hub, end]: Loop): boolean {
  const hubs = new Set(loops.map(([hub]) => hub))
  /** The states in the loop that can take the next character, once for each way to them. */
  const ways = (at: number, entered: readonly number[] = []): number[] => {
    if (at < hub || at >= end) return []
    const { characters, next } = states[at] as State
    if (characters !== 0n) return [at]
    // An iteration that takes no character is none.
    if (entered.includes(at)) return []
    return next.flatMap((to, i) => ways(to, i === 1 && hubs.has(at) ? [...entered, at] : entered))
  }
  const following = new Map<number, number[]>()
  const after = (at: number): number[] => {
    const known = following.get(at) ?? ways((states[at] as State).next[0] as number)
    following.set(at, known)
    return known
  }
  const [first] = ways(hub)
  if (first === undefined) return false
  const seen = new Set<string>()
  const open: [p: number, q: number, isApart: boolean][] = [[first, first, false]]
  for (const [p, q, isApart] of open) {
    for (const [i, x] of after(p).entries()) {
      for (const [j, y] of after(q).entries()) {
        if (((states[x] as State).characters & (states[y] as State).characters) === 0n) continue
        const areApart = isApart || i !== j
        if (areApart && x === first && y === first) return true
        const pair = `${x} ${y} ${areApart}`
        if (!seen.has(pair)) {
          seen.add(pair)
          open.push([x, y, areApart])
        }
      }
    }
  }
  return false
}
