// Loads the package as an ES module and as CommonJS, and tells what the two copies have in common.
import { createRequire } from 'node:module'
import * as one from '@snoflax/core'

const two = createRequire(import.meta.url)('@snoflax/core')

const inTurns = (a, b) => Array.from({ length: 10_000 }, (_, i) => (i % 2 ? a() : b()))
const isAscending = (ids) => ids.every((id, i) => i === 0 || id > ids[i - 1])
const thrownBy = (call) => {
  try {
    return call()
  } catch (error) {
    return error
  }
}

const error = thrownBy(() => two.flax.parse('?'))
const partitions = [one.sno, two.sno, one.sno, two.sno].map((sno) => sno.generator().partition)
process.stdout.write(
  JSON.stringify({
    isAnother: one.flax !== two.flax,
    monotonic: isAscending(inTurns(one.flax.monotonic.generate, two.flax.monotonic.generate)),
    sno: isAscending(inTurns(one.sno.generate, two.sno.generate)),
    partitions: new Set(partitions).size,
    error: [error instanceof one.IdError, error.constructor === one.IdError, error instanceof two.IdError],
    family: one.isSameFamily(one.flake, two.flake),
  }),
)
