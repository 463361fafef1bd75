import { checkFrom } from '../define-family.js'
import type { IdFamily } from '../family.js'
import { checkAscii, fail, IdError, refuseType, show } from '../primitives/errors.js'

/** Whether a text is `head` and an id of the base. */
export function checkerOf(head: string, base: IdFamily): (text: string) => boolean {
  const start = head.length
  const checkBase = checkFrom(base)
  // Code by code, which takes less than `startsWith`.
  const codes = Array.from(head, (character) => character.charCodeAt(0))
  return (text) => {
    for (let i = 0; i < start; i++) if (text.charCodeAt(i) !== codes[i]) return false
    return checkBase(text, start)
  }
}

/** The head and the base's pattern. */
export const patternOf = (head: string, { pattern }: IdFamily): RegExp =>
  new RegExp(`^${head}(?:${unanchored(pattern)})$`, pattern.flags)

/** The pattern's source without the anchors at its ends. */
export const unanchored = ({ source }: RegExp): string => source.replace(/^\^/, '').replace(/(?<!\\)\$$/, '')

/** Throws the error for a text that is none of the family. */
export function refuseText(prefix: string, base: IdFamily, text: unknown): never {
  const head = `${prefix}_`
  if (typeof text !== 'string') return refuseType(prefix, 'an id must be a string', text)
  const found = prefixOf(base, text)
  checkAscii(prefix, text)
  // Another prefix may begin with this one, as `a_b_` with `a_`.
  const isAnother = found !== undefined && found !== prefix && base.is(text.slice(found.length + 1))
  if (text.startsWith(head) && !isAnother) return refuseRest(prefix, base, text)
  const given = found === undefined ? `not ${show(text)}` : `not with ${show(`${found}_`)} as ${show(text)}`
  const reason = base.is(text)
    ? `${show(text)} has no prefix; expected ${show(head + text)}`
    : `an id must begin with ${show(head)}, ${given}`
  return fail('WRONG_PREFIX', prefix, reason, text, undefined, 0)
}

/** The base's error for the text behind a correct prefix. */
function refuseRest(prefix: string, base: IdFamily, text: string): never {
  const head = `${prefix}_`
  try {
    base.decode(text.slice(head.length))
  } catch (cause) {
    if (!(cause instanceof IdError)) throw cause
    const { code, message, position } = cause
    throw new IdError(code, `${prefix}: ${show(text)}, after ${show(head)}: ${message}`, {
      family: prefix,
      value: text,
      position: position === undefined ? undefined : head.length + position,
      cause,
    })
  }
  return fail('NOT_CANONICAL', prefix, `${show(text)} is not an id`, text)
}

/** Split by the base's length, since its text may contain a `_`; if that varies, at the last `_`. */
export function prefixOf({ textLength }: IdFamily, text: string): string | undefined {
  const cut = textLength === undefined ? text.lastIndexOf('_') : text.length - textLength - 1
  return cut > 0 && text[cut] === '_' ? text.slice(0, cut) : undefined
}
