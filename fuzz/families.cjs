const { IdError, flake, flax, prefixed, sno, typeid, ulid, uuid7 } = require('@snoflax/core')
const light = require('@snoflax/core/light')
const { discord, twitter, uid, uidLocal } = require('@snoflax/families')

exports.families = [
  ...[flake, flax, sno, uid, uidLocal, discord, twitter, ulid, uuid7],
  ...[prefixed(flax, 'cus'), prefixed(flake, 'a_b'), typeid('user')],
]

/** The light families, each beside the whole one. */
exports.pairs = [
  [light.flax, flax],
  [light.uuid7, uuid7],
  [light.prefixed(light.flax, 'cus'), prefixed(flax, 'cus')],
  [light.typeid('user'), typeid('user')],
]

/** What it gives, or undefined where it refuses; refusals are IdErrors and nothing else. */
exports.unlessRefused = (/** @type {() => unknown} */ run) => {
  try {
    return run()
  } catch (error) {
    if (error instanceof IdError) return undefined
    throw error
  }
}
