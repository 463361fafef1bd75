import { type OpenDatabase, sqlite } from '@snoflax/test'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AnyClient, clientOf, pushSchema } from './project/clients.js'
import { generateProject, projectOf } from './project/generate.js'
import { generatedModule } from './shop/open.js'

const ID = 'String @id @default(dbgenerated()) /// @snoflax flax'
const PROJECT = projectOf(
  `
model Person {
  id      ${ID}
  name    String   @unique
  bossId  String?
  boss    Person?  @relation("boss", fields: [bossId], references: [id])
  reports Person[] @relation("boss")
  teamId  String?
  team    Team?    @relation(fields: [teamId], references: [id])
  pets    Pet[]
  skills  Skill[]
}
model Team {
  id      ${ID}
  name    String   @unique
  cityId  String?
  city    City?    @relation(fields: [cityId], references: [id])
  members Person[]
}
model City {
  id    ${ID}
  name  String @unique
  teams Team[]
}
model Pet {
  id      ${ID}
  name    String @unique
  ownerId String
  owner   Person @relation(fields: [ownerId], references: [id])
  vetId   String?
  vet     Vet?   @relation(fields: [vetId], references: [id])
}
model Vet {
  id   ${ID}
  name String @unique
  pets Pet[]
}
model Skill {
  id     ${ID}
  name   String   @unique
  people Person[]
}`,
  { provider: 'sqlite' },
)

let database: OpenDatabase
let prisma: AnyClient
const inserted: string[] = []
beforeAll(async () => {
  const folder = await generateProject(PROJECT)
  database = await sqlite.open()
  await pushSchema(folder, database)
  const bare = await clientOf(folder, database, { log: [{ emit: 'event', level: 'query' }] })
  bare.$on('query', ({ query, params }: AnyClient) => {
    const columns = /^INSERT (?:OR IGNORE )?INTO `main`\.`[A-Z]\w+` \((.*?)\)/.exec(query)?.[1]?.split(', ')
    const values = JSON.parse(params)
    if (!columns) return
    for (let at = columns.indexOf('`id`'); at < values.length; at += columns.length) inserted.push(values[at])
  })
  prisma = bare.$extends((await generatedModule(folder)).snoflax())
})
afterAll(async () => {
  await prisma?.$disconnect()
  await database?.close()
})

let count = 0
const named = (rest: object = {}) => ({ name: `${count++}`, ...rest })
const unless = (create: object) => ({ where: { name: 'nobody' }, create })

test.each<[string, () => object]>([
  ['children', () => named({ pets: { create: [named(), named()] } })],
  ['a parent', () => named({ boss: { create: named() } })],
  ['a parent before a name', () => ({ boss: { create: named() }, ...named() })],
  ['parents of parents', () => named({ boss: { create: named({ boss: { create: named() } }) } })],
  [
    'two parents',
    () => named({ boss: { create: named() }, team: { create: named({ city: { create: named() } }) } }),
  ],
  ['two parents, the other way round', () => named({ team: { create: named() }, boss: { create: named() } })],
  ['a parent with children', () => named({ boss: { create: named({ pets: { create: named() } }) } })],
  ['a parent and children', () => named({ pets: { create: named() }, boss: { create: named() } })],
  ['a child with a parent', () => named({ pets: { create: named({ vet: { create: named() } }) } })],
  [
    'children with children',
    () => named({ reports: { create: [named({ pets: { create: named() } }), named()] } }),
  ],
  ['children of two kinds', () => named({ pets: { create: named() }, reports: { create: named() } })],
  [
    'children of two kinds, the other way round',
    () => named({ reports: { create: named() }, pets: { create: named() } }),
  ],
  ['many to many', () => named({ skills: { create: [named(), named()] }, pets: { create: named() } })],
  [
    'createMany',
    () => named({ pets: { createMany: { data: [named(), named()] } }, boss: { create: named() } }),
  ],
  ['connectOrCreate of a parent', () => named({ boss: { connectOrCreate: unless(named()) } })],
  [
    'connectOrCreate of children',
    () => named({ pets: { connectOrCreate: [unless(named()), unless(named())] } }),
  ],
  [
    'create and connectOrCreate',
    () => named({ pets: { connectOrCreate: unless(named()), create: named() } }),
  ],
])('ids sort as Prisma inserts: %s', async (_, data) => {
  inserted.length = 0
  await prisma.person.create({ data: data() })
  expect(inserted.length).toBeGreaterThan(1)
  expect(inserted).toEqual([...inserted].sort())
})
