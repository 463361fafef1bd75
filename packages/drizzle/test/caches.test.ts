import { flake, flax } from '@snoflax/core'
import { flakeId, flaxId } from '@snoflax/drizzle/pg-core'
import { flaxId as sqliteId } from '@snoflax/drizzle/sqlite-core'
import { type PostgresDatabase, postgres } from '@snoflax/test'
import Database from 'better-sqlite3'
import { eq } from 'drizzle-orm'
import { drizzle as overBetterSqlite3 } from 'drizzle-orm/better-sqlite3'
import { Cache } from 'drizzle-orm/cache/core'
import { drizzle } from 'drizzle-orm/node-postgres'
import { integer, pgTable } from 'drizzle-orm/pg-core'
import { sqliteTable } from 'drizzle-orm/sqlite-core'
import { afterAll, beforeAll, expect, test } from 'vitest'

// Drizzle caches what the driver returned. Caches such as Upstash's keep it as JSON.

class JsonCache extends Cache {
  readonly rows = new Map<string, string>()
  hits = 0

  override strategy = () => 'all' as const
  override async get(key: string) {
    const found = this.rows.get(key)
    if (found === undefined) return undefined
    this.hits++
    return JSON.parse(found)
  }
  override async put(key: string, response: unknown) {
    this.rows.set(key, JSON.stringify(response))
  }
  override async onMutate() {
    this.rows.clear()
  }
}

const generator = flake.generator({ datacenter: 1, worker: 2 })
const bytes = pgTable('cached_bytes', {
  id: flaxId({ storage: 'binary' }).primaryKey(),
  past: flaxId.plain({ storage: 'binary' }).array(),
  size: integer(),
})
const numbers = pgTable('cached_numbers', { id: flakeId({ generator }).primaryKey(), size: integer() })

let database: PostgresDatabase
beforeAll(async () => {
  database = await postgres.open()
  await database.pool.query('create table cached_bytes (id bytea primary key, past bytea[], size int)')
  await database.pool.query('create table cached_numbers (id bigint primary key, size int)')
})
afterAll(() => database?.close())

test.each([
  ['binary', bytes, { id: flax.generate(), past: [flax.generate()] }],
  ['bigint', numbers, { id: generator.generate() }],
] as const)('ids with storage %s are read from a cache that keeps rows as JSON', async (_, table, given) => {
  const cache = new JsonCache()
  const db = drizzle({ client: database.pool, cache: cache as never })
  const row = { ...given, size: 1 }
  await db.insert(table).values(row as never)
  const read = () =>
    db
      .select()
      .from(table)
      .where(eq(table.id as typeof bytes.id, row.id as never))
  expect(await read()).toEqual([row])
  expect(await read()).toEqual([row])
  expect(cache.hits).toBe(1)
})

test('so are those of SQLite, whose drivers return Buffers', async () => {
  const things = sqliteTable('things', { id: sqliteId({ storage: 'binary' }).primaryKey() })
  const client = new Database(':memory:')
  client.exec('create table things (id blob primary key)')
  const db = overBetterSqlite3({ client })
  const [row] = db.insert(things).values({}).returning().all()
  const stored = client.prepare('select id from things').get() as { id: Buffer }
  const read = (value: unknown) => things.id.mapFromDriverValue(JSON.parse(JSON.stringify(value)))
  expect(read(stored.id)).toBe(row?.id)
  expect(read(new Uint8Array(stored.id))).toBe(row?.id)
  expect(() => read(new Uint8Array(stored.id).buffer)).toThrow(/things\.id/)
})
