import { join } from 'node:path'
import { flax, type IdError, sno } from '@snoflax/core'
import { type Configuration, idExtension } from '@snoflax/prisma-extension'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { AnyClient } from './project/clients.js'
import { installed } from './project/version.js'
import { generators, openShop, type Shop } from './shop/open.js'

const { makeTypedQueryFactory } = await import(join(installed('@prisma/client'), 'runtime/client.mjs'))

describe('beside other extensions', () => {
  let shop: Shop
  beforeAll(async () => {
    shop = await openShop({ database: 'postgresql' })
  })
  afterAll(() => shop?.close())

  /** Notes what an extension at its place sees. */
  function spy(seen: { args: unknown[]; results: AnyClient[] }) {
    return {
      query: {
        $allModels: {
          async $allOperations({ args, query }: AnyClient) {
            seen.args.push(structuredClone(args))
            const result = await query(args)
            seen.results.push(structuredClone(result))
            return result
          },
        },
      },
    }
  }

  test('an extension before ours sees ids, one after ours sees database values', async () => {
    const before = { args: [] as unknown[], results: [] as AnyClient[] }
    const after = { args: [] as unknown[], results: [] as AnyClient[] }
    const prisma = shop.bare
      .$extends(spy(before))
      .$extends(shop.generated.snoflax({ generators }))
      .$extends(spy(after))
    const id = flax.generate()
    await prisma.profile.create({ data: { bio: 'b', customer: { create: { id, name: 'Ada' } } } })
    const value = shop.generated.parameter('Customer.id', id)
    expect(value).not.toBe(id)
    expect(before.args).toEqual([{ data: { bio: 'b', customer: { create: { id, name: 'Ada' } } } }])
    expect(after.args).toEqual([{ data: { bio: 'b', customer: { create: { id: value, name: 'Ada' } } } }])
    expect([before.results[0].customerId, after.results[0].customerId]).toEqual([id, value])
  })

  test.each(['before, with a client that ours extends', 'after'])('read replicas work %s', async (place) => {
    const replica = (client: AnyClient) => ({
      query: {
        $allModels: {
          findMany: ({ model, args }: AnyClient) => client[model.toLowerCase()].findMany(args),
        },
      },
    })
    const ours = shop.generated.snoflax({ generators })
    const prisma =
      place === 'after'
        ? shop.bare.$extends(ours).$extends(replica(shop.bare))
        : shop.bare.$extends(replica(shop.bare.$extends(ours))).$extends(ours)
    const { id } = await prisma.customer.create({ data: { name: place, orders: { create: {} } } })
    const [found] = await prisma.customer.findMany({ where: { id }, include: { orders: true } })
    expect([found.id, found.orders[0].customerId]).toEqual([id, id])
  })

  const SHAPES: Readonly<Record<string, (bare: AnyClient) => AnyClient>> = {
    // Adds to filters, and turns a delete into an update of the client that it was defined with.
    'soft deletion': () => ({
      query: {
        order: {
          findMany: ({ args, query }: AnyClient) =>
            query({ ...args, where: { AND: [args.where ?? {}, { total: { gte: 0 } }] } }),
        },
      },
    }),
    logging: () => ({
      query: {
        $allModels: {
          async $allOperations({ args, query }: AnyClient) {
            const answer = await query(args)
            JSON.stringify([args, answer])
            return answer
          },
        },
      },
    }),
    'row-level security': (bare) => ({
      query: {
        $allModels: {
          async $allOperations({ args, query }: AnyClient) {
            const set = bare.$executeRaw`SELECT set_config('app.tenant', '7', TRUE)`
            const [, answer] = await bare.$transaction([set, query(args)])
            return answer
          },
        },
      },
    }),
    // As Accelerate's: an argument of its own, and answers that are kept.
    'a cache': () => {
      const kept = new Map<string, unknown>()
      return {
        query: {
          $allModels: {
            async $allOperations({ operation, args, query }: AnyClient) {
              const { cacheStrategy, ...rest } = args
              if (!cacheStrategy) return query(rest)
              const key = operation + JSON.stringify(rest)
              if (!kept.has(key)) kept.set(key, structuredClone(await query(rest)))
              return structuredClone(kept.get(key))
            },
          },
        },
      }
    },
  }

  test.each(Object.keys(SHAPES).flatMap((name) => [[name, 'before'] as const, [name, 'after'] as const]))(
    '%s works %s',
    async (name, place) => {
      const other = SHAPES[name]?.(shop.bare)
      const ours = shop.generated.snoflax({ generators })
      const prisma =
        place === 'before'
          ? shop.bare.$extends(other).$extends(ours)
          : shop.bare.$extends(ours).$extends(other)
      const { id, orders } = await prisma.customer.create({
        data: { name, orders: { create: [{ total: 1 }, { total: 2 }] } },
        include: { orders: true },
      })
      const cached = name === 'a cache' ? { cacheStrategy: { ttl: 60 } } : {}
      for (let time = 0; time < 2; time++) {
        const found = await prisma.order.findMany({
          where: { customerId: id },
          orderBy: { total: 'asc' },
          ...cached,
        })
        expect(found.map((order: AnyClient) => order.id).sort()).toEqual(
          orders.map((order: AnyClient) => order.id).sort(),
        )
        expect(sno.is(found[0].id) && flax.is(found[0].customerId)).toBe(true)
      }
      await expect(prisma.order.findUnique({ where: { id: 'none' } })).rejects.toThrow(
        'Order.id, in order.findUnique',
      )
    },
  )

  test('computed fields and methods of other extensions see ids', async () => {
    const prisma = shop.bare
      .$extends({
        result: {
          order: { link: { needs: { id: true }, compute: ({ id }: { id: string }) => `/orders/${id}` } },
        },
        model: {
          customer: {
            named(this: AnyClient, name: string) {
              return this.findMany({ where: { name } })
            },
          },
        },
      })
      .$extends(shop.generated.snoflax({ generators }))
    const name = crypto.randomUUID()
    const { id, orders } = await prisma.customer.create({
      data: { name, orders: { create: { total: 1 } } },
      include: { orders: true },
    })
    expect(orders[0].link).toBe(`/orders/${orders[0].id}`)
    expect(sno.is(orders[0].id)).toBe(true)
    expect((await prisma.customer.named(name)).map((one: AnyClient) => one.id)).toEqual([id])
  })
})

