import { readFileSync } from 'node:fs'
import {
  betterAuthIds,
  columnFor,
  defineFamily,
  flake,
  flax,
  prefixed,
  sno,
  storageFor,
  typeid,
  uuid7,
} from '@snoflax/core'
import { checkOptions } from '@snoflax/core/adapter'
import { isPlausible, readings } from '@snoflax/core/inspect'
import { uid, uidLocal } from '@snoflax/families'
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
