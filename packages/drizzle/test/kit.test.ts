import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type FlaxId, flake, flax, sno } from '@snoflax/core'
import * as my from '@snoflax/drizzle/mysql-core'
import * as pg from '@snoflax/drizzle/pg-core'
import * as lite from '@snoflax/drizzle/sqlite-core'
import { drizzleMigration } from '@snoflax/pg-sql'
import { type PostgresDatabase, postgres, sqlite } from '@snoflax/test'
import { type Variant, variantsOf } from '@snoflax/test/contract'
import {
  generateDrizzleJson,
  generateMigration,
  generateMySQLDrizzleJson,
  generateMySQLMigration,
  generateSQLiteDrizzleJson,
  generateSQLiteMigration,
} from 'drizzle-kit/api'
import { and, arrayContains, eq, inArray, lte, or, sql } from 'drizzle-orm'
import { drizzle as overBetterSqlite3 } from 'drizzle-orm/better-sqlite3'
import { mysqlTable, mysqlView } from 'drizzle-orm/mysql-core'
import { drizzle as overNodePostgres } from 'drizzle-orm/node-postgres'
import { migrate } from 'drizzle-orm/node-postgres/migrator'
import { integer, pgTable, pgView } from 'drizzle-orm/pg-core'
import { integer as liteInteger, sqliteTable, sqliteView } from 'drizzle-orm/sqlite-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { mysqlSchema, postgresSchema, sqliteSchema } from './contract/schema.js'
import { mysqlStatements, postgresStatements, sqliteStatements } from './generated-sql.js'
import * as kitSchema from './kit/schema.js'

const named = (variants: readonly Variant[]) =>
  variants.map((variant) => [`${variant.family.name} as ${variant.storage}`, variant] as const)

