import { PrismaBetterSqlite3 } from '@prisma/adapter-better-sqlite3'
import { registerSnoflax, type SqliteConnection } from '@snoflax/better-sqlite3'
import { flake, IdError, sno } from '@snoflax/core'
import { type SqliteDatabase, sqlite } from '@snoflax/test'
import { sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { DataSource, EntitySchema } from 'typeorm'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

const GENERATORS = {
  sno: sno.generator({ partition: 7 }),
  flake: flake.generator({ datacenter: 1, worker: 2 }),
}

let database: SqliteDatabase
beforeEach(async () => {
  database = await sqlite.open()
})
afterEach(() => database.close())

const minutesAgo = (minutes: number): string => new Date(Date.now() - minutes * 60_000).toISOString()

describe('TypeORM, through prepareDatabase', () => {
  interface Log {
    id: string
    line: string
    createdAt: string
  }

  const LogSchema = new EntitySchema<Log>({
    name: 'Log',
    columns: {
      id: { type: 'text', primary: true, default: () => '(sno_generate_text(9))' },
      line: { type: 'text' },
      createdAt: { type: 'text', asExpression: 'sno_time(id)', generatedType: 'VIRTUAL', insert: false },
    },
  })

  test('defaults, generated columns and ranges work, and an invalid id is its driverError', async () => {
    const dataSource = await new DataSource({
      type: 'better-sqlite3',
      database: database.file,
      prepareDatabase: (db) => registerSnoflax(db, { generators: GENERATORS }),
      entities: [LogSchema],
      synchronize: true,
    }).initialize()
    await dataSource.query("INSERT INTO log (line) VALUES ('one'), ('two')")
    const found = await dataSource
      .getRepository(LogSchema)
      .createQueryBuilder('log')
      .where('log.id >= sno_lower_bound_text(:from)', { from: new Date(Date.now() - 60_000) })
      .andWhere('log.id < sno_lower_bound_text(:until)', { until: minutesAgo(-1) })
      .orderBy('log.id')
      .getMany()
    expect(found.map(({ line }) => line)).toEqual(['one', 'two'])
    for (const { id, createdAt } of found) {
      expect(sno.meta(sno.parse(id))).toBe(9)
      expect(createdAt).toBe(sno.time(sno.parse(id)).toISOString().replace('T', ' ').replace('Z', ''))
    }
    const wrong = dataSource.query('SELECT sno_time(?)', ['no id'])
    await expect(wrong).rejects.toMatchObject({
      message: expect.stringContaining('sno_time(): sno: an id has 16 characters'),
      driverError: expect.any(IdError),
    })
    await dataSource.destroy()
  })
})

test('Drizzle, on a registered connection: defaults, generated columns and ranges work', async () => {
  const log = sqliteTable('log', {
    id: text().primaryKey().default(sql`(flax_generate_text())`),
    line: text().notNull(),
    createdAt: text('created_at').generatedAlwaysAs(sql`flax_time(id)`),
  })
  const client = registerSnoflax(database.connection)
  client.exec(`CREATE TABLE log (
    id TEXT PRIMARY KEY DEFAULT (flax_generate_text()), line TEXT NOT NULL, created_at TEXT AS (flax_time(id)))`)
  const db = drizzle({ client })
  const [made] = db.insert(log).values({ line: 'one' }).returning().all()
  expect(made?.createdAt).toMatch(/^20\d\d-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}$/)
  const since = (minutes: number) =>
    db
      .select()
      .from(log)
      .where(sql`${log.id} >= flax_lower_bound_text(${minutesAgo(minutes)})`)
  expect(since(1).all()).toEqual([made])
  expect(since(-1).all()).toEqual([])
  const wrong = db.select({ at: sql`flax_time(${'no id'})` }).from(log)
  expect(() => wrong.all()).toThrow(IdError)
  await expect(wrong).rejects.toThrow(IdError)
})

describe('Prisma, whose adapter has no hook, through an undeclared property', () => {
  class Adapter extends PrismaBetterSqlite3 {
    override async connect() {
      const adapter = await super.connect()
      const { client } = adapter as unknown as { client: SqliteConnection }
      registerSnoflax(client, { generators: GENERATORS })
      return adapter
    }
  }

  const query = (text: string, ...args: string[]) => ({
    sql: text,
    args,
    argTypes: args.map(() => ({ scalarType: 'string' as const, arity: 'scalar' as const })),
  })

  test('defaults and ranges work, 64-bit numbers are read exactly, and an error has our message', async () => {
    const adapter = await new Adapter({ url: `file:${database.file}` }).connect()
    await adapter.executeScript(
      'CREATE TABLE log (id TEXT PRIMARY KEY DEFAULT (sno_generate_text(3)), n BIGINT DEFAULT (flake_generate_bigint()), line TEXT)',
    )
    await adapter.executeRaw(query('INSERT INTO log (line) VALUES (?)', 'one'))
    const select = 'SELECT sno_meta(id), n, flake_encode(n) FROM log WHERE id >= sno_lower_bound_text(?)'
    const { rows } = await adapter.queryRaw(query(select, minutesAgo(1)))
    expect(rows).toHaveLength(1)
    const [meta, number, flakeId] = rows[0] as unknown[]
    expect(Number(meta)).toBe(3)
    expect(String(number)).toBe(flakeId)
    const wrong = async () => adapter.queryRaw(query('SELECT flax_time(?)', 'no id'))
    await expect(wrong()).rejects.toMatchObject({
      cause: {
        kind: 'sqlite',
        originalCode: 'INVALID_LENGTH',
        message: 'flax_time(): flax: an id has 16 characters, not 5 ("no id")',
      },
    })
    await adapter.dispose()
  })
})
