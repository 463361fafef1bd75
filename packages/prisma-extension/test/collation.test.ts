import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type PostgresDatabase, postgres } from '@snoflax/test'
import { describe, expect, test } from 'vitest'
import { type AnyClient, clientOf, PrismaPg, pushSchema, runCollations } from './project/clients.js'
import { generateProject, projectOf } from './project/generate.js'
import { changesTo, describingPool } from './project/push.js'
import { schemaForEngine } from './project/version.js'
import { generatedModule } from './shop/open.js'

const README = readFileSync(new URL('../README.md', import.meta.url), 'utf8')

const PROJECT = projectOf(`
model Customer {
  id     String  @id @default(dbgenerated()) /// @snoflax flax prefix=cus
  name   String
  orders Order[]
}
model Order {
  id         String   @id @default(dbgenerated()) /// @snoflax sno
  customerId String
  customer   Customer @relation(fields: [customerId], references: [id])
  tags       Tag[]
}
model Tag {
  id     String  @id @default(dbgenerated()) @db.VarChar(16) /// @snoflax flax
  orders Order[]
}
`)
const IDS = ['Customer.id', 'Order.customerId', 'Order.id', 'Tag.id', '_OrderToTag.A', '_OrderToTag.B']

/** Flax ids whose texts no language sorts by time: digits, capitals and small letters in turn. */
const CUSTOMERS = 200

const at = (number: number) => new Date(Date.UTC(2016, 0, 1) + number * 40 * 86_400_000)

describe.each(['en', 'cs', 'libc C.UTF-8'])('where text sorts by %s', (collation) => {
  test('collation.sql has ids sort by time, and later migrations change neither that nor a CHECK', async () => {
    const folder = await generateProject(PROJECT)
    const database = await postgres.open({ collation })
    await pushSchema(folder, database)
    expect(await collationsOf(database)).toEqual({})
    await runCollations(folder, database)
    expect(await collationsOf(database)).toEqual(Object.fromEntries(IDS.map((id) => [id, 'C'])))

    const [, check = ''] = /^```sql\n(ALTER TABLE .* CHECK .*)\n```/m.exec(README) ?? []
    await database.query(check)
    const schema = schemaForEngine(readFileSync(join(folder, 'schema/schema.prisma'), 'utf8'))
    const pool = describingPool(database.url)
    const changes = (content: string) => changesTo(content, new PrismaPg(pool), 'database')
    expect(await changes(schema)).toBe('-- This is an empty migration.\n')
    expect(await changes(schema.replace('name   String', 'name   String\n  note String?'))).toBe(
      '-- AlterTable\nALTER TABLE "Customer" ADD COLUMN     "note" TEXT;\n',
    )

    const bare = await clientOf(folder, database)
    const { snoflax, cusId } = await generatedModule(folder)
    const prisma: AnyClient = bare.$extends(snoflax())
    const ids = Array.from({ length: CUSTOMERS }, (_, number) => cusId.generateAt(at(number)))
    await prisma.customer.createMany({ data: ids.map((id) => ({ id, name: 'a' })) })
    const rows = await prisma.customer.findMany({ orderBy: { id: 'asc' } })
    expect(rows.map(({ id }: { id: string }) => id)).toEqual(ids)
    await expect(database.query(`UPDATE "Customer" SET id = 'ord' || substr(id, 4)`)).rejects.toThrow(
      /Customer_id_check/,
    )
    const half = cusId.range(at(0), at(CUSTOMERS / 2))
    expect(await prisma.customer.count({ where: { id: half } })).toBe(CUSTOMERS / 2)
    await Promise.all([bare.$disconnect(), pool.end()])
    await database.close()
  })
})

/** The collations of columns that have one of their own. */
async function collationsOf(database: PostgresDatabase): Promise<Record<string, string>> {
  const rows = await database.query(
    "SELECT table_name || '.' || column_name AS name, collation_name AS collation FROM information_schema.columns WHERE table_schema = 'public' AND collation_name IS NOT NULL ORDER BY 1",
  )
  return Object.fromEntries(rows.map(({ name, collation }) => [name, collation]))
}
