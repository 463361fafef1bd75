import { type LightFamily, lightFamily } from '../light-family.js'
import { systemClock } from '../primitives/clock.js'
import { securePool } from '../primitives/random.js'
import { type FlaxId, SPAN, timeOf, words } from './codec.js'
import { generating } from './generator.js'

/**
 * flax, as in `@snoflax/core`, without what only a server needs.
 *
 * @example
 * const id = flax.generate() // FlaxId, e.g. 'Kpcan0M1FakODT4k'
 * flax.time(id) // when it was generated
 */
export const flax: LightFamily<FlaxId> = /* @__PURE__ */ createFlax()

function createFlax(): LightFamily<FlaxId> {
  return lightFamily({ ...SPAN, ...words, timeOf }, generating(securePool(), systemClock))
}
