import { flax, type IdGenerator, sno, storageFor } from '@snoflax/core'
import { type OpenDatabase, postgres } from '@snoflax/test'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AnyClient, clientOf, pushSchema } from './project/clients.js'
import { generateProject, projectOf, refusalOfProject } from './project/generate.js'
import { generatedModule } from './shop/open.js'

const MODELS = `
model Customer {
  id     String  @id @default(dbgenerated()) @db.Uuid /// @snoflax flax prefix=cus createdAt
  orders Order[]
}
model Order {
  id         String   @id @default(dbgenerated()) @db.Uuid /// @snoflax sno prefix=ord meta=2
  customerId String   @db.Uuid
  customer   Customer @relation(fields: [customerId], references: [id])
  lines      Line[]
}
model Line {
  id      Bytes  @id @default(dbgenerated()) /// @snoflax sno prefix=order_line
  orderId String @db.Uuid /// @snoflax sno
  order   Order  @relation(fields: [orderId], references: [id])
}
model Note {
  id       String  @id @default(dbgenerated()) @db.VarChar(21) /// @snoflax flax prefix=note
  parentId String? @db.VarChar(21) /// @snoflax flax
  parent   Note?   @relation("answers", fields: [parentId], references: [id])
  answers  Note[]  @relation("answers")
}
`

let database: OpenDatabase
let bare: AnyClient
let generated: AnyClient
let prisma: AnyClient
beforeAll(async () => {
  const folder = await generateProject(projectOf(MODELS))
  database = await postgres.open()
  await pushSchema(folder, database)
  bare = await clientOf(folder, database)
  generated = await generatedModule(folder)
  prisma = bare.$extends(generated.snoflax({ generators: { sno: sno.generator({ partition: 7 }) } }))
})
afterAll(async () => {
  await bare?.$disconnect()
  await database?.close()
})

test('ids in compact columns have the prefix everywhere except in the database', async () => {
  const customer = await prisma.customer.create({
    data: { orders: { create: [{ lines: { create: [{}, {}] } }] } },
    include: { orders: { include: { lines: true } } },
  })
  const [order] = customer.orders
  expect(customer.id).toMatch(/^cus_[\w-]{16}$/)
  expect(order.id).toMatch(/^ord_\w{16}$/)
  expect(order).toMatchObject({ customerId: customer.id })
  expect(order.lines.map(({ id }: { id: string }) => id.slice(0, 11))).toEqual(['order_line_', 'order_line_'])
  expect(customer.createdAt).toEqual(generated.cusId.time(customer.id))
  const stored = await bare.order.findFirst({ include: { customer: true } })
  const { fromDatabase } = storageFor(generated.ordId, 'postgres', { storage: 'uuid' })
  expect(stored.id).toHaveLength(36)
  expect(fromDatabase(stored.id)).toBe(order.id)
  expect(generated.ordId.unpack(order.id)).toMatchObject({ partition: 7, meta: 2 })
  expect(flax.is(generated.cusId.withoutPrefix(customer.id))).toBe(true)
  const where = { customerId: customer.id, lines: { some: { id: { in: [order.lines[0].id] } } } }
  expect(await prisma.order.findMany({ where })).toEqual([{ id: order.id, customerId: customer.id }])
  const rows = await prisma.$queryRaw`SELECT id, "customerId" AS of FROM "Order"`
  expect([
    generated.fromDatabase('Order.id', rows[0].id),
    generated.fromDatabase('Order.customerId', rows[0].of),
  ]).toEqual([order.id, customer.id])
})

test.each([
  ['ord_00000000000000000', /Customer\.id.*"?cus_?"?.*ord/s],
  ['Kpcan0M1FakODT4k', /Customer\.id.*cus/s],
  ['CUS_Kpcan0M1FakODT4k', /Customer\.id.*cus/s],
])('%s is refused as id of a customer', async (id, message) => {
  await expect(prisma.customer.findUnique({ where: { id } })).rejects.toThrow(message)
})

