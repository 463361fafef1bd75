import { deepEqual, rejects } from 'node:assert/strict'
import { PGlite } from '@electric-sql/pglite'
import { IdError } from '@snoflax/core'
import { PrismaPGlite } from 'pglite-prisma-adapter'
import { PrismaClient } from './generated/client/client'
import { snoflax } from './generated/snoflax/index'

async function main(): Promise<void> {
  const database = new PGlite()
  await database.exec('CREATE TABLE "Order" (id uuid PRIMARY KEY, what text NOT NULL)')
  const prisma = new PrismaClient({ adapter: new PrismaPGlite(database) }).$extends(snoflax())
  const { id } = await prisma.order.create({ data: { what: 'tea' } })
  deepEqual(await prisma.order.findUnique({ where: { id } }), { id, what: 'tea' })
  await rejects(prisma.order.findUnique({ where: { id: 'tea' } }), IdError)
  // Text: everybody who asks the database sees the id of the code.
  await database.exec('CREATE TABLE "Customer" (id text COLLATE "C" PRIMARY KEY, name text NOT NULL)')
  await database.exec('CREATE VIEW shown AS SELECT * FROM "Customer"')
  const customer = await prisma.customer.create({ data: { name: 'Ada' } })
  const { rows } = await database.query(`SELECT id, json_agg(shown) AS json FROM shown GROUP BY id`)
  deepEqual(rows, [{ id: customer.id, json: [customer] }])
  deepEqual(await prisma.$queryRaw`SELECT id, name FROM shown WHERE id = ${customer.id}`, [customer])
  console.log(`stored, found and refused an id like ${id}`)
}

main()
