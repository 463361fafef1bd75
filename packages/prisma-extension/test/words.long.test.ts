import { flax } from '@snoflax/core'
import { type OpenDatabase, postgres } from '@snoflax/test'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AnyClient, clientOf, pushSchema } from './project/clients.js'
import { generateProject, type ProjectFiles, projectOf } from './project/generate.js'
import { generatedModule } from './shop/open.js'

// Fields called as Prisma's words are: which of the two stands in an argument is Prisma's decision, so each call runs
// with a client that knows no ids as well, on columns of plain text.

const models = (more: string): string => `
model Top {
  id    String @id ${more}
  wordy Wordy?
  event Event?
  lot   Lot?
  many  Wordy[] @relation("many")
}
model Wordy {
  id     String  @id ${more}
  AND    String? ${more}
  is     String? ${more}
  isNot  String? ${more}
  some   String? ${more}
  none   String?
  where  String? ${more}
  data   String? ${more}
  set    String?
  name   String?
  topId  String? @unique ${more}
  top    Top?    @relation(fields: [topId], references: [id])
  manyId String? ${more}
  many   Top?    @relation("many", fields: [manyId], references: [id])
}
model Event {
  id    String  @id ${more}
  data  Json?
  where Json?
  refId String? ${more}
  name  String?
  total Int @default(0)
  at    DateTime?
  topId String? @unique ${more}
  top   Top?   @relation(fields: [topId], references: [id])
}
model Lot {
  id     String @id ${more}
  dataId String? @unique ${more}
  data   Good? @relation(fields: [dataId], references: [id])
  topId  String? @unique ${more}
  top    Top?  @relation(fields: [topId], references: [id])
}
model Good {
  id   String @id ${more}
  name String?
  lot  Lot?
}
`

const open: OpenDatabase[] = []
async function clientFor(files: ProjectFiles): Promise<{ bare: AnyClient; folder: string }> {
  const folder = await generateProject(files)
  const database = await postgres.open()
  open.push(database)
  await pushSchema(folder, database)
  return { bare: await clientOf(folder, database), folder }
}

let plain: AnyClient
let ours: AnyClient
beforeAll(async () => {
  plain = (await clientFor(projectOf(models(''), { options: null }))).bare
  const { bare, folder } = await clientFor(projectOf(models('@db.Uuid /// @snoflax flax generate=never')))
  ours = bare.$extends((await generatedModule(folder)).snoflax())
})
afterAll(() => Promise.all(open.map((database) => database.close())))

const [top, wordy, event, lot, good, other, third] = Array.from({ length: 7 }, () => flax.generate())

async function begin(prisma: AnyClient): Promise<void> {
  for (const model of ['wordy', 'event', 'lot', 'good', 'top']) await prisma[model].deleteMany()
  await prisma.top.create({
    data: {
      id: top,
      wordy: { create: { id: wordy, AND: third, is: other, some: other, manyId: top } },
      event: { create: { id: event, name: 'n' } },
      lot: { create: { id: lot, data: { create: { id: good } } } },
    },
  })
}

const name = (value: object): string => JSON.stringify(value)

/** What a call gives, and what it leaves; or that Prisma refuses it. */
async function outcome(prisma: AnyClient, call: (prisma: AnyClient) => Promise<unknown>): Promise<unknown> {
  await begin(prisma)
  try {
    const result = await call(prisma)
    const models = [prisma.wordy, prisma.event, prisma.lot, prisma.good]
    const rows: object[][] = await Promise.all(models.map((model) => model.findMany()))
    const sorted = rows.map((list) => list.sort((a, b) => (name(a) < name(b) ? -1 : 1)))
    return { result, rows: sorted }
  } catch (error) {
    expect((error as Error).name).toMatch(/^PrismaClient|^IdError/)
    return 'refused'
  }
}

