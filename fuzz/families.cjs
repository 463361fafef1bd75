const { IdError, flake, flax, prefixed, sno, typeid, ulid, uuid7 } = require('@snoflax/core')
const { discord, twitter, uid, uidLocal } = require('@snoflax/families')

exports.families = [
  ...[flake, flax, sno, uid, uidLocal, discord, twitter, ulid, uuid7],
  ...[prefixed(flax, 'cus'), prefixed(flake, 'a_b'), typeid('user')],
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
