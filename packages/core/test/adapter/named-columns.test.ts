import { flake, flax, sno, storageFor } from '@snoflax/core'
import {
  markOf,
  type NamedColumn,
  NamedColumns,
  readComparisons,
  refuseUnconverted,
} from '@snoflax/core/adapter'
import { describe, expect, test, vi } from 'vitest'

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

describe('values compared with id columns by name', () => {
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
    [
      'INSERT INTO orders (total, id) SELECT #0, #1 WHERE true UNION SELECT #2, #3 ON CONFLICT (id) DO NOTHING',
      [1, 'orders.id'],
      [3, 'orders.id'],
    ],
    ['INSERT INTO orders (total, id) WITH w AS (SELECT 1) SELECT 2, #0 FROM w', [0, 'orders.id']],
    ['INSERT INTO orders (total, id) (SELECT 2, #0) ON CONFLICT (id) DO NOTHING', [0, 'orders.id']],
    ['INSERT INTO orders (total, id) OVERRIDING SYSTEM VALUE VALUES (#0, #1)', [1, 'orders.id']],
    ['INSERT INTO orders (total, id) SELECT DISTINCT ON (a, b) #0, #1 FROM t', [1, 'orders.id']],
    [
      'INSERT INTO orders (total, id) VALUES (#0, #1) AS new (a, id) ON DUPLICATE KEY UPDATE total = 1',
      [1, 'orders.id'],
    ],
    ['INSERT INTO orders (SELECT #0, #1)'],
    ['id = CAST(#0 AS text)', [0, 'orders.id']],
    ['lower(id) = #0'],
    ['id IS NULL AND total = #0'],
    ["note = 'id =' AND total = #0"],
    ['total = #0 -- id = #1'],
  ])('%s', (text, ...expected) => {
    expect(beside(text)).toEqual(expected)
  })
})

