import { readFile } from 'node:fs/promises'
import { PrismaBetterSqlite3 } from '@prisma/adapter-better-sqlite3'
import { sno } from '@snoflax/core'
import { PrismaClient } from './generated/client/client.js'
import { snoflax } from './generated/snoflax/index.js'

/** Generates the ids of orders. A second process needs another partition; see docs/leases.md. */
export const orderIds = sno.generator({ partition: 1 })

export const db = new PrismaClient({ adapter: new PrismaBetterSqlite3({ url: ':memory:' }) }).$extends(
  snoflax({ generators: { sno: orderIds } }),
)

/** Does what `prisma migrate deploy` does, for a database that ends with the process. */
export async function migrate(): Promise<void> {
  const migration = new URL('../prisma/migrations/0_init/migration.sql', import.meta.url)
  for (const statement of (await readFile(migration, 'utf8')).split(/;\s*/))
    if (statement !== '') await db.$executeRawUnsafe(statement)
}
