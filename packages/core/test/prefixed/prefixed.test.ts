import {
  defineFamily,
  flake,
  flax,
  type IdErrorCode,
  type IdFamily,
  prefixed,
  sno,
  storageFor,
} from '@snoflax/core'
import { idSource } from '@snoflax/core/adapter'
import { uid, uidLocal } from '@snoflax/families'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { expectRefusal } from '../refusal.js'
import { ticket } from '../ticket.js'

const BASES: readonly IdFamily[] = [flax, sno, flake, uid, uidLocal, ticket]
const DATABASES = ['postgres', 'sqlite', 'mariadb'] as const

const prefixes = fc
  .stringMatching(/^[a-z](?:[a-z0-9_]{0,61}[a-z0-9])?$/)
  .filter((prefix) => prefix.length <= 63)

const idOf = (base: IdFamily) =>
  fc
    .uint8Array({ minLength: base.byteLength, maxLength: base.byteLength })
    .map((bytes) => ({ bytes, id: attempt(() => base.encode(bytes)) }))
    .filter((made): made is { bytes: Uint8Array<ArrayBuffer>; id: string } => made.id !== undefined)

function attempt<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}

describe.each(BASES)('$name with a prefix', (base) => {
  test('has the ids of its base after the prefix', () => {
    fc.assert(
      fc.property(prefixes, idOf(base), (prefix, { bytes, id: bare }) => {
        const family = prefixed(base, prefix)
        // Characters of flax include the one behind a prefix.
        fc.pre(!bare.startsWith(`${prefix}_`))
        const id = family.encode(bytes)
        expect(id).toBe(`${prefix}_${bare}`)
        expect(family.parse(id)).toBe(id)
        expect(family.decode(id)).toEqual(bytes)
        expect(family.pattern.test(id)).toBe(true)
        expect(family.withoutPrefix(id)).toBe(bare)
        expect(family.withPrefix(bare)).toBe(id)
        expect(family.timeMs(id)).toBe(base.timeMs(bare))
        expect(family.unpack(id)).toEqual(base.unpack(bare))
        expect(family.pack(family.unpack(id) as never)).toBe(id)
        expect(family.textLength).toBe(base.textLength && id.length)
        expect(family.is(bare)).toBe(false)
        expectRefusal(() => family.parse(bare), 'WRONG_PREFIX', { family: prefix, value: bare })
      }),
    )
  })

  test('accepts exactly the texts that its base accepts after the prefix', () => {
    const family = prefixed(base, 'a_b')
    const near = idOf(base).chain(({ id }) =>
      fc.tuple(fc.nat(id.length), fc.nat(2), fc.string({ maxLength: 2 })).map(([at, cut, put]) => {
        return id.slice(0, at) + put + id.slice(at + cut)
      }),
    )
    fc.assert(
      fc.property(
        fc.oneof(near, fc.string(), fc.constantFrom('', 'a_b_', '18446744073709551616')),
        (text) => {
          expect(family.is(`a_b_${text}`)).toBe(base.is(text))
          expect(family.is(text)).toBe(text.startsWith('a_b_') && base.is(text.slice(4)))
        },
      ),
      { numRuns: 500 },
    )
  })

  test('has the order and bounds of its base', () => {
    const family = prefixed(base, 'abc')
    fc.assert(
      fc.property(idOf(base), idOf(base), ({ id: a }, { id: b }) => {
        expect(Math.sign(family.compare(family.withPrefix(a), family.withPrefix(b)))).toBe(
          Math.sign(base.compare(a, b)),
        )
      }),
    )
    const from = base.firstMs + 86_400_000
    expect(family.range(from, from + 1000)).toEqual({
      gte: family.withPrefix(base.range(from, from + 1000).gte),
      lt: family.withPrefix(base.range(from, from + 1000).lt ?? expect.fail('no lt')),
    })
    expect([family.min, family.max]).toEqual([`abc_${base.min}`, `abc_${base.max}`])
  })

  test('is stored as its base is, in every compact storage', () => {
    const family = prefixed(base, 'abc')
    expect([...family.storages].sort()).toEqual([...base.storages].sort())
    for (const database of DATABASES) {
      for (const storage of base.storages.filter((one) => one !== 'text')) {
        const own = attempt(() => storageFor(family, database, { storage, exactBigint: true }))
        const bases = attempt(() => storageFor(base, database, { storage, exactBigint: true }))
        expect(own?.column).toEqual(bases?.column)
        if (own === undefined || bases === undefined) continue
        fc.assert(
          fc.property(idOf(base), ({ id: bare }) => {
            const stored = attempt(() => bases.toDatabase(bare))
            if (stored === undefined) return
            const id = family.withPrefix(bare)
            expect(own.toDatabase(id)).toEqual(stored)
            expect(own.fromDatabase(stored)).toBe(id)
            expectRefusal(() => own.toDatabase(bare), 'WRONG_PREFIX', { value: bare })
          }),
          { numRuns: 20 },
        )
      }
    }
  })
})

