import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { opaque, uuid7 } from '@snoflax/core'
import { idExtension } from '@snoflax/prisma-extension'
import { type OpenDatabase, postgres, sqlite } from '@snoflax/test'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AnyClient, clientOf, pushSchema } from './project/clients.js'
import { generateProject, projectOf, refusalOfProject } from './project/generate.js'
import { generatedModule } from './shop/open.js'

const [PAGE = '', BY_PRISMA = ''] = [
  ...readFileSync(new URL('../../../docs/own-ids.md', import.meta.url), 'utf8').matchAll(
    /```prisma\n([\s\S]*?)```/g,
  ),
].map(([, block]) => block)
const KEYS = 'model ApiKey {\n  id String @id @default(dbgenerated()) @db.Uuid /// @snoflax keyId\n}'
const IDS = `import { opaque, uuid7 } from '@snoflax/core'
let count = 0
export const orgId = opaque('org', {
  pattern: /org_\\d{4}/,
  generate: () => globalThis.nextOrgId ?? 'org_' + String(++count).padStart(4, '0'),
})
export const keyId = opaque('key', {
  pattern: /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/,
  generate: () => crypto.randomUUID(),
})
`
const OPTIONS = 'families = "../ids.js"'
const filesOf = (provider: string, models: string) => ({
  ...projectOf(models, { provider, options: OPTIONS }),
  'ids.js': IDS,
})
const generating = (value: unknown) => Object.assign(globalThis, { nextOrgId: value })

describe.each([
  ['sqlite', () => sqlite.open(), PAGE],
  ['postgresql', () => postgres.open(), `${PAGE}\n${KEYS}`],
] as const)('opaque ids, %s', (provider, open, models) => {
  let database: OpenDatabase
  let bare: AnyClient
  let prisma: AnyClient
  let folder: string
  beforeAll(async () => {
    folder = await generateProject(filesOf(provider, models))
    database = await open()
    await pushSchema(folder, database)
    bare = await clientOf(folder, database)
    prisma = bare.$extends((await generatedModule(folder)).snoflax())
  })
  afterAll(async () => {
    await bare?.$disconnect()
    await database?.close()
  })

  test('rows get ids of the function, and are found by them', async () => {
    const org = await prisma.org.create({ data: { members: { create: { id: 1 } } } })
    expect(org.id).toMatch(/^org_\d{4}$/)
    expect(await prisma.$find(org.id)).toMatchObject({ model: 'Org', row: org })
    await expect(prisma.org.findUnique({ where: { id: 'org_1' } })).rejects.toThrow(/does not match/)
    if (provider === 'postgresql') {
      const key = await prisma.apiKey.create({ data: {} })
      expect(key.id).toMatch(/^[0-9a-f]{8}-/)
    }
  })

  test.each([
    [
      'org_1',
      'Org.id, in org.create: data.id: org: generate returned "org_1", which does not match /org_\\d{4}/',
    ],
    [
      Promise.resolve('org_0001'),
      'Org.id, in org.create: data.id: org: generate returned a promise; return the id itself',
    ],
  ])('a generated %o is refused with its field, and nothing is written', async (wrong, message) => {
    const before = await prisma.org.count()
    generating(wrong)
    try {
      await expect(Promise.resolve().then(() => prisma.org.create({ data: {} }))).rejects.toThrow(message)
    } finally {
      generating(undefined)
    }
    expect(await prisma.org.count()).toBe(before)
  })

  test('the client types them by their name', () => {
    const module = readFileSync(join(folder, 'snoflax/index.ts'), 'utf8')
    expect(module).toContain("'Member.orgId': IdOf<ReturnType<typeof orgId.parse>, 'Org'>")
    expect(readFileSync(join(folder, 'client/commonInputTypes.ts'), 'utf8')).toContain('$OrgIdIdOfOrg')
  })
})

test('a time of opaque ids is refused', async () => {
  const models = PAGE.replace('/// @snoflax orgId', '/// @snoflax orgId createdAt')
  expect(await refusalOfProject(filesOf('sqlite', models))).toContain(
    'Org.id: org: time() needs a family with a time',
  )
  const family = opaque('org', { pattern: /org_\d{4}/, generate: () => 'org_0001' })
  const id = { family, storage: 'text', generated: true, createdAt: 'createdAt' } as const
  const client = { $extends: (input: unknown) => input }
  expect(() => idExtension({ database: 'sqlite', models: { Org: { id } } })(client as never)).toThrow(
    /Org\.id: org: time\(\) needs a family with a time/,
  )
})

