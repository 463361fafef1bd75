import * as crypto from 'node:crypto'
import { Snowflake } from '@sapphire/snowflake'
import { flake, flax, sno, typeid as snoflaxTypeid, ulid as snoflaxUlid, uuid7 } from '@snoflax/core'
import { uid, uidLocal } from '@snoflax/families'
import { ObjectId } from 'bson'
import FlakeIdgen from 'flake-idgen'
import { nanoid } from 'nanoid'
import { Snowflake as NodejsSnowflake } from 'nodejs-snowflake'
import { typeid } from 'typeid-js'
import { monotonicFactory, ulid } from 'ulid'
import { v7 } from 'uuid'
import { uuidv7 } from 'uuidv7'
import { areRopes, readFlat } from '../flat.js'
import type { Section } from '../report.js'
import { compareAll } from './compare.js'
import { SAMPLES, samples } from './samples.js'

const monotonicFlax = flax.generator({ monotonic: true })
const flakes = flake.generator({ datacenter: 1, worker: 2 })
const uids = uid.generator({ node: 'bench@localhost' })
const localUids = uidLocal.generator()
const monotonicUlid = monotonicFactory()
const orderId = snoflaxTypeid('order')
const flakeIdgen = new FlakeIdgen({ datacenter: 1, worker: 2 })
const snowflake = new Snowflake(0)
const nodejsSnowflake = new NodejsSnowflake({ custom_epoch: 0, instance_id: 1 })
/** Exists from Node 24.16 on. */
const { randomUUIDv7 } = crypto as { randomUUIDv7?: () => string }

const generators = {
  'sno.generate': () => sno.generate(),
  'flax.generate': () => flax.generate(),
  'flax, monotonic': () => monotonicFlax.generate(),
  'flake, decimal': () => flakes.generate(),
  'uid, global': () => uids.generate(),
  'uid, local': () => localUids.generate(),
  'uuid7.generate': () => uuid7.generate(),
  'ulid.generate': () => snoflaxUlid.generate(),
  'typeid.generate': () => orderId.generate(),
  'crypto.randomUUID': () => crypto.randomUUID(),
  ...((randomUUIDv7 ? { 'crypto.randomUUIDv7': () => randomUUIDv7() } : {}) as Record<never, never>),
  uuidv7: () => uuidv7(),
  'uuid v7': () => v7(),
  ulid: () => ulid(),
  'ulid, monotonic': () => monotonicUlid(),
  nanoid: () => nanoid(),
  'typeid-js': () => typeid('order').toString(),
  // Its README uses biguint-format, which takes many times as long.
  'flake-idgen, decimal': () => flakeIdgen.next().readBigUInt64BE().toString(),
  '@sapphire/snowflake': () => snowflake.generate().toString(),
  'nodejs-snowflake': () => nodejsSnowflake.getUniqueID().toString(),
  'bson ObjectId': () => new ObjectId().toHexString(),
} satisfies Record<string, () => string>

const CLOCK = 'Date.now, nothing else'
type GeneratorName = keyof typeof generators
const names = Object.keys(generators) as GeneratorName[]

export const generate: Section<void> = {
  name: 'generate',
  async run() {
    const results = compareAll(
      { ...generators, [CLOCK]: () => Date.now() },
      [
        'crypto.randomUUID',
        'uuidv7',
        'ulid, monotonic',
        ...(randomUUIDv7 ? ['crypto.randomUUIDv7' as never] : []),
        CLOCK,
      ],
      {
        'crypto.randomUUID': { 'flax.generate': 0.27, 'sno.generate': 0.5 },
        uuidv7: { 'uuid7.generate': 0.5 },
        'ulid, monotonic': { 'ulid.generate': 0.3 },
        ...((randomUUIDv7 ? { 'crypto.randomUUIDv7': { 'uuid7.generate': 1.1 } } : {}) as Record<
          never,
          never
        >),
      },
    )
    const ropeGenerators = await checkFlat()
    return {
      title: 'A new id, as a flat text',
      about: `Ropes until they are read: ${ropeGenerators.join('; ')}.`,
      ...results,
    }
  },
}

/** The generators that return ropes. Throws if reading doesn't flatten them, since times would then mean nothing. */
async function checkFlat(): Promise<GeneratorName[]> {
  const texts = names.flatMap((name) => samples(generators[name]))
  const before = await areRopes(texts)
  texts.forEach(readFlat)
  const after = await areRopes(texts)
  const generatorsOf = (ropes: readonly boolean[]): GeneratorName[] =>
    names.filter((_, i) => ropes.slice(i * SAMPLES, (i + 1) * SAMPLES).includes(true))
  if (after.includes(true))
    throw new Error(`Texts are still ropes after reading: ${generatorsOf(after).join('; ')}`)
  return generatorsOf(before)
}