test('rows that a later extension caches keep their ids', async () => {
  const { id } = await prisma.customer.create({ data: { orders: { create: {} } } })
  const kept = new Map<string, unknown>()
  const cache = {
    query: {
      $allModels: {
        async $allOperations({ operation, args, query }: AnyClient) {
          if (!kept.has(operation)) kept.set(operation, await query(args))
          return kept.get(operation)
        },
      },
    },
  }
  const cached = prisma.$extends(cache)
  const where = { customerId: id }
  for (const load of [
    () => cached.order.findMany({ where, include: { customer: true } }),
    () => cached.order.findFirst({ where }),
    () => cached.order.groupBy({ where, by: ['customerId'], _count: true }),
  ]) {
    const first = structuredClone(await load())
    expect([first].flat()[0].customerId).toBe(id)
    expect(await load()).toEqual(first)
  }
})

test('a text column stores the prefix', async () => {
  const data = { answers: { create: {} } }
  const note = await prisma.note.create({ data, include: { answers: true } })
  expect(note.id).toMatch(/^note_[\w-]{16}$/)
  expect(await bare.note.findMany({ where: { parentId: note.id } })).toEqual(note.answers)
  const where = { parentId: note.id, parent: { id: { contains: 'note_' } } }
  expect(await prisma.note.findMany({ where })).toEqual(note.answers)
})

test('startsWith, contains and endsWith find parts of ids in text columns', async () => {
  const { id } = await prisma.note.create({ data: {} })
  const count = (filter: object) => prisma.note.count({ where: { id: { in: [id], ...filter } } })
  for (const startsWith of ['', 'no', 'note_', id.slice(0, 12), id])
    expect(await count({ startsWith })).toBe(1)
  expect(await count({ not: { startsWith: 'note_' } })).toBe(0)
  expect(await count({ contains: id.slice(4, 12), endsWith: id.slice(-5) })).toBe(1)
  expect(await count({ startsWith: `${id}0` })).toBe(0)
  expect(await count({ startsWith: 'cus_' })).toBe(0)
})

test('generators are passed by prefix, or by base family for all prefixes', async () => {
  const ord: IdGenerator<string> = generated.ordId.fromGenerator(sno.generator({ partition: 9 }))
  const own = bare.$extends(generated.snoflax({ generators: { ord, sno: sno.generator({ partition: 8 }) } }))
  const { orders } = await own.customer.create({
    data: { orders: { create: { lines: { create: {} } } } },
    include: { orders: { include: { lines: true } } },
  })
  expect(generated.ordId.unpack(orders[0].id)).toMatchObject({ partition: 9 })
  expect(generated.order_lineId.unpack(orders[0].lines[0].id)).toMatchObject({ partition: 8 })
  expect(() => generated.snoflax({ generators: { flake: sno } })).toThrow(/no column generates flake ids/)
  expect(() => generated.snoflax({ generators: { ord: flax.generator() } })).toThrow(/ord.*flax ids/)
})

test.each([
  ['an upper-case prefix', 'flax prefix=Cus', /Customer\.id: .*a prefix must/],
  ['one that ends in _', 'flax prefix=cus_', /Customer\.id: .*a prefix must/],
  ['none', 'flax prefix=', /Customer\.id: .*name=value/],
])('%s is refused', async (_, comment, message) => {
  const refusal = await refusalOfProject(projectOf(MODELS.replace('flax prefix=cus', comment)))
  expect(refusal).toMatch(message)
})

test('a foreign key has the prefix of its target, and a prefix has one family', async () => {
  const other = MODELS.replace(
    'orderId String @db.Uuid /// @snoflax sno',
    'orderId String @db.Uuid /// @snoflax sno prefix=cus',
  )
  expect(await refusalOfProject(projectOf(other))).toMatch(
    /Line\.orderId: .*stores cus ids, but references Order\.id with ord ids/,
  )
  const twice = MODELS.replace('sno prefix=ord ', 'sno prefix=cus ')
  expect(await refusalOfProject(projectOf(twice))).toMatch(
    /Order\.id: the family is cusId in the generated module/,
  )
})
