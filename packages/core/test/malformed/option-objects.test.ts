import { readFileSync } from 'node:fs'
import {
  accepting,
  betterAuthIds,
  columnFor,
  defineFamily,
  fixedId,
  flake,
  flax,
  type IdFamily,
  opaque,
  prefixed,
  recent,
  sno,
  storageFor,
  typeid,
  ulid,
  uuid7,
} from '@snoflax/core'
import { checkColumnOptions, checkOptions, familyWith, idSource } from '@snoflax/core/adapter'
import { isPlausible, readings } from '@snoflax/core/inspect'
import { twitter, uid, uidLocal } from '@snoflax/families'
import { describe, expect, test } from 'vitest'
import { expectRefusal, thrownBy } from '../refusal.js'

const snos = sno.generator({ partition: 1 })
const flakes = flake.generator({ id: 1 })
const uids = uid.generator({ node: 'a@h' })
const localUids = uidLocal.generator()
const node = { node: 'a@h' }

/** Every public function with an options object: the type of the options, the call, and options that it takes. */
const FUNCTIONS: readonly (readonly [
  name: string,
  type: string,
  call: (options: never) => unknown,
  right: object,
])[] = [
  ['flax.generator', 'FlaxGeneratorOptions', flax.generator, { monotonic: true }],
  ['sno.generator', 'SnoGeneratorOptions', sno.generator, { partition: 1 }],
  ['flake.generator', 'FlakeGeneratorOptions', flake.generator, { id: 1 }],
  ['uuid7.generator', 'MonotonicOptions', uuid7.generator, { clock: Date.now }],
  ['typeid', 'TypeidOptions', (options) => typeid('user', options), { uuids: 'any' }],
  ['uid.generator', 'UidGeneratorOptions', uid.generator, node],
  ['uidLocal.generator', 'UidStepOptions', uidLocal.generator, {}],
  ['prefixed generator', 'SnoGeneratorOptions', prefixed(sno, 'ord').generator, { partition: 1 }],
  [
    'opaque',
    'OpaqueOptions',
    (options) => opaque('org', options),
    { pattern: /org_\d+/, generate: () => 'org_1' },
  ],
  ['recent', 'RecentOptions', (options) => recent(flax, options), { maxAgeMs: 1000 }],
  ['storageFor', 'StorageOptions', (options) => storageFor(flax, 'postgres', options), { storage: 'text' }],
  ['columnFor', 'IdColumnOptions', (options) => columnFor(flax, 'postgres', options), { generator: flax }],
  [
    'keyset of columnFor',
    'IdPageOptions',
    (options) => columnFor(flax, 'postgres').keyset(options),
    { take: 3 },
  ],
  ['betterAuthIds', 'BetterAuthOptions', (options) => betterAuthIds({}, options), { others: flax }],
  ['isPlausible', 'ReadingOptions', (options) => isPlausible(flax, flax.min, options), { nowMs: 0 }],
  ['readings', 'ReadingOptions', (options) => readings(flax.min, [flax], options), { nowMs: 0 }],
  ['uid.fromLocal', '{ node }', (host) => uid.fromLocal(uidLocal.min, host), node],
  ['uid.toLocal', '{ node }', (host) => uid.toLocal(uid.fromLocal(uidLocal.min, node as never), host), node],
]

const WAITING: readonly (readonly [name: string, wait: (options: never) => Promise<string>])[] = [
  ['sno', (options) => snos.generateAsync(0, options)],
  ['flake', flakes.generateAsync],
  ['uid', uids.generateAsync],
  ['uid, local', uids.local.generateAsync],
  ['uidLocal', localUids.generateAsync],
]

test('every exported type of options is covered here', () => {
  const index = readFileSync(new URL('../../src/index.ts', import.meta.url), 'utf8')
  const types = [...index.matchAll(/type (\w+Options)\b/g), ...index.matchAll(/, (\w+Options)\b/g)]
  const named = new Set([...FUNCTIONS.map(([, type]) => type), 'WaitOptions'])
  expect(types.length).toBeGreaterThan(7)
  for (const [, type] of types) expect(named).toContain(type)
})

describe.each(FUNCTIONS)('%s', (_, _type, call, right) => {
  test('accepts its options, and no others', () => {
    expect(() => call(right as never)).not.toThrow()
    const error = expectRefusal(() => call({ ...right, wrongName: 1 } as never), 'INVALID_OPTION')
    expect(error.field).toBe('wrongName')
    expect(error.message).toContain('no option "wrongName"; options are ')
  })

  test.each([[7], ['text'], [null], [true], [[1]], [() => 1]])('%o is not an options object', (options) => {
    expect(expectRefusal(() => call(options as never), 'INVALID_OPTION').message).toContain(
      'must be an object',
    )
  })
})

describe.each(WAITING)('generateAsync of %s', (_, wait) => {
  test('accepts a signal, and no other option', async () => {
    expect(await wait({ signal: new AbortController().signal } as never)).toBeTypeOf('string')
    expect(await wait({ signal: undefined } as never)).toBeTypeOf('string')
    for (const [options, field] of [
      [{ signl: new AbortController().signal }, 'signl'],
      [{ signal: 5 }, 'signal'],
      [{ signal: new AbortController() }, 'signal'],
      [{ signal: null }, 'signal'],
      [7, 'options'],
    ] as const) {
      await expect(wait(options as never)).rejects.toMatchObject({ code: 'INVALID_OPTION', field })
    }
  })
})

