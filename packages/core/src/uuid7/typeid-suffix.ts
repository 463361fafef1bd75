import { deriveFamily } from '../define-family.js'
import type { Id } from '../family.js'
import { LAST_MS, type MonotonicFamily, timeOf, withGenerators } from '../monotonic-family.js'
import { checkBytes, fail, show } from '../primitives/errors.js'
import { CROCKFORD_BYTES, CROCKFORD_DIGITS, crockford, decodeCrockford } from '../primitives/radix.js'
import { isVersion, LAYOUT, lowestOf, packBytes, type Uuid7Fields, unpackBytes } from './codec.js'
import { createGenerator } from './generator.js'

/** The suffix of a TypeID, after its prefix: 26 characters of Crockford's base 32, lower case. */
export type TypeidSuffix = Id<'typeid'>

/** A family of TypeIDs without a prefix: UUIDs of version 7 in another text. */
export type TypeidSuffixFamily = MonotonicFamily<TypeidSuffix, Uuid7Fields>

export const NAME = 'typeid'
const coder = /* @__PURE__ */ crockford(NAME, '0123456789abcdefghjkmnpqrstvwxyz', 'a suffix')
export const encode = (bytes: Uint8Array): TypeidSuffix => coder.encode(bytes) as TypeidSuffix

/** The bytes of any 128 bits. */
const decodeAny = (text: string): Uint8Array =>
  decodeCrockford(coder.alphabet, text) ?? (coder.checkDigits(text) as never)

const ANY = /^[0-7][0-9a-hjkmnp-tv-z]{25}$/
/** The version is in the 11th character, the variant in the 14th, each among a random bit or more. */
export const VERSION_7 =
  /^[0-7][0-9a-hjkmnp-tv-z]{9}[ef][0-9a-hjkmnp-tv-z]{2}[89abrstv][0-9a-hjkmnp-tv-z]{12}$/

const MIN = '0000000000e008000000000000' as TypeidSuffix
const MAX = '7zzzzzzzzzfzzvzzzzzzzzzzzz' as TypeidSuffix

const checkVersion7 = (bytes: Uint8Array): Uint8Array =>
  isVersion(bytes, 7) ? bytes : refuseText(encode(bytes), OTHERS)

const OTHERS = "a UUIDv7; to accept UUIDs of every version use typeid(prefix, { uuids: 'any' })"

/** Throws the error of a text that {@link VERSION_7} doesn't match. */
export function refuseText(text: string, expected = 'a UUIDv7'): never {
  coder.checkDigits(text)
  return fail('NOT_CANONICAL', NAME, `${show(text)} is not ${expected}`, text)
}

/** @param uuids which UUIDs the suffix may contain; generators create version 7 only. */
export function suffixFamily(uuids: 'v7' | 'any'): TypeidSuffixFamily {
  const isAny = uuids === 'any'
  const pattern = isAny ? ANY : VERSION_7
  const decode = isAny ? decodeAny : (text: string) => checkVersion7(decodeAny(text))
  const family = deriveFamily<TypeidSuffix, Uuid7Fields>({
    name: NAME,
    layout: LAYOUT,
    byteLength: CROCKFORD_BYTES,
    textLength: CROCKFORD_DIGITS,
    pattern,
    storages: ['text', 'uuid', 'binary'],
    tag: 0,
    firstMs: 0,
    lastMs: LAST_MS,
    ...(!isAny && { min: MIN, max: MAX }),
    exactRange: !isAny,
    encode: (bytes) => {
      checkBytes(NAME, bytes, CROCKFORD_BYTES)
      return encode(isAny ? bytes : checkVersion7(bytes))
    },
    decode,
    check: (text) => pattern.test(text),
    pack: (fields) => encode(packBytes(NAME, fields)),
    unpack: (id) => unpackBytes(checkVersion7(decodeAny(id))),
    timeMs(id) {
      const bytes = decode(id)
      return isVersion(bytes, 7) ? timeOf(bytes) : Number.NaN
    },
    lowerBoundMs: (timeMs) => encode(lowestOf(timeMs)),
  })
  return withGenerators(family, (options) => createGenerator(family, encode, options))
}

/** The time of a text that is a suffix: its first 50 bits. */
export function timeOfText(text: string): number {
  let time = 0
  for (let i = 0; i < 10; i++) time = time * 32 + (coder.alphabet.digits[text.charCodeAt(i)] as number)
  return time
}
