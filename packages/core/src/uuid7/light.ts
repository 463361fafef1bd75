import { type LightFamily, lightFamily } from '../light-family.js'
import { systemClock } from '../primitives/clock.js'
import { securePool } from '../primitives/random.js'
import { PATTERN, refuseText, SPAN, spell, TEXT_LENGTH, type Uuid7 } from './codec.js'
import { generating, speller } from './generator.js'

/**
 * UUIDv7: the family of `@snoflax/core` as far as a browser needs it. See {@link flax}.
 *
 * @example
 * const id = uuid7.generate() // Uuid7, e.g. '019aa8f2-7c4d-7a31-9d1c-2f6b8e5a4c10'
 * uuid7.time(id) // when it was generated
 */
export const uuid7: LightFamily<Uuid7> = /* @__PURE__ */ createUuid7()

function createUuid7(): LightFamily<Uuid7> {
  const definition = {
    ...SPAN,
    textLength: TEXT_LENGTH,
    check: (text: string) => PATTERN.test(text),
    refuse: (text: string) => refuseText(text, 'a UUIDv7'),
    timeOf: (id: Uuid7) => Number(`0x${id.slice(0, 8)}${id.slice(9, 13)}`),
  }
  return lightFamily(definition, generating(SPAN, speller(spell, securePool()), securePool(), systemClock))
}