test.each([
  ['exactBigint', () => storageFor(flake, 'sqlite', { exactBigint: 'yes' as never }), 'INVALID_OPTION'],
  ['storage', () => storageFor(flax, 'postgres', { storage: 'UUID' as never }), 'STORAGE_REFUSED'],
  ['nowMs', () => readings(flax.min, [flax], { nowMs: '5' as never }), 'INVALID_TYPE'],
  ['node', () => uid.fromLocal(uidLocal.min, {} as never), 'INVALID_TYPE'],
  ['a list', () => checkOptions('gate', { it: 'a' }, { it: 'list' }), 'INVALID_OPTION'],
] as const)('a wrong value of %s is refused', (_, call, code) => {
  expect(thrownBy(call)).toMatchObject({ name: 'IdError', code })
})

test.each([
  'encode',
  'decode',
  'pack',
  'unpack',
  'timeMs',
  'lowerBoundMs',
  'check',
  'compare',
  'upperBoundMs',
])('defineFamily: %s must be a function', (field) => {
  const definition = { ...flax, lowerBoundMs: flax.lowerBound }
  expect(() => defineFamily(definition)).not.toThrow()
  const error = expectRefusal(() => defineFamily({ ...definition, [field]: 'no' }), 'INVALID_OPTION')
  expect(error.field).toBe(field)
})

/** Names of options and of what is optional in a definition. */
const OPTIONAL = [
  'monotonic clock random partition sequenceMin sequenceMax backfill snapshot meta onOverflow',
  'onClockBack id datacenter worker process counterMask node signal standard at nowMs others uuids',
  'storage exactBigint generator order after prefix accept branded default schema min max exactRange',
  'generatorExample upperBoundMs check checkFrom alphabet compare field position waitMs path cause',
].flatMap((words) => words.split(' '))

/** What every generator, definition, parser and column answers, with a clock and random bits that stand still. */
async function answers(): Promise<readonly unknown[]> {
  const clock = () => Date.UTC(2026, 10, 1)
  const random = (bytes: Uint8Array) => bytes.set(bytes.map((_, i) => i % 251))
  const text = (call: () => unknown): unknown => {
    try {
      return call()
    } catch (error) {
      // Not by a matcher: those read more of an error than its own members.
      return JSON.stringify(error)
    }
  }
  const ids = [flax, uuid7, ulid, typeid('user'), prefixed(flax, 'cus')].map((family) =>
    (family as typeof flax).generator({ clock, random }),
  )
  const numbered = [
    sno.generator({ partition: 7, clock }),
    prefixed(sno, 'ord').generator({ partition: 7, clock }),
    flake.generator({ id: 7, clock }),
    uid.generator({ node: 'a@h', clock }),
    uidLocal.generator({ clock }),
    twitter.generator({ datacenter: 1, worker: 2, clock }),
  ]
  const definition = { ...flax, lowerBoundMs: flax.lowerBound, name: 'mine' } as never
  const families: readonly IdFamily[] = [
    flax,
    sno,
    uuid7,
    typeid('user'),
    prefixed(flax, 'cus'),
    defineFamily(definition),
  ]
  return [
    ...ids.map((one) => one.generate()),
    ...numbered.map((one) => one.generate()),
    ...(await Promise.all(numbered.map((one) => one.generateAsync(...([] as never[]))))),
    ...families.map((family) => text(() => family.parse('x'))),
    ...families.map((family) => [family.min, family.max, family.exactRange, String(family.pattern)]),
    ...families.map((family) => storageFor(family, 'postgres').name),
    text(() => flake.generator({} as never)),
    text(() => uid.generator({} as never)),
    fixedId(flax, 'user-1'),
    accepting(flax, /[a-z]{20}/).is(flax.min),
    columnFor(flax, 'postgres').keyset({ take: 3 }),
    idSource({ family: sno, usage: String })().length,
    betterAuthIds({})({ model: 'user' }).length,
    isPlausible(flax, flax.lowerBound(Date.UTC(2026))),
    familyWith(flax, {}) === flax,
    checkColumnOptions(flax, 'plain', {}, {}),
    checkColumnOptions(flax, 'generated', {}, {}),
  ]
}

test.each(OPTIONAL)('Object.prototype.%s changes nothing', async (name) => {
  const expected = await answers()
  for (const value of ['polluted', 5, () => 5]) {
    let polluted: readonly unknown[] | Error
    // biome-ignore lint/suspicious/noExplicitAny: a prototype that anyone may have changed
    const prototype = Object.prototype as any
    try {
      prototype[name] = value
      polluted = await answers()
    } catch (error) {
      polluted = error as Error
    } finally {
      delete prototype[name]
    }
    expect(polluted).toEqual(expected)
  }
})

test('options may have no prototype; inherited ones, such as getters of a class, are refused by name', () => {
  const clock = () => Date.UTC(2026, 10, 1)
  const bare = Object.assign(Object.create(null), { clock })
  expect(flax.time(flax.generator(bare).generate()).getTime()).toBe(clock())
  class OwnOptions {
    clock = clock
    get monotonic() {
      return true
    }
  }
  const facts = { field: 'monotonic', message: expect.stringContaining('monotonic is inherited') }
  expectRefusal(() => flax.generator(new OwnOptions()), 'INVALID_OPTION', facts)
  expectRefusal(() => flax.generator(Object.create({ monotonic: true })), 'INVALID_OPTION', facts)
  expect(
    flax
      .generator({
        clock,
        get monotonic() {
          return true
        },
      })
      .generate(),
  ).toBeTypeOf('string')
})

test('what is undefined is not passed', () => {
  for (const name of ['default', 'generator', 'meta', 'schema'])
    for (const role of ['plain', 'list', 'reference'] as const) {
      checkColumnOptions(flax, role, { [name]: undefined }, {})
      expectRefusal(() => checkColumnOptions(flax, role, { [name]: 'database' }, {}), 'INVALID_OPTION', {
        field: name,
      })
    }
})
