import { flax, prefixed } from '@snoflax/core'
import { generateSealKey, seal } from '@snoflax/seal'
import type { Section } from '../report.js'
import { compareAll } from './compare.js'
import { pick, received, SAMPLES, sampleIds } from './samples.js'

const plain = seal(flax, { keys: generateSealKey() })
const ids = sampleIds(flax)
const texts = plain.sealAll(ids)
const twoKeys = seal(flax, { keys: [generateSealKey(), generateSealKey()] })
const twice = twoKeys.sealAll(ids)
const customers = seal(prefixed(flax, 'cus'), { keys: generateSealKey() })
const customerIds = received(sampleIds(customers.family))
const customerTexts = received(customers.sealAll(customerIds))

/** Processes a list at every 64th step, so that the time is that of one of its ids. */
const inLists = (list: () => readonly string[]) => (i: number) =>
  i % SAMPLES === 0 ? (list()[SAMPLES - 1] as string) : 0

export const sealing: Section<void> = {
  name: 'seal',
  run: () => ({
    title: 'Sealing and opening',
    about: `With a key that is set up once. Lists have ${SAMPLES} ids, and the time is that of one of them.`,
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
      },
      ['flax.generate'],
      { 'flax.generate': { seal: 8, open: 8, sealAll: 8, openAll: 8 } },
    ),
  }),
}
