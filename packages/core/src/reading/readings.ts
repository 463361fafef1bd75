import type { IdFamily, StorageName } from '../family.js'
import { checkFamilies } from '../identity.js'
import { checkOptions } from '../primitives/options.js'
import { attempts, kindsOf } from './attempts.js'
import { FORMS } from './forms.js'
import { isPlausible, type ReadingOptions } from './plausible.js'

/** One way to read a text as an id. */
export interface IdReading {
  /** One of those that were given; of a text behind a prefix, `prefixed` of one. */
  readonly family: IdFamily
  /** The form in which the text holds the id. */
  readonly form: StorageName
  /** In canonical form. */
  readonly id: string
  /** Whether the id's time is one at which ids are generated; see {@link isPlausible}. */
  readonly plausible: boolean
}

/**
 * Every way to read a text as an id of these families, in whatever form a person or a database writes it: the
 * canonical text, behind a prefix too; a uuid, with hyphens or without, in either case; bytes as `\x…`, `0x…`, `X'…'` or bare hex; a
 * decimal number. Each id of a family comes once, and the array is empty where the text is none; then `refusals`
 * tells why.
 *
 * The likeliest comes first: one with a plausible time before others; then by form: uuid8, which contains a tag of
 * its family, text, uuid, binary, bigint; then in the order of `families`, where those of a small alphabet go
 * first, since nearly every sno reads as a flax, and hardly a flax as a sno.
 *
 * @throws {IdError} `INVALID_TYPE` if the text is no string, `INVALID_TIME` if `nowMs` is NaN, `INVALID_OPTION`
 * for what is no family.
 *
 * @example
 * const [first] = readings('\\x4e6f2160a0ff9a0a1033', [sno, flax, uid, flake, uidLocal])
 * first?.family.name // 'sno'
 * first?.form // 'binary'
 * first?.id // 'brpk4q72xwf2m63l'
 */
export function readings(
  text: string,
  families: readonly IdFamily[],
  options: ReadingOptions = {},
): IdReading[] {
  checkFamilies(families, 'readings')
  checkOptions('readings', options, { nowMs: 'any' })
  const found = kindsOf(families, text).flatMap((family) => readingsAs(family, text, options))
  return found.sort((a, b) => Number(b.plausible) - Number(a.plausible) || rankOf(a) - rankOf(b))
}

const rankOf = ({ form }: IdReading): number => FORMS.findIndex(({ name }) => name === form)

function readingsAs(family: IdFamily, text: string, options: ReadingOptions): IdReading[] {
  const forms = new Map<string, StorageName>()
  for (const { id, form } of attempts(family, text)) {
    if (id !== undefined && !forms.has(id)) forms.set(id, form)
  }
  return Array.from(forms, ([id, form]) => ({
    family,
    form,
    id,
    plausible: isPlausible(family, id, options),
  }))
}
