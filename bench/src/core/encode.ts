import { flake, flax, sno } from '@snoflax/core'
import { uid, uidLocal } from '@snoflax/families'
import type { Section } from '../report.js'
import { comparePairs } from './compare.js'
import { pick, sampleBytes } from './samples.js'

const snos = sampleBytes(sno)
const flaxes = sampleBytes(flax)
const uids = sampleBytes(uid)
const localUids = sampleBytes(uidLocal)
const flakes = sampleBytes(flake)

export const encode: Section<void> = {
  name: 'encode',
  run: () => ({
    title: 'Bytes to text',
    about: 'Beside Node, which writes the same bytes as hex.',
    ...comparePairs(
      "buffer.toString('hex')",
      {
        'sno.encode': {
          subject: (i) => sno.encode(pick(snos, i)),
          yardstick: (i) => pick(snos, i).toString('hex'),
        },
        'flax.encode': {
          subject: (i) => flax.encode(pick(flaxes, i)),
          yardstick: (i) => pick(flaxes, i).toString('hex'),
        },
        'uid.encode': {
          subject: (i) => uid.encode(pick(uids, i)),
          yardstick: (i) => pick(uids, i).toString('hex'),
        },
        'uidLocal.encode': {
          subject: (i) => uidLocal.encode(pick(localUids, i)),
          yardstick: (i) => pick(localUids, i).toString('hex'),
        },
        'flake.encode': {
          subject: (i) => flake.encode(pick(flakes, i)),
          yardstick: (i) => pick(flakes, i).toString('hex'),
        },
      },
      { 'sno.encode': 0.4, 'flax.encode': 0.4, 'uid.encode': 0.4 },
    ),
  }),
}
