import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sno, typeid, uuid7 } from '@snoflax/core'
import { installSql, prismaMigration } from '@snoflax/pg-sql'
import { type OpenDatabase, type PostgresDatabase, postgres } from '@snoflax/test'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AnyClient, clientOf, PrismaPg, pushSchema, runCollations } from './project/clients.js'
import { generateProject, projectOf } from './project/generate.js'
import { changesTo, describingPool } from './project/push.js'
import { schemaForEngine } from './project/version.js'
import { generatedModule, openShop, type Shop } from './shop/open.js'

const README = readFileSync(new URL('../README.md', import.meta.url), 'utf8')

describe.each(['sqlite', 'postgresql'] as const)('@default(dbgenerated()) on %s', (database) => {
  let shop: Shop
  beforeAll(async () => {
    shop = await openShop({ database })
  })
  afterAll(() => shop?.close())

  test('creates no default in the database', async () => {
    await expect(shop.database.query(`INSERT INTO "customers" (name) VALUES ('raw')`)).rejects.toThrow(
      /null/i,
    )
  })

  test('causes an error if a write bypasses the extension', async () => {
    await expect(shop.bare.customer.create({ data: { name: 'Ada' } })).rejects.toMatchObject({
      code: 'P2011',
    })
    await expect(shop.bare.tag.create({ data: { label: 'x' } })).rejects.toMatchObject({ code: 'P2011' })
    expect(await shop.prisma.customer.count()).toBe(0)
  })
})

const PROJECT = projectOf(
  `
model Both {
  id   String @id @default(dbgenerated("snoflax.sno_generate_uuid(2)")) @db.Uuid /// @snoflax sno meta=4
  name String
}
model DatabaseOnly {
  id   BigInt @id @default(dbgenerated("snoflax.flake_generate_bigint()")) /// @snoflax flake generate=database
  name String
}
model Uuid7 {
  id   String @id @default(dbgenerated("snoflax.uuid7_generate_uuid()")) @db.Uuid /// @snoflax uuid7 generate=database
  name String
}
`,
)

describe("a default of pg-sql's functions", () => {
  let database: OpenDatabase
  let prisma: AnyClient
  beforeAll(async () => {
    database = await postgres.open()
    const folder = await generateProject(PROJECT)
    const migration = prismaMigration({ at: new Date('2026-11-01') })
    expect(migration.path).toBe('20261101000000_install_snoflax/migration.sql')
    await (database as PostgresDatabase).pool.query(migration.content)
    await database.query('SELECT snoflax.sno_set_partition(9)')
    await database.query('SELECT snoflax.flake_set_worker(1, 2)')
    await pushSchema(folder, database)
    const { snoflax } = await generatedModule(folder)
    prisma = (await clientOf(folder, database)).$extends(snoflax())
  })
  afterAll(async () => {
    await prisma?.$disconnect()
    await database?.close()
  })

  test('comes from a migration whose SQL is that of the installer', () => {
    expect(prismaMigration().content).toBe(installSql())
  })

  test('generates ids for raw SQL, while the extension generates its own', async () => {
    await database.query(`INSERT INTO "Both" (name) VALUES ('raw')`)
    await prisma.both.create({ data: { name: 'prisma' } })
    const metas = (await prisma.both.findMany({ orderBy: { name: 'asc' } })).map((row: AnyClient) =>
      sno.meta(row.id),
    )
    expect(metas).toEqual([4, 2])
  })

  test('generates the ids of fields with generate=database, and Prisma returns them', async () => {
    const { id } = await prisma.databaseOnly.create({ data: { name: 'a' } })
    const many = await prisma.databaseOnly.createManyAndReturn({ data: [{ name: 'b' }, { name: 'c' }] })
    const found = await prisma.databaseOnly.findMany({ orderBy: { id: 'asc' } })
    expect(found.map((row: AnyClient) => row.id)).toEqual([id, ...many.map((row: AnyClient) => row.id)])
  })

  test('generates UUIDv7, too', async () => {
    await database.query(`INSERT INTO "Uuid7" (name) VALUES ('raw')`)
    const { id } = await prisma.uuid7.create({ data: { name: 'prisma' } })
    const found = await prisma.uuid7.findMany()
    expect(found).toHaveLength(2)
    expect(found.map((row: AnyClient) => row.id)).toContain(id)
    for (const row of found) {
      expect(Math.abs(uuid7.timeMs(uuid7.parse(row.id)) - Date.now())).toBeLessThan(600_000)
    }
  })
})

