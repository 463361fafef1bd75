import { flake, flax, prefixed, sno, storageFor } from '@snoflax/core'
import { markOf, NamedColumns, readComparisons, refuseUnconverted } from '@snoflax/core/adapter'
import { describe, expect, test } from 'vitest'

const named = new NamedColumns()
named.add('id', {
  place: 'orders.id',
  family: sno,
  storage: () => storageFor(sno, 'sqlite', { storage: 'binary' }),
})
named.add('customer_id', {
  place: 'orders.customer_id',
  family: flax,
  storage: () => storageFor(flax, 'sqlite', { storage: 'binary' }),
})
named.add('trace', {
  place: 'orders.trace',
  family: flax,
  storage: () => storageFor(flax, 'sqlite', { storage: 'text' }),
})
const order = sno.generator({ partition: 1 }).generate()
const customer = flax.generate()

const beside = (text: string) =>
  named
    .beside(
      readComparisons(
        text.replaceAll(/#(\d)/g, (_, n) => markOf(Number(n))),
        'postgres',
      ),
    )
    .map(({ chunk, columns }) => [chunk, columns.map(({ place }) => place).join()])

describe('values beside the names of id columns in a text', () => {
  test.each<[string, ...[number, string][]]>([
    ['id = #0', [0, 'orders.id']],
    ['#0 <> o.id', [0, 'orders.id']],
    ['o."id" = #0 AND total > #1', [0, 'orders.id']],
    ['"shop"."orders"."customerId" = #0', [0, 'orders.customer_id']],
    ['ID IN (#0, #1)', [0, 'orders.id'], [1, 'orders.id']],
    ['id in #0', [0, 'orders.id']],
    ['id = ANY(#0)', [0, 'orders.id']],
    ['id BETWEEN #0 AND #1', [0, 'orders.id'], [1, 'orders.id']],
    ['(total, id) > (#0, #1)', [1, 'orders.id']],
    ['#0.id = #1', [1, 'orders.id']],
    ['coalesce(customer_id, #0)', [0, 'orders.customer_id']],
    ['CASE id WHEN #0 THEN 1 END', [0, 'orders.id']],
    ['ORDER BY FIELD(o.id, #0, #1), total', [0, 'orders.id'], [1, 'orders.id']],
    ['UPDATE orders SET customer_id = #0 WHERE id = #1', [0, 'orders.customer_id'], [1, 'orders.id']],
    [
      'INSERT INTO orders (total, id) VALUES (#0, #1), (#2, #3) ON CONFLICT (id) DO NOTHING',
      [1, 'orders.id'],
      [3, 'orders.id'],
    ],
    ['lower(id) = #0'],
    ['id IS NULL AND total = #0'],
    ["note = 'id =' AND total = #0"],
    ['total = #0 -- id = #1'],
  ])('%s', (text, ...expected) => {
    expect(beside(text)).toEqual(expected)
  })
})

test('an id whose storage is not its text is refused, anything else is not', () => {
  const columnsOf = (text: string) => named.beside(readComparisons(text, 'sqlite'))[0]?.columns ?? []
  const [id, customerId, trace] = ['id', 'customer_id', 'trace'].map((name) =>
    columnsOf(`${name} = ${markOf(0)}`),
  )
  expect(() => refuseUnconverted(id ?? [], [null, [order]], 'do so')).toThrow(
    expect.objectContaining({
      code: 'INVALID_OPTION',
      path: 'orders.id',
      value: order,
      message: expect.stringMatching(/^orders\.id: .* \(binary\); do so$/),
    }),
  )
  expect(() => refuseUnconverted(customerId ?? [], customer, 'do so')).toThrow('orders.customer_id: ')
  for (const value of [`{${customer}}`, `{{"tea",${customer}}, {x,y}}`]) {
    expect(() => refuseUnconverted(customerId ?? [], value, 'do so')).toThrow('orders.customer_id: ')
  }
  for (const value of [7, null, undefined, 'tea', '{tea}', '{}', flake.generator({ id: 1 }).generate()]) {
    expect(refuseUnconverted(id ?? [], value, 'do so')).toBeUndefined()
  }
  expect(refuseUnconverted(trace ?? [], customer, 'do so')).toBeUndefined()
})

test('a quick look tells which values can be ids', () => {
  expect(
    [customer, [[customer]], `{"${customer}"}`, 'tea', 7, [null]].map((value) => named.mayContain(value)),
  ).toEqual([true, true, true, false, false, false])
})

describe('tables of one name that differ in their storage', () => {
  const beside = (...storages: readonly (() => ReturnType<typeof storageFor>)[]) => {
    const alike = new NamedColumns()
    for (const storage of storages) alike.add('id', { place: 'orders.id', family: sno, storage })
    return alike.called(['id'])
  }
  const binary = () => storageFor(sno, 'sqlite', { storage: 'binary' })
  const text = () => storageFor(sno, 'sqlite', { storage: 'text' })

  test('all count where the one storage takes the prefix off and the other stores it', () => {
    const bare = prefixed(flax, 'cus')
    const whole = prefixed(flax, 'cus', { stored: 'prefixed' })
    for (const families of [
      [bare, whole, whole],
      [whole, bare, whole],
    ]) {
      const alike = new NamedColumns()
      for (const family of families) {
        const storage = () => storageFor(family, 'sqlite', { storage: 'text' })
        alike.add('id', { place: 'customers.id', family, storage })
      }
      expect(() => refuseUnconverted(alike.called(['id']), bare.generate(), 'do so')).toThrow('do so')
    }
  })

  test('all count, whichever is defined last', () => {
    for (const columns of [beside(binary, text), beside(text, binary)]) {
      expect(() => refuseUnconverted(columns, order, 'do so')).toThrow(
        / \((binary or text|text or binary)\); do so$/,
      )
    }
  })

  test('a table that is defined again and again takes no more room', () => {
    const later = () => {
      throw new Error('not defined yet')
    }
    expect(beside(binary, text, binary, text, binary, text).length).toBeLessThan(4)
    expect(beside(later, binary, binary, later, binary, binary)).toHaveLength(4)
  })
})
