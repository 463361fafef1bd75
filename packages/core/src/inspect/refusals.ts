import type { IdFamily, StorageName } from '../family.js'
import { checkFamilies, ownOf } from '../identity.js'
import type { IdError } from '../primitives/errors.js'
import { attempts, kindsOf } from './attempts.js'

/** Why a text is not an id of a family. */
export interface IdRefusal {
  /** One of the families passed; of one that accepts other keys, its own family. */
  readonly family: IdFamily
  /** The storage whose form the text resembles. */
  readonly form: StorageName
  /** The error of reading the text in that form. */
  readonly error: IdError
}

/**
 * Why a text is not an id, for each family for which `readings` returns nothing.
 *
 * @throws {IdError} `INVALID_TYPE` if the text is not a string, `INVALID_OPTION` for a value that is not a family.
 *
 * @example
 * const [refusal] = refusals('BRPK4Q72XWF2M63L', [sno, flax])
 * refusal?.family.name // 'sno'
 * refusal?.error.position // 0
 */
export function refusals(text: string, families: readonly IdFamily[]): IdRefusal[] {
  checkFamilies(families, 'refusals')
  return Array.from(new Set(families.map(ownOf))).flatMap((family) =>
    kindsOf([family], text).length > 1 ? [] : (refusalBy(family, text) ?? []),
  )
}

function refusalBy(family: IdFamily, text: string): IdRefusal | undefined {
  const tried = attempts(family, text)
  if (tried.some(({ id }) => id !== undefined)) return undefined
  const likeliest =
    tried.find(({ form }) => looksLike(form, text)) ?? tried.find(({ form }) => form === 'text')
  return likeliest?.error && { family, form: likeliest.form, error: likeliest.error }
}

const MARKED_HEX = /^(?:\\x|0x|x')/i

/** Only unmistakable forms: every text may be meant as an id's text, and words can consist of hex digits. */
const looksLike = (form: StorageName, text: string): boolean =>
  form !== 'text' && (form !== 'binary' || MARKED_HEX.test(text))