describe('a default with a prefix', () => {
  const models = (customer: string, user: string) => `
model Customer {
  id   String @id @default(dbgenerated("${customer}")) /// @snoflax flax prefix=cus generate=database
  name String
}
model User {
  id   String @id @default(dbgenerated("${user}")) /// @snoflax userId generate=database
  name String
}
`
  const STABLE = models(
    "('cus_'::text || snoflax.flax_generate_text())",
    "snoflax.typeid_generate('user'::text)",
  )
  const IDS = "import { typeid } from '@snoflax/core'\nexport const userId = typeid('user')\n"

  test('has an empty second migration in the form of the README, and generates ids that the client reads', async () => {
    for (const [, form = ''] of STABLE.matchAll(/(@default\(.*?\)) \/\/\//g))
      expect(README).toContain(`\`${form}\``)
    const files = projectOf(STABLE, { options: 'families = "../ids.js"' })
    const folder = await generateProject({ ...files, 'ids.js': IDS })
    const database = await postgres.open()
    await database.pool.query(prismaMigration().content)
    await pushSchema(folder, database)
    const pool = describingPool(database.url)
    const changes = (content: string) => changesTo(content, new PrismaPg(pool), 'database')
    const schema = schemaForEngine(readFileSync(join(folder, 'schema/schema.prisma'), 'utf8'))
    for (let time = 0; time < 2; time++)
      expect(await changes(schema)).toBe('-- This is an empty migration.\n')
    const other = models("'cus_' || snoflax.flax_generate_text()", "snoflax.typeid_generate('user')")
    expect(await changes(schema.replace(STABLE, other))).toMatch(/SET DEFAULT.*SET DEFAULT/s)

    const { snoflax, cusId } = await generatedModule(folder)
    const prisma: AnyClient = (await clientOf(folder, database)).$extends(snoflax())
    await database.query(`INSERT INTO "Customer" (name) VALUES ('raw')`)
    const [raw] = await prisma.customer.findMany()
    expect(cusId.is(raw.id)).toBe(true)
    const user = await prisma.user.create({ data: { name: 'Ada' } })
    expect(typeid('user').is(user.id)).toBe(true)
    expect(await prisma.$find(user.id)).toMatchObject({ model: 'User', row: user })
    await Promise.all([prisma.$disconnect(), pool.end()])
    await database.close()
  })
})

const COLLATED = projectOf(
  `
/*
view Alpha {
}
*/
model Alpha {
  id    String @id @default(dbgenerated()) /// @snoflax flax
  betas Beta[]
  @@schema("there")
}
model Beta {
  id     String  @id @default(dbgenerated()) /// @snoflax flax
  alphas Alpha[]
  @@schema("here")
}
view Seen {
  id String @unique /// @snoflax flax
  @@schema("here")
}
`,
  {
    clientOptions: 'previewFeatures = ["views"]',
    datasource: 'schemas = ["here", "there"]',
  },
)

describe('the generated statements for collations', () => {
  test('change the tables of many-to-many relations across schemas, and no views', async () => {
    const database = await postgres.open()
    const folder = await generateProject(COLLATED)
    await pushSchema(folder, database)
    await database.query('CREATE VIEW here."Seen" AS SELECT id FROM (VALUES (NULL::text)) AS rows (id)')
    await runCollations(folder, database)
    const rows = await database.query(
      `SELECT table_name || '.' || column_name AS name FROM information_schema.columns
        WHERE table_schema IN ('here', 'there') AND collation_name = 'C' ORDER BY 1`,
    )
    expect(rows).toEqual(
      ['Alpha.id', 'Beta.id', '_AlphaToBeta.A', '_AlphaToBeta.B'].map((name) => ({ name })),
    )
    await database.close()
  })
})