describe('an update of a single related row', () => {
  const UPDATES: readonly [relation: string, update: object][] = [
    ['event', { data: { a: 1 } }],
    ['event', { data: { refId: other } }],
    ['event', { data: { refId: other, name: 'm' } }],
    ['event', { data: { refId: { set: other }, total: { increment: 1 } } }],
    ['event', { data: { data: { refId: other }, total: 4 } }],
    ['event', { data: { data: { data: { refId: other } } } }],
    ['event', { data: { name: { other } } }],
    ['event', { data: { at: new Date(0), refId: other } }],
    ['event', { data: {} }],
    ['event', { data: [{ refId: other }] }],
    ['event', { data: 'text' }],
    ['event', { refId: other, data: { a: other } }],
    ['event', { where: { name: 'n' }, data: { refId: other } }],
    ['event', { where: { refId: null, AND: [{ name: 'n' }] }, data: { refId: other } }],
    ['event', { where: { refId: other }, data: { refId: other } }],
    ['event', { where: { a: other }, data: { b: other } }],
    ['event', { where: { a: other } }],
    ['wordy', { data: other }],
    ['wordy', { data: { set: other } }],
    ['wordy', { data: { is: other } }],
    ['wordy', { data: { data: other, where: other } }],
    ['wordy', { where: other }],
    ['wordy', { where: other, data: third }],
    ['wordy', { where: { set: null }, data: { data: third } }],
    ['wordy', { where: { where: null }, data: { where: third } }],
    ['wordy', { AND: other, some: third, isNot: third }],
    ['wordy', { name: other, data: { set: null } }],
    ['lot', { data: { connect: { id: good } } }],
    ['lot', { data: { update: { id: other } } }],
    ['lot', { data: { update: { data: { id: other } } } }],
    ['lot', { data: { data: { create: { id: other } } } }],
    ['lot', { data: { dataId: good } }],
    ['lot', { data: { id: other } }],
    ['lot', { where: { data: { id: good } }, data: { data: { disconnect: true } } }],
    ['lot', { where: { data: { is: { id: other } } }, data: { id: third } }],
  ]
  test.each(UPDATES.map(([relation, update]) => [relation, name(update), update] as const))(
    '%s: %s',
    async (relation, _, update) => {
      const call = (prisma: AnyClient) =>
        prisma.top.update({ where: { id: top }, data: { [relation]: { update } } })
      const expected = (await outcome(plain, call)) as { result: unknown }
      if (expected.result) expected.result = { id: top }
      expect(await outcome(ours, call)).toEqual(expected)
    },
  )

  test.each([
    ['beside other changes', { name: 'm', data: { name: 'x', refId: other } }],
    ['with a key that is not a field', { data: { name: 'x', refId: other, more: 1 } }],
    ['with a number for text', { data: { name: 5, refId: other } }],
    ['with text for a number', { data: { total: 'many', refId: other } }],
    ['beside another Json', { where: { name: 'x', refId: other }, data: { refId: other, b: 1 } }],
  ])('leaves Json unchanged %s, where Prisma alone stores names of parameters', async (_, update) => {
    await begin(ours)
    await ours.top.update({ where: { id: top }, data: { event: { update } } })
    expect(await ours.event.findFirst()).toMatchObject(update)
  })

  test('is refused by Prisma if it would be stored as Json because of a missing key', async () => {
    const call = (prisma: AnyClient) =>
      prisma.top.update({ where: { id: top }, data: { event: { update: { data: { topId: top } } } } })
    expect(await outcome(ours, call)).toBe('refused')
  })
})

describe('a filter', () => {
  const FILTERS: readonly object[] = [
    { wordy: { is: other } },
    { wordy: { is: third } },
    { wordy: { is: { equals: other } } },
    { wordy: { is: { in: [other, third] }, name: null } },
    { wordy: { is: { id: wordy } } },
    { wordy: { is: { is: other } } },
    { wordy: { is: { is: { in: [other] } } } },
    { wordy: { is: { id: wordy }, isNot: { id: other } } },
    { wordy: { is: null } },
    { wordy: { is: {} } },
    { wordy: { isNot: { is: other } } },
    { wordy: { isNot: other } },
    { wordy: { isNot: null, is: other } },
    { wordy: { some: other } },
    { wordy: { some: { equals: other } } },
    { wordy: { some: { not: third }, is: other } },
    { wordy: { none: null, some: other } },
    { wordy: { where: null, data: null, id: wordy } },
    { many: { some: { some: other } } },
    { many: { some: { some: { in: [other] }, is: other } } },
    { many: { every: { is: other }, none: { some: third } } },
    { many: { none: { some: other } } },
    { many: { some: { NOT: { is: third }, OR: [{ is: other }, { some: third }] } } },
    { lot: { data: { id: good } } },
    { lot: { data: { is: { id: good } } } },
    { lot: { is: { data: { isNot: { id: good } } } } },
    { wordy: { AND: third } },
    { wordy: { AND: { equals: third } } },
    { wordy: { AND: [{ id: wordy }] } },
  ]
  test.each(FILTERS.map((where) => [name(where), where] as const))('%s', async (_, where) => {
    const call = (prisma: AnyClient) => prisma.top.findMany({ where, include: { wordy: true } })
    expect(await outcome(ours, call)).toEqual(await outcome(plain, call))
  })
})

test('data and orderBy contain fields only', async () => {
  const data = { id: flax.generate(), AND: other, is: third, where: other, data: third, set: 's' }
  const call = async (prisma: AnyClient) => [
    await prisma.wordy.create({ data }),
    await prisma.wordy.findMany({ orderBy: [{ set: 'asc' }, { AND: 'asc' }], distinct: ['data'] }),
    await prisma.wordy.updateMany({ where: { data: third, where: other }, data: { data: other, AND: null } }),
    await prisma.top.create({
      data: { id: third, many: { create: { id: third, data: other, AND: other } } },
    }),
  ]
  expect(await outcome(ours, call)).toEqual(await outcome(plain, call))
})
