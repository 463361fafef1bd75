import { runInNewContext } from 'node:vm'
import { flake, flax, type IdFamily, sno, storageFor } from '@snoflax/core'
import { storedReader } from '@snoflax/core/adapter'
import { uid } from '@snoflax/families'
import { describe, expect, test } from 'vitest'
import { expectRefusal } from './refusal.js'

const MS = Date.UTC(2026, 10, 1)

/** As Jest, iframes and vm contexts hand them over. */
const foreign = {
  date: (timeMs: number) => runInNewContext('new Date(timeMs)', { timeMs }) as Date,
  bytes: (bytes: Uint8Array) => runInNewContext('Uint8Array.from(list)', { list: [...bytes] }) as Uint8Array,
}

/** As Node 26 and browsers have them; Node 20 has none. */
const instant = (epochNanoseconds: bigint) => ({
  epochMilliseconds: Number(epochNanoseconds / 1_000_000n),
  epochNanoseconds,
})

const families: readonly IdFamily[] = [flax, sno, flake, uid]

describe.each(families)('$name', (family) => {
  test('accepts Dates of another realm', () => {
    const date = foreign.date(MS)
    expect(date instanceof Date).toBe(false)
    expect(family.lowerBound(date)).toBe(family.lowerBound(MS))
    expectRefusal(() => family.lowerBound(foreign.date(Number.NaN)), 'INVALID_TIME')
  })

  test('accepts bytes of another realm, from users and drivers', () => {
    const id = family.lowerBound(MS)
    const bytes = foreign.bytes(family.decode(id))
    expect(bytes instanceof Uint8Array).toBe(false)
    expect(family.encode(bytes)).toBe(id)
    expect(storageFor(family, 'sqlite', { storage: 'binary' }).fromDatabase(bytes)).toBe(id)
  })

  test('accepts a Temporal.Instant, and rounds a bound up to its next millisecond', () => {
    const ns = BigInt(MS) * 1_000_000n
    expect(family.lowerBound(instant(ns))).toBe(family.lowerBound(MS))
    expect(family.lowerBound(instant(ns + 1n))).toBe(family.lowerBound(MS + 1))
    expect(family.lowerBound({ epochMilliseconds: MS })).toBe(family.lowerBound(MS))
  })
})

test('errors print bytes and Dates of another realm like others', () => {
  expect(() => flax.encode(foreign.bytes(Uint8Array.of(1, 255)))).toThrow('\\x01ff')
  const storage = storageFor(flax, 'sqlite', { storage: 'binary' })
  expect(() => storedReader(storage)(foreign.bytes(Uint8Array.of(1, 255)))).toThrow('2 bytes, \\x01ff')
  expect(() => flax.lowerBound(foreign.date(Date.UTC(2100, 0)))).toThrow('2100-01-01')
})

test('a Date is recognized by its internal value, not by its tag', () => {
  class Day extends Date {
    get [Symbol.toStringTag]() {
      return 'Day'
    }
  }
  expect(flax.lowerBound(new Day(MS))).toBe(flax.lowerBound(MS))
  const pretended = { [Symbol.toStringTag]: 'Date' } as unknown as Date
  expectRefusal(() => flax.lowerBound(pretended), 'INVALID_TYPE')
})

test('without crypto, the error says what React Native needs', () => {
  const crypto = Object.getOwnPropertyDescriptor(globalThis, 'crypto') as PropertyDescriptor
  Reflect.deleteProperty(globalThis, 'crypto')
  try {
    // More than the random bytes that generators share.
    const generate = () => flax.generator().batch(4000)
    expectRefusal(generate, 'UNSUPPORTED_VERSION', { field: 'crypto' })
    expect(generate).toThrow('react-native-get-random-values')
    expect(flax.is(flax.generator({ random: (bytes) => bytes.set([...bytes.keys()]) }).generate())).toBe(true)
  } finally {
    Object.defineProperty(globalThis, 'crypto', crypto)
  }
})
