import { fail, show } from './errors.js'
import { isDate } from './realms.js'

/**
 * The kind of an option's value: one of several words, a boolean, a function, a list, a number that
 * must not be undefined, or a value that its reader checks.
 */
export type OptionKind = 'number' | 'boolean' | 'function' | 'list' | 'any' | readonly string[]

/**
 * A copy of the own properties of options, without a prototype: what others put on `Object.prototype` is no option.
 */
export const ownOptions = <Options>(options: Options): Exclude<Options, undefined> =>
  ({ __proto__: null, ...options }) as never

/**
 * Refuses unknown options and values of the wrong kind. Otherwise a misspelled name or an unset variable would silently
 * mean the default. Returns a copy of the own ones to read them from. An inherited option, such as a getter of a
 * class, is refused, since the copy lacks it.
 *
 * @param kinds the kind of each option. A `number` that is passed as undefined is refused too: `{ partition: undefined
 * }` is an environment variable that was not set.
 * @throws {IdError} `INVALID_OPTION`.
 *
 * @example
 * const { clock } = checkOptions('ticket', { clock: Date.now }, { clock: 'function', gate: 'number' })
 */
export function checkOptions<Options>(
  family: string,
  options: Options,
  kinds: Readonly<Record<string, OptionKind>>,
  what = 'options',
): Exclude<Options, undefined> {
  const own = ownOptions(options)
  if (options === undefined) return own
  if (typeof options !== 'object' || options === null || Array.isArray(options) || isDate(options)) {
    refuse(family, what, options, `${what} must be an object, not ${show(options)}`)
  }
  for (const name of Object.keys(kinds)) {
    if (name in options && !Object.hasOwn(own as object, name) && !(name in Object.prototype)) {
      refuse(family, name, options, `${name} is inherited; pass a plain object`)
    }
  }
  for (const [name, value] of Object.entries(own as object)) {
    const kind = Object.hasOwn(kinds, name) ? kinds[name] : undefined
    if (kind === undefined) {
      refuse(family, name, value, `no option ${show(name)}; options are ${Object.keys(kinds).join(', ')}`)
    } else if (value === undefined) {
      if (kind === 'number')
        refuse(family, name, value, `${name} is undefined; pass a number, or leave it out`)
    } else if (!isOfKind(kind, value)) {
      const wanted = typeof kind === 'object' ? kind.map(show).join(' or ') : `a ${kind}`
      refuse(family, name, value, `${name} must be ${wanted}, not ${show(value)}`)
    }
  }
  return own
}

function isOfKind(kind: OptionKind, value: unknown): boolean {
  if (typeof kind === 'object') return kind.includes(value as string)
  if (kind === 'list') return Array.isArray(value)
  return kind === 'any' || kind === 'number' || kind === typeof value
}

/**
 * Throws the error for an option, once its reader knows that it can't be used.
 *
 * @param family what has the option.
 * @throws {IdError} `INVALID_OPTION` always.
 *
 * @example
 * const gateOf = (gate: unknown) => gate === 'east' || refuse('ticket', 'gate', gate, 'there is no such gate')
 * gateOf('east') // true
 */
export function refuse(family: string, field: string, value: unknown, reason: string): never {
  fail('INVALID_OPTION', family, reason, value, field)
}
