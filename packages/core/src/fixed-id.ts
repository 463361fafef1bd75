import type { IdFamily, IdOf } from './family.js'
import { checkFamily, isOpaque, ownOf } from './identity.js'
import { automatonOfFamily } from './overlap.js'
import { textOf } from './primitives/automaton.js'
import { checkSpan, type Time, toUnixMs } from './primitives/clock.js'
import { IdError, refuseType, show } from './primitives/errors.js'
import { checkOptions, refuse } from './primitives/options.js'

/** 2020-01-01T00:00:00Z. */
const DEFAULT_MS = 1_577_836_800_000
const TRIES = 100

/**
 * A valid id that is the same for the same family, label and time, on every machine, for tests, seeds and fixtures. Other
 * labels give other ids, as far as the bits beside the time allow: 56 in flax, 41 in sno, 22 in flake. Of opaque ids it is a
 * text of the pattern.
 *
 * Anyone can compute it, so it is no id for production data.
 *
 * @param label any text.
 * @param options.at the id's time, rounded up to the family's unit. Default: 2020-01-01T00:00:00Z, or the family's first
 * time if that is later. Opaque ids have none.
 * @throws {IdError} `INVALID_TYPE`, `TIME_OUT_OF_RANGE`, `INVALID_TIME`; `INVALID_OPTION` for a family whose ids have no
 * bits beside the time, and for `at` of opaque ids.
 *
 * @example
 * fixedId(flax, 'user-1') // '8AiRD-22FPt7u4tV'
 * fixedId(prefixed(flax, 'cus'), 'user-1', { at: new Date('2026-11-01') }) // 'cus_Kj5SD-1uVH3CzSFk'
 */
export function fixedId<AnId extends string, Of extends string = string>(
  family: IdFamily<AnId>,
  label: string,
  options: { readonly at?: Time | undefined } = {},
): IdOf<AnId, Of> {
  checkFamily(family, 'fixedId: family')
  const own = ownOf(family)
  const { at } = checkOptions(own.name, options, { at: 'any' })
  if (typeof label !== 'string') refuseType(own.name, 'label must be a string', label, 'label')
  if (isOpaque(own)) return fixedText(own, label, at) as IdOf<AnId, Of>
  const atMs =
    at === undefined
      ? Math.min(Math.max(DEFAULT_MS, own.firstMs), own.lastMs)
      : checkSpan(own, toUnixMs(own.name, at))
  const lowest = own.decode(own.lowerBound(atMs))
  const free = freeBits(own, lowest)
  const spread = spreadOf(`${own.name} ${label}`)
  for (let tries = 0; tries < TRIES; tries++) {
    const bytes = lowest.map((byte, i) => {
      const mask = free[i] as number
      return (byte & ~mask) | (spread() & mask)
    })
    const id = sameTime(own, lowest, bytes)
    if (id !== undefined) return id as IdOf<AnId, Of>
  }
  refuse(own.name, 'label', label, `no id of that time for the label ${show(label)}`)
}

/** A text of the pattern of opaque ids. */
function fixedText(family: IdFamily, label: string, at: Time | undefined): string {
  if (at !== undefined) refuse(family.name, 'at', at, 'opaque ids have no time; leave at out')
  const automaton = automatonOfFamily(family)
  const spread = spreadOf(`${family.name} ${label}`)
  for (let tries = 0; tries < TRIES; tries++) {
    const text = textOf(automaton, () => (spread() * 256 + spread()) / 65_536)
    if (family.is(text)) return text
  }
  refuse(family.name, 'label', label, `no text of ${family.pattern} found for the label ${show(label)}`)
}

/** The id of the bytes if it is one, and has the time of the other; else undefined. */
function sameTime(family: IdFamily, lowest: Uint8Array, bytes: Uint8Array): string | undefined {
  try {
    const id = family.encode(bytes)
    const isSame = family.is(id) && family.timeMs(id) === family.timeMs(family.encode(lowest))
    return isSame ? id : undefined
  } catch (error) {
    if (error instanceof IdError) return undefined
    throw error
  }
}

const masks = /* @__PURE__ */ new WeakMap<IdFamily, Uint8Array>()

/** The bits of an id that are neither time nor constant: an id in which one is flipped is an id of the same time. */
function freeBits(family: IdFamily, lowest: Uint8Array): Uint8Array {
  const known = masks.get(family)
  if (known !== undefined) return known
  const mask = new Uint8Array(lowest.length)
  for (let bit = 0; bit < 8 * lowest.length; bit++) {
    const [at, flag] = [bit >> 3, 0x80 >> (bit & 7)]
    const flipped = lowest.slice()
    flipped[at] = (flipped[at] as number) ^ flag
    if (sameTime(family, lowest, flipped) !== undefined) mask[at] = (mask[at] as number) | flag
  }
  if (mask.every((byte) => byte === 0)) {
    refuse(family.name, 'family', family, 'fixedId needs a family whose ids have bits beside the time')
  }
  masks.set(family, mask)
  return mask
}

/**
 * An endless sequence of bytes that depends on each character of the text. Each round permutes the 128 bits of state, so
 * that texts of one length never meet in the same state. Not for secrets.
 */
function spreadOf(text: string): () => number {
  let [a, b, c, d] = [0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a]
  const mix = (from: number, into: number, factor: number): number => {
    const product = Math.imul(from ^ into, factor)
    return (product << 15) | (product >>> 17)
  }
  const round = (input: number): void => {
    a = (mix(a, input, 0x9e3779b1) + b) | 0
    b = (mix(b, a, 0x85ebca6b) + c) | 0
    c = (mix(c, b, 0xc2b2ae35) + d) | 0
    d = (mix(d, c, 0x27d4eb2f) + a) | 0
  }
  for (let i = 0; i < text.length; i++) round(text.charCodeAt(i))
  for (let i = 0; i < 4; i++) round(-1)
  let at = 0
  return () => {
    if (at % 4 === 0) round(-2)
    return (d >>> (8 * (at++ % 4))) & 0xff
  }
}
