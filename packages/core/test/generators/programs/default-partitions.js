// Uses up the default partitions of a process.
import { sno } from '@snoflax/core'

const TOTAL = 65_536

const partitions = Array.from({ length: TOTAL - 1 }, () => sno.generator().partition)
// The family's own generator takes one as well.
partitions.push(sno.unpack(sno.generate()).partition)

const refusals = [1, 2].map(() => {
  try {
    return sno.generator().partition
  } catch (error) {
    return error.code
  }
})

const explicit = sno.generator({ partition: partitions[0] }).partition === partitions[0]
const ascending = partitions.every((partition, i) => i === 0 || partition === (partitions[i - 1] + 1) % TOTAL)
process.stdout.write(
  JSON.stringify({ first: partitions[0], distinct: new Set(partitions).size, ascending, refusals, explicit }),
)
