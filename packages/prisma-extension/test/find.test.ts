import { flax, prefixed, uuid7 } from '@snoflax/core'
import { type OpenDatabase, postgres, sqlite } from '@snoflax/test'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type AnyClient, clientOf, pushSchema } from './project/clients.js'
import { generateProject, projectOf } from './project/generate.js'
import { generatedModule } from './shop/open.js'

const ID = '/// @snoflax flax prefix='
const MODELS = `
model Item {
  tenantId String
  id       String @default(dbgenerated()) ${ID}itm
  tenant   Tenant @relation(fields: [tenantId], references: [id])
  title    String @default("")
  @@id([tenantId, id])
}
model Tenant {
  id      String   @id @default(dbgenerated()) ${ID}ten
  items   Item[]
  profile Profile?
}
model Profile {
  tenantId String @id
  tenant   Tenant @relation(fields: [tenantId], references: [id])
}
model Version {
  id      String ${ID}ver
  version Int
  @@id([id, version])
}
model Named {
  number Int    @id
  id     String ${ID}nam
  @@unique([number, id])
}
model Listed {
  number Int    @id
  id     String ${ID}lst
  @@unique([id])
}
model Public {
  number   Int    @id @default(autoincrement())
  publicId String @unique ${ID}pub generate=never
}
model Traced {
  number  Int    @id @default(autoincrement())
  traceId String @default(dbgenerated()) ${ID}tra
}
model Noted {
  number  Int    @id @default(autoincrement())
  otherId String ${ID}oth
}
model Bare {
  id   String @id @default(dbgenerated()) /// @snoflax uuid7
  copy Copy?
}
model Copy {
  ofId String @unique
  of   Bare   @relation(fields: [ofId], references: [id])
  id   String @id @default(dbgenerated()) /// @snoflax uuid7
}
view Seen {
  id String @unique ${ID}see
}
`
const LISTS = `
model Lists {
  ids    String[] ${ID}ids
  number Int      @id
  @@unique([ids])
}
`