/** The types of a table's columns, by name, in a CREATE TABLE. */
const typesIn = (statements: readonly string[], table: string): Record<string, string> => {
  const create = statements.find((one) => new RegExp(`^CREATE TABLE ["\`]${table}["\`]`).test(one)) ?? ''
  const lines = [...create.matchAll(/^\t["`](\w+)["`] (.+?),?$/gm)]
  return Object.fromEntries(lines.map(([, name, type]) => [name, type]))
}

describe('PostgreSQL', () => {
  const TYPES = { uuid: 'uuid', uuid8: 'uuid', text: 'text COLLATE "C"', binary: '"bytea"', bigint: 'bigint' }

  test.each(named(variantsOf('postgres')))('%s', async (_, variant) => {
    const type = TYPES[variant.storage]
    const schema = postgresSchema(variant)
    expect(typesIn(await postgresStatements(schema), 'customers')).toEqual({
      id: `${type} PRIMARY KEY NOT NULL`,
      email: 'text NOT NULL',
      name: 'text NOT NULL',
      trace_id: type,
      referrer_id: type,
    })
    const snapshot = generateDrizzleJson(schema)
    expect(await generateMigration(snapshot, generateDrizzleJson(postgresSchema(variant)))).toEqual([])
  })
})

describe('SQLite', () => {
  const TYPES: Record<string, string> = { text: 'text', binary: 'blob' }

  test.each(named(variantsOf('sqlite')))('%s', async (_, variant) => {
    const type = TYPES[variant.storage]
    const schema = sqliteSchema(variant)
    expect(typesIn(await sqliteStatements(schema), 'customers')).toMatchObject({
      id: `${type} PRIMARY KEY NOT NULL`,
      trace_id: type,
      referrer_id: type,
    })
    const snapshot = await generateSQLiteDrizzleJson(schema)
    const again = await generateSQLiteDrizzleJson(sqliteSchema(variant))
    expect(await generateSQLiteMigration(snapshot, again)).toEqual([])
  })
})

describe('MySQL', () => {
  const typeOf = ({ family, storage }: Variant): string =>
    ({
      text: `char(${family.textLength}) character set utf8mb4 collate utf8mb4_bin`,
      binary: `binary(${family.byteLength})`,
      bigint: 'bigint unsigned',
    })[storage as 'text']

  test.each(named(variantsOf('mysql')))('%s', async (_, variant) => {
    const type = typeOf(variant)
    const schema = mysqlSchema(variant)
    expect(typesIn(await mysqlStatements(schema), 'customers')).toMatchObject({
      id: `${type} NOT NULL`,
      trace_id: type,
      referrer_id: type,
    })
    const snapshot = await generateMySQLDrizzleJson(schema)
    const again = await generateMySQLDrizzleJson(mysqlSchema(variant))
    expect(await generateMySQLMigration(snapshot, again)).toEqual([])
  })
})

describe('an id as a literal default is written as the column stores it', () => {
  test('PostgreSQL, every family and storage', async () => {
    const database = await postgres.open()
    try {
      const db = overNodePostgres(database.pool)
      for (const [i, { family, storage }] of variantsOf('postgres').entries()) {
        const id = family.lowerBound(new Date('2026-11-01'))
        const table = pgTable(`t${i}`, {
          n: integer(),
          id: pg.idColumn(family).plain({ storage }).default(id),
        })
        for (const statement of await postgresStatements({ table })) await database.query(statement)
        await database.query(`INSERT INTO t${i} (n) VALUES (1)`)
        await db.insert(table).values({ n: 2 })
        expect(await db.select().from(table).where(eq(table.id, id)), family.name).toHaveLength(2)
      }
    } finally {
      await database.close()
    }
  })

  test('SQLite, every family and storage', async () => {
    const database = await sqlite.open()
    const db = overBetterSqlite3(database.connection)
    for (const [i, { family, storage }] of variantsOf('sqlite').entries()) {
      const id = family.lowerBound(new Date('2026-11-01'))
      const table = sqliteTable(`t${i}`, {
        n: liteInteger(),
        id: lite.idColumn(family).plain({ storage }).default(id),
      })
      for (const statement of await sqliteStatements({ table })) await database.query(statement)
      await database.query(`INSERT INTO t${i} (n) VALUES (1)`)
      db.insert(table).values({ n: 2 }).run()
      expect(db.select().from(table).where(eq(table.id, id)).all(), family.name).toHaveLength(2)
    }
    await database.close()
  })

  test('MySQL', async () => {
    const id = sno.lowerBound(new Date('2026-11-01'))
    const table = mysqlTable('t', {
      text: my.snoId.plain().default(id),
      binary: my.snoId.plain({ storage: 'binary' }).default(id),
    })
    const [create] = await mysqlStatements({ table })
    expect(create).toContain(`DEFAULT '${id}'`)
    expect(create).toContain(`DEFAULT (x'${Buffer.from(sno.decode(id)).toString('hex')}')`)
  })

  test('a malformed id is refused', async () => {
    const table = pgTable('t', { id: pg.flaxId.plain().default('wrong' as FlaxId) })
    await expect((async () => postgresStatements({ table }))()).rejects.toMatchObject({
      name: 'IdError',
      path: 't.id',
    })
  })
})

describe('ids in the condition of a view are written as the column stores them', () => {
  const moment = new Date('2026-11-01')

  test('PostgreSQL, every family and storage', async () => {
    const database = await postgres.open()
    try {
      const db = overNodePostgres(database.pool)
      for (const [i, { family, storage }] of variantsOf('postgres').entries()) {
        const id = family.lowerBound(moment)
        const table = pgTable(`t${i}`, { id: pg.idColumn(family).plain({ storage }).array() })
        const one = pgTable(`one${i}`, { id: pg.idColumn(family).plain({ storage }) })
        const view = pgView(`v${i}`).as((query) =>
          query
            .select()
            .from(one)
            .where(and(inArray(one.id, [id]), sql`${one.id} >= ${id}`)),
        )
        const lists = pgView(`lists${i}`).as((query) =>
          query
            .select()
            .from(table)
            .where(and(arrayContains(table.id, [id]), sql`${id} = any(${table.id})`)),
        )
        for (const statement of await postgresStatements({ table, one, view, lists })) {
          await database.query(statement)
        }
        await db
          .insert(one)
          .values([{ id }, { id: family.max }, { id: null }].slice(0, storage === 'bigint' ? 1 : 3))
        await db.insert(table).values([{ id: [id] }, { id: [] }])
        expect(await db.select().from(view), family.name).toEqual([{ id }])
        expect(await db.select().from(lists), family.name).toEqual([{ id: [id] }])
      }
    } finally {
      await database.close()
    }
  })

  test('SQLite, every family and storage', async () => {
    const database = await sqlite.open()
    const db = overBetterSqlite3(database.connection)
    for (const [i, { family, storage }] of variantsOf('sqlite').entries()) {
      const id = family.lowerBound(moment)
      const table = sqliteTable(`t${i}`, { id: lite.idColumn(family).plain({ storage }) })
      const view = sqliteView(`v${i}`).as((query) => query.select().from(table).where(lte(table.id, id)))
      for (const statement of await sqliteStatements({ table, view })) await database.query(statement)
      db.insert(table)
        .values([{ id }, { id: family.max }])
        .run()
      expect(db.select().from(view).all(), family.name).toEqual([{ id }])
    }
    await database.close()
  })

  test('MySQL', async () => {
    const table = mysqlTable('t', {
      binary: my.snoId.plain({ storage: 'binary' }),
      number: my.flakeId.plain(),
    })
    const view = mysqlView('v').as((query) =>
      query
        .select()
        .from(table)
        .where(or(my.createdAfter(table.binary, moment), my.createdAfter(table.number, moment))),
    )
    const statements = await mysqlStatements({ table, view })
    const bytes = Buffer.from(sno.decode(sno.lowerBound(moment))).toString('hex')
    expect(statements.at(-1)).toContain(`\`binary\` >= (x'${bytes}')`)
    expect(statements.at(-1)).toContain(`\`number\` >= ${flake.lowerBound(moment)}`)
  })
})

