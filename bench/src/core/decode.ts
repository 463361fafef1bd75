import { flake, flax, sno } from '@snoflax/core'
import { uid, uidLocal } from '@snoflax/families'
import type { Section } from '../report.js'
import { comparePairs } from './compare.js'
import { pick, sampleIds } from './samples.js'

const snos = sampleIds(sno)
const flaxes = sampleIds(flax)
const uids = sampleIds(uid)
const localUids = sampleIds(uidLocal)
const flakes = sampleIds(flake)

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')
const snosAsHex = snos.map((id) => hex(sno.decode(id)))
const flaxesAsHex = flaxes.map((id) => hex(flax.decode(id)))
const uidsAsHex = uids.map((id) => hex(uid.decode(id)))
const localUidsAsHex = localUids.map((id) => hex(uidLocal.decode(id)))
const flakesAsHex = flakes.map((id) => hex(flake.decode(id)))

export const decode: Section<void> = {
  name: 'decode',
  run: () => ({
    title: 'Text to bytes',
    about:
      'Beside Node, which reads the hex of the same bytes, and stops silently at a bad character where ours throw.',
    ...comparePairs(
      "Buffer.from(hex, 'hex')",
      {
        'sno.decode': {
          subject: (i) => sno.decode(pick(snos, i)),
          yardstick: (i) => Buffer.from(pick(snosAsHex, i), 'hex'),
        },
        'flax.decode': {
          subject: (i) => flax.decode(pick(flaxes, i)),
          yardstick: (i) => Buffer.from(pick(flaxesAsHex, i), 'hex'),
        },
        'uid.decode': {
          subject: (i) => uid.decode(pick(uids, i)),
          yardstick: (i) => Buffer.from(pick(uidsAsHex, i), 'hex'),
        },
        'uidLocal.decode': {
          subject: (i) => uidLocal.decode(pick(localUids, i)),
          yardstick: (i) => Buffer.from(pick(localUidsAsHex, i), 'hex'),
        },
        'flake.decode': {
          subject: (i) => flake.decode(pick(flakes, i)),
          yardstick: (i) => Buffer.from(pick(flakesAsHex, i), 'hex'),
        },
      },
      { 'sno.decode': 0.45, 'flax.decode': 0.45, 'uid.decode': 0.45 },
    ),
  }),
}