test('an id is refused if its column does not store its text; other values are not', () => {
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

describe('an id in another query or a list of values, which is then compared with an id column, is refused', () => {
  const refuse = (text: string, value: unknown) =>
    named.refuseUnseen(readComparisons(text.replace('#', markOf(0)), 'sqlite'), {
      advice: 'do so',
      several: 'do so for each id',
      known: '',
      column: () => undefined,
      value: () => value,
    })

  test.each([
    'WITH w AS (SELECT # AS ref) SELECT * FROM orders JOIN w ON orders.id = w.ref',
    'WITH w AS (SELECT CAST(# AS text) AS ref) SELECT * FROM orders WHERE id IN (SELECT ref FROM w)',
    'WITH w(ref) AS (VALUES (1), (#)) SELECT * FROM orders, w WHERE ref = orders.id',
    'WITH w(id) AS (SELECT 1 UNION ALL SELECT #) SELECT * FROM orders JOIN w USING (id)',
    'SELECT * FROM orders JOIN (VALUES (#)) AS w(ref) ON w.ref = id',
    'SELECT * FROM orders, (SELECT DISTINCT #::text AS ref WHERE true) w WHERE w.ref = id',
  ])('%s', (text) => {
    expect(() => refuse(text, order)).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTION', path: 'orders.id', value: order }),
    )
    expect(() => refuse(text, order)).toThrow(
      /^orders\.id: the id ".*" is in the SQL as (?:ref|id), .*; do so for each id$/,
    )
    for (const value of ['tea', 7, null, customer]) expect(refuse(text, value)).toBeUndefined()
  })

  test('an id that is only returned is not', () => {
    expect(refuse('SELECT # AS ref, total FROM orders WHERE id = x', order)).toBeUndefined()
  })
})

test('mayContain is true of ids, also inside lists and array literals', () => {
  expect(
    [customer, [[customer]], `{"${customer}"}`, 'tea', 7, [null]].map((value) => named.mayContain(value)),
  ).toEqual([true, true, true, false, false, false])
})

describe('tables of one name with different storages', () => {
  const beside = (...storages: readonly (() => ReturnType<typeof storageFor>)[]) => {
    const alike = new NamedColumns()
    for (const storage of storages) alike.add('id', { place: 'orders.id', family: sno, storage })
    return alike.called(['id'])
  }
  const binary = () => storageFor(sno, 'sqlite', { storage: 'binary' })
  const text = () => storageFor(sno, 'sqlite', { storage: 'text' })

  test('all count, whichever is defined last', () => {
    for (const columns of [beside(binary, text), beside(text, binary)]) {
      expect(() => refuseUnconverted(columns, order, 'do so')).toThrow(
        / \((binary or text|text or binary)\); do so$/,
      )
    }
  })

  test('a table that is defined repeatedly does not take more memory', () => {
    const later = () => {
      throw new Error('not defined yet')
    }
    expect(beside(binary, text, binary, text, binary, text).length).toBeLessThan(4)
    expect(beside(later, binary, binary, later, binary, binary)).toHaveLength(4)
  })
})

describe('the tables of a statement decide which column a name means', () => {
  const several = new NamedColumns()
  const add = (table: string, name: string, storage: 'binary' | 'text') =>
    several.add(name, {
      table,
      place: `${table}.${name}`,
      family: flax,
      storage: () => storageFor(flax, 'sqlite', { storage }),
    })
  add('orders', 'id', 'binary')
  add('orders', 'customer_id', 'binary')
  add('customers', 'id', 'text')
  add('trips', 'trip_id', 'binary')
  several.addTable('legacy')
  several.addTable('Visit')
  const meant = (text: string) => [
    ...new Set(
      several
        .beside(readComparisons(text.replaceAll('#', markOf(0)), 'postgres'))
        .flatMap(({ columns }) => columns.map(({ place }) => place)),
    ),
  ]

  test.each<[string, ...string[]]>([
    ['SELECT * FROM legacy WHERE id = #'],
    ['SELECT * FROM "legacy" AS l WHERE l.id = #'],
    ['SELECT * FROM shop.visit WHERE id = #'],
    ['SELECT * FROM only legacy WHERE id = #'],
    ['UPDATE legacy SET id = #'],
    ['DELETE FROM legacy WHERE id = #'],
    ['INSERT INTO legacy (name, id) VALUES (1, #) ON CONFLICT (id) DO UPDATE SET id = #'],
    ['SELECT extract(year FROM at) FROM legacy WHERE id = #'],
    ['SELECT * FROM legacy WHERE at IS DISTINCT FROM # AND id = #'],
    ['SELECT * FROM legacy FOR UPDATE OF legacy'],
    ['WITH recent AS (SELECT * FROM legacy) SELECT * FROM recent WHERE id = #'],
    ['WITH recent (id) AS NOT MATERIALIZED (SELECT * FROM legacy) SELECT * FROM recent r WHERE r.id = #'],
    ['SELECT * FROM (SELECT * FROM legacy) x WHERE x.id = #'],
    ['SELECT * FROM legacy, json_each(legacy.tags) WHERE id = #'],
    ['SELECT * FROM customers WHERE id = #', 'customers.id'],
    ['SELECT * FROM customers, legacy WHERE id = #', 'customers.id'],
    ['SELECT * FROM legacy l JOIN orders o ON o.customer_id = l.id WHERE l.id = #'],
    ['SELECT * FROM legacy l JOIN orders o ON o.customer_id = l.id WHERE o.id = #', 'orders.id'],
    ['SELECT * FROM legacy l JOIN orders USING (id), customers c WHERE c.id = #', 'customers.id'],
    ['SELECT * FROM (legacy CROSS JOIN orders) WHERE id = #', 'orders.id'],
    ['SELECT * FROM legacy WHERE EXISTS (SELECT 1 FROM orders WHERE id = #)', 'orders.id'],
    ['SELECT 1 FROM legacy UNION SELECT 1 FROM orders WHERE id = #', 'orders.id'],
    ['UPDATE legacy SET name = 1 FROM orders WHERE id = #', 'orders.id'],
    ['DELETE FROM legacy USING orders WHERE id = #', 'orders.id'],
    ['MERGE INTO legacy USING orders ON orders.id = # WHEN MATCHED THEN DELETE', 'orders.id'],
    ['INSERT INTO orders (id) VALUES (#)', 'orders.id'],
    ['INSERT INTO legacy SELECT * FROM orders WHERE id = #', 'orders.id'],
    // A query may have the name of the table that it reads.
    ['WITH orders AS (SELECT * FROM orders) SELECT * FROM orders WHERE orders.id = #', 'orders.id'],
    ['WITH legacy AS (SELECT * FROM orders) SELECT * FROM legacy WHERE legacy.id = #', 'orders.id'],
    ['WITH gone AS (DELETE FROM orders RETURNING *) SELECT * FROM gone WHERE id = #', 'orders.id'],
    // Of a view nobody knows the tables.
    ['SELECT * FROM some_view WHERE id = #', 'orders.id', 'customers.id'],
    ['SELECT * FROM legacy, some_view WHERE id = #', 'orders.id', 'customers.id'],
    ['SELECT * FROM my_function() WHERE id = #', 'orders.id', 'customers.id'],
    ['INSERT legacy SELECT * FROM orders WHERE id = #', 'orders.id', 'customers.id'],
    [
      'WITH some_view AS (SELECT * FROM some_view) SELECT * FROM some_view WHERE id = #',
      'orders.id',
      'customers.id',
    ],
    [
      'WITH a AS (SELECT * FROM b), b AS (SELECT * FROM legacy) SELECT * FROM a WHERE id = #',
      'orders.id',
      'customers.id',
    ],
    ['WITH RECURSIVE a AS (SELECT * FROM legacy UNION SELECT * FROM a) SELECT * FROM a WHERE id = #'],
    [
      'SELECT 1 FROM some_view WHERE id = # WINDOW some_view AS (PARTITION BY 1)',
      'orders.id',
      'customers.id',
    ],
    // An alias may be the name of another table.
    ['SELECT * FROM legacy l JOIN (SELECT * FROM orders) legacy ON legacy.id = #', 'orders.id'],
    ['SELECT * FROM legacy l, (orders o CROSS JOIN legacy x) legacy WHERE legacy.id = #', 'orders.id'],
    ['SELECT * FROM f() legacy, legacy l WHERE legacy.id = #', 'orders.id', 'customers.id'],
    ["SELECT * FROM legacy 'x', orders 'legacy' WHERE legacy.id = #", 'orders.id'],
    // Columns may have other names than in their tables.
    ['WITH a (id) AS (SELECT * FROM trips) SELECT * FROM a WHERE id = #', 'trips.trip_id'],
    ['SELECT * FROM trips AS t (id) WHERE t.id = #', 'trips.trip_id'],
    ['SELECT * FROM trips t (id), legacy WHERE legacy.id = #'],
    ['SELECT * FROM (VALUES ((SELECT trip_id FROM trips))) AS a (id) WHERE id = #', 'trips.trip_id'],
    ['SELECT * FROM unnest(ARRAY(SELECT trip_id FROM trips)) AS id WHERE id = #', 'trips.trip_id'],
    [
      'SELECT * FROM (SELECT id FROM legacy UNION ALL SELECT trip_id FROM trips) a WHERE a.id = #',
      'trips.trip_id',
    ],
    ['SELECT * FROM legacy JOIN trips ON (trips.name = 1) WHERE id = #'],
    ['INSERT INTO trips AS t (id, trip_id) VALUES (#, 1)'],
    ['SELECT convert(name USING utf8mb4) FROM legacy WHERE id = #'],
    // What only some databases have.
    ['SELECT * FROM legacy FOR SYSTEM_TIME AS OF 1, orders o WHERE o.id = #', 'orders.id', 'customers.id'],
    ['SELECT * FROM legacy USE INDEX FOR ORDER BY (i), orders o WHERE o.id = #', 'orders.id', 'customers.id'],
    ['SELECT * FROM legacy offset, orders o WHERE o.id = #', 'orders.id'],
    ['DELETE FROM legacy USING (orders o JOIN legacy l ON true) WHERE o.id = #', 'orders.id'],
    ['MERGE INTO legacy USING (SELECT * FROM orders) o ON o.id = # WHEN MATCHED THEN DELETE', 'orders.id'],
    // A part of a statement does not tell its tables.
    ['id = # AND EXISTS (SELECT 1 FROM legacy)', 'orders.id', 'customers.id'],
  ])('%s', (text, ...expected) => {
    expect(meant(text)).toEqual(expected)
  })

  test('if the table of a chunk is known, only its columns count, even if others have its name', () => {
    const reading = readComparisons(`SELECT * FROM ${markOf(1)} WHERE id = ${markOf(0)}`, 'sqlite')
    const within = (columns: readonly (readonly [string, NamedColumn])[]) => () =>
      reading.sources.map((one) => ({ ...one, table: 'orders', columns }))
    const storage = () => storageFor(flax, 'sqlite', { storage: 'binary' })
    expect(several.beside(reading, within([]))).toEqual([])
    const own = { place: 'own.id', family: flax, storage }
    expect(several.beside(reading, within([['id', own]]))).toEqual([{ chunk: 0, columns: [own] }])
  })

  test('they are searched for only where the text names a column', () => {
    const find = vi.fn(() => undefined)
    const searched = (text: string) => {
      const reading = readComparisons(text.replaceAll('#', markOf(0)), 'sqlite')
      several.beside(reading, find)
      several.refuseUnseen(reading, { column: () => undefined, value: () => 1, advice: '', known: '' }, find)
      return find.mock.calls.length > 0
    }
    expect(searched(`# = 1 and ${markOf(1)} in (#, 'x')`)).toBe(false)
    expect(searched('id = #')).toBe(true)
  })

  test('an alias of a column counts in any statement', () => {
    const aliases = new NamedColumns()
    const storage = () => storageFor(flax, 'sqlite', { storage: 'binary' })
    aliases.addAlias('last', { table: 'orders', place: 'orders.id', family: flax, storage })
    const [found] = aliases.beside(
      readComparisons(`SELECT 1 FROM legacy HAVING last = ${markOf(0)}`, 'sqlite'),
    )
    expect(found?.columns[0]?.place).toBe('orders.id as last')
  })
})
