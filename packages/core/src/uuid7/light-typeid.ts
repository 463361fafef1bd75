import { type LightFamily, lightFamily } from '../light-family.js'
import { LAST_MS } from '../monotonic-family.js'
import { type LightPrefixedFamily, withPrefix } from '../prefixed/light.js'
import { checkTypeidPrefix } from '../prefixed/text.js'
import { systemClock } from '../primitives/clock.js'
import { CROCKFORD_DIGITS } from '../primitives/radix.js'
import { securePool } from '../primitives/random.js'
import { generating, speller } from './generator.js'
import { encode, NAME, refuseText, type TypeidSuffix, timeOfText, VERSION_7 } from './typeid-suffix.js'

const suffix: LightFamily<TypeidSuffix> = /* @__PURE__ */ createSuffix()

function createSuffix(): LightFamily<TypeidSuffix> {
  const span = { name: NAME, firstMs: 0, lastMs: LAST_MS }
  const definition = {
    ...span,
    textLength: CROCKFORD_DIGITS,
    check: (text: string) => VERSION_7.test(text),
    refuse: refuseText,
    timeOf: timeOfText,
  }
  return lightFamily<TypeidSuffix>(
    definition,
    generating(span, speller(encode, securePool()), securePool(), systemClock),
  )
}

/**
 * TypeID: the family of `@snoflax/core` as far as a browser needs it. See {@link flax}.
 *
 * @param prefix 1 to 63 of a-z and `_`, with a letter at both ends.
 * @throws {IdError} `INVALID_OPTION` for another prefix.
 *
 * @example
 * const userId = typeid('user')
 * userId.time(userId.generate()) // when it was generated
 */
export function typeid<const Prefix extends string>(prefix: Prefix): LightPrefixedFamily<Prefix> {
  checkTypeidPrefix(prefix)
  return withPrefix(suffix, prefix)
}
