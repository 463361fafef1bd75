import { flake, flax, sno } from '@snoflax/core'
import { uid, uidLocal } from '@snoflax/families'
import { encodeTime } from 'ulid'
import type { Section } from '../report.js'
import { compareAll } from './compare.js'
import { pick, samples } from './samples.js'

const dates = samples(() => new Date(Date.UTC(2020, 0) + Math.floor(Math.random() * 2e11)))
const ULID_ZEROS = '0'.repeat(16)

export const bounds: Section<void> = {
  name: 'bounds',
  run: () => ({
    title: 'The smallest id of a time',
    about: 'From a Date to a flat text; the ulid is the time as its library encodes it, and zeros.',
    ...compareAll(
      {
        'sno.lowerBound': (i) => sno.lowerBound(pick(dates, i)),
        'flax.lowerBound': (i) => flax.lowerBound(pick(dates, i)),
        'flake.lowerBound': (i) => flake.lowerBound(pick(dates, i)),
        'uid.lowerBound': (i) => uid.lowerBound(pick(dates, i)),
        'uidLocal.lowerBound': (i) => uidLocal.lowerBound(pick(dates, i)),
        'ulid encodeTime': (i) => encodeTime(pick(dates, i).getTime()) + ULID_ZEROS,
      },
      ['ulid encodeTime'],
    ),
  }),
}
