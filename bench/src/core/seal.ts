import { flax, prefixed, typeid, uuid7 } from '@snoflax/core'
import { generateSealKey, seal } from '@snoflax/seal'
import type { Section } from '../report.js'
import { compareAll } from './compare.js'
import { pick, received, SAMPLES, sampleIds, samples } from './samples.js'

const plain = seal(flax, { keys: generateSealKey() })
const ids = sampleIds(flax)
const texts = plain.sealAll(ids)
const twoKeys = seal(flax, { keys: [generateSealKey(), generateSealKey()] })
const twice = twoKeys.sealAll(ids)
const customers = seal(prefixed(flax, 'cus'), { keys: generateSealKey() })
const customerIds = received(sampleIds(customers.family))
const customerTexts = received(customers.sealAll(customerIds))
const long = seal(uuid7, { keys: generateSealKey() })
const longIds = samples(() => uuid7.generate())
const longTexts = long.sealAll(longIds)
const uuids = seal(uuid7, { keys: generateSealKey(), as: 'uuid' })
const uuidTexts = uuids.sealAll(longIds)
const userId = typeid('user')
const typeids = seal(userId, { keys: generateSealKey(), as: 'uuid' })
const userIds = received(samples(() => userId.generate()))
const userTexts = received(typeids.sealAll(userIds))
const longTwoKeys = seal(uuid7, { keys: [generateSealKey(), generateSealKey()] })
const longTwice = longTwoKeys.sealAll(longIds)

/** Processes a list at every 64th step, so that the time is that of one of its ids. */
const inLists = (list: () => readonly string[]) => (i: number) =>
  i % SAMPLES === 0 ? (list()[SAMPLES - 1] as string) : 0

export const sealing: Section<void> = {
  name: 'seal',
  run: () => ({
    title: 'Sealing and opening',
    about: `With a key that is set up once. Of lists of ${SAMPLES} ids, the time for one id.`,
    ...compareAll(
      {
        'flax.generate': () => flax.generate(),
        seal: (i) => plain.seal(pick(ids, i)),
        open: (i) => plain.open(pick(texts, i)),
        'seal, prefixed': (i) => customers.seal(pick(customerIds, i)),
        'open, prefixed': (i) => customers.open(pick(customerTexts, i)),
        'open, two keys': (i) => twoKeys.open(pick(twice, i)),
        sealAll: inLists(() => plain.sealAll(ids)),
        openAll: inLists(() => plain.openAll(texts)),
        'openAll, two keys': inLists(() => twoKeys.openAll(twice)),
        'seal, uuid7': (i) => long.seal(pick(longIds, i)),
        'open, uuid7': (i) => long.open(pick(longTexts, i)),
        'sealAll, uuid7': inLists(() => long.sealAll(longIds)),
        'openAll, uuid7': inLists(() => long.openAll(longTexts)),
        'openAll, uuid7, two keys': inLists(() => longTwoKeys.openAll(longTwice)),
        'seal, uuid7 as uuid': (i) => uuids.seal(pick(longIds, i)),
        'open, uuid7 as uuid': (i) => uuids.open(pick(uuidTexts, i)),
        'sealAll, uuid7 as uuid': inLists(() => uuids.sealAll(longIds)),
        'openAll, uuid7 as uuid': inLists(() => uuids.openAll(uuidTexts)),
        'sealAll, typeid as uuid': inLists(() => typeids.sealAll(userIds)),
        'openAll, typeid as uuid': inLists(() => typeids.openAll(userTexts)),
      },
      ['flax.generate'],
      {
        'flax.generate': {
          seal: 8,
          open: 8,
          sealAll: 2.5,
          openAll: 2.5,
          'sealAll, uuid7': 40,
          'openAll, uuid7': 40,
          'sealAll, uuid7 as uuid': 40,
          'openAll, uuid7 as uuid': 40,
          'sealAll, typeid as uuid': 40,
          'openAll, typeid as uuid': 40,
        },
      },
    ),
  }),
}
