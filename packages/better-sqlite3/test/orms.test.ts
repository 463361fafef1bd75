import { PrismaBetterSqlite3 } from '@prisma/adapter-better-sqlite3'
import { registerSnoflax, type SqliteConnection } from '@snoflax/better-sqlite3'
import { flake, IdError, sno } from '@snoflax/core'
import { type SqliteDatabase, sqlite } from '@snoflax/test'
import { and, eq, sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { DataSource, EntitySchema, QueryFailedError } from 'typeorm'
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

  let dataSource: DataSource
  beforeEach(async () => {
    dataSource = await new DataSource({
      type: 'better-sqlite3',
      database: database.file,
      prepareDatabase: (db) => registerSnoflax(db, { generators: GENERATORS }),
      entities: [LogSchema],
      synchronize: true,
    }).initialize()
    await dataSource.query("INSERT INTO log (line) VALUES ('one'), ('two')")
  })
  afterEach(() => dataSource.destroy())

  test('defaults, generated columns and ranges work', async () => {
    const logs = dataSource.getRepository(LogSchema)
    const found = await logs
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
  })

  test("an invalid id is the driverError of TypeORM's error", async () => {
    const query = dataSource.query('SELECT sno_time(?)', ['no id'])
    const error = await query.catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(QueryFailedError)
    expect(error).toMatchObject({
      message: expect.stringContaining('sno_time(): sno: an id has 16 characters'),
    })
    expect((error as QueryFailedError).driverError).toBeInstanceOf(IdError)
  })
})

describe('Drizzle, on a registered connection', () => {
  const log = sqliteTable('log', {
    id: text().primaryKey().default(sql`(flax_generate_text())`),
    line: text().notNull(),
    createdAt: text('created_at').generatedAlwaysAs(sql`flax_time(id)`),
  })

  const connect = () => {
    const client = registerSnoflax(database.connection)
    client.exec(`CREATE TABLE log (
      id TEXT PRIMARY KEY DEFAULT (flax_generate_text()), line TEXT NOT NULL, created_at TEXT AS (flax_time(id)))`)
    return drizzle({ client })
  }

  test('defaults, generated columns and ranges work', () => {
    const db = connect()
    const [made] = db.insert(log).values({ line: 'one' }).returning().all()
    expect(made?.createdAt).toMatch(/^20\d\d-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}$/)
    const recent = sql`${log.id} >= flax_lower_bound_text(${minutesAgo(1)})`
    expect(
      db
        .select()
        .from(log)
        .where(and(recent, eq(log.line, 'one')))
        .all(),
    ).toEqual([made])
    const later = sql`${log.id} >= flax_lower_bound_text(${minutesAgo(-1)})`
    expect(db.select().from(log).where(later).all()).toEqual([])
  })

  test("an invalid id is Drizzle's error", async () => {
    const query = connect()
      .select({ at: sql`flax_time(${'no id'})` })
      .from(sql`(SELECT 1)`)
    expect(() => query.all()).toThrow(IdError)
    await expect(query).rejects.toThrow(IdError)
  })
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

  test('defaults and ranges work, and 64-bit numbers are read exactly', async () => {
    const adapter = await new Adapter({ url: `file:${database.file}` }).connect()
    await adapter.executeScript(
      'CREATE TABLE log (id TEXT PRIMARY KEY DEFAULT (sno_generate_text(3)), n BIGINT DEFAULT (flake_generate_bigint()), line TEXT)',
    )
    await adapter.executeRaw(query('INSERT INTO log (line) VALUES (?)', 'one'))
    const { rows } = await adapter.queryRaw(
      query(
        'SELECT sno_meta(id), n, flake_encode(n) FROM log WHERE id >= sno_lower_bound_text(?)',
        minutesAgo(1),
      ),
    )
    expect(rows).toHaveLength(1)
    const [meta, number, flakeId] = rows[0] as unknown[]
    expect(Number(meta)).toBe(3)
    expect(String(number)).toBe(flakeId)
    await adapter.dispose()
  })

  test('an invalid id is an error of the adapter, with our message', async () => {
    const adapter = await new Adapter({ url: ':memory:' }).connect()
    const error = await Promise.resolve()
      .then(() => adapter.queryRaw(query('SELECT flax_time(?)', 'no id')))
      .catch((reason: unknown) => reason)
    expect(error).toMatchObject({
      cause: {
        kind: 'sqlite',
        originalCode: 'INVALID_LENGTH',
        message: 'flax_time(): flax: an id has 16 characters, not 5 ("no id")',
      },
    })
    await adapter.dispose()
  })
})
