import { flax, IdError, sno } from '@snoflax/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AnyClient, clientOf } from './project/clients.js'
import { generators, openShop, type Shop } from './shop/open.js'

const CLIENTS: readonly ['sqlite' | 'postgresql', 'prisma-client' | 'prisma-client-js'][] = [
  ['sqlite', 'prisma-client'],
  ['postgresql', 'prisma-client'],
  ['sqlite', 'prisma-client-js'],
]

describe.each(CLIENTS)('on %s with %s', (database, client) => {
  let shop: Shop
  let prisma: AnyClient
  beforeAll(async () => {
    shop = await openShop({ database, client })
    prisma = shop.prisma
  })
  afterAll(() => shop?.close())

  const customer = (data: object = {}, more: object = {}) =>
    prisma.customer.create({ data: { name: 'Ada', ...data }, ...more })

  describe('ids are generated', () => {
    test('at any depth, through every relation', async () => {
      const made = await customer(
        {
          referrer: { create: { name: 'Bob', referrer: { create: { name: 'Cid' } } } },
          friends: { create: [{ name: 'Dan' }, { name: 'Eve', friends: { create: { name: 'Fay' } } }] },
          country: { create: { code: 'A1' } },
          profile: { create: { bio: 'x' } },
          groups: { create: { role: 'owner', group: { create: { name: 'g1' } } } },
          orders: {
            create: {
              total: 3,
              lines: {
                create: {
                  position: 1,
                  product: { create: { name: 'p1', category: { create: { name: 'c1' } } } },
                  shipments: { createMany: { data: [{}, {}] } },
                },
              },
              tags: { connectOrCreate: { where: { label: 't1' }, create: { label: 't1' } } },
            },
          },
        },
        {
          include: {
            referrer: { include: { referrer: true } },
            friends: { include: { friends: true } },
            profile: true,
            groups: { include: { group: true } },
            orders: {
              include: {
                tags: true,
                lines: { include: { product: { include: { category: true } }, shipments: true } },
              },
            },
          },
        },
      )
      const [order] = made.orders
      const [line] = order.lines
      const { Category } = shop.generated.configuration.models
      for (const row of [made, made.referrer, made.referrer.referrer, ...made.friends, ...order.tags]) {
        expect(flax.is(row.id)).toBe(true)
      }
      expect(flax.is(made.friends.find((one: AnyClient) => one.name === 'Eve').friends[0].id)).toBe(true)
      expect(made.profile.customerId).toBe(made.id)
      expect(made.groups[0]).toMatchObject({ customerId: made.id, groupId: made.groups[0].group.id })
      expect(sno.is(order.id)).toBe(true)
      expect(sno.meta(order.id)).toBe(2)
      expect(order.customerId).toBe(made.id)
      expect(line).toMatchObject({ orderId: order.id, productId: line.product.id })
      expect(sno.is(line.product.id)).toBe(true)
      expect(Category.id.family.is(line.product.category.id)).toBe(true)
      expect(new Set(line.shipments.map((one: AnyClient) => one.id)).size).toBe(2)
    })

    test('if undefined is passed, but not for a foreign key', async () => {
      const made = await customer({ id: undefined, referrerId: undefined })
      expect(flax.is(made.id)).toBe(true)
      expect(made.referrerId).toBeNull()
      expect(made.traceId).toBeNull()
    })

    test('parents before their children', async () => {
      const make = (id: number) => ({
        id: flax.pack({ timeMs: flax.firstMs + id, random: new Uint8Array(7) }),
      })
      let count = 0
      const counting = { family: flax, generate: () => make(++count).id, batch: () => [] }
      const counted = shop.bare.$extends(
        shop.generated.snoflax({ generators: { ...generators, flax: counting } }),
      )
      const made = await counted.customer.create({
        data: { name: 'p', referred: { create: [{ name: 'c1' }, { name: 'c2' }] } },
        include: { referred: { orderBy: { id: 'asc' } } },
      })
      expect([made, ...made.referred].map(({ id }) => flax.timeMs(id) - flax.firstMs)).toEqual([1, 2, 3])
    })
  })

  describe('objects that are passed', () => {
    test('may be instances of classes', async () => {
      class NewCustomer {
        readonly name = 'Ada'
        constructor(readonly referrerId: string) {}
      }
      const { id } = await customer()
      const made = await prisma.customer.create({ data: new NewCustomer(id) })
      expect(flax.is(made.id)).toBe(true)
      expect(made.referrerId).toBe(id)
    })
  })

  describe('results are converted', () => {
    test('min and max of ids stored as numbers', async () => {
      const [a, b] = [
        await prisma.group.create({ data: { name: crypto.randomUUID() } }),
        await prisma.group.create({ data: { name: crypto.randomUUID() } }),
      ]
      const range = await prisma.group.aggregate({
        where: { id: { in: [a.id, b.id] } },
        _min: { id: true },
        _max: { id: true },
      })
      expect(range).toEqual({ _min: { id: a.id }, _max: { id: b.id } })
      const none = await prisma.group.aggregate({ where: { name: 'no such' }, _max: { id: true } })
      expect(none).toEqual({ _max: { id: null } })
    })

    test('a view', async () => {
      const { id, orders } = await customer(
        { orders: { create: { total: 5 } } },
        { include: { orders: true } },
      )
      expect(await prisma.orderSummary.findMany({ where: { customerId: id } })).toEqual([
        { orderId: orders[0].id, customerId: id, lines: 0 },
      ])
    })
  })

  describe('creation time', () => {
    test('is filtered by a range of the family', async () => {
      const from = new Date('2026-01-01')
      const to = new Date('2026-02-01')
      const january = flax.generateAt(new Date('2026-01-15'))
      await customer({ id: january })
      await customer({ id: flax.generateAt(to) })
      const found = await prisma.customer.findMany({ where: { id: flax.range(from, to) } })
      expect(found.map((one: AnyClient) => one.id)).toEqual([january])
    })

    test('is a plain property of rows, which can be cloned and written as JSON', async () => {
      const { id } = await customer({ orders: { create: { total: 1 } } })
      const rows = await prisma.customer.findMany({ where: { id }, include: { orders: true } })
      const copy = structuredClone(rows)
      expect(copy).toEqual(rows)
      expect(copy[0].orders[0].createdAt).toEqual(sno.time(copy[0].orders[0].id))
      expect(JSON.parse(JSON.stringify(rows))[0].since).toBe(flax.time(id).toISOString())
    })

    test('is selected and omitted like other fields, at any depth and in chains', async () => {
      const { id } = await customer({ orders: { create: { total: 1 } } })
      const since = flax.time(id)
      const find = (args: object) => prisma.customer.findUnique({ where: { id }, ...args })
      const order = await prisma.order.findFirst({ where: { customerId: id } })
      const { createdAt } = order
      expect(await find({ select: { name: true, since: false } })).toEqual({ name: 'Ada' })
      expect(await find({ select: { id: true, since: true } })).toEqual({ id, since })
      expect((await find({ omit: { since: true } })).since).toBeUndefined()
      const { id: left, ...rest } = await find({ omit: { id: true } })
      expect([left, rest.since, rest.name]).toEqual([undefined, since, 'Ada'])
      expect(await find({ select: { since: true, orders: { select: { createdAt: true } } } })).toEqual({
        since,
        orders: [{ createdAt }],
      })
      expect(await find({ select: { orders: { omit: { id: true, createdAt: true } } } })).toEqual({
        orders: [expect.not.objectContaining({ id: order.id, createdAt })],
      })
      expect(await find({ include: { orders: true, referrer: true } })).toMatchObject({
        since,
        orders: [{ id: order.id, createdAt }],
        referrer: null,
      })
      expect(await find({}).orders()).toMatchObject([{ id: order.id, createdAt }])
      const chained = await prisma.order
        .findUnique({ where: { id: order.id } })
        .customer({ select: { since: true } })
      expect(chained).toEqual({ since })
    })

    test('is in the rows that writes return', async () => {
      const [made] = await prisma.customer.createManyAndReturn({
        data: [{ name: 'x' }],
        select: { since: true },
      })
      expect(made).toEqual({ since: expect.any(Date) })
      const { id, since } = await customer({}, { select: { id: true, since: true } })
      const where = { id }
      expect(since).toEqual(flax.time(id))
      const changed = { where, data: { name: 'y' }, select: { since: true } }
      expect(await prisma.customer.update(changed)).toEqual({ since })
      expect(await prisma.customer.updateManyAndReturn(changed)).toEqual([{ since }])
      expect(await prisma.customer.upsert({ where, create: { name: '' }, update: {} })).toMatchObject({
        since,
      })
      expect(await prisma.customer.delete({ where, omit: { id: true } })).toMatchObject({ name: 'y', since })
    })

    test('works beside computed fields of other extensions that need the id, too', async () => {
      const link = { needs: { id: true }, compute: ({ id }: { id: string }) => `/customers/${id}` }
      const extension = { result: { customer: { link } } }
      const ours = shop.generated.snoflax({ generators })
      const { id } = await customer()
      const query = { where: { id }, select: { since: true, link: true } }
      for (const client of [shop.bare.$extends(extension).$extends(ours), prisma.$extends(extension)]) {
        const { since, link: path } = await client.customer.findUnique(query)
        expect([since, path]).toEqual([flax.time(id), `/customers/${id}`])
      }
    })

    test('is refused beside a computed field of the same name', async () => {
      const since = { needs: { name: true }, compute: ({ name }: { name: string }) => name }
      const other = shop.bare.$extends({ result: { customer: { since } } })
      expect(() => other.$extends(shop.generated.snoflax({ generators }))).toThrow(
        'Customer.id: the model already has a field since; name the computed one differently, as in createdAt=insertedAt',
      )
    })

    test('works beside computed fields of other extensions if the id that they need is omitted', async () => {
      const link = { needs: { id: true }, compute: ({ id }: { id: string }) => `/customers/${id}` }
      const extension = { result: { customer: { link } } }
      const ours = shop.generated.snoflax({ generators })
      const { id } = await customer()
      const omitting = await clientOf(shop.folder, shop.database, { omit: { customer: { id: true } } })
      const where = { id }
      for (const found of [
        await shop.bare
          .$extends(extension)
          .$extends(ours)
          .customer.findUnique({ where, omit: { id: true } }),
        await omitting.$extends(extension).$extends(ours).customer.findUnique({ where }),
      ]) {
        expect({ ...found }).toMatchObject({ since: flax.time(id), link: `/customers/${id}` })
        expect({ ...found }).not.toHaveProperty('id')
      }
      await omitting.$disconnect()
    })

    test('remains in rows that a later extension caches', async () => {
      const { id } = await customer()
      let kept: unknown
      const cache = {
        query: { customer: { findMany: async ({ args, query }: AnyClient) => (kept ??= await query(args)) } },
      }
      const client = prisma.$extends(cache)
      for (let time = 0; time < 2; time++) {
        const rows = await client.customer.findMany({ where: { id }, select: { since: true } })
        expect(rows).toEqual([{ since: flax.time(id) }])
      }
    })

    test('is in the rows of a client that is extended twice', async () => {
      const { id } = await customer()
      const twice = prisma.$extends(shop.generated.snoflax({ generators }))
      const found = await twice.customer.findUnique({ where: { id }, select: { since: true } })
      expect(found).toEqual({ since: flax.time(id) })
    })

    test('is refused if a later extension removes the id from the rows', async () => {
      const { id } = await customer()
      const taking = {
        query: {
          customer: {
            findMany: async ({ args, query }: AnyClient) =>
              (await query(args)).map(({ id: _, ...rest }: AnyClient) => rest),
          },
        },
      }
      const found = prisma.$extends(taking).customer.findMany({ where: { id }, select: { since: true } })
      await expect(found).rejects.toMatchObject({ code: 'INVALID_OPTION', field: 'since' })
    })

    test('works if the client omits the id', async () => {
      const { id } = await customer()
      const omitting = await clientOf(shop.folder, shop.database, { omit: { customer: { id: true } } })
      const client = omitting.$extends(shop.generated.snoflax({ generators }))
      const found = await client.customer.findUnique({ where: { id } })
      expect([found.since, found.name]).toEqual([flax.time(id), 'Ada'])
      expect('id' in found).toBe(false)
      expect((await client.customer.findUnique({ where: { id }, omit: { id: false } })).id).toBe(id)
      await omitting.$disconnect()
    })
  })

  describe('refused with an IdError', () => {
    const refusal = async (call: Promise<unknown>): Promise<IdError> => {
      const error = await call.then(
        () => undefined,
        (reason: unknown) => reason,
      )
      expect(error).toBeInstanceOf(IdError)
      return error as IdError
    }

    test('a malformed id, with field, argument and value', async () => {
      const data = {
        name: 'x',
        orders: { create: [{ total: 1 }, { total: 2, tags: { connect: [{ id: 'short' }] } }] },
      }
      const error = await refusal(prisma.customer.create({ data }))
      expect(error).toMatchObject({
        code: 'INVALID_LENGTH',
        value: 'short',
        path: 'Tag.id, in customer.create: data.orders.create[1].tags.connect[0].id',
      })
      expect(error.message).toBe(
        'Tag.id, in customer.create: data.orders.create[1].tags.connect[0].id: ' +
          'flax: an id has 16 characters, not 5 ("short")',
      )
      expect(await prisma.customer.count({ where: { name: 'x', orders: { some: {} } } })).toBe(0)
    })

    test('a range over bytes', async () => {
      const error = await refusal(prisma.product.findMany({ where: { id: sno.range(0, 1) } }))
      expect(error.message).toMatch(
        /^Product\.id, in product\.findMany: where\.id\.gte: sno: Prisma has no ranges over Bytes/,
      )
    })

    test('a search that ignores case, while startsWith is accepted', async () => {
      const { id } = await prisma.category.create({ data: { name: 'c' } })
      const error = await refusal(
        prisma.category.findMany({ where: { id: { equals: id, mode: 'insensitive' } } }),
      )
      expect(error.message).toMatch(/ids that differ in case are different ids$/)
      const found = await prisma.category.findMany({ where: { id: { startsWith: id.slice(0, 9) } } })
      expect(found.map((one: AnyClient) => one.id)).toContain(id)
    })

    test('a base64 text as bytes', async () => {
      const base64 = Buffer.from(flax.decode(flax.generate())).toString('base64')
      const notCanonical = base64.replace(/.$/, '+')
      expect((await refusal(prisma.tag.findMany({ where: { id: notCanonical } }))).code).toBe(
        'INVALID_CHARACTER',
      )
    })

    test('a value of another type', async () => {
      const { id } = await customer()
      // Text is not converted, so Prisma refuses it.
      const unknown = (place: string, word: string) =>
        database === 'sqlite'
          ? `argument \`${word}\``
          : `${place}.${word}: flax: no operator ${word} is known`
      await expect(
        prisma.order.create({ data: { customerId: { toString: () => id }, total: 1 } }),
      ).rejects.toThrow(unknown('data.customerId', 'toString'))
      await expect(prisma.order.findMany({ where: { customerId: new String(id) } })).rejects.toThrow(
        unknown('where.customerId', '0'),
      )
      await expect(prisma.customer.deleteMany({ where: { id: { equal: id } } })).rejects.toThrow(
        database === 'sqlite' ? 'Did you mean `equals`' : unknown('where.id', 'equal'),
      )
      const call = prisma.customer.findUnique({ where: { id: 7 } })
      await expect(call).rejects.toMatchObject({ code: 'INVALID_TYPE', statusCode: 400, value: 7 })
      await expect(prisma.customer.findUnique({ where: { id: true } })).rejects.toThrow(
        /^Customer\.id, in customer\.findUnique: where\.id: flax: /,
      )
    })

    // The columns of PostgreSQL are of type uuid.
    test.skipIf(database === 'postgresql')(
      'but what other programs wrote into a text column is returned',
      async () => {
        await shop.database.query(`INSERT INTO "customers" (customer_id, name) VALUES ('rubbish', 'R')`)
        expect(await prisma.customer.findMany({ where: { name: 'R' }, select: { id: true } })).toEqual([
          { id: 'rubbish' },
        ])
        await shop.database.query(`DELETE FROM customers WHERE name = 'R'`)
      },
    )
  })
})
