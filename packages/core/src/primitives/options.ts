import { IdError, show } from './errors.js'

/**
 * What an option takes: one of several words, a boolean, a function, a number that must not be undefined, or what its
 * reader checks.
 */
type OptionKind = 'number' | 'boolean' | 'function' | 'any' | readonly string[]

/**
 * Refuses options that nobody reads, and values of the wrong kind: a name with a typo, or a setting that was never
 * made, would be a default in silence.
 *
 * @param kinds what each option takes. A number that is there and undefined is refused too: `{ partition: undefined }`
 * is an environment variable that was not set.
 * @throws {IdError} `INVALID_OPTION`.
 */
export function checkOptions(
  family: string,
  options: unknown,
  kinds: Readonly<Record<string, OptionKind>>,
): void {
  if (options === undefined) return
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    refuse(family, 'options', options, `options must be an object, not ${show(options)}`)
  }
  for (const [name, value] of Object.entries(options)) {
    if (!Object.hasOwn(kinds, name)) {
      refuse(family, name, value, `no option ${show(name)}; options are ${Object.keys(kinds).join(', ')}`)
    }
    checkKind(family, name, value, kinds[name] as OptionKind)
  }
}

function checkKind(family: string, name: string, value: unknown, kind: OptionKind): void {
  if (value === undefined) {
    if (kind === 'number') refuse(family, name, value, `${name} is undefined; give a number, or leave it out`)
  } else if (typeof kind === 'object') {
    if (!kind.includes(value as string)) {
      refuse(family, name, value, `${name} must be ${kind.map(show).join(' or ')}, not ${show(value)}`)
    }
  } else if ((kind === 'boolean' || kind === 'function') && typeof value !== kind) {
    refuse(family, name, value, `${name} must be a ${kind}, not ${show(value)}`)
  }
}

function refuse(family: string, field: string, value: unknown, reason: string): never {
  throw new IdError('INVALID_OPTION', `${family}: ${reason}`, { family, field, value })
}
