import { createRequire } from 'node:module'
import { join } from 'node:path'
import { flax, sno } from '@snoflax/core'
import { databases, randomFrom } from '@snoflax/test'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dmmfOf, outcome, run } from './differential/calls.js'
import { Operations } from './differential/operations.js'
import { SHAPES, shapeProject } from './differential/shapes.js'
import { type AnyClient, clientOf, pushSchema } from './project/clients.js'
import { generateProject } from './project/generate.js'
import { installed } from './project/version.js'
import { generatedModule } from './shop/open.js'

const PROVIDERS: Readonly<Record<string, string>> = { sqlite: 'sqlite', postgres: 'postgresql' }
const CALLS = 120

/** The shape with ids as text, or as bytes. */
async function openShape(kind: (typeof databases)[number], type = 'String') {
  const columns = { provider: `${PROVIDERS[kind.name]}`, flax: type, sno: type, plain: 'String', text: '' }
  const folder = await generateProject(
    shapeProject(`${SHAPES['relations']}`, { columns, isPlain: false, client: 'prisma-client-js' }),
  )
  const database = await kind.open()
  await pushSchema(folder, database)
  const bare = await clientOf(folder, database, { log: [{ emit: 'event', level: 'query' }] })
  const statements: string[] = []
  bare.$on('query', ({ query, params }: AnyClient) => statements.push(`${query} ${params}`))
  const close = async () => {
    await bare.$disconnect()
    await database.close()
  }
  return { folder, bare, statements, generated: await generatedModule(folder), close }
}
type Opened = Awaited<ReturnType<typeof openShape>>

type Content = ReadonlyMap<object, ReadonlyMap<PropertyKey, unknown>>

/** All that is reached from the roots by properties and prototypes, as it is now. */
function contentOf(roots: readonly object[]): Content {
  const found = new Map<object, Map<PropertyKey, unknown>>()
  const waiting: unknown[] = [...roots]
  while (waiting.length > 0) {
    const one = waiting.pop()
    if ((typeof one !== 'object' && typeof one !== 'function') || one === null || found.has(one)) continue
    const properties = new Map<PropertyKey, unknown>([['[[Prototype]]', Object.getPrototypeOf(one)]])
    for (const key of Reflect.ownKeys(one)) {
      const { value, get } = Object.getOwnPropertyDescriptor(one, key) as PropertyDescriptor
      properties.set(key, get ?? value)
    }
    found.set(one, properties)
    waiting.push(...properties.values())
  }
  return found
}

function expectUnchanged(before: Content): void {
  const after = contentOf([...before.keys()])
  for (const [one, properties] of before) {
    const now = after.get(one)
    const changed = [...new Set([...properties.keys(), ...(now?.keys() ?? [])])].filter(
      (key) => !Object.is(properties.get(key), now?.get(key)) || properties.has(key) !== now?.has(key),
    )
    expect(changed).toEqual([])
  }
}