describe('a text that is not an id of the family', () => {
  const customer = prefixed(flax, 'cus')
  const bare = 'Kpcan0M1FakODT4k'

  const number = prefixed(flake, 'no')

  test.each<[IdFamily, string, IdErrorCode, message: string]>([
    [customer, '', 'WRONG_PREFIX', 'cus: an id must begin with "cus_", not ""'],
    [customer, bare, 'WRONG_PREFIX', `cus: "${bare}" has no prefix; expected "cus_${bare}"`],
    [customer, `ord_${bare}`, 'WRONG_PREFIX', `must begin with "cus_", not with "ord_" as "ord_${bare}"`],
    [customer, `CUS_${bare}`, 'WRONG_PREFIX', `not with "CUS_" as "CUS_${bare}"`],
    [customer, `_${bare}`, 'WRONG_PREFIX', `must begin with "cus_", not "_${bare}"`],
    [customer, `ord-${bare}`, 'WRONG_PREFIX', `not "ord-${bare}"`],
    [customer, 'ord_Kpc_n0M1FakODT4k', 'WRONG_PREFIX', 'not with "ord_" as "ord_Kpc_n0M1FakODT4k"'],
    [number, 'or_der_12', 'WRONG_PREFIX', 'not with "or_der_" as "or_der_12"'],
    [number, 'order12', 'WRONG_PREFIX', 'not "order12"'],
    // Its own prefix goes on.
    [customer, `cus_old_${bare}`, 'WRONG_PREFIX', `not with "cus_old_" as "cus_old_${bare}"`],
    [customer, `cus_cus_${bare}`, 'WRONG_PREFIX', `not with "cus_cus_" as "cus_cus_${bare}"`],
    [number, 'no_old_12', 'WRONG_PREFIX', 'not with "no_old_" as "no_old_12"'],
    [customer, `cus_cus-${bare}`, 'INVALID_LENGTH', `cus: "cus_cus-${bare}", after "cus_": `],
    [customer, `cus_${bare.slice(1)}`, 'INVALID_LENGTH', 'cus: "cus_pcan0M1FakODT4k", after "cus_": '],
    [customer, `cus_${bare.slice(1)}!`, 'INVALID_CHARACTER', 'cus: "cus_pcan0M1FakODT4k!", after "cus_": '],
  ])('%# is refused', (family, text, code, message) => {
    expect(family.is(text)).toBe(false)
    const issue = { code, message: expect.stringContaining(message) }
    expect(family['~standard'].validate(text)).toEqual({ issues: [issue] })
    const position = { WRONG_PREFIX: 0, INVALID_CHARACTER: 19 }[code as string]
    expectRefusal(() => family.parse(text), code, { family: family.name, value: text, position })
  })

  test('a prefix followed by _ is another prefix', () => {
    const [a, ab] = [prefixed(flax, 'a'), prefixed(flax, 'a_b')]
    const id = ab.withPrefix(flax.parse(bare))
    expect([a.is(id), ab.is(id)]).toEqual([false, true])
    // a flax may begin with a _ and a letter itself
    const odd = a.withPrefix(flax.parse('_b_an0M1FakODT4k'))
    expect([a.is(odd), ab.is(odd)]).toEqual([true, false])
  })
})

test.each(['', 'C', 'cUs', '1a', '_a', 'a_', 'a-b', 'ä', 'a'.repeat(64), undefined, 5, null])(
  '%j is not a prefix',
  (prefix) => {
    expectRefusal(() => prefixed(flax, prefix as string), 'INVALID_OPTION', {
      field: 'prefix',
      value: prefix,
    })
  },
)

test('a prefixed family cannot have a second prefix', () => {
  expectRefusal(() => prefixed(prefixed(flax, 'a'), 'b'), 'INVALID_OPTION', { field: 'base' })
})

