import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { opaque } from '@snoflax/core'
import { idExtension } from '@snoflax/prisma-extension'
import { type OpenDatabase, postgres, sqlite } from '@snoflax/test'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AnyClient, clientOf, pushSchema } from './project/clients.js'
import { generateProject, projectOf, refusalOfProject } from './project/generate.js'
import { generatedModule } from './shop/open.js'

const [, PAGE = ''] =
  /```prisma\n([\s\S]*?)```/.exec(
    readFileSync(new URL('../../../docs/own-ids.md', import.meta.url), 'utf8'),
  ) ?? []
const KEYS = 'model ApiKey {\n  id String @id @default(dbgenerated()) @db.Uuid /// @snoflax keyId\n}'
const IDS = `import { opaque } from '@snoflax/core'
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
  const client = { $extends: (given: unknown) => given }
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
