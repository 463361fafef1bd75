import { join } from 'node:path'
import { flax, sno } from '@snoflax/core'
import { type OpenDatabase, sqlite } from '@snoflax/test'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AnyClient, clientOf, pushSchema } from './project/clients.js'
import { generateProject, projectOf } from './project/generate.js'
import { generatedModule } from './shop/open.js'

const PROJECT = projectOf(
  `
model Author {
  id    Bytes  @id @default(dbgenerated()) /// @snoflax flax
  books Book[]
}
model Book {
  id       String  @id @default(dbgenerated()) /// @snoflax sno createdAt
  traceId  String? /// @snoflax sno
  authorId Bytes
  author   Author  @relation(fields: [authorId], references: [id])
}`,
  { provider: 'sqlite', clientOptions: 'previewFeatures = ["strictUndefinedChecks"]' },
)

let database: OpenDatabase
let prisma: AnyClient
let skip: unknown
beforeAll(async () => {
  const folder = await generateProject(PROJECT)
  database = await sqlite.open()
  await pushSchema(folder, database)
  const { snoflax } = await generatedModule(folder)
  prisma = (await clientOf(folder, database)).$extends(snoflax())
  skip = (await import(join(folder, 'client/client.ts'))).Prisma.skip
})
afterAll(async () => {
  await prisma?.$disconnect()
  await database?.close()
})

test('an id passed as skip is generated, at any depth', async () => {
  const { id, books } = await prisma.author.create({
    data: { id: skip, books: { create: [{ id: skip, traceId: skip }, {}] } },
    include: { books: true },
  })
  expect(flax.is(id)).toBe(true)
  expect(books.map((book: AnyClient) => [sno.is(book.id), book.traceId])).toEqual([
    [true, null],
    [true, null],
  ])
})

test('undefined is refused by Prisma, as where the id is no id of ours', async () => {
  for (const data of [{ id: undefined }, { books: { create: { id: undefined } } }]) {
    await expect(prisma.author.create({ data })).rejects.toThrow('`undefined` values are not allowed')
  }
  const create = { id: undefined }
  for (const call of [
    () => prisma.author.createMany({ data: [{}, create] }),
    () => prisma.author.upsert({ where: { id: flax.generate() }, create, update: {} }),
    () =>
      prisma.book.create({
        data: { author: { connectOrCreate: { where: { id: flax.generate() }, create } } },
      }),
    () => prisma.author.create({ data: { books: { createMany: { data: [create] } } } }),
  ]) {
    await expect(call()).rejects.toThrow('`undefined` values are not allowed')
  }
  expect(await prisma.book.findMany({ where: { authorId: flax.min } })).toEqual([])
})

test('a filter passed as skip filters nothing', async () => {
  const { id } = await prisma.author.create({ data: {} })
  const where = { id, books: { every: { id: skip, traceId: { in: skip } } } }
  expect(await prisma.author.findMany({ where, select: { id: true, books: skip } })).toEqual([{ id }])
})

test('a relation passed as skip is not loaded, even if its rows have a creation time', async () => {
  const { id } = await prisma.author.create({ data: { books: { create: {} } } })
  const query = { where: { id } }
  expect(await prisma.author.findUnique({ ...query, include: { books: skip } })).toEqual({ id })
  expect(await prisma.author.findUnique({ ...query, select: { id: true, books: skip } })).toEqual({ id })
})
