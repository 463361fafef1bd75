import { flax, sno } from '@snoflax/core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { AnyClient } from './project/clients.js'
import { openShop, type Shop } from './shop/open.js'

let shop: Shop
let prisma: AnyClient
beforeAll(async () => {
  shop = await openShop({ database: 'postgresql' })
  prisma = shop.prisma
})
afterAll(() => shop?.close())

const make = () =>
  prisma.customer.create({
    data: {
      name: 'c',
      profile: { create: { bio: 'b' } },
      orders: { create: [{ total: 1, note: { a: 1 } }, { total: 2 }] },
    },
    include: { orders: { orderBy: { total: 'asc' } }, profile: true },
  })

// What stands together in calls of applications.

test('rows are the same if relations are loaded by joins or by queries', async () => {
  const c = await make()
  for (const relationLoadStrategy of ['join', 'query']) {
    const [row] = await prisma.customer.findMany({
      where: { id: c.id },
      relationLoadStrategy,
      include: {
        orders: {
          include: { customer: true, tags: true, lines: { include: { product: true, shipments: true } } },
          orderBy: { total: 'asc' },
        },
        profile: true,
        referrer: true,
        _count: { select: { orders: { where: { id: c.orders[0].id } } } },
      },
    })
    expect(row.id).toBe(c.id)
    expect(row._count).toEqual({ orders: 1 })
    expect(row.orders.map((o: AnyClient) => [o.id, o.customer.id, o.createdAt])).toEqual(
      c.orders.map((o: AnyClient) => [o.id, c.id, sno.time(o.id)]),
    )
  }
})
test('rows with bytes and many-to-many relations are the same, also after upserts and in chains', async () => {
  const c = await make()
  const o = await prisma.order.update({
    where: { id: c.orders[0].id },
    data: {
      tags: { create: [{ label: `x${Math.random()}` }] },
      lines: {
        create: [
          {
            position: 1,
            product: { create: { name: `p${Math.random()}`, category: { create: { name: 'k' } } } },
            shipments: { create: [{}] },
          },
        ],
      },
    },
    include: { tags: true, lines: { include: { product: true, shipments: true } } },
  })
  for (const relationLoadStrategy of ['join', 'query']) {
    const got = await prisma.order.findUnique({
      where: { id: o.id },
      relationLoadStrategy,
      include: {
        tags: true,
        lines: { include: { product: { include: { category: true } }, shipments: true } },
      },
    })
    expect(got.tags).toEqual(o.tags)
    expect(got.lines[0].product.id).toBe(o.lines[0].product.id)
    expect(got.lines[0].shipments).toEqual(o.lines[0].shipments)
    const viaTag = await prisma.tag.findMany({
      where: { id: { in: o.tags.map((t: AnyClient) => t.id) } },
      relationLoadStrategy,
      include: { orders: true },
    })
    expect(viaTag[0].orders[0].id).toBe(o.id)
  }
  const ups = await prisma.order.update({
    where: { id: o.id },
    data: {
      tags: {
        upsert: {
          where: { id: o.tags[0].id },
          create: { label: 'n' },
          update: { label: `y${Math.random()}` },
        },
        connectOrCreate: { where: { id: flax.generate() }, create: { label: `z${Math.random()}` } },
      },
    },
    include: { tags: true },
  })
  expect(ups.tags).toHaveLength(2)
  for (const t of ups.tags) expect(flax.is(t.id)).toBe(true)
  await prisma.order.update({
    where: { id: o.id },
    data: {
      tags: {
        disconnect: { id: o.tags[0].id },
        set: [{ id: ups.tags[1].id }],
        deleteMany: { id: { not: flax.generate() }, label: 'nothing' },
      },
    },
  })
  expect(
    await prisma.orderLine
      .findUnique({ where: { orderId_position: { orderId: o.id, position: 1 } } })
      .product()
      .category(),
  ).toMatchObject({ name: 'k' })
  expect(
    (
      await prisma.orderLine.findMany({
        cursor: { orderId_position: { orderId: o.id, position: 1 } },
        orderBy: [{ orderId: 'asc' }, { position: 'asc' }],
        take: 1,
      })
    )[0].orderId,
  ).toBe(o.id)
})
test('ids are converted in transactions of several calls, in calls that Prisma batches, and in returned rows', async () => {
  const c = await make()
  const [a, b, n, raw] = await prisma.$transaction([
    prisma.customer.findUniqueOrThrow({ where: { id: c.id } }),
    prisma.order.updateManyAndReturn({
      where: { customerId: c.id },
      data: { total: { increment: 10 } },
      select: { id: true, customerId: true, customer: { select: { id: true, since: true } } },
    }),
    prisma.order.count({ where: { customerId: c.id } }),
    prisma.$queryRaw`SELECT 1 AS one`,
  ])
  expect([a.id, n, raw]).toEqual([c.id, 2, [{ one: 1 }]])
  expect(
    b.every(
      (o: AnyClient) => o.customerId === c.id && o.customer.id === c.id && o.customer.since instanceof Date,
    ),
  ).toBe(true)
  const many = await Promise.all(
    [c.id, flax.generate(), c.id].map((id) =>
      prisma.customer.findUnique({ where: { id }, include: { orders: true } }),
    ),
  )
  expect(many.map((m: AnyClient) => m?.id)).toEqual([c.id, undefined, c.id])
  const chains = await Promise.all(
    [c.id, flax.generate()].map((id) =>
      prisma.customer
        .findUnique({ where: { id } })
        .orders({ where: { customerId: c.id }, select: { id: true, createdAt: true } }),
    ),
  )
  expect(chains[0].map((o: AnyClient) => sno.is(o.id) && o.createdAt instanceof Date)).toEqual([true, true])
  expect(chains[1]).toBe(null)
  await expect(prisma.customer.findUniqueOrThrow({ where: { id: flax.generate() } })).rejects.toMatchObject({
    code: 'P2025',
  })
  await expect(
    Promise.all([c.id, flax.generate()].map((id) => prisma.customer.findUniqueOrThrow({ where: { id } }))),
  ).rejects.toMatchObject({ code: 'P2025' })
  const made = await prisma.order.createManyAndReturn({
    data: [{ customerId: c.id, total: 77 }],
    include: { customer: true },
    omit: { total: true },
  })
  expect(made[0]).toMatchObject({ customerId: c.id, customer: { id: c.id } })
  expect(Object.keys(made[0])).not.toContain('total')
})
test('ids are converted in groups, beside Json, field references and omit, and in lists', async () => {
  const c = await make()
  expect(
    await prisma.order.groupBy({
      by: ['customerId', 'status'],
      where: { customerId: c.id },
      having: { customerId: { in: [c.id], not: flax.generate() }, total: { _sum: { gt: 0 } } },
      _count: { id: true },
      orderBy: { customerId: 'asc' },
    }),
  ).toEqual([{ customerId: c.id, status: 'open', _count: { id: 2 } }])
  expect(
    await prisma.order.findMany({ where: { customerId: c.id, note: { path: ['a'], equals: 1 } } }),
  ).toHaveLength(1)
  const where = { customerId: c.id }
  expect(
    await prisma.order.count({
      where: { ...where, id: { not: { equals: prisma.order.fields.customerId } } },
    }),
  ).toBe(2)
  expect(
    await prisma.order.count({
      where: { customerId: { equals: prisma.order.fields.customerId }, AND: [where] },
    }),
  ).toBe(2)
  expect(await prisma.customer.findFirst({ where: { id: c.id }, omit: { id: true } })).not.toHaveProperty(
    'id',
  )
  const anti = await prisma.customer.findFirst({ where: { id: c.id, OR: undefined } })
  expect(anti?.id).toBe(c.id)
  const lists = await prisma.customer.update({ where: { id: c.id }, data: { mentions: { push: [c.id] } } })
  expect(lists.mentions).toEqual([c.id])
  expect(
    await prisma.customer.findMany({
      where: { mentions: { equals: [c.id] } },
      distinct: ['id'],
      orderBy: [{ orders: { _count: 'desc' } }, { id: 'desc' }],
      select: { id: true },
    }),
  ).toEqual([{ id: c.id }])
  expect(
    await prisma.order.aggregate({
      where: { customerId: c.id },
      _count: { id: true, customerId: true },
      cursor: { id: c.orders[0].id },
      orderBy: { id: 'asc' },
    }),
  ).toEqual({ _count: { id: 2, customerId: 2 } })
  expect(
    await prisma.customer.findFirst({
      where: {
        id: c.id,
        orders: { some: { id: c.orders[1].id } },
        OR: [{ traceId: null }],
      },
      select: {
        orders: { where: { id: { gt: c.orders[0].id } }, select: { id: true } },
        profile: { select: { customerId: true } },
      },
    }),
  ).toEqual({ orders: [{ id: c.orders[1].id }], profile: { customerId: c.id } })
})
test('ids are converted in foreign keys, passed by value and by connect', async () => {
  const c = await make()
  const d = await make()
  await prisma.profile.update({
    where: { customerId: c.id },
    data: { customer: { update: { where: { id: c.id }, data: { name: 'via' } } } },
  })
  const moved = await prisma.order.update({
    where: { id: c.orders[0].id, customerId: { not: d.id } },
    data: { customer: { connect: { id: d.id } }, total: 99 },
  })
  expect(moved.customerId).toBe(d.id)
  const m = await prisma.group.create({
    data: {
      id: undefined,
      name: `g${Math.random()}`,
      members: {
        createMany: {
          data: [
            { customerId: c.id, role: 'r' },
            { customerId: d.id, role: 's' },
          ],
          skipDuplicates: true,
        },
      },
    },
    include: { members: { orderBy: { customerId: 'asc' }, include: { customer: { omit: { id: true } } } } },
  })
  expect(m.members.map((x: AnyClient) => [x.groupId, x.customerId]).sort()).toEqual(
    [
      [m.id, c.id],
      [m.id, d.id],
    ].sort(),
  )
  const u = await prisma.membership.upsert({
    where: { member: { customerId: c.id, groupId: m.id } },
    create: { customerId: c.id, groupId: m.id, role: 'x' },
    update: { role: 'y' },
  })
  expect([u.groupId, u.role]).toEqual([m.id, 'y'])
  await prisma.customer.update({
    where: { id: c.id },
    data: {
      groups: {
        updateMany: { where: { groupId: m.id }, data: { role: 'z' } },
        delete: { member: { customerId: c.id, groupId: m.id } },
      },
    },
  })
  await expect(prisma.order.create({ data: { customerId: 'bad', total: 1 } })).rejects.toThrow(
    /Order\.customerId, in order\.create: data\.customerId/,
  )
  await expect(
    prisma.order.create({ data: { customerId: { toString: () => c.id }, total: 1 } as never }),
  ).rejects.toThrow('data.customerId.toString: flax: the operator toString is unknown')
  await expect(prisma.order.findMany({ where: { customerId: new String(c.id) } })).rejects.toThrow(
    'where.customerId.0: flax: the operator 0 is unknown',
  )
})
