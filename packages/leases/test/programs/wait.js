// Waits for a number that comes free later, makes an id, and has nothing more to do.
import { sno } from '@snoflax/core'
import { leasePartitionFrom } from '@snoflax/leases'

const answers = [
  { retryMs: 300 },
  { token: 't', number: 7, shard: 0, startMs: 0, untilMs: Date.now() + 60_000 },
]
const store = { acquire: async () => answers.shift(), renew: async () => undefined, release: async () => {} }
const { generator } = await leasePartitionFrom(store, { family: sno, numbers: { min: 1, max: 9 } })
process.stdout.write(generator.generate())
