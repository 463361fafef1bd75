/** The context of the examples in some sources. */
export interface Context {
  /** The start of the sources' path. */
  readonly sources: string
  /** Imports, and values that a reader has. The run defines `pool` and `url` of a database. */
  readonly code: string
  /** The values to close at the end. */
  readonly end?: string
  /** Replacements for names in the examples that a test can't use. */
  readonly instead?: Readonly<Record<string, string>>
}

const DRIZZLE = `
import { count, desc, eq, is, sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/node-postgres'
import { integer, pgTable } from 'drizzle-orm/pg-core'
import { mysqlTable } from 'drizzle-orm/mysql-core'
import { sqliteTable } from 'drizzle-orm/sqlite-core'
import type { Pool } from 'pg'
import { flake, flax, type Id, type IdFamily, prefixed, sno, type SnoId } from '@snoflax/core'
import { uid, uidLocal } from '@snoflax/families'
import * as pg from '@snoflax/drizzle/pg-core'
import { install, installedVersion } from '@snoflax/pg-sql'

declare const pool: Pool
const orders = pgTable('orders', { id: pg.snoId().primaryKey(), total: integer().notNull() })
const events = pgTable('events', { id: pg.idColumn.plain(uid).primaryKey() })
const db = drizzle(pool, { schema: { orders } })
const id = sno.generate()
const rows = [{ id: uid.generator({ node: 'app@10.0.0.7' }).generate() }]
const from = new Date('2026-11-01')
const to = new Date('2026-12-01')
const ticket = flax as unknown as IdFamily<Id<'ticket'>>
const lastSeenId: SnoId | undefined = sno.generate()
if ((await installedVersion(pool)) === undefined) await install(pool)
await pool.query('CREATE TABLE IF NOT EXISTS orders (id text COLLATE "C" PRIMARY KEY, parent_id text COLLATE "C", total integer NOT NULL)')
await db.insert(orders).values([{ total: 3 }, { total: 5 }])
`

const drizzle = (file: string, imports: string): Context => ({
  sources: `packages/drizzle/src/${file}`,
  code: `${DRIZZLE}${imports}`,
})

const schemas = (name: string, theirs: string, imports: string): Context =>
  drizzle(
    `${name}.ts`,
    `import { idSchema, insertIds, selectIds, updateIds } from '@snoflax/drizzle/${name}'\n` +
      `import { createInsertSchema, createSelectSchema, createUpdateSchema } from '${theirs}'\n${imports}`,
  )

const validators = (path: string, imports: string): Context => ({
  sources: `packages/validators/src/${path}`,
  code: `import { flax, type FlaxId, sno, type SnoId } from '@snoflax/core'\n${imports}\n`,
})

const FAMILY_COLUMNS = 'flakeId, flaxId, idColumn, snoId'

