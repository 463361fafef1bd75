import { flake, flax, sno } from '@snoflax/core'
import { uid, uidLocal } from '@snoflax/families'
import { describe, expect, test } from 'vitest'
import { expectRefusal } from '../refusal.js'

const NO_INTEGERS = [Number.NaN, 0.5, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
const NO_NUMBERS = [undefined, null, '8', 8n, true, {}]

describe('flake', () => {
  test('an epoch is an integer of Unix ms, and Date can represent all times from it', () => {
    for (const epoch of [...NO_INTEGERS, -8.64e15 - 1, 8.64e15, 8.64e15 - 2 ** 42 + 2]) {
      const facts = { field: 'epochMs', value: epoch }
      expectRefusal(() => flake.withEpoch(epoch), 'FIELD_OUT_OF_RANGE', facts)
    }
    for (const epoch of [...NO_NUMBERS, new Date(0)]) {
      expectRefusal(() => flake.withEpoch(epoch as number), 'INVALID_TYPE')
    }
  })

  test('a bigint is 0 to 2^64 - 1, and a number is refused', () => {
    expect(flake.fromBigInt(2n ** 64n - 1n)).toBe(flake.max)
    for (const value of [-1n, 2n ** 64n, -(2n ** 63n), 2n ** 200n]) {
      expect(expectRefusal(() => flake.fromBigInt(value), 'FIELD_OUT_OF_RANGE').value).toBe(value)
    }
    for (const value of [0, 1, '1', null, undefined]) {
      expectRefusal(() => flake.fromBigInt(value as unknown as bigint), 'INVALID_TYPE')
    }
    expectRefusal(() => flake.toBigInt(5n as never), 'INVALID_TYPE')
    expectRefusal(() => flake.toBigInt('01' as never), 'NOT_CANONICAL')
    expect(expectRefusal(() => flake.toHex('12x4' as never), 'INVALID_CHARACTER').message).toBe(
      'flake: "x" at position 2 of "12x4" is not a decimal digit',
    )
  })

  test('hex has 1 to 16 lower-case digits', () => {
    for (const value of [0, 1n, null, new Uint8Array(8)]) {
      expectRefusal(() => flake.fromHex(value as unknown as string), 'INVALID_TYPE')
    }
    for (const hex of ['', '0x', '0'.repeat(17), `0x${'f'.repeat(17)}`]) {
      expectRefusal(() => flake.fromHex(hex), 'INVALID_LENGTH', { family: 'flake', value: hex })
    }
    for (const [hex, position] of [
      ['A', 0],
      ['0xfF', 3],
      ['0X1', 1],
      [' 1', 0],
      ['1\n', 1],
      ['-1', 0],
      ['0x0x1', 3],
    ] as const) {
      const refused = expectRefusal(() => flake.fromHex(hex), 'INVALID_CHARACTER', { position })
      expect(refused.message).toContain(`flake: ${JSON.stringify(hex.charAt(position))} in `)
    }
  })
})

describe('sno', () => {
  test('a metabyte is 0 to 255', () => {
    for (const meta of [-1, 256, ...NO_INTEGERS]) {
      const error = expectRefusal(() => sno.withMeta(sno.zero, meta), 'FIELD_OUT_OF_RANGE')
      expect([error.field, error.value]).toEqual(['meta', meta])
    }
    for (const meta of NO_NUMBERS) expectRefusal(() => sno.withMeta(sno.zero, meta as number), 'INVALID_TYPE')
    expectRefusal(() => sno.meta('x' as never), 'INVALID_LENGTH')
    expectRefusal(() => sno.withMeta('BRPK4Q72XWF2M63L' as never, 1), 'INVALID_CHARACTER')
  })

  test('the zero id is null in JSON only through toJson, and fromJson converts it back', () => {
    expect(sno.isZero(sno.zero)).toBe(true)
    expect(sno.zero).toBe('2222222222222222')
    expect(sno.toJson(sno.zero)).toBe(null)
    expect(sno.fromJson(null)).toBe(sno.zero)
    expect(sno.fromJson(sno.zero)).toBe(sno.zero)
    expect(JSON.stringify(sno.zero)).toBe('"2222222222222222"')
    for (const value of [undefined, 0, {}, []]) expectRefusal(() => sno.fromJson(value), 'INVALID_TYPE')
    expectRefusal(() => sno.fromJson(''), 'INVALID_LENGTH')
    expectRefusal(() => sno.toJson('' as never), 'INVALID_LENGTH')
  })
})

describe('an option of a generator', () => {
  const worker = { worker: 1 }
  test.each<[make: (options: never) => unknown, options: unknown, field: string, text: string]>([
    [flax.generator, [], 'options', 'options must be an object, not an array'],
    [sno.generator, { partion: 7 }, 'partion', 'no option "partion"; options are partition, sequenceMin, '],
    [
      sno.generator,
      { partition: undefined },
      'partition',
      'partition is undefined; pass a number, or leave it out',
    ],
    [sno.generator, { onOverflow: true }, 'onOverflow', 'onOverflow must be a function, not true'],
    [flax.generator, { monotonic: 'no' }, 'monotonic', 'monotonic must be a boolean, not "no"'],
    [flax.generator, { clock: 5 }, 'clock', 'clock must be a function, not 5'],
    [flake.generator, { ...worker, datacenter: undefined }, 'datacenter', 'datacenter is undefined'],
    [
      flake.generator,
      { ...worker, onOverflow: 'wiat' },
      'onOverflow',
      'onOverflow must be "wait" or "throw", not "wiat"',
    ],
  ])('that is wrong is refused by name: %#', (make, options, field, text) => {
    const error = expectRefusal(() => make(options as never), 'INVALID_OPTION')
    expect(error.message).toContain(`: ${text}`)
    expect(error.field).toBe(field)
  })

  test('may be left out, or undefined if its default is safe', () => {
    expect(() => flax.generator(undefined)).not.toThrow()
    expect(() => flax.generator({ clock: undefined } as object)).not.toThrow()
    expect(() => sno.generator({ partition: 1, onOverflow: undefined } as object)).not.toThrow()
  })
})

describe('uid', () => {
  test('a neighbourhood is 5 to 10', () => {
    for (const bits of [4, 11, -1, 0, 64, ...NO_INTEGERS]) {
      const facts = { field: 'neighbourhood', value: bits }
      expectRefusal(() => uid.withNeighbourhood(bits), 'FIELD_OUT_OF_RANGE', facts)
    }
    for (const bits of NO_NUMBERS) expectRefusal(() => uid.withNeighbourhood(bits as number), 'INVALID_TYPE')
    expect(uid.withNeighbourhood(8).neighbourhood).toBe(uid.neighbourhood)
  })

  test('a node is a name or a number of 32 bits', () => {
    for (const node of [-1, 2 ** 32, ...NO_INTEGERS]) {
      expectRefusal(() => uid.fingerprint(node), 'FIELD_OUT_OF_RANGE')
      expectRefusal(() => uid.fromLocal(uidLocal.min, { node }), 'FIELD_OUT_OF_RANGE')
      expectRefusal(() => uid.toLocal(uid.min, { node }), 'FIELD_OUT_OF_RANGE')
    }
    for (const node of [undefined, null, 8n, true, {}, new Uint8Array(4)]) {
      expectRefusal(() => uid.fingerprint(node as unknown as string), 'INVALID_TYPE')
      expectRefusal(() => uid.fromLocal(uidLocal.min, { node: node as unknown as string }), 'INVALID_TYPE')
    }
    expectRefusal(() => uid.fromLocal(uidLocal.min, undefined as never), 'INVALID_TYPE')
  })

  test('a global id converts to a local one of its own node only', () => {
    const id = uid.fromLocal(uidLocal.max, { node: 'a@h' })
    expect(uid.toLocal(id, { node: uid.fingerprint('a@h') })).toBe(uidLocal.max)
    const error = expectRefusal(() => uid.toLocal(id, { node: 'b@h' }), 'NODE_MISMATCH')
    expect([error.family, error.field, error.value]).toEqual(['uid', 'node', id])
    expect(error.message).toContain(uid.fingerprint('a@h').toString(16))
    expect(error.message).toContain(uid.fingerprint('b@h').toString(16))
    expectRefusal(() => uid.distance(id, uid.fromLocal(uidLocal.max, { node: 'b@h' })), 'NODE_MISMATCH')
    expect(uid.forceLocal(id)).toBe(uidLocal.max)
  })

  test('malformed ids are refused by conversions, distances and vector clocks', () => {
    const bad = 'x' as never
    for (const call of [
      () => uid.forceLocal(bad),
      () => uid.toLocal(bad, { node: 1 }),
      () => uid.fromLocal(bad, { node: 1 }),
      () => uid.distance(bad, uid.min),
      () => uid.distance(uid.min, bad),
      () => uidLocal.distance(uidLocal.min, bad),
      () => uid.vclock.join([bad], []),
      () => uid.vclock.join([], [bad]),
      () => uid.vclock.diff([], [bad]),
      () => uid.vclock.descends([bad], []),
      () => uid.vclock.descendsExcept(1, [bad], []),
    ]) {
      expectRefusal(call, 'INVALID_LENGTH')
    }
  })
})
