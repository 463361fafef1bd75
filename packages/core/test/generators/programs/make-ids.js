// Makes ids with the built package, in a process or a worker thread of its own, and says which.
import { isMainThread, parentPort, workerData } from 'node:worker_threads'
import { flake, flax, sno } from '@snoflax/core'
import { uid, uidLocal } from '@snoflax/families'

const generators = {
  flax: () => flax.generator(),
  flaxMonotonic: () => flax.generator({ monotonic: true }),
  sno: (number) => sno.generator({ partition: number }),
  // One partition for all: the shards of the sequence keep them apart.
  snoShard: (number) =>
    sno.generator({ partition: 9, sequenceMin: number * 16_000, sequenceMax: number * 16_000 + 15_999 }),
  flake: (number) => flake.generator({ id: number }),
  uid: (number) => uid.generator({ node: `orders@10.0.0.${number}` }),
  uidFromLocal: (number) => {
    const local = uidLocal.generator()
    return { batch: (count) => local.batch(count).map((id) => uid.fromLocal(id, { node: number })) }
  },
}

/** @param {{ kind: keyof typeof generators, number: number, count: number }} task */
const idsOf = ({ kind, number, count }) => generators[kind](number).batch(count)

if (isMainThread) process.stdout.write(idsOf(JSON.parse(process.argv[2])).join('\n'))
else parentPort.postMessage(idsOf(workerData).join('\n'))
