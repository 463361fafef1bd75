import { checkText, fail } from '../primitives/errors.js'
import { uuidBytes } from './uuid.js'

const TEXT_LENGTH = 36

/**
 * The bytes of a UUID that may have upper-case digits.
 *
 * @throws {IdError} `INVALID_TYPE`, `INVALID_LENGTH`, `INVALID_CHARACTER`.
 */
export function bytesOfUuid(family: string, text: string): Uint8Array {
  const bytes = uuidBytes(checkText(family, text, TEXT_LENGTH))
  if (bytes !== undefined) return bytes
  const position = Array.from({ length: TEXT_LENGTH }, (_, at) => at).find((at) => !isUuidCharacter(text, at))
  const found = `${JSON.stringify(text.charAt(position ?? 0))} at position ${position} of ${JSON.stringify(text)}`
  const reason = `${found} is not part of a UUID; expected hex digits in groups of 8-4-4-4-12`
  return fail('INVALID_CHARACTER', family, reason, text, undefined, position)
}

const isUuidCharacter = (text: string, at: number): boolean =>
  ([8, 13, 18, 23].includes(at) ? /-/ : /[0-9a-f]/i).test(text.charAt(at))
