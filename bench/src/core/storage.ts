import { randomUUID } from 'node:crypto'
import { flake, flax, type IdFamily, type StorageName, sno, storageFor } from '@snoflax/core'
import { uid, uidLocal } from '@snoflax/families'
import { parse, stringify } from 'uuid'
import { readFlat } from '../flat.js'
import type { Step } from '../race.js'
import type { Section } from '../report.js'
import { compareAll } from './compare.js'
import { pick, sampleIds, samples } from './samples.js'

const uuids = samples(() => randomUUID())
uuids.forEach(readFlat)
const uuidBytes = uuids.map((text) => parse(text))

const stored: readonly (readonly [IdFamily, StorageName])[] = [sno, flax, flake, uid, uidLocal].flatMap(
  (family) => family.storages.map((storage) => [family as IdFamily, storage] as const),
)

const flakes = sampleIds(flake)
for (const text of flakes) readFlat(text)

export const toDatabase: Section<void> = {
  name: 'toDatabase',
  run: () => ({
    title: 'Id to database value',
    about:
      'In PostgreSQL, whose uuids are bound as text. The yardsticks write 16 bytes as a uuid, and a decimal text as a bigint.',
    ...compareAll<string>(
      {
        ...writers(),
        'uuid stringify': (i) => stringify(pick(uuidBytes, i)),
        'BigInt(text)': (i) => BigInt(pick(flakes, i)),
      },
      ['uuid stringify', 'BigInt(text)'],
      {
        'uuid stringify': { 'sno as uuid': 0.5, 'flax as uuid': 0.5 },
        'BigInt(text)': { 'flake as bigint': 1.5 },
      },
    ),
  }),
}

export const fromDatabase: Section<void> = {
  name: 'fromDatabase',
  run: () => ({
    title: 'Database value to id',
    about:
      'From what pg returns: text for uuid and bigint, Buffers for bytea. The yardsticks read and write the text of a uuid.',
    ...compareAll<string>(
      {
        ...readers(),
        'uuid parse': (i) => parse(pick(uuids, i)),
        'uuid stringify': (i) => stringify(pick(uuidBytes, i)),
      },
      ['uuid parse', 'uuid stringify'],
      { 'uuid stringify': { 'sno from uuid': 0.5, 'flax from uuid': 0.5 } },
    ),
  }),
}

function writers(): Record<string, Step> {
  const steps: Record<string, Step> = {}
  for (const [family, name] of stored) {
    const { toDatabase } = storageFor(family, 'postgres', { storage: name })
    const ids = sampleIds(family)
    steps[`${family.name} as ${name}`] = (i) => toDatabase(pick(ids, i))
  }
  return steps
}

function readers(): Record<string, Step> {
  const steps: Record<string, Step> = {}
  for (const [family, name] of stored) {
    const { toDatabase, fromDatabase } = storageFor(family, 'postgres', { storage: name })
    const values = sampleIds(family).map((id) => asDriverReturns(toDatabase(id)))
    steps[`${family.name} from ${name}`] = (i) => fromDatabase(pick(values, i))
  }
  return steps
}

function asDriverReturns(value: string | Uint8Array | bigint): string | Buffer {
  if (typeof value === 'object') return Buffer.from(value)
  const text = String(value)
  readFlat(text)
  return text
}
