import { checkText, fail } from '../primitives/errors.js'
import { uuidBytes } from './uuid.js'

const TEXT_LENGTH = 36
const HYPHENS = [8, 13, 18, 23]

/**
 * The bytes of a UUID that may have upper-case digits.
 *
 * @throws {IdError} `INVALID_TYPE`, `INVALID_LENGTH`, `INVALID_CHARACTER`.
 */
export function bytesOfUuid(family: string, text: string): Uint8Array {
  const bytes = uuidBytes(checkText(family, text, TEXT_LENGTH))
  if (bytes !== undefined) return bytes
  const characters = text.split('')
  const position = characters.findIndex(
    (one, at) => !(HYPHENS.includes(at) ? '-' === one : /[0-9a-f]/i.test(one)),
  )
  const found = `${JSON.stringify(characters[position])} at position ${position} of ${JSON.stringify(text)}`
  const reason = `${found} is not part of a UUID; expected hex digits in groups of 8-4-4-4-12`
  return fail('INVALID_CHARACTER', family, reason, text, undefined, position)
}
