import type { IdFamily } from './family.js'
import { isSameFamily } from './identity.js'
import { type Automaton, automatonOf, commonText } from './primitives/automaton.js'
import { isRegExp } from './primitives/realms.js'

/** Texts that are tried where patterns match more than there is. */
const TRIES = 64

/** The same numbers each time: a declaration that is accepted once always is. */
function sequence(): () => number {
  let state = 1
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

const automatons = /* @__PURE__ */ new WeakMap<IdFamily, Automaton>()

/** Of the family's pattern; read once. */
export function automatonOfFamily(family: IdFamily): Automaton {
  const known = automatons.get(family) ?? automatonOf(family.pattern)
  automatons.set(family, known)
  return known
}

/**
 * A text that is an id of the family and an accepted key; undefined if there is none. The patterns of both tell, of
 * texts of any length. Only if they match more than `is` and `isAccepted`, as with lookarounds, some of their common
 * texts are tried.
 */
export function overlapOf(
  family: IdFamily,
  one: RegExp | IdFamily,
  isAccepted: (text: string) => boolean,
): string | undefined {
  // Such as uuid7, and uuid7 with version 4: one text means the same in both.
  if (!isRegExp(one) && isSameFamily(one, family)) return undefined
  const own = automatonOfFamily(family)
  const other = isRegExp(one) ? automatonOf(one) : automatonOfFamily(one)
  const random = sequence()
  for (let tries = 0; tries < TRIES; tries++) {
    const text = commonText(own, other, random)
    if (text === undefined || (family.is(text) && isAccepted(text))) return text
  }
  return undefined
}
