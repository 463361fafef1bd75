import 'reflect-metadata'
import { type FlaxId, flax, type Id, prefixed } from '@snoflax/core'
import { FlaxIdColumn, idColumn, keyset } from '@snoflax/typeorm'
import {
  Between,
  Column,
  Entity,
  EntitySchema,
  type FindOptionsWhere,
  In,
  ManyToOne,
  MoreThan,
  Not,
  type Relation,
} from 'typeorm'
import { beforeAll, describe, expect, test } from 'vitest'
import { openForBlock } from './open-data-source.js'
import { kinds } from './sources.js'

@Entity()
class Shop {
  @FlaxIdColumn({ prefix: 'shop' }) id!: Id<'shop'>
}
@Entity()
class Order {
  @FlaxIdColumn({ prefix: 'ord' }) id!: Id<'ord'>
  @Column({ type: 'varchar', length: 9 }) name!: string
  @ManyToOne(() => Shop) shop!: Relation<Shop>
  @FlaxIdColumn.plain({ storage: 'binary', nullable: true, unique: true }) traceId!: FlaxId | null
}
@Entity()
class Account {
  @FlaxIdColumn({ accept: /user-\d{1,9}/, branded: false }) id!: string
}
const Invoice = new EntitySchema<{ id: FlaxId }>({
  name: 'invoice',
  columns: { id: idColumn(flax, { storage: 'binary' }) },
})

const orderId = prefixed(flax, 'ord')
const at = (number: number) => 1_790_000_000_000 + number
const ids = Array.from({ length: 10 }, (_, number) => orderId.lowerBound(at(number)))
const [first, last] = [ids[0], ids[9]] as [Id<'ord'>, Id<'ord'>]
const shopId = prefixed(flax, 'shop').lowerBound(at(0))

type Where = FindOptionsWhere<Order> | FindOptionsWhere<Order>[] | undefined
const WHERES: Record<string, Where> = {
  none: undefined,
  'an empty object': {},
  'an empty list': [],
  'a list of an empty object': [{}],
  'a list of empty objects': [{}, {}],
  'a list of an empty relation': [{ shop: {} }],
  'a column': { name: 'even' },
  'a list of one': [{ name: 'even' }],
  'a list of two': [{ name: 'even' }, { name: 'odd' }],
  'an empty object and a column': [{}, { name: 'even' }],
  'a column and an empty relation': [{ name: 'even' }, { shop: {} }],
  'the key': { id: In(ids.slice(2, 6)) },
  'one key': { id: first },
  'a list by key': [{ id: Between(first, ids[4] as Id<'ord'>) }, { id: MoreThan(ids[6] as Id<'ord'>) }],
  'the other keys': { id: Not(last) },
  'a relation': { shop: { id: shopId } },
  'a list by relation': [{ shop: { id: shopId } }, { name: 'even' }],
}

describe.each(kinds)('$name', (kind) => {
  const world = openForBlock(kind, [Shop, Order, Account, Invoice])
  const orders = () => world.dataSource.getRepository(Order)
  beforeAll(async () => {
    await world.dataSource.getRepository(Shop).insert({ id: shopId })
    const rows = ids.map((id, i) => ({
      id,
      name: i % 2 === 0 ? 'even' : 'odd',
      shop: { id: shopId },
      traceId: i < 3 ? null : flax.lowerBound(at(i)),
    }))
    await orders().insert(rows)
  })

  /** The ids of all pages, of three rows each. */
  async function walk<Field extends 'id' | 'traceId'>(field: Field, order: 'asc' | 'desc', where: Where) {
    const seen: unknown[] = []
    let after: Order[Field] | undefined
    for (let pages = 0; pages < 9; pages++) {
      const page = await orders().find(keyset<Order, Field>(Order, { field, order, take: 3, where, after }))
      if (page.length === 0) return seen
      seen.push(...page.map((row) => row[field]))
      after = page.at(-1)?.[field]
    }
    throw new Error('the pages have no end')
  }

  test.each(Object.keys(WHERES))('pages have the rows that TypeORM finds, once: %s', async (name) => {
    const where = WHERES[name]
    for (const order of ['asc', 'desc'] as const) {
      const all = await orders().find({ ...(where && { where }), order: { id: order } })
      expect(all.length).toBeGreaterThan(0)
      expect(await walk('id', order, where), order).toEqual(all.map(({ id }) => id))
    }
  })

  test.each(['asc', 'desc'] as const)('rows without an id are on no page, %s', async (order) => {
    const all = ids.slice(3).map((_, i) => flax.lowerBound(at(i + 3)))
    expect(await walk('traceId', order, undefined)).toEqual(order === 'asc' ? all : all.reverse())
    expect(await walk('traceId', order, { name: 'even' })).toHaveLength(3)
  })

  test('a schema is paged, and keys that are kept', async () => {
    const { manager } = world.dataSource
    const rows = await manager.save(Invoice, [{}, {}, {}])
    const sorted = rows.map(({ id }) => id).sort(flax.compare)
    const page = keyset(Invoice, { take: 5, after: sorted[0] })
    expect((await manager.find(Invoice, page)).map(({ id }) => id)).toEqual(sorted.slice(1))
    await manager.insert(Account, [{ id: 'user-1' }, { id: 'user-2' }])
    expect(await manager.find(Account, keyset(Account, { take: 5, after: 'user-1' }))).toEqual([
      { id: 'user-2' },
    ])
  })
})

const wrong = keyset as (...args: unknown[]) => unknown
test.each<[string, unknown[], RegExp]>([
  ['options alone', [{ take: 5 }], /takes an entity first/],
  ['a family', [orderId, { take: 5 }], /takes an entity first, not the family ord$/],
  ['no entity', [undefined, { take: 5 }], /check for a circular import$/],
  ['no options', [Order], /^keyset: take must be/],
  ['null', [Order, null], /^keyset: /],
  ['an unknown option', [Order, { take: 5, limit: 5 }], /no option "limit"; options are/],
  ['a property of text', [Order, { take: 5, field: 'name' }], /^Order\.name is not /],
  ['an unknown property', [Order, { take: 5, field: 'x' }], /^Order\.x is not /],
  ['no property', [Order, { take: 5, field: 5 }], /takes a property of the entity, not 5/],
  [
    'a condition that is none',
    [Order, { take: 5, where: 'x' }],
    /^keyset: where must be an object of conditions/,
  ],
  [
    'null as a condition',
    [Order, { take: 5, where: null }],
    /where must be an object of conditions, not null/,
  ],
  [
    'null in a list',
    [Order, { take: 5, where: [null] }],
    /where\[0\] must be an object of conditions, not null/,
  ],
])('%s is refused', (_, args, message) => {
  expect(() => wrong(...args)).toThrow(
    expect.objectContaining({ name: 'IdError', message: expect.stringMatching(message) }),
  )
})
