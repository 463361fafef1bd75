import type { IdFamily } from './family.js'
import type { Alphabet } from './primitives/alphabet.js'

type CheckFrom = (text: string, start: number) => boolean

/** What families of ours keep besides their members, so that editors don't offer it. */
interface Definition {
  readonly checkFrom?: CheckFrom
  readonly alphabet?: Alphabet
}

const definitions = /* @__PURE__ */ new WeakMap<object, Definition>()

/** The family, with its definition kept. */
export function defined<Family extends object>(family: Family, definition: Definition): Family {
  definitions.set(family, definition)
  return family
}

/** The family's `is` of the characters from `start` on. */
export const checkFrom = (family: Pick<IdFamily, 'is'>): CheckFrom =>
  definitions.get(family)?.checkFrom ?? ((text, start) => family.is(text.slice(start)))

/** The alphabet of the family's definition. */
export const alphabetOf = (family: object): Alphabet | undefined => definitions.get(family)?.alphabet