test('lengths that existing columns have may stay', async () => {
  const fileIds = `${IDS}export const fileId = opaque('file', { pattern: /[a-z]{8,30}/, generate: () => 'abcdefgh' })\n`
  const model = (type: string, name: string) =>
    `model File {\n  id String @id @default(dbgenerated()) @db.${type} /// @snoflax ${name} collation=utf8mb4_bin\n}`
  const files = (models: string) => ({ ...filesOf('mysql', models), 'ids.js': fileIds })
  await generateProject(files(model('VarChar(191)', 'fileId')))
  await generateProject(files(model('VarChar(191)', 'orgId')))
  expect(await refusalOfProject(files(model('VarChar(7)', 'orgId')))).toContain('write @db.VarChar(8)')
})

/** Keys by Prisma's own defaults, and what their comments say. */
const DEFAULTS = [
  ['Cuid', 'cuid()', 'opaque pattern=/c[a-z0-9]{24}/', "Id<'Cuid'>"],
  ['Cuid2', 'cuid(2)', 'opaque pattern=/[a-z0-9]{24}/', ''],
  ['Nano', 'nanoid()', 'opaque pattern=/[\\w-]{21}/', ''],
  ['Nano12', 'nanoid(12)', 'opaque pattern=/[\\w-]{12}/', ''],
  ['Uuid', 'uuid()', 'opaque pattern=/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/', ''],
  ['Uuid7', 'uuid(7)', 'uuid7', ''],
  ['Ulid', 'ulid()', 'ulid', ''],
] as const

describe.each([
  ['sqlite', () => sqlite.open()],
  ['postgresql', () => postgres.open()],
] as const)('keys that Prisma generates, %s', (provider, open) => {
  const models = DEFAULTS.map(
    ([name, made, comment]) =>
      `model ${name} {\n  /// @snoflax ${comment} generate=prisma\n  id String @id @default(${made})\n  children Of${name}[]\n}\n
model Of${name} {\n  id Int @id @default(autoincrement())\n  of String\n  parent ${name} @relation(fields: [of], references: [id])\n}`,
  )
  const keyed =
    provider === 'sqlite'
      ? ''
      : 'model Key {\n  id String @id @default(dbgenerated("gen_random_uuid()")) @db.Uuid /// @snoflax opaque pattern=/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/ generate=database\n}\nmodel Key7 {\n  id String @id @default(uuid(7)) @db.Uuid /// @snoflax uuid7 generate=prisma\n}\nmodel Key4 {\n  id String @id @default(uuid()) @db.Uuid /// @snoflax opaque pattern=/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/ generate=prisma\n}\n'
  let database: OpenDatabase
  let prisma: AnyClient
  let folder: string
  beforeAll(async () => {
    folder = await generateProject(projectOf([keyed, ...models].join('\n'), { provider }))
    database = await open()
    await pushSchema(folder, database)
    prisma = (await clientOf(folder, database)).$extends((await generatedModule(folder)).snoflax())
  })
  afterAll(async () => {
    await prisma?.$disconnect()
    await database?.close()
  })

  test('a hundred of each are ids of their pattern, are found, and other texts are refused', async () => {
    const names = [
      ...DEFAULTS.map(([name]) => name),
      ...(provider === 'sqlite' ? [] : ['Key', 'Key7', 'Key4']),
    ]
    const module = await generatedModule(folder)
    for (const name of names) {
      const model = name.charAt(0).toLowerCase() + name.slice(1)
      const { family } = module.configuration.models[name].id
      for (let at = 0; at < 100; at++) {
        const { id } = await prisma[model].create({ data: {} })
        expect(family.is(id), `${name} ${id}`).toBe(true)
        if (at === 0) expect(await prisma.$find(id)).toMatchObject({ row: { id } })
      }
      await expect(prisma[model].findUnique({ where: { id: 'x' } })).rejects.toThrow(`${name}.id, in `)
      if (name.startsWith('Key')) continue
      const child = await prisma[`of${name}`].create({ data: { parent: { create: {} } } })
      expect(family.is(child.of)).toBe(true)
      await expect(prisma[`of${name}`].create({ data: { of: 'x' } })).rejects.toThrow(`Of${name}.of, in `)
    }
  })

  test('opaque ids are typed by their model, and their collation stays', () => {
    const module = readFileSync(join(folder, 'snoflax/index.ts'), 'utf8')
    expect(module).toContain(
      "export const cuidId: Omit<OpaqueFamily<'Cuid'>, 'generate'> = opaque('Cuid', { pattern: /c[a-z0-9]{24}/ })",
    )
    expect(module).toContain("'OfCuid.of': IdOf<OpaqueId<'Cuid'>, 'Cuid'>")
    if (provider === 'postgresql')
      expect(readFileSync(join(folder, 'snoflax/collation.sql'), 'utf8').match(/"\w+"(?= ALTER)/g)).toEqual([
        '"Uuid7"',
        '"OfUuid7"',
        '"Ulid"',
        '"OfUlid"',
      ])
  })
})

