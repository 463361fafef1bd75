import { IdError } from '../primitives/errors.js'
import { secureRandom } from '../primitives/random.js'
import { NAME } from './codec.js'
import { MAX_PARTITION } from './layout.js'

let seed: number | undefined
let given = 0

/**
 * A partition that no other default generator of this process has. Between processes it is a matter of luck:
 * of 300 processes, two share one with a probability of about a half.
 */
export function defaultPartition(): number {
  if (given > MAX_PARTITION) {
    throw new IdError(
      'SEQUENCE_EXHAUSTED',
      `${NAME}: this process has used all ${given} default partitions`,
      {
        family: NAME,
        field: 'partition',
      },
    )
  }
  seed ??= randomSeed()
  return (seed + given++) & MAX_PARTITION
}

function randomSeed(): number {
  const bytes = new Uint8Array(2)
  secureRandom(bytes)
  return new DataView(bytes.buffer).getUint16(0)
}
