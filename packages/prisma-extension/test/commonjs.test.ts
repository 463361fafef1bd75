import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { flax } from '@snoflax/core'
import { type SqliteDatabase, sqlite } from '@snoflax/test'
import { expect, test } from 'vitest'
import { pushSchema } from './project/clients.js'
import { generateProject } from './project/generate.js'
import { shopProject } from './shop/schema.js'

const MAIN = `
const { flake } = require('@snoflax/core')
const { uid, uidLocal } = require('@snoflax/families')
const { PrismaBetterSqlite3 } = require('@prisma/adapter-better-sqlite3')
const { PrismaClient } = require('./client')
const { snoflax } = require('./snoflax')

const generators = {
  flake: flake.generator({ datacenter: 1, worker: 2 }),
  uid: uid.generator({ node: 'required' }),
  uidLocal: uidLocal.generator(),
}
async function main() {
  const adapter = new PrismaBetterSqlite3({ url: process.argv[2] })
  const prisma = new PrismaClient({ adapter }).$extends(snoflax({ generators }))
  const { orders } = await prisma.customer.create({
    data: { name: 'Ada', orders: { create: {} } },
    include: { orders: true },
  })
  console.log(orders[0].customerId)
  await prisma.$disconnect()
}
main()
`

// prisma-client, whose TypeScript the project compiles to CommonJS, is in test/platforms.
test('a CommonJS program can require the client of prisma-client-js and the generated module', async () => {
  const folder = await generateProject(shopProject({ database: 'sqlite', client: 'prisma-client-js' }))
  const database = (await sqlite.open()) as SqliteDatabase
  await pushSchema(folder, database)
  const file = join(folder, 'main.cjs')
  writeFileSync(file, MAIN)
  const { stdout } = await promisify(execFile)(process.execPath, [file, `file:${database.file}`])
  expect(flax.is(stdout.trim())).toBe(true)
  await database.close()
})
