import { flake, type IdFamily, storageFor } from '@snoflax/core'
import { discord, type TwitterId, twitter } from '@snoflax/families'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { checkCases } from '../../core/test/check-cases.js'
import { expectRefusal } from '../../core/test/refusal.js'
import { type FamilyCases, specification } from '../../core/test/sql-cases.js'

const T0 = 1_700_000_000_000

describe('twitter', () => {
  test('has 63 bits, so that each id fits a signed bigint', () => {
    expect(twitter.max).toBe(String(2n ** 63n - 1n))
    expect(twitter.time(twitter.max)).toEqual(new Date('2080-07-10T17:30:30.208Z'))
    for (const database of ['postgres', 'mysql'] as const) {
      const storage = storageFor(twitter, database)
      expect(storage.name).toBe('bigint')
      expect(storage.fromDatabase(storage.toDatabase(twitter.max))).toBe(twitter.max)
      expect(storage.fromDatabase('1541815603606036480')).toBe('1541815603606036480')
      expectRefusal(() => storage.toDatabase(2n ** 63n), 'FIELD_OUT_OF_RANGE')
      expectRefusal(() => storage.fromDatabase(String(2n ** 63n)), 'FIELD_OUT_OF_RANGE')
    }
  })

  test('generates no id after the last time', () => {
    const { generate } = twitter.generator({ datacenter: 1, worker: 2, clock: () => twitter.lastMs + 1 })
    expect(expectRefusal(generate, 'TIME_OUT_OF_RANGE').family).toBe('twitter')
  })
})

describe('generators', () => {
  test('have their two numbers where the service has them', () => {
    const clock = () => T0
    expect(twitter.unpack(twitter.generator({ datacenter: 1, worker: 2, clock }).generate())).toEqual({
      timeMs: T0,
      datacenter: 1,
      worker: 2,
      sequence: 0,
    })
    const { batch } = discord.generator({ worker: 3, process: 31, clock })
    expect(batch(3).map((id) => discord.unpack(id))).toEqual(
      [0, 1, 2].map((increment) => ({ timeMs: T0, worker: 3, process: 31, increment })),
    )
  })

  test('require both numbers', () => {
    const wrong: readonly [() => unknown, string][] = [
      [() => twitter.generator({ datacenter: 1 } as never), 'worker'],
      [() => twitter.generator(undefined as never), 'datacenter'],
      [() => discord.generator({ worker: 1, process: undefined } as never), 'process'],
    ]
    for (const [call, field] of wrong) expect(expectRefusal(call, 'GENERATOR_REQUIRED').field).toBe(field)
    expect(
      expectRefusal(() => discord.generator({ worker: 32, process: 0 }), 'FIELD_OUT_OF_RANGE'),
    ).toMatchObject({
      family: 'discord',
      field: 'worker',
    })
    expectRefusal(() => discord.generator({ worker: 1, process: 1, id: 3 } as never), 'INVALID_OPTION')
  })

  test('name the service in errors', () => {
    const clock = () => T0
    const { batch } = discord.generator({ worker: 1, process: 1, clock, onOverflow: 'throw' })
    const error = expectRefusal(() => batch(4097), 'SEQUENCE_EXHAUSTED')
    expect([error.family, error.waitMs, error.message]).toEqual([
      'discord',
      1,
      'discord: all 4096 ids of this millisecond are used up; retry in 1 ms, or use generateAsync(), which waits',
    ])
  })

  test('continue from a snapshot, and backfill beside other ids', async () => {
    const options = {
      worker: 1,
      process: 1,
      counterMask: 2047,
      backfill: { sequenceMin: 2048, sequenceMax: 4095 },
    }
    const first = discord.generator(options)
    const [a, b] = [first.generateAt(T0), first.generateAt(T0)]
    const snapshot = first.snapshot()
    if (snapshot === undefined) expect.fail('no snapshot')
    const c = discord.generator({ ...options, snapshot }).generateAt(T0)
    expect([a, b, c].map((id) => discord.unpack(id).increment)).toEqual([2048, 2049, 2050])
    expect(discord.is(await first.generateAsync())).toBe(true)
    expectRefusal(() => first.generateAt(0), 'TIME_OUT_OF_RANGE')
  })
})

test('ids of twitter, discord and flake are of different families, even if the numbers are equal', () => {
  const id = twitter.parse('1541815603606036480')
  expect(discord.time(discord.parse(id)).getTime()).not.toBe(twitter.time(id).getTime())
  expect(flake.withEpoch(1_288_834_974_657).timeMs(flake.parse(id))).toBe(twitter.timeMs(id))
  // @ts-expect-error an id of another family
  discord.timeMs('1' as TwitterId)
})

test('sort by number, not by text', () => {
  const family = discord as unknown as IdFamily
  const ids = ['9', '10', '100', '99'].map(family.parse)
  expect(ids.sort(family.compare)).toEqual(['9', '10', '99', '100'])
})

describe('spec/vectors/snowflakes.json', () => {
  interface Decode {
    readonly v: string
    readonly kind: string
    readonly text: string
    readonly family: 'twitter' | 'discord'
    readonly timestampMs: number
    readonly fields?: Readonly<Record<string, number>>
  }
  const families = { twitter, discord } as unknown as Readonly<Record<string, IdFamily>>
  const { vectors } = specification<{ vectors: Decode[] }>('vectors/snowflakes')
  test.each(vectors.filter(({ kind }) => kind === 'decode'))(
    '$v: $family',
    ({ family: name, text, ...parts }) => {
      const family = families[name] as IdFamily
      expect(family.timeMs(text)).toBe(parts.timestampMs)
      expect(family.unpack(family.parse(text))).toMatchObject({ timeMs: parts.timestampMs, ...parts.fields })
    },
  )
})

describe.each(Object.entries({ twitter, discord }))('spec/cases/%s.json', (name, family) => {
  checkCases(family as unknown as IdFamily, specification<FamilyCases>(`cases/${name}`))
})

test('twitter and discord are those of a second implementation', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), (number) => {
      const [time, first, second, last] = [
        number >> 22n,
        (number >> 17n) & 31n,
        (number >> 12n) & 31n,
        number & 4095n,
      ]
      const timeMs = 1_420_070_400_000 + Number(time)
      expect(discord.unpack(discord.fromBigInt(number))).toEqual({
        timeMs,
        worker: Number(first),
        process: Number(second),
        increment: Number(last),
      })
      expect(discord.toBigInt(discord.pack(discord.unpack(discord.fromBigInt(number))))).toBe(number)
      if (number >= 2n ** 63n) return
      const id = twitter.fromBigInt(number)
      expect(twitter.unpack(id)).toEqual({
        timeMs: 1_288_834_974_657 + Number(time),
        datacenter: Number(first),
        worker: Number(second),
        sequence: Number(last),
      })
      expect(twitter.pack(twitter.unpack(id))).toBe(String(number))
    }),
  )
})
