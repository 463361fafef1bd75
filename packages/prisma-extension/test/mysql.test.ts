import { flax, sno } from '@snoflax/core'
import { databaseDefault } from '@snoflax/core/adapter'
import { type MysqlDatabase, mysql } from '@snoflax/test'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AnyClient, clientOf, pushSchema } from './project/clients.js'
import { generateProject, projectOf } from './project/generate.js'
import { generatedModule } from './shop/open.js'

const PROJECT = projectOf(
  `
model Both {
  id   Bytes  @id @default(dbgenerated("x")) @db.Binary(12) /// @snoflax flax
  name String
}
model DatabaseOnly {
  id   Bytes  @id @default(dbgenerated("x")) @db.Binary(10) /// @snoflax sno generate=database
  name String @unique
}
`,
  { provider: 'mysql' },
)

describe.runIf(mysql.selected())('in MySQL or MariaDB', () => {
  let database: MysqlDatabase
  let prisma: AnyClient
  beforeAll(async () => {
    database = await mysql.open()
    const server = database.label.startsWith('MariaDB') ? 'mariadb' : 'mysql'
    const folder = await generateProject(PROJECT)
    await pushSchema(folder, database)
    for (const [table, family, number] of [
      ['Both', flax, undefined],
      ['DatabaseOnly', sno, 7],
    ] as const) {
      const made = databaseDefault({ family, database: server, storage: 'binary', number })
      await database.query(`ALTER TABLE \`${table}\` ALTER COLUMN id SET DEFAULT ${made}`)
    }
    const { snoflax } = await generatedModule(folder)
    prisma = (await clientOf(folder, database)).$extends(snoflax())
  })
  afterAll(async () => {
    await prisma?.$disconnect()
    await database?.close()
  })

  test('a default generates ids for raw SQL, while the extension generates its own', async () => {
    await database.query("INSERT INTO `Both` (name) VALUES ('raw')")
    const { id } = await prisma.both.create({ data: { name: 'prisma' } })
    const rows = await prisma.both.findMany({ orderBy: { name: 'asc' } })
    expect(rows).toEqual([
      { id, name: 'prisma' },
      { id: expect.toSatisfy((one) => flax.is(one)), name: 'raw' },
    ])
  })

  test('a default generates the ids of fields with generate=database in createMany', async () => {
    await prisma.databaseOnly.createMany({ data: [{ name: 'b' }, { name: 'c' }] })
    const rows = await prisma.databaseOnly.findMany({ orderBy: { name: 'asc' } })
    expect(rows.map((row: AnyClient) => [row.name, sno.unpack(row.id).partition])).toEqual([
      ['b', 7],
      ['c', 7],
    ])
  })

  test("create and upsert of a field with generate=database are refused, since Prisma can't read the row back", async () => {
    const data = { name: 'a' }
    const told = { code: 'INVALID_OPTION', message: expect.stringContaining('the row was written') }
    await expect(prisma.databaseOnly.create({ data })).rejects.toMatchObject(told)
    const missing = { where: { name: 'd' }, create: { name: 'd' }, update: {} }
    await expect(prisma.databaseOnly.upsert(missing)).rejects.toMatchObject(told)
    await expect(
      prisma.$transaction((tx: AnyClient) => tx.databaseOnly.create({ data: { name: 'e' } })),
    ).rejects.toMatchObject(told)
    expect(await prisma.databaseOnly.findUnique({ where: { name: 'e' } })).toBeNull()
    expect(await prisma.databaseOnly.findUnique({ where: { name: 'a' } })).toMatchObject({ name: 'a' })
  })
})
