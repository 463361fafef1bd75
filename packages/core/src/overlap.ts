import type { IdFamily } from './family.js'
import { isPrefixed, isSameFamily } from './identity.js'
import { IdError } from './primitives/errors.js'
import { isRegExp } from './primitives/realms.js'

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
export function overlapOf(
  family: IdFamily,
  one: RegExp | IdFamily,
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