/** The contexts. The first that matches a source applies. */
export const CONTEXTS: readonly Context[] = [
  {
    sources: 'tools/adopt/',
    code: `
import { type AdoptionOptions, keyTime, inventoryOf, obstaclesOf, planAdoption, rehearseAdoption, type TableOptions } from '@snoflax/adopt'
import { flax, sno } from '@snoflax/core'
import type { Pool } from 'pg'
declare const pool: Pool
await pool.query(\`
  DROP SCHEMA IF EXISTS snoflax_adoption CASCADE;
  DROP TABLE IF EXISTS orders;
  CREATE TABLE orders (id serial PRIMARY KEY, created_at timestamptz NOT NULL);
  INSERT INTO orders (created_at) VALUES ('2026-11-01Z'), ('2026-11-02Z')\`)
`,
  },
  {
    sources: 'packages/better-sqlite3/',
    code: `
import { registerSnoflax } from '@snoflax/better-sqlite3'
import { sno } from '@snoflax/core'
import Database from 'better-sqlite3'
`,
    instead: { "'app.db'": "':memory:'" },
  },
  {
    sources: 'tools/cli/',
    code: "import { EXIT, run } from 'snoflax'\n",
  },
  {
    sources: 'packages/core/',
    code: `
import { accepting, betterAuthIds, columnFor, defineFamily, fixedId, flake, flax, type FlaxId, type Id, IdError, type IdOf, isSameFamily, opaque, prefixed, recent, registry, sno, storageFor, typeid, ulid, uuid7, uuid7or4 } from '@snoflax/core'
import { fieldBits, isPlausible, readings, refusals } from '@snoflax/core/inspect'
import { acceptLabels } from '@snoflax/core/testing'
import {
  agree, baseOf, checkColumnOptions, checkCondition, checkFamilies, checkFamily, checkGenerating, checkGenerator, checkGeneratorNames, checkKeyset, checkMeta, checkMismatch, checkOwnType, checkSchema, checkTimed, columnFaults, familyWith, fitsStored,
  databaseDefault, DEFAULT_SCHEMA, findRow, idSource, keysOf, isAccepting, isBytes, isDate, isOpaque, ownOf, isPrefixed, kindOf, labelOf, keyStatistics, plainStorage, quoteMysqlName, quoteName, quoteText, readKeyset, requireMembers, show, snakeCase, sqliteCollation, sqlCall, timeOf, wasCreatedBetween,
  sqlFunction, unixMs, withPath, arrayLiteral, storedReader, hexOf, literalOf, POSTGRES_COLLATION, refuse, refuseFaults,
} from '@snoflax/core/adapter'
import {
  alphabet, batch, blockUntil, checkBytes, checkInteger, checkOptions, checkSpan, checkText, checkTimeField,
  createBackfill, fail, isSpelled, once, radix64, readUint, refuseCharacter, refuseType, secureRandom, systemClock,
  toUnixMs, waitingQueue,
} from '@snoflax/core/define'
`,
  },
  {
    sources: 'packages/etcd/',
    code: "import { sno } from '@snoflax/core'\nimport { leasePartitionFrom } from '@snoflax/leases'\nimport { etcdLeases } from '@snoflax/etcd'\n",
  },
  {
    sources: 'packages/families/',
    code: "import { discord, twitter, uid, uidLocal } from '@snoflax/families'\n",
  },
  {
    sources: 'packages/leases/',
    code: `
import { flake } from '@snoflax/core'
import { type LeaseStore, leasePartitionFrom, sqlLeases } from '@snoflax/leases'
const client = { query: async (_text: string, _values: unknown[]) => ({ rows: [] }) }
const store: LeaseStore = {
  acquire: async ({ ttlMs }) => ({ token: '', number: 7, shard: 0, startMs: 0, untilMs: Date.now() + ttlMs }),
  renew: async (_, ttlMs) => ({ startMs: 0, untilMs: Date.now() + ttlMs }),
  release: async () => {},
}
`,
  },
  {
    sources: 'packages/seal/',
    code: `
import { flax } from '@snoflax/core'
import { generateSealKey, seal } from '@snoflax/seal'
`,
  },
  drizzle(
    'pg-core/',
    `import { createdAt, createdBetween, ${FAMILY_COLUMNS}, maxId, minId } from '@snoflax/drizzle/pg-core'`,
  ),
  drizzle('mysql-core/', `import { ${FAMILY_COLUMNS} } from '@snoflax/drizzle/mysql-core'`),
  drizzle('sqlite-core/', `import { ${FAMILY_COLUMNS} } from '@snoflax/drizzle/sqlite-core'`),
  schemas('zod', 'drizzle-zod', "import { z } from 'zod'"),
  schemas('valibot', 'drizzle-valibot', "import * as v from 'valibot'"),
  schemas('typebox-legacy', 'drizzle-typebox', "import { Type } from '@sinclair/typebox'"),
  schemas('arktype', 'drizzle-arktype', "import { type } from 'arktype'"),
  drizzle(
    'typebox.ts',
    "import { idSchema, insertIds, selectIds, updateIds } from '@snoflax/drizzle/typebox'\nimport { Type } from 'typebox'",
  ),
  drizzle(
    '',
    "import { seed } from 'drizzle-seed'\nimport { checkColumns, createdAfter, createdAt, createdBefore, createdBetween, find, fromDatabase, keyset, parameter, placeholder, seedIds, typedIds, wasCreatedBetween } from '@snoflax/drizzle'\nimport { flaxId } from '@snoflax/drizzle/pg-core'",
  ),
  {
    sources: 'packages/kysely/',
    code: `
import { flake, flax, prefixed, sno, type SnoId, typeid, ulid, uuid7, uuid7or4 } from '@snoflax/core'
import { uid, type UidId, uidLocal } from '@snoflax/families'
import { flaxId, idColumn, idPlugin, snoId, type WithIds } from '@snoflax/kysely'
import { Kysely, PostgresDialect, sql } from 'kysely'
import type { Pool } from 'pg'
declare const pool: Pool
interface DB { orders: { total: number } }
const dialect = new PostgresDialect({ pool })
const ids = idPlugin({
  database: 'postgres',
  tables: {
    orders: { id: snoId() },
    events: { id: idColumn.plain(uid) },
    jobs: { id: flaxId({ default: 'database' }) },
  },
})
const db = new Kysely<WithIds<DB, typeof ids>>({ dialect, plugins: [ids] })
const rows = [{ id: uid.generator({ node: 'app@10.0.0.7' }).generate() }]
const from = new Date('2026-11-01')
const to = new Date('2026-12-01')
const lastSeenId = ids.generate('orders.id')
await pool.query('CREATE TABLE IF NOT EXISTS orders (id text COLLATE "C" PRIMARY KEY, total integer NOT NULL)')
await pool.query('CREATE TABLE IF NOT EXISTS events (id text COLLATE "C")')
await pool.query('CREATE TABLE IF NOT EXISTS jobs (id text COLLATE "C")')
`,
  },
  {
    sources: 'packages/mikro-orm/',
    code: `
import { defineEntity, type InferEntity, p } from '@mikro-orm/core'
import { MikroORM } from '@mikro-orm/postgresql'
import { flax, prefixed } from '@snoflax/core'
import { uid, uidLocal } from '@snoflax/families'
import {
  createdAfter, createdBefore, createdBetween, find, flaxId, idProperty, IdType, keyset, snoId,
} from '@snoflax/mikro-orm'
declare const url: string
const Order = defineEntity({ name: 'Order', properties: { id: flaxId(), total: p.integer() } })
type Order = InferEntity<typeof Order>
const orm = await MikroORM.init({ entities: [Order], clientUrl: url })
await orm.schema.update({ safe: true })
const em = orm.em.fork()
`,
    end: 'await orm.close()',
  },
  {
    sources: 'packages/mysql-sql/',
    code: `
import { flake, flax, sno } from '@snoflax/core'
import { leasePartitionFrom } from '@snoflax/leases'
import {
  columnSql, drift, install, installedVersion, installStatements, leasePartition, mysqlLeases, partitionsSql, timeSql, uninstall, VERSION,
} from '@snoflax/mysql-sql'
import type { Pool } from 'mysql2/promise'
declare const pool: Pool
for (const schema of ['snoflax', 'ids']) {
  if ((await installedVersion(pool, { schema })) === undefined) {
    await install(pool, { schema })
    // A server of tests may lose commits.
    await pool.query(\`CALL \${schema}.lease_adopt('sno')\`)
  }
}
const connection = await pool.getConnection()
`,
    end: 'connection.release()',
    // An account that every server has.
    instead: { "'app@%'": "'root@localhost'" },
  },
  {
    sources: 'packages/pg-sql/',
    code: `
import { flake, sno } from '@snoflax/core'
import {
  drizzleMigration, install, installedVersion, installSql, installStatements, leasePartition,
  postgresLeases, prismaMigration, typeormMigration, uninstall, VERSION,
} from '@snoflax/pg-sql'
import { leasePartitionFrom } from '@snoflax/leases'
import type { Pool } from 'pg'
declare const pool: Pool
for (const schema of ['snoflax', 'ids']) {
  if ((await installedVersion(pool, { schema })) === undefined) await install(pool, { schema })
}
const transaction = await pool.connect()
await transaction.query('BEGIN')
`,
    end: "await transaction.query('COMMIT'); transaction.release()",
    // A role that every server has.
    instead: { "'app'": "'pg_monitor'" },
  },
  {
    sources: 'packages/prisma-extension/',
    code: `
import { PrismaPg } from '@prisma/adapter-pg'
import { flax, sno } from '@snoflax/core'
import { type ConfigurationOf, idExtension, keyset, storedIds } from '@snoflax/prisma-extension'
import { type Prisma, PrismaClient } from './generated/client/client.ts'
import { createdAfter, createdBefore, createdBetween, fromDatabase, parameter, snoflax } from './generated/snoflax/index.ts'
declare const pool: { query(sql: string): Promise<unknown> }
declare const url: string
await pool.query(\`
  CREATE TABLE IF NOT EXISTS "Customer" (id text COLLATE "C" PRIMARY KEY, name text NOT NULL);
  CREATE TABLE IF NOT EXISTS "Order" (
    id text COLLATE "C" PRIMARY KEY, total integer NOT NULL, "customerId" text COLLATE "C" NOT NULL REFERENCES "Customer", "traceId" text)\`)
const adapter = new PrismaPg({ connectionString: url })
const prisma = new PrismaClient({ adapter }).$extends(snoflax())
const { id } = await prisma.order.create({ data: { total: 3, customer: { create: { name: 'Ada' } } } })
`,
    end: 'await prisma.$disconnect()',
  },
  {
    sources: 'packages/typeorm/',
    code: `
import 'reflect-metadata'
import { flake, type FlakeId, flax, type FlaxId, type Id, sno, type SnoId } from '@snoflax/core'
import { uid, type UidId, uidLocal, type UidLocalId } from '@snoflax/families'
import {
  CreatedAt, createdAfter, createdBefore, createdBetween, FlakeIdColumn, FlaxIdColumn, idColumn, IdColumn, keyset,
  prepareDataSource, SnoIdColumn, parameter, fromDatabase, find,
} from '@snoflax/typeorm'
import { Column, DataSource, Entity, EntitySchema, ManyToOne } from 'typeorm'
declare const url: string

@Entity()
class Customer {
  @FlaxIdColumn() id!: FlaxId
}
@Entity()
class Order {
  @FlaxIdColumn() id!: FlaxId
  @ManyToOne(() => Customer) customer!: Customer
}
@Entity()
class Visit {
  @FlaxIdColumn({ storage: 'binary' }) id!: FlaxId
}
@Entity()
class Log {
  @FlaxIdColumn() id!: FlaxId
  @Column('varchar') message!: string
}
const entities = [Customer, Order, Visit, Log]
const dataSource = await new DataSource({ type: 'postgres', url, entities, synchronize: true }).initialize()
const orders = dataSource.getRepository(Order)
const customer = await dataSource.getRepository(Customer).save(new Customer())
const visits = dataSource.getRepository(Visit)
const visit = await visits.save(new Visit())
`,
    end: 'await dataSource.destroy()',
  },
  validators('zod.ts', "import { z } from 'zod'\nimport { idSchema } from '@snoflax/validators/zod'"),
  validators('zod3.ts', "import { z } from 'zod/v3'\nimport { idSchema } from '@snoflax/validators/zod3'"),
  validators(
    'valibot.ts',
    "import * as v from 'valibot'\nimport { idSchema } from '@snoflax/validators/valibot'",
  ),
  validators(
    'typebox.ts',
    "import { Type } from 'typebox'\nimport { idSchema } from '@snoflax/validators/typebox'",
  ),
  validators(
    'typebox-legacy.ts',
    "import { Type } from '@sinclair/typebox'\nimport { idSchema } from '@snoflax/validators/typebox-legacy'",
  ),
  validators(
    'arktype.ts',
    "import { type } from 'arktype'\nimport { idSchema } from '@snoflax/validators/arktype'",
  ),
  validators(
    'fastify.ts',
    "import fastify from 'fastify'\nimport { ids } from '@snoflax/validators'\n" +
      "import { validatorCompiler } from '@snoflax/validators/fastify'\nconst app = fastify()",
  ),
  validators(
    'nest.ts',
    "import 'reflect-metadata'\nimport { Get, Param } from '@nestjs/common'\nimport { IdPipe } from '@snoflax/validators/nest'",
  ),
  validators('class-validator.ts', "import { IsId } from '@snoflax/validators/class-validator'"),
  validators(
    'graphql.ts',
    "import { GraphQLObjectType } from 'graphql'\nimport { idScalar } from '@snoflax/validators/graphql'",
  ),
  validators('relay.ts', "import { globalIds } from '@snoflax/validators/relay'"),
  validators('', "import { ids } from '@snoflax/validators'"),
]

export function contextOf(path: string): Context {
  const context = CONTEXTS.find(({ sources }) => path.startsWith(sources))
  if (context === undefined) throw new Error(`test/docstrings/contexts.ts has nothing for ${path}`)
  return context
}