describe('drizzle-kit', () => {
  const folder = mkdtempSync(join(tmpdir(), 'snoflax-kit-'))
  const cwd = fileURLToPath(new URL('..', import.meta.url))
  const kit = async (
    command: string,
    dialect: string,
    schema: string,
    ...more: string[]
  ): Promise<string> => {
    const cli = join(cwd, 'node_modules/drizzle-kit/bin.cjs')
    const common = ['--dialect', dialect, '--schema', `./test/kit/${schema}`]
    const { stdout } = await promisify(execFile)(process.execPath, [cli, command, ...common, ...more], {
      cwd,
    })
    return stdout
  }
  const run = (command: string, ...more: string[]) => kit(command, 'postgresql', 'schema.ts', ...more)
  const generate = (...more: string[]) => run('generate', '--out', relative(cwd, folder), ...more)
  const written = () => readdirSync(folder).filter((name) => name.endsWith('.sql'))
  let database: PostgresDatabase
  beforeAll(async () => {
    database = await postgres.open()
  })
  afterAll(async () => {
    rmSync(folder, { recursive: true })
    await database.close()
  })

  test('generate writes the migration of the SQL functions and the schema, and then finds no changes', async () => {
    await generate('--custom', '--name', 'install_snoflax')
    const [custom] = written()
    writeFileSync(join(folder, custom as string), drizzleMigration({ families: ['sno', 'flax'] }).content)
    await generate('--name', 'tables')
    const [, tables] = written()
    const text = readFileSync(join(folder, tables as string), 'utf8')
    expect(text).toContain('"id" text COLLATE "C" PRIMARY KEY DEFAULT snoflax.sno_generate_text(2) NOT NULL')
    expect(text).toContain(`"job_id" "bytea" DEFAULT '\\x`)
    expect(text).toContain('"past" text[]')
    expect(text).toContain(`"orders"."job_id" >= '\\x`)
    expect(await generate()).toContain('No schema changes')
    expect(written()).toHaveLength(2)
  })

  test('the generated migrations run, and the database generates ids', async () => {
    const db = overNodePostgres(database.pool, { schema: kitSchema })
    await migrate(db, { migrationsFolder: folder })
    await database.query('SELECT snoflax.sno_set_partition(7)')
    const { customers, orders } = kitSchema
    const [customer] = await db.insert(customers).values({ name: 'Ada' }).returning()
    const past = flax.generate()
    const [order] = await db
      .insert(orders)
      .values({ total: 3, customerId: customer?.id as FlaxId, past: [past] })
      .returning()
    expect(sno.unpack(order?.id as never)).toMatchObject({ meta: 2, partition: 7 })
    expect(order).toMatchObject({ jobId: flake.lowerBound(1_700_000_000_000), past: [past] })
    expect(await db.query.orders.findFirst({ where: eq(orders.id, order?.id as never) })).toEqual(order)
    expect(await db.select().from(kitSchema.recentJobs)).toEqual([{ total: 3 }])
  })

  test('push to SQLite finds no changes the second time', async () => {
    const { file, close } = await sqlite.open()
    const push = () => kit('push', 'sqlite', 'sqlite-schema.ts', '--url', file, '--force')
    expect(await push()).toContain('Changes applied')
    expect(await push()).toContain('No changes detected')
    await close()
  })

  // drizzle-kit reads no collations from the database: a limit that the README tells.
  test('push to PostgreSQL finds no changes, but repeats the type of text columns', async () => {
    const pushed = await run('push', '--url', database.url, '--force', '--verbose')
    const statements = pushed.split('\n').filter((line) => /^\s*(ALTER|CREATE|DROP)/.test(line))
    expect(statements.map((line) => line.trim())).toEqual([
      'ALTER TABLE "customers" ALTER COLUMN "id" SET DATA TYPE text COLLATE "C";',
      'ALTER TABLE "customers" ALTER COLUMN "referrer_id" SET DATA TYPE text COLLATE "C";',
      'ALTER TABLE "orders" ALTER COLUMN "id" SET DATA TYPE text COLLATE "C";',
      'ALTER TABLE "orders" ALTER COLUMN "id" SET DEFAULT snoflax.sno_generate_text(2);',
      'ALTER TABLE "orders" ALTER COLUMN "customer_id" SET DATA TYPE text COLLATE "C";',
    ])
    for (const statement of statements) await database.query(statement)
    await database.query('CREATE VIEW seen AS SELECT id FROM customers')
    await expect(database.query(statements[0] as string)).rejects.toThrow('used by a view')
  })
})