test.each([
  [
    'id String @id @default(cuid()) /// @snoflax flax',
    'Org.id: its default is not an id; write @default(dbgenerated()), or generate=prisma',
  ],
  [
    'id String @id @default(dbgenerated()) /// @snoflax flax generate=prisma',
    'Org.id: generate=prisma needs a default by which Prisma generates ids',
  ],
  ['id String @id /// @snoflax flax generate=prisma', 'Org.id: generate=prisma needs a default'],
  [
    'id String @id @default(cuid()) /// @snoflax opaque generate=prisma',
    'Org.id: opaque and pattern belong together',
  ],
  [
    'id String @id @default(cuid()) /// @snoflax flax pattern=/x/ generate=prisma',
    'Org.id: opaque and pattern belong together',
  ],
  [
    'id String @id @default(cuid()) /// @snoflax opaque pattern=/(x+)+/ generate=prisma',
    'Org.id: Org: opaque takes no pattern such as',
  ],
  [
    'id String @id @default(cuid()) /// @snoflax opaque pattern=x generate=prisma',
    'pattern must be a regular expression between slashes',
  ],
  ['id String @id @default(cuid()) /// @snoflax opaque pattern=/[/ generate=prisma', 'pattern'],
  [
    'id String @id @default(cuid()) /// @snoflax opaque pattern=/x/ generate=prisma\n  up Org? @relation("r", fields: [of], references: [id])\n  down Org[] @relation("r")\n  of String? /// @snoflax opaque pattern=/x/',
    'Org.of: is a foreign key to Org.id, and has its pattern; leave pattern out',
  ],
])('a comment that does not fit is refused: %s', async (field, message) => {
  expect(await refusalOfProject(projectOf(`model Org {\n  ${field}\n}`, { provider: 'sqlite' }))).toContain(
    message,
  )
})

test('the page, where Prisma generates the ids', async () => {
  const folder = await generateProject(projectOf(BY_PRISMA, { provider: 'sqlite' }))
  const { snoflax } = await generatedModule(folder)
  const database = await sqlite.open()
  await pushSchema(folder, database)
  const prisma = (await clientOf(folder, database)).$extends(snoflax())
  const org = await prisma.org.create({ data: { members: { create: {} } }, include: { members: true } })
  expect([org.id, org.members[0].orgId, uuid7.is(org.members[0].id)]).toEqual([
    expect.stringMatching(/^c[a-z0-9]{24}$/),
    org.id,
    true,
  ])
  await expect(prisma.member.findFirst({ where: { orgId: 'org_1' } })).rejects.toThrow(
    'Org: "org_1" does not match /c[a-z0-9]{24}/',
  )
  await prisma.$disconnect()
  await database.close()
})

test('by an id generator, what it returns is checked', async () => {
  const model =
    'model Org {\n  id String @id @default(dbgenerated()) /// @snoflax opaque pattern=/org_\\d/\n}'
  const folder = await generateProject(projectOf(model, { provider: 'sqlite' }))
  const { snoflax } = await generatedModule(folder)
  const database = await sqlite.open()
  await pushSchema(folder, database)
  const bare = await clientOf(folder, database)
  expect(() => bare.$extends(snoflax())).toThrow('Org has no default generator')
  const by = (text: string) => bare.$extends(snoflax({ generators: { Org: { generate: () => text } } }))
  expect(await by('org_1').org.create({ data: {} })).toEqual({ id: 'org_1' })
  await expect(Promise.resolve().then(() => by('org').org.create({ data: {} }))).rejects.toThrow(
    'does not match',
  )
  await bare.$disconnect()
  await database.close()
})
