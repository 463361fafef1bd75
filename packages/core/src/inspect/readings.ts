import type { IdFamily, StorageName } from '../family.js'
import { checkFamilies } from '../identity.js'
import { checkOptions } from '../primitives/options.js'
import { attempts, kindsOf } from './attempts.js'
import { FORMS } from './forms.js'
import { isPlausible, type ReadingOptions } from './plausible.js'

/** One way to read a text as an id. */
export interface IdReading {
  /** One of the families passed, or `prefixed` of one if the text has a prefix; never with other keys that it accepts. */
  readonly family: IdFamily
  /** The storage whose form the text has. */
  readonly form: StorageName
  /** The canonical text. */
  readonly id: string
  /** Whether the id's time is one at which ids are generated; see {@link isPlausible}. */
  readonly plausible: boolean
}

/**
 * Every way to read a text as an id of these families, in any form that people and databases write: the canonical text,
 * with or without a prefix; a uuid, with or without hyphens, in either case; bytes as `\x…`, `0x…`, `X'…'` or bare hex;
 * a decimal number. Each id of a family is listed once. The array is empty if the text is not an id; `refusals` says
 * why.
 *
 * The likeliest is first: plausible times before others; then by form: uuid8 (which contains its family's tag), text,
 * uuid, binary, bigint; then in the order of `families`. Pass families with a small alphabet first: nearly every sno
 * can be read as a flax, but hardly any flax as a sno.
 *
 * @throws {IdError} `INVALID_TYPE` if the text is not a string, `INVALID_TIME` if `nowMs` is NaN, `INVALID_OPTION`
 * for a value that is not a family.
 *
 * @example
 * const [first] = readings('\\x4e6f2160a0ff9a0a1033', [sno, flax, flake])
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
