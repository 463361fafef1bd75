// Makes ids where nothing can be put into globalThis.
import { flax, sno } from '@snoflax/core'

Object.freeze(globalThis)
const partitions = [sno.generator(), sno.generator()].map(({ partition }) => partition)
const results = [flax.is(flax.monotonic.generate()), sno.is(sno.generate()), partitions[0] !== partitions[1]]
process.stdout.write(JSON.stringify(results))
