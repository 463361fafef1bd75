import { flax, prefixed } from '@snoflax/core'
import { postgres, sqlite } from '@snoflax/test'
import { describe, expect, test } from 'vitest'
import { type AnyClient, clientOf, pushSchema } from './project/clients.js'
import { generateProject, projectOf } from './project/generate.js'
import { generatedModule } from './shop/open.js'

// After a conflict: which row keeps its key, and what is returned, beside Prisma's own uuid keys.

const modelsOf = (key: string, comment: string) => `
model Customer {
  id     String  @id @default(${key}) ${comment}
  email  String  @unique
  name   String?
  orders Order[]
}
model Order {
  id         String   @id @default(${key}) ${comment.replace('cus', 'ord')}
  number     Int      @unique
  customerId String
  customer   Customer @relation(fields: [customerId], references: [id])
}`

const order = { number: 1 }
const taken = { where: order, create: order }

/** Each meets the stored customer with the email a, and his order 1. */
const FORMS: Readonly<Record<string, (prisma: AnyClient) => Promise<unknown>>> = {
  'upsert()': ({ customer }) =>
    customer.upsert({
      where: { email: 'a' },
      create: { email: 'a' },
      update: { name: 'new' },
      include: { orders: true },
    }),
  'upsert() of a new row': ({ customer }) =>
    customer.upsert({ where: { email: 'b' }, create: { email: 'b' }, update: { name: 'new' } }),
  'upsert() that changes nothing': ({ customer }) =>
    customer.upsert({ where: { email: 'a' }, create: { email: 'a' }, update: {} }),
  'upsert() with further conditions': ({ customer }) =>
    customer.upsert({
      where: { email: 'a', name: 'nobody' },
      create: { email: 'a' },
      update: { name: 'new' },
    }),
  'upsert() within upsert()': ({ customer }) =>
    customer.upsert({
      where: { email: 'a' },
      create: { email: 'a' },
      update: { orders: { upsert: { ...taken, update: { number: 2 } } } },
      include: { orders: true },
    }),
  'upsert() within update()': ({ customer }) =>
    customer.update({
      where: { email: 'a' },
      data: {
        orders: { upsert: [7, 1].map((number) => ({ where: { number }, create: { number }, update: {} })) },
      },
      include: { orders: { orderBy: { number: 'asc' } } },
    }),
  'connectOrCreate of rows': ({ customer }) =>
    customer.create({
      data: {
        email: 'b',
        orders: { connectOrCreate: [taken, { where: { number: 7 }, create: { number: 7 } }] },
      },
      include: { orders: { orderBy: { number: 'asc' } } },
    }),
  'connectOrCreate of the parent': (prisma) =>
    prisma.order.create({
      data: {
        number: 7,
        customer: { connectOrCreate: { where: { email: 'a' }, create: { email: 'a', name: 'new' } } },
      },
      include: { customer: true },
    }),
  'createMany()': ({ customer }) => customer.createMany({ data: [{ email: 'b' }, { email: 'a' }] }),
  'createMany(), duplicates skipped': ({ customer }) =>
    customer.createMany({ data: [{ email: 'b' }, { email: 'a', name: 'new' }], skipDuplicates: true }),
  'createManyAndReturn(), duplicates skipped': ({ customer }) =>
    customer.createManyAndReturn({
      data: [{ email: 'b' }, { email: 'a', name: 'new' }],
      skipDuplicates: true,
    }),
  'createMany of rows, duplicates skipped': ({ customer }) =>
    customer.update({
      where: { email: 'a' },
      data: { orders: { createMany: { data: [order, { number: 7 }], skipDuplicates: true } } },
      include: { orders: { orderBy: { number: 'asc' } } },
    }),
}

describe.each([
  ['sqlite', sqlite],
  ['postgresql', postgres],
] as const)('%s', (provider, kind) => {
  async function outcomes(models: string, isOurs: boolean) {
    const folder = await generateProject(projectOf(models, { provider, ...(!isOurs && { options: null }) }))
    const database = await kind.open()
    await pushSchema(folder, database)
    const bare = await clientOf(folder, database)
    const prisma = isOurs ? bare.$extends((await generatedModule(folder)).snoflax()) : bare
    const seen: Record<string, unknown> = {}
    for (const [name, form] of Object.entries(FORMS)) {
      await prisma.order.deleteMany()
      await prisma.customer.deleteMany()
      const customer = await prisma.customer.create({
        data: { email: 'a', name: 'before', orders: { create: order } },
        include: { orders: true },
      })
      const returned = await form(prisma).catch(({ code, name }: AnyClient) => ({ error: code ?? name }))
      const rows = [
        await prisma.customer.findMany({ orderBy: { email: 'asc' } }),
        await prisma.order.findMany({ orderBy: { number: 'asc' } }),
      ]
      if (isOurs) {
        for (const { id } of rows[0]) expect(id).toMatch(prefixed(flax, 'cus').pattern)
        for (const { id } of rows[1]) expect(id).toMatch(prefixed(flax, 'ord').pattern)
      }
      // Keys by the rows that have them; `before` are those that were stored.
      const names = new Map([
        ...rows.flat().map((row: AnyClient) => [row.id, `new key of ${row.email ?? row.number}`] as const),
        [customer.id, 'key before'],
        [customer.orders[0].id, 'order before'],
      ])
      const named = (key: string, value: unknown) =>
        key === 'id' || key === 'customerId' ? (names.get(value as string) ?? 'of no row') : value
      seen[name] = JSON.parse(JSON.stringify({ returned, rows }, named))
    }
    await bare.$disconnect()
    await database.close()
    return seen
  }

  test('rows keep their keys as with uuid(), and the same is returned', async () => {
    const ours = await outcomes(modelsOf('dbgenerated()', '/// @snoflax flax prefix=cus'), true)
    const plain = await outcomes(modelsOf('uuid()', ''), false)
    expect(ours).toEqual(plain)
    expect(JSON.stringify(ours)).not.toContain('of no row')
    const [isSkipped] = [provider === 'postgresql']
    expect(ours).toMatchObject({
      'upsert()': { returned: { id: 'key before', name: 'new', orders: [{ id: 'order before' }] } },
      'upsert() of a new row': { returned: { id: 'new key of b' } },
      'upsert() with further conditions': { returned: { error: 'P2002' } },
      'connectOrCreate of rows': { returned: { orders: [{ id: 'order before' }, { id: 'new key of 7' }] } },
      'connectOrCreate of the parent': { returned: { customer: { id: 'key before', name: 'before' } } },
      'createMany()': { returned: { error: 'P2002' } },
      'createMany(), duplicates skipped': {
        // SQLite's client has no skipDuplicates.
        returned: isSkipped ? { count: 1 } : { error: 'PrismaClientValidationError' },
      },
    })
  })
})
