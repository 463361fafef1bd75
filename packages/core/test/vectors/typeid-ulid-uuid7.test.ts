import { readFileSync } from 'node:fs'
import { IdError, typeid, type Ulid, type Uuid7, ulid, uuid7 } from '@snoflax/core'
import { describe, expect, test } from 'vitest'
import { startingWith } from '../generators/random-sources.js'
import { expectRefusal } from '../refusal.js'

interface Vector {
  readonly v: string
  readonly kind: string
  readonly tag?: string
  readonly text: string
}

function vectors<Kind extends object>(file: string, kind: string): (Vector & Kind)[] {
  const { vectors } = JSON.parse(
    readFileSync(new URL(`../../../../spec/vectors/${file}.json`, import.meta.url), 'utf8'),
  ) as { vectors: (Vector & Kind)[] }
  const fitting = vectors.filter((vector) => vector.kind === kind)
  expect(fitting.length).toBeGreaterThan(0)
  return fitting
}

const hexOf = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

describe('uuid7.json', () => {
  interface Decode {
    readonly timestampMs: number
    readonly time: string
    readonly unixTsMsHex: string
    readonly randAHex: string
    readonly randBHex: string
  }
  test.each(vectors<Decode>('uuid7', 'decode'))('$v', ({ text, timestampMs, time, ...hex }) => {
    const id = uuid7.parse(text)
    const { timeMs, randomA, randomB } = uuid7.unpack(id)
    expect([timeMs, uuid7.time(id).toISOString()]).toEqual([timestampMs, time])
    expect(timeMs.toString(16).padStart(12, '0')).toBe(hex.unixTsMsHex)
    expect(randomA.toString(16)).toBe(hex.randAHex)
    expect(hexOf(randomB)).toBe(hex.randBHex)
  })

  test.each(vectors('uuid7', 'refused'))('$v: $tag is refused', ({ text }) => {
    expectRefusal(() => uuid7.parse(text as Uuid7), 'NOT_CANONICAL')
  })
})

describe('ulid.json', () => {
  test.each(vectors<{ timestampMs: number }>('ulid', 'decode'))('$v', ({ text, timestampMs }) => {
    expect(ulid.timeMs(ulid.parse(text))).toBe(timestampMs)
  })

  test.each(vectors<{ texts: Ulid[]; fails: boolean }>('ulid', 'monotonic'))('$v', ({ texts, fails }) => {
    const { timeMs, random } = ulid.unpack(texts[0] as Ulid)
    const { batch, generate } = ulid.generator({ clock: () => timeMs, random: startingWith(random) })
    expect(batch(texts.length)).toEqual(texts)
    if (fails) expectRefusal(generate, 'SEQUENCE_EXHAUSTED')
    else expect(ulid.is(generate())).toBe(true)
  })

  test.each(vectors('ulid', 'refused'))('$v is refused', ({ text }) => {
    expectRefusal(() => ulid.parse(text), 'NOT_CANONICAL')
  })
})

describe('typeid.json', () => {
  test.each(vectors<{ prefix: string; uuid: string }>('typeid', 'valid'))(
    '$v: $tag',
    ({ text, prefix, uuid }) => {
      const suffix = text.slice(-26)
      const { base } = typeid('any', { uuids: 'any' })
      expect(hexOf(base.decode(suffix))).toBe(uuid.replaceAll('-', ''))
      if (prefix !== '') {
        const family = typeid(prefix, { uuids: 'any' })
        expect(family.toUuid(family.parse(text))).toBe(uuid)
        expect(family.fromUuid(uuid)).toBe(text)
      }
      // The others are no UUIDs of version 7.
      const isVersion7 = uuid7.is(uuid)
      expect(typeid(prefix || 'any').is(`${prefix || 'any'}_${suffix}`)).toBe(isVersion7)
    },
  )

  test.each(vectors('typeid', 'invalid'))('$v: $tag is refused', ({ text }) => {
    // Whatever prefix a reader takes it to have.
    const cuts = [...text].flatMap((character, at) => (character === '_' ? [at] : []))
    for (const cut of cuts) {
      const read = () => typeid(text.slice(0, cut), { uuids: 'any' }).parse(text)
      expect(read).toThrow(IdError)
    }
    expect(() => typeid('prefix', { uuids: 'any' }).parse(text)).toThrow(IdError)
    expect(() => typeid('prefix', { uuids: 'any' }).base.parse(text)).toThrow(IdError)
  })
})