describe('generators', () => {
  test('are those of the base', async () => {
    const order = prefixed(sno, 'ord')
    const ids = order.generator({ partition: 7, meta: 3 })
    expect(ids.partition).toBe(7)
    expect(ids.family).toBe(order)
    const made = [
      ids.generate(),
      ids.generate(9),
      ...ids.batch(2),
      ids.generateAt(new Date('2026-01-01')),
      await ids.generateAsync(),
      order.generate(5),
      order.generateAt(0x1_5555_5555_55),
    ]
    for (const id of made) expect(order.parse(id)).toBe(id)
    expect(sno.meta(order.withoutPrefix(made[1] as never))).toBe(9)
    expect(ids.snapshot()).toHaveProperty('partition', [0, 7])
  })

  test('share one monotonic generator of flax, whatever the prefix', () => {
    const [a, b] = [prefixed(flax, 'a'), prefixed(flax, 'b')]
    const made = [a.monotonic.generate(), b.monotonic.generate(), flax.monotonic.generate()]
    const bare = [a.withoutPrefix(made[0] as never), b.withoutPrefix(made[1] as never), made[2] as string]
    expect(bare).toEqual([...bare].sort())
  })

  test('of another family are refused by fromGenerator', () => {
    const order = prefixed(sno, 'ord')
    const other = prefixed(sno, 'inv').generator({ partition: 7 })
    expectRefusal(() => order.fromGenerator(flax.generator() as never), 'INVALID_OPTION', {
      field: 'generator',
    })
    for (const input of [other, undefined, null, sno, { family: sno }]) {
      expectRefusal(() => order.fromGenerator(input as never), 'INVALID_OPTION', { field: 'generator' })
    }
  })

  test('need an identity if the base needs one', () => {
    const order = prefixed(flake, 'ord')
    expect('generate' in order).toBe(false)
    expectRefusal(() => idSource({ family: order, usage: String }), 'GENERATOR_REQUIRED', {
      message: expect.stringContaining(
        "prefixed(flake, 'ord').fromGenerator(flake.generator({ datacenter: 1, worker: 2 }))",
      ),
    })
    expectRefusal(() => order.generator({} as never), 'GENERATOR_REQUIRED')
    expect(order.generator({ datacenter: 1, worker: 2 }).generate()).toMatch(/^ord_[0-9]+$/)
  })
})

test('text columns store the prefix', () => {
  const user = prefixed(flax, 'user')
  const bare = 'Kpcan0M1FakODT4k'
  const storage = storageFor(user, 'postgres')
  expect([storage.name, storage.column.length, storage.converts]).toEqual(['text', 21, false])
  expect(storage.toDatabase(`user_${bare}`)).toBe(`user_${bare}`)
  expect(storage.fromDatabase(`user_${bare}`)).toBe(`user_${bare}`)
  expectRefusal(() => storage.fromDatabase(bare), 'WRONG_PREFIX')
  expect(storageFor(prefixed(flake, 'ord'), 'postgres').name).toBe('bigint')
})

test('withoutPrefix refuses what is not a string, and passes on other errors of the base', () => {
  const { withoutPrefix } = prefixed(flax, 'cus')
  expect(expectRefusal(() => withoutPrefix(5 as never), 'INVALID_TYPE').message).toBe(
    'cus: an id must be a string, not 5',
  )
  const broken = defineFamily({
    ...ticket,
    lowerBoundMs: ticket.lowerBound,
    upperBoundMs: ticket.upperBound,
    check: () => false,
    decode() {
      throw new RangeError('a fault of its own')
    },
  } as never)
  expect(() => prefixed(broken, 'tic').withoutPrefix('tic_5' as never)).toThrow(RangeError)
})

test('a prefixed family has the storages, generators and pattern of its base', () => {
  expect(prefixed(flax, 'cus').storages).toEqual(flax.storages)
  const uuidFirst = { ...ticket, storages: ['uuid', 'binary', 'text'] } as never as IdFamily
  expect(prefixed(uuidFirst, 'cus').storages).toEqual(['text', 'uuid', 'binary'])
  expect('monotonic' in prefixed(flax, 'cus')).toBe(true)
  expect('monotonic' in prefixed(ticket, 'tic')).toBe(false)
  expect('generator' in prefixed(ticket, 'tic')).toBe('generator' in ticket)
  const dollars = prefixed({ ...ticket, pattern: /^T[^$^]*\$?$/ } as never, 'tic') as IdFamily
  expect(dollars.pattern.source).toBe('^tic_(?:T[^$^]*\\$?)$')
})
