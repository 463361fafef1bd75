import { fail } from '../primitives/errors.js'
import { fill, secureRandom } from '../primitives/random.js'
import { once } from '../primitives/realms.js'
import { NAME } from './codec.js'
import { MAX_PARTITION } from './layout.js'

/** The first partition, chosen at random, and how many generators have one. */
interface Partitions {
  readonly first: number
  used: number
}

/**
 * A partition that no other default generator of this process has. Processes can collide: of 300, two share one with a
 * probability of about one half.
 */
export function defaultPartition(): number {
  const partitions = once<Partitions>('sno partitions', () => ({ first: randomPartition(), used: 0 }))
  if (partitions.used > MAX_PARTITION) {
    const reason = `all ${partitions.used} default partitions of this process are used up; pass partition`
    fail('SEQUENCE_EXHAUSTED', NAME, reason, undefined, 'partition')
  }
  return (partitions.first + partitions.used++) & MAX_PARTITION
}

function randomPartition(): number {
  const bytes = new Uint8Array(16) // more than it needs, so that a source that fills nothing is noticed
  fill(secureRandom, bytes)
  return new DataView(bytes.buffer).getUint16(0)
}
