/** What the examples of some sources take for granted: imports, and values that a reader has. */
export interface Context {
  /** The sources' path begins like this. */
  readonly sources: string
  /** Folder where the examples could lie, so that bare imports lead where they do for users. */
  readonly folder: string
  readonly code: string
}

const DRIZZLE = `
import { count, desc, eq, sql } from 'drizzle-orm'
import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import { integer, pgTable } from 'drizzle-orm/pg-core'
import { mysqlTable } from 'drizzle-orm/mysql-core'
import { sqliteTable } from 'drizzle-orm/sqlite-core'
import { createInsertSchema, createSelectSchema, createUpdateSchema } from 'drizzle-zod'
import type { Pool } from 'pg'
import { z } from 'zod'
import { type Id, type IdFamily, type SnoId, type UidId } from '@snoflax/core'
import { snoId, uidId } from '@snoflax/drizzle/pg-core'

const orders = pgTable('orders', { id: snoId().primaryKey(), total: integer().notNull() })
const events = pgTable('events', { id: uidId.plain().primaryKey() })
declare const db: NodePgDatabase<{ orders: typeof orders }>
declare const pool: Pool
declare const rows: { id: UidId }[]
declare const id: SnoId
declare const lastSeenId: SnoId | undefined
declare const from: Date
declare const to: Date
declare const ticket: IdFamily<Id<'ticket'>>
`

const drizzle = (file: string, imports: string): Context => ({
  sources: `packages/drizzle/src/${file}`,
  folder: 'packages/drizzle/test',
  code: `${DRIZZLE}${imports}`,
})

/** The first that fits a source is the one. */
const CONTEXTS: readonly Context[] = [
  {
    sources: 'packages/adopt/',
    folder: 'packages/adopt/test',
    code: `
import { keyTime, planAdoption, type TableOptions } from '@snoflax/adopt'
import { flax, sno } from '@snoflax/core'
import type { Pool } from 'pg'
declare const pool: Pool
`,
  },
  {
    sources: 'packages/better-sqlite3/',
    folder: 'packages/better-sqlite3/test',
    code: `
import { registerSnoflax } from '@snoflax/better-sqlite3'
import { sno } from '@snoflax/core'
import Database from 'better-sqlite3'
`,
  },
  {
    sources: 'packages/cli/',
    folder: 'packages/cli/test',
    code: "import { run } from '@snoflax/cli'\n",
  },
  {
    sources: 'packages/core/',
    folder: 'packages/core/test',
    code: `
import { defineFamily, flake, flax, type Id, IdError, sno, storageFor, uid, uidLocal } from '@snoflax/core'
`,
  },
  drizzle(
    'pg-core/',
    "import { createdAt, createdBetween, idColumn, maxId, minId } from '@snoflax/drizzle/pg-core'",
  ),
  drizzle('mysql-core/', "import { idColumn } from '@snoflax/drizzle/mysql-core'"),
  drizzle('sqlite-core/', "import { idColumn } from '@snoflax/drizzle/sqlite-core'"),
  drizzle('zod.ts', "import { idSchema, insertIds, selectIds, updateIds } from '@snoflax/drizzle/zod'"),
  drizzle(
    '',
    "import { createdAt, createdBetween, fromDatabase, keyset, parameter, placeholder, toDatabase, wasCreatedBetween } from '@snoflax/drizzle'",
  ),
  {
    sources: 'packages/pg-sql/',
    folder: 'packages/pg-sql/test',
    code: `
import { sno } from '@snoflax/core'
import { install, installStatements, leasePartition } from '@snoflax/pg-sql'
import type { Pool, PoolClient } from 'pg'
declare const pool: Pool
declare const transaction: PoolClient
`,
  },
  {
    sources: 'packages/prisma-extension/',
    folder: 'packages/prisma-extension/.vitest/docstrings',
    code: `
import type { SqlDriverAdapterFactory } from '@prisma/client/runtime/client'
import { flax, sno, type SnoId } from '@snoflax/core'
import { type ConfigurationOf, idExtension, keyset, rawQueries } from '@snoflax/prisma-extension'
import { type Prisma, PrismaClient } from './generated/client/client.ts'
import { parameter, readRows, snoflax } from './generated/snoflax/index.ts'
declare const adapter: SqlDriverAdapterFactory
declare const id: SnoId
const prisma = new PrismaClient({ adapter }).$extends(snoflax())
`,
  },
  {
    sources: 'packages/typeorm/',
    folder: 'packages/typeorm/test',
    code: `
import { flake, type FlakeId, flax, type FlaxId, sno, type SnoId } from '@snoflax/core'
import { CreatedAt, createdBetween, FlaxIdColumn, idColumn, IdColumn, keysetPage, prepareDataSource, SnoIdColumn, storageOf } from '@snoflax/typeorm'
import { DataSource, EntitySchema, type Repository } from 'typeorm'
declare class Customer { id: FlaxId }
declare class Order { id: FlaxId; customer: Customer }
declare const customer: Customer
declare const orders: Repository<Order>
declare const entities: (typeof Order)[]
declare const dataSource: DataSource
`,
  },
]

export function contextOf(path: string): Context {
  const context = CONTEXTS.find(({ sources }) => path.startsWith(sources))
  if (context === undefined) throw new Error(`test/docstrings/contexts.ts has nothing for ${path}`)
  return context
}
