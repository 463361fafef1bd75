import { checkFrom } from '../definitions.js'
import type { IdFamily } from '../family.js'
import { checkAscii, fail, IdError, show } from '../primitives/errors.js'

const PREFIX = /^[a-z](?:[a-z0-9_]{0,61}[a-z0-9])?$/

export const isPrefix = (text: string): boolean => PREFIX.test(text)

/** @throws {IdError} `INVALID_OPTION` for a malformed prefix. */
export function checkPrefix(prefix: unknown): void {
  if (typeof prefix === 'string' && isPrefix(prefix)) return
  const rule = 'a prefix must have 1 to 63 of a-z, 0-9 and _, begin with a letter and not end with _'
  refuse('prefix', prefix, rule)
}

/** @throws {IdError} `INVALID_OPTION` for a prefix that TypeIDs can't have. */
export function checkTypeidPrefix(prefix: unknown): void {
  if (typeof prefix === 'string' && /^[a-z](?:[a-z_]{0,61}[a-z])?$/.test(prefix)) return
  refuse('prefix', prefix, 'typeid: a prefix must have 1 to 63 of a-z and _, and begin and end with a letter')
}

export function refuse(field: string, value: unknown, message: string): never {
  throw new IdError('INVALID_OPTION', `${message}, not ${show(value)}`, { field, value })
}

/** What a prefix needs of a base. */
type Readable = Pick<IdFamily, 'name' | 'textLength' | 'is' | 'parse'>

/** Whether a text is `head` and an id of the base. */
export function checkerOf(head: string, base: Readable): (text: string) => boolean {
  const start = head.length
  const checkBase = checkFrom(base)
  return (text) => {
    // Code by code, which takes less than `startsWith`.
    for (let i = 0; i < start; i++) if (text.charCodeAt(i) !== head.charCodeAt(i)) return false
    return checkBase(text, start)
  }
}

/** The head and the base's pattern. */
export const patternOf = (head: string, { pattern }: IdFamily): RegExp =>
  new RegExp(`^${head}(?:${unanchored(pattern)})$`, pattern.flags)

/** The pattern's source without the anchors at its ends. */
export const unanchored = ({ source }: RegExp): string => source.replace(/^\^/, '').replace(/(?<!\\)\$$/, '')

/** Throws the error for a text that is none of the family. */
export function refuseText(prefix: string, base: Readable, text: string): never {
  const head = `${prefix}_`
  const found = prefixOf(base, text)
  checkAscii(prefix, text)
  // Another prefix may begin with this one, as `a_b_` with `a_`.
  const isAnother = found && found !== prefix && base.is(text.slice(found.length + 1))
  if (isAnother || !text.startsWith(head)) {
    const actual = found === undefined ? show(text) : `with ${show(`${found}_`)} as ${show(text)}`
    const reason = base.is(text)
      ? `${show(text)} has no prefix; expected ${show(head + text)}`
      : `an id must begin with ${show(head)}, not ${actual}`
    fail('WRONG_PREFIX', prefix, reason, text, undefined, 0)
  }
  try {
    base.parse(text.slice(head.length))
  } catch (cause) {
    if (!(cause instanceof IdError)) throw cause
    const { code, message, position } = cause
    const reason = `${show(text)}, after ${show(head)}: ${message}`
    fail(
      code,
      prefix,
      reason,
      text,
      undefined,
      position === undefined ? position : head.length + position,
      cause,
    )
  }
  return fail('NOT_CANONICAL', prefix, `${show(text)} is not an id`, text)
}

/** Split by the base's length, since its text may contain a `_`; if that varies, at the last `_`. */
export function prefixOf({ textLength }: Pick<IdFamily, 'textLength'>, text: string): string | undefined {
  const cut = textLength === undefined ? text.lastIndexOf('_') : text.length - textLength - 1
  return cut > 0 && text[cut] === '_' ? text.slice(0, cut) : undefined
}
