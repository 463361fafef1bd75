import { labels, wholeOf } from '../accepting.js'
import { IdError } from '../primitives/errors.js'
import { isRegExp } from '../primitives/realms.js'

/**
 * Lets every column with `accept` take these keys too, in this process, until the returned function is called: for the
 * fixed labels of tests, so that no label stands in the schema.
 *
 * @param pattern must match the whole text.
 * @returns ends it.
 * @throws {IdError} `INVALID_OPTION` as `accepting` for its patterns.
 *
 * @example
 * const stop = acceptLabels(/(?:user|post)-\d+/)
 * accepting(flax, /[a-z0-9]{24}/).is('user-1') // true
 * stop()
 */
export function acceptLabels(...pattern: readonly RegExp[]): () => void {
  const refuse = (value: unknown, reason: string): never => {
    throw new IdError('INVALID_OPTION', `acceptLabels ${reason}`, { field: 'pattern', value })
  }
  if (pattern.length === 0) refuse(undefined, 'needs a pattern')
  const added = pattern.map((one) => (isRegExp(one) ? wholeOf(one, refuse) : refuse(one, 'takes a RegExp')))
  const known = labels()
  known.patterns = [...known.patterns, ...added]
  return () => {
    known.patterns = known.patterns.filter((one) => !added.includes(one))
  }
}
