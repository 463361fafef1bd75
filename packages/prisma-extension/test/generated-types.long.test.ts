import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, test } from 'vitest'
import { diagnosticsOf, STRICTEST } from './project/compile.js'
import { generateProject, projectOf } from './project/generate.js'
import { type ShopOptions, shopProject } from './shop/schema.js'

const SOURCE = fileURLToPath(new URL('./shop/types-of-clients.txt', import.meta.url))

const NEW = {
  client: 'prisma-client',
  entry: './client/client.ts',
  module: './snoflax/index.ts',
  model: "import('./client/models.js').OrderModel",
} as const
const OLD = {
  client: 'prisma-client-js',
  entry: './client/index.js',
  module: './snoflax/index.js',
  model: "import('./client/index.js').Order",
} as const

interface Client extends ShopOptions {
  readonly entry: string
  readonly module: string
  readonly model: string
}

const CLIENTS: readonly Client[] = [
  { ...NEW, database: 'postgresql', brands: 'results' },
  { ...NEW, database: 'postgresql', brands: 'strict' },
  { ...OLD, database: 'postgresql', brands: 'strict' },
  { ...OLD, database: 'sqlite', brands: 'results' },
]

describe.each(CLIENTS)('with $client, brands = $brands', ({ entry, module, model, ...options }) => {
  let folder: string
  beforeAll(async () => {
    folder = await generateProject(shopProject(options))
  })

  test('results are branded, and what the tests mark as an error is an error', () => {
    const source = readFileSync(SOURCE, 'utf8')
      .replace('CLIENT', entry)
      .replace('MODULE', module)
      .replace('MODEL', model)
      .replaceAll(/^STRICT(.*\n)/gm, options.brands === 'strict' ? '$1' : '')
      .replaceAll(/^LISTS(.*\n)/gm, options.database === 'postgresql' ? '$1' : '')
      .replaceAll(/^RESULTS(.*\n)/gm, options.brands === 'strict' ? '' : '$1')
    expect(source.match(/@ts-expect-error/g)?.length).toBeGreaterThan(5)
    expect(diagnostics('types.ts', source)).toEqual([])
  })

  test('a wrong type is reported, so the check works', () => {
    expect(diagnostics('wrong.ts', 'export const wrong: number = "text"\n')).toEqual([
      "wrong.ts:1 Type 'string' is not assignable to type 'number'.",
    ])
  })

  function diagnostics(name: string, source: string): string[] {
    const file = join(folder, name)
    writeFileSync(file, source)
    return diagnosticsOf(file)
  }
})

const PREFIXED = `
model Customer {
  id     String  @id @default(dbgenerated()) @db.Uuid /// @snoflax flax prefix=cus
  name   String
  orders Order[]
}
model Order {
  id         Bytes    @id @default(dbgenerated()) /// @snoflax sno prefix=order_line createdAt
  customerId String   @db.Uuid
  customer   Customer @relation(fields: [customerId], references: [id])
}`

test.each([NEW, OLD])('the types of $client contain prefixes', async ({ client, entry, module }) => {
  const options = 'brands = "strict"'
  const folder = await generateProject(projectOf(PREFIXED, { client, options }))
  const file = join(folder, 'types.ts')
  writeFileSync(
    file,
    `import type { Id } from '@snoflax/core'
import { PrismaClient } from '${entry}'
import { createdAfter, createdBetween, type CustomerId, cusId, type OrderId, order_lineId, parameter, snoflax } from '${module}'

declare const bare: PrismaClient
export async function types() {
  const prisma = bare.$extends(snoflax())
  const order = await prisma.order.findFirstOrThrow({ include: { customer: true } })
  const id: Id<'order_line', 'Order'> = order.id
  const customerId: CustomerId = order.customerId
  const made: OrderId = order_lineId.generate()
  await prisma.order.findMany({ where: { id: { in: [id, made] }, customerId: cusId.parse('text') } })
  // @ts-expect-error of another prefix
  await prisma.order.findMany({ where: { id: customerId } })
  await prisma.customer.findMany({ where: { id: createdBetween('Customer.id', 0, Date.now()) } })
  await prisma.order.findMany({ where: { customer: { id: createdAfter('Order.customerId', new Date()) } } })
  // @ts-expect-error of another field
  await prisma.order.findMany({ where: { id: createdBetween('Customer.id', 0, 1) } })
  // @ts-expect-error a time names its field
  const unnamed = () => createdBetween(cusId, 0, 1)
  const customer = await prisma.$find(customerId)
  const [others, hasMore]: [number, boolean] = [customer!.also.length, customer!.hasMore]
  const [model, key, name]: ['Customer', CustomerId, string] = [customer!.model, customer!.row.id, customer!.row.name]
  const line = await prisma.$transaction((tx) => tx.$find(made))
  const [ofLine, buyer, at]: ['Order', CustomerId, Date] = [line!.model, line!.row.customerId, line!.row.createdAt]
  // @ts-expect-error a customer has no customer
  customer?.row.customerId
  const any = await prisma.$find('cus_' + name)
  if (any?.model === 'Order') any.row.customerId satisfies CustomerId
  const texts = await prisma.$find('order_line_x')
  texts?.model satisfies 'Order' | undefined
  void [model, key, ofLine, buyer, at, unnamed, others, hasMore]
  return parameter('Order.customerId', customerId)
}
`,
  )
  expect(diagnosticsOf(file)).toEqual([])
  if (client === NEW.client) expect(diagnosticsOf(join(folder, module), STRICTEST)).toEqual([])
})

test.each([NEW, OLD])('opaque ids of the schema, with $client', async ({ client, entry, module }) => {
  const models = `
model Org {
  id      String   @id @default(cuid()) /// @snoflax opaque pattern=/c[a-z0-9]{24}/ generate=prisma
  members Member[]
}
model Member {
  orgId String
  org   Org    @relation(fields: [orgId], references: [id])
  id    String @default(nanoid()) /// @snoflax opaque pattern=/[\\w-]{21}/ generate=prisma
  code  String @default(cuid(2)) /// @snoflax opaque pattern=/[a-z0-9]{24}/ generate=prisma branded=false
  @@id([orgId, id])
}
`
  const folder = await generateProject(projectOf(models, { client }))
  const file = join(folder, 'opaque.ts')
  writeFileSync(
    file,
    `import type { Id, OpaqueId } from '@snoflax/core'
import { PrismaClient } from '${entry}'
import { memberCodeId, memberIdId, orgId, snoflax, type OrgId } from '${module}'
const prisma = new PrismaClient({ adapter: null as never }).$extends(snoflax())
export async function run(text: string, other: Id<'flax'>): Promise<void> {
  const org = await prisma.org.findFirstOrThrow({ include: { members: true } })
  const id: OrgId = org.id
  const known: OpaqueId<'Org'> = orgId.parse(text)
  const member: OpaqueId<'Member.id'> = memberIdId.parse(text)
  const code: string = org.members[0]!.code
  await prisma.org.findUnique({ where: { id } })
  await prisma.member.findMany({ where: { orgId: org.members[0]!.orgId, code } })
  // @ts-expect-error an id of another family
  await prisma.org.findUnique({ where: { id: other } })
  // @ts-expect-error others generate them
  orgId.generate()
  const found = await prisma.$find(text)
  if (found?.model === 'Org') found.row.id satisfies OrgId
  void [known, member, memberCodeId]
}
`,
  )
  expect(diagnosticsOf(file)).toEqual([])
  if (client === NEW.client) expect(diagnosticsOf(join(folder, module), STRICTEST)).toEqual([])
})
