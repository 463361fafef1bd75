import { checkText, IdError } from '../primitives/errors.js'
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
  throw new IdError(
    'INVALID_CHARACTER',
    `${family}: ${JSON.stringify(text.charAt(position ?? 0))} at position ${position} of ${JSON.stringify(text)} ` +
      'is not part of a UUID; expected hex digits in groups of 8-4-4-4-12',
    { family, value: text, position },
  )
}

const HYPHENS: ReadonlySet<number> = new Set([8, 13, 18, 23])

const isUuidCharacter = (text: string, at: number): boolean =>
  (HYPHENS.has(at) ? /-/ : /[0-9a-f]/i).test(text.charAt(at))