describe.each(['sqlite', 'postgresql'] as const)('on %s', (database) => {
  let shop: Shop
  let prisma: AnyClient
  beforeAll(async () => {
    shop = await openShop({ database })
    prisma = shop.prisma
  })
  afterAll(() => shop?.close())

  test('a configuration that does not match the client is refused', () => {
    const { configuration } = shop.generated
    const refused = (models: Configuration['models']) => {
      const changed = { ...configuration, models: { ...configuration.models, ...models } }
      try {
        shop.bare.$extends(idExtension(changed, { generators }))
      } catch (error) {
        return (error as IdError).message
      }
      return expect.fail('no error')
    }
    const { Customer, Order } = configuration.models
    expect(refused({ customer: Customer })).toBe('customer.id: the client has no such model')
    expect(refused({ Order: { ...Order, buyerId: Order.customerId } })).toBe(
      'Order.buyerId: the client has no such field',
    )
    expect(refused({ Order: { ...Order, id: { ...Order.id, createdAt: 'total' } } })).toBe(
      'Order.id: the model already has a field total; name the computed one differently, as in createdAt=insertedAt',
    )
  })

  test('$find() finds the row of an id, in transactions too', async () => {
    const { id } = await prisma.tag.create({ data: { label: crypto.randomUUID() } })
    const found = { model: 'Tag', column: 'id', row: { id }, also: [] }
    expect(await prisma.$find(id)).toMatchObject(found)
    await prisma.$transaction(async (tx: AnyClient) => {
      await tx.tag.update({ where: { id }, data: { label: 'found' } })
      expect((await tx.$find(id)).row.label).toBe('found')
      await tx.tag.delete({ where: { id } })
      expect(await tx.$find(id)).toBeNull()
    })
    await expect(prisma.$find(`${id}0`)).rejects.toThrow('16 characters, not 17')
    await expect(prisma.$find(5)).rejects.toMatchObject({ code: 'INVALID_TYPE' })
  })

  test('raw queries pass untouched: parameters and rows are what the database stores', async () => {
    const { parameter, fromDatabase } = shop.generated
    const { Prisma } = await import(join(shop.folder, 'client/client.ts'))
    const { id } = await prisma.tag.create({ data: { label: crypto.randomUUID() } })
    const stored = parameter('Tag.id', id)
    const first = database === 'sqlite' ? '?' : '$1'
    const unsafe = `SELECT id FROM "Tag" WHERE id = ${first}`
    const typed = makeTypedQueryFactory(unsafe)
    for (const [found] of [
      await prisma.$queryRaw`SELECT id FROM "Tag" WHERE id = ${stored}`,
      await prisma.$queryRaw(Prisma.sql`SELECT id FROM "Tag" WHERE id IN (${Prisma.join([stored])})`),
      await prisma.$queryRawUnsafe(unsafe, stored),
      await prisma.$transaction((tx: AnyClient) => tx.$queryRawUnsafe(unsafe, stored)),
      ...(await prisma.$transaction([prisma.$queryRaw`SELECT id FROM "Tag" WHERE ${stored} = id`])).map(
        (row: object) => [row].flat(),
      ),
      await prisma.$queryRawTyped(typed(stored)),
    ]) {
      expect(found.id).toEqual((await shop.bare.tag.findFirstOrThrow({ where: { id: stored } })).id)
      expect(fromDatabase('Tag.id', found.id)).toBe(id)
    }
    const added = flax.generate()
    const value = parameter('Tag.id', added)
    expect(await prisma.$executeRaw`INSERT INTO "Tag" (label, id) VALUES (${added}, ${value})`).toBe(1)
    expect(await prisma.tag.findUnique({ where: { id: added } })).toEqual({ id: added, label: added })
    expect(await prisma.$executeRawUnsafe(`DELETE FROM "Tag" WHERE id = ${first}`, value)).toBe(1)
  })

  test('an id in a compact storage is not compared with a text field', async () => {
    const equals = shop.bare.tag.fields.label
    await expect(prisma.tag.findMany({ where: { id: { equals } } })).rejects.toThrow(/label/)
    await expect(prisma.tag.deleteMany({ where: { NOT: { id: { equals } } } })).rejects.toThrow(/label/)
  })
})

test('the whole tree of rows is the same for each relationLoadStrategy', async () => {
  const shop = await openShop({ database: 'postgresql' })
  const { prisma } = shop
  await prisma.customer.create({
    data: {
      name: 'Ada',
      traceId: sno.generate(),
      mentions: [flax.generate(), flax.generate()],
      groups: { create: { role: 'r', group: { create: { name: 'g' } } } },
      orders: {
        create: {
          tags: { create: [{ label: 'a' }] },
          lines: {
            create: {
              position: 1,
              product: { create: { name: 'p', category: { create: { name: 'c' } } } },
              shipments: { create: {} },
            },
          },
        },
      },
    },
  })
  const include = {
    groups: { include: { group: true } },
    orders: {
      include: {
        tags: true,
        lines: { include: { product: { include: { category: true } }, shipments: true } },
      },
    },
  }
  const load = async (relationLoadStrategy: string) =>
    JSON.stringify(await prisma.customer.findMany({ relationLoadStrategy, include }))
  const joined = await load('join')
  expect(joined).toContain('"mentions":["')
  expect(joined).toBe(await load('query'))
  await shop.close()
})