describe.each(databases.filter(({ name }) => name in PROVIDERS))('with text fields on $name', (kind) => {
  let ours: Opened
  beforeAll(async () => {
    ours = await openShape(kind)
  })
  afterAll(() => ours?.close())

  test('classes and prototypes of Prisma stay as they are, in definitions, queries and writes', async () => {
    const { bare, folder, generated } = ours
    const require = createRequire(import.meta.url)
    const generatedClient = await import(join(folder, 'client/index.js'))
    const runtime = require(join(installed('@prisma/client'), 'runtime/client.js'))
    await bare.person.findMany()
    const before = contentOf([
      ...Object.values(runtime).filter((one) => typeof one === 'function'),
      ...[generatedClient.PrismaClient, Object.getPrototypeOf(bare), Object.getPrototypeOf(bare.person)],
      ...[Promise, Array, Object, String],
    ] as object[])
    expect(before.size).toBeGreaterThan(400)

    const prisma = bare.$extends(generated.snoflax())
    const { id } = await prisma.person.create({ data: { name: 'Ada', posts: { create: { title: 'a' } } } })
    expect(await prisma.person.findMany({ where: { id }, include: { posts: true } })).toHaveLength(1)
    await prisma.$transaction((tx: AnyClient) => tx.person.deleteMany({ where: { posts: { none: {} } } }))
    await expect(prisma.person.findUnique({ where: { id: 'wrong' } })).rejects.toThrow('Person.id')
    expect(await prisma.$queryRaw`SELECT name FROM "Person" WHERE id = ${id}`).toEqual([{ name: 'Ada' }])
    await prisma.post.deleteMany()
    await prisma.person.deleteMany()
    expectUnchanged(before)
  })

  test('raw queries do not pass through the extension, beside compact fields neither', async () => {
    const compact = await openShape(kind, 'Bytes')
    for (const { bare, generated } of [ours, compact]) {
      for (const operation of [
        '$queryRaw',
        '$executeRaw',
        '$queryRawUnsafe',
        '$executeRawUnsafe',
        '$queryRawTyped',
      ]) {
        const callbacks = bare
          .$extends(generated.snoflax())
          ._extensions.getAllQueryCallbacks('$none', operation)
        expect(callbacks).toEqual([])
      }
    }
    await compact.close()
  })

  test('results are returned as they came, and nothing reads them', async () => {
    const read: PropertyKey[] = []
    const returned: object[] = []
    const around = (work: (answer: object) => object) => ({
      query: {
        $allModels: {
          $allOperations: async ({ args, query }: AnyClient) => work((await query(args)) as object),
        },
      },
    })
    const watching = around((answer) => {
      read.length = 0
      return new Proxy(answer, {
        get: (rows, key) => {
          if (key !== 'then') read.push(key)
          return Reflect.get(rows, key)
        },
      })
    })
    const noting = around((answer) => {
      returned.push(answer)
      expect(read).toEqual([])
      return answer
    })
    const prisma = ours.bare.$extends(noting).$extends(ours.generated.snoflax()).$extends(watching)
    await prisma.person.createMany({ data: [{ name: 'a' }, { name: 'b' }] })
    const answer = await prisma.person.findMany({ include: { posts: true } })
    expect(answer).toHaveLength(2)
    expect(returned[1]).toBe(answer)
    await prisma.person.deleteMany()
  })

  test(`${CALLS} calls send the same statements, and answer the same, as with an extension that does nothing`, async () => {
    const [text, others] = [await openShape(kind), await openShape(kind)]
    const nothing = others.bare.$extends({
      query: { $allModels: { $allOperations: ({ args, query }: AnyClient) => query(args) } },
    })
    const prisma = text.bare.$extends(text.generated.snoflax())
    const days = Array.from({ length: 6 }, (_, day) => new Date(Date.UTC(2026, 0, day + 1)))
    const ids = Object.fromEntries(
      [flax, sno].map((family) => [family.name, days.map((day) => family.generateAt(day))]),
    )
    const random = randomFrom(42)
    const operations = new Operations(
      await dmmfOf(text.folder),
      text.generated.configuration,
      { ids, days },
      () => random(2 ** 32) / 2 ** 32,
    )
    const calls = [...operations.rows(), ...Array.from({ length: CALLS }, () => operations.next())]
    let answered = 0
    for (const call of calls) {
      const wanted = await outcome(() => run(nothing, call))
      expect({ call, ...(await outcome(() => run(prisma, call))) }).toEqual({ call, ...wanted })
      // Prisma loads relations at once.
      const [sent, wished] = [text, others].map(({ statements }) => statements.splice(0).sort())
      expect({ call, statements: sent }).toEqual({ call, statements: wished })
      if (wanted.error === undefined) answered++
    }
    expect(answered).toBeGreaterThan(CALLS / 5)
    await Promise.all([text.close(), others.close()])
  })
})