describe.each([
  ['sqlite', () => sqlite.open()],
  ['postgresql', () => postgres.open({ collation: 'C' })],
] as const)('%s: $find', (provider, openDatabase) => {
  let database: OpenDatabase
  let bare: AnyClient
  let prisma: AnyClient
  let snoflax: () => unknown
  const statements: string[] = []
  beforeAll(async () => {
    const models = provider === 'sqlite' ? MODELS : MODELS + LISTS
    const clientOptions = 'previewFeatures = ["views"]'
    const folder = await generateProject(projectOf(models, { provider, clientOptions }))
    database = await openDatabase()
    await pushSchema(folder, database)
    await database.query(`CREATE VIEW "Seen" AS SELECT 'see_Kpcan0M1FakODT4k' AS id`)
    bare = await clientOf(folder, database, { log: [{ emit: 'event', level: 'query' }] })
    bare.$on('query', ({ query }: { query: string }) => statements.push(query))
    snoflax = (await generatedModule(folder)).snoflax
    prisma = bare.$extends(snoflax())
  })
  afterAll(async () => {
    await bare?.$disconnect()
    await database?.close()
  })
  beforeEach(() => {
    statements.length = 0
  })

  const of = (prefix: string) => prefixed(flax, prefix)
  const found = async (id: string) => {
    statements.length = 0
    return { row: await prisma.$find(id), statements: statements.length }
  }

  const FORMS: readonly (readonly [
    form: string,
    prefix: string,
    model: string,
    insert: (id: string) => object,
  ])[] = [
    ['a generated key', 'ten', 'Tenant', (id) => ({ id })],
    ['generated, not unique', 'tra', 'Traced', (traceId) => ({ traceId })],
  ]

  test.each(FORMS)('finds a row by %s', async (_, prefix, model, insert) => {
    const id = of(prefix).generate()
    const rows = prisma[model.charAt(0).toLowerCase() + model.slice(1)]
    expect((await found(id)).row).toBeNull()
    const row = await rows.create({ data: insert(id) })
    const [column] = Object.entries(row).find(([, value]) => value === id) as [string, unknown]
    const { row: first, statements } = await found(id)
    expect(first).toEqual({ model, column, row, also: [], hasMore: false })
    // A tenant's id is a foreign key, too, in two models.
    expect(statements).toBe(prefix === 'ten' ? 3 : 1)
    await rows.deleteMany()
  })

  test('finds a row by @@id([tenantId, id]), and those of one key with the row that it refers to', async () => {
    const tenant = await prisma.tenant.create({
      data: { items: { create: [{}, {}] }, profile: { create: {} } },
    })
    const items = await prisma.item.findMany({ where: { tenantId: tenant.id } })
    const [item] = items
    expect(await found(item.id)).toEqual({
      row: { model: 'Item', column: 'id', row: item, also: [], hasMore: false },
      statements: 1,
    })
    const { row } = await found(tenant.id)
    expect(row).toMatchObject({ model: 'Tenant', column: 'id', row: tenant, hasMore: false })
    expect(row.also.map((one: AnyClient) => `${one.model}.${one.column}`)).toEqual([
      'Item.tenantId',
      'Item.tenantId',
      'Profile.tenantId',
    ])
    expect(row.also.slice(0, 2).map((one: AnyClient) => one.row)).toEqual(expect.arrayContaining(items))
  })

  test.each([
    [11, 10, false],
    [12, 10, true],
  ])('of %i rows with one id, also lists %i', async (count, also, hasMore) => {
    const id = of('ver').generate()
    await prisma.version.createMany({
      data: Array.from({ length: count }, (_, version) => ({ id, version })),
    })
    const { row, statements } = await found(id)
    expect([row.row.id, row.also.length, row.hasMore, statements]).toEqual([id, also, hasMore, 1])
    const versions = [row, ...row.also].map((one) => one.row.version)
    expect(new Set(versions).size).toBe(also + 1)
  })

  test('asks views, but no field that is no key', async () => {
    const id = 'see_Kpcan0M1FakODT4k'
    expect((await found(id)).row).toEqual({
      model: 'Seen',
      column: 'id',
      row: { id },
      also: [],
      hasMore: false,
    })
    const otherId = of('oth').generate()
    await prisma.noted.create({ data: { otherId } })
    expect(await found(otherId)).toEqual({ row: null, statements: 0 })
    if (provider === 'sqlite') return
    const ids = [of('ids').generate()]
    await prisma.lists.create({ data: { number: 1, ids } })
    expect(await found(ids[0] as string)).toEqual({ row: null, statements: 0 })
  })

  test('finds ids without a prefix, the key before what refers to it', async () => {
    const { id, copy } = await prisma.bare.create({ data: { copy: { create: {} } }, include: { copy: true } })
    const { row } = await found(id)
    expect(row).toEqual({
      model: 'Bare',
      column: 'id',
      row: { id },
      also: [{ model: 'Copy', column: 'ofId', row: copy }],
      hasMore: false,
    })
    expect((await found(uuid7.generate())).row).toBeNull()
  })

  test('sends lookups of one tick together where the id is unique', async () => {
    const ids = ['a', 'b', 'c'].map(() => of('pub').generate())
    await prisma.public.createMany({ data: ids.map((publicId) => ({ publicId })) })
    statements.length = 0
    const rows = await Promise.all(ids.map((id) => prisma.$find(id)))
    expect(rows.map(({ row }) => row.publicId)).toEqual(ids)
    expect(statements).toHaveLength(1)
  })

  test('passes through the extensions that set a tenant', async () => {
    const [mine, other] = await Promise.all(
      ['a', 'b'].map((title) =>
        prisma.tenant.create({ data: { items: { create: { title } } }, include: { items: true } }),
      ),
    )
    const ofTenant = bare
      .$extends({
        query: {
          item: {
            $allOperations: ({ args, query }: AnyClient) =>
              query({ ...args, where: { ...args.where, tenantId: mine.id } }),
          },
        },
      })
      .$extends(snoflax())
    expect(await ofTenant.$find(mine.items[0].id)).toMatchObject({ model: 'Item', row: { title: 'a' } })
    expect(await ofTenant.$find(other.items[0].id)).toBeNull()
    expect(await prisma.$find(other.items[0].id)).toMatchObject({ row: { title: 'b' } })
  })
})
