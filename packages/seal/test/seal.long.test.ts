import { createHash, randomBytes } from 'node:crypto'
import { typeid, ulid, uuid7 } from '@snoflax/core'
import { seal } from '@snoflax/seal'
import { expect, test } from 'vitest'
import { derive, longByTwin } from './twin.js'

const MILLION = 1_000_000
const LIST = 1000
const KEY = createHash('sha256').update('a key of the long tests').digest()

test('a million random ids of 16 bytes come back, and every fiftieth is sealed as by the twin', async () => {
  const ulids = seal(ulid, { keys: KEY })
  const derived = await derive(KEY, { family: 'ulid', prefix: '' })
  for (let done = 0; done < MILLION; done += LIST) {
    const values = Array.from({ length: LIST }, () => randomBytes(16))
    const ids = values.map((bytes) => ulid.encode(bytes))
    const texts = ulids.sealAll(ids)
    expect(ulids.openAll(texts)).toEqual(ids)
    for (let i = 0; i < LIST; i += 50) expect(texts[i]).toBe(longByTwin(derived, values[i] as Uint8Array))
  }
})

test.each([uuid7, typeid('user')])(
  'a million random ids of $name come back from UUIDs of version 4',
  (family) => {
    const uuids = seal(family as never, { keys: KEY, as: 'uuid' })
    for (let done = 0; done < MILLION; done += LIST) {
      const ids = Array.from({ length: LIST }, () => {
        const bytes = randomBytes(16)
        bytes[6] = 0x70 | (bytes.readUInt8(6) & 0x0f)
        bytes[8] = 0x80 | (bytes.readUInt8(8) & 0x3f)
        return family.encode(bytes)
      }) as never[]
      const texts = uuids.sealAll(ids)
      expect(texts.every((text) => uuids.pattern.test(text))).toBe(true)
      expect(uuids.openAll(texts)).toEqual(ids)
    }
  },
)
