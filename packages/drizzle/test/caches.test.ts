import { flake, flax } from '@snoflax/core'
import { flakeId, flaxId } from '@snoflax/drizzle/pg-core'
import { postgres } from '@snoflax/test'
import { and, eq } from 'drizzle-orm'
import { Cache } from 'drizzle-orm/cache/core'
import { drizzle } from 'drizzle-orm/node-postgres'
import { integer, pgTable } from 'drizzle-orm/pg-core'
import { expect, test } from 'vitest'
import { postgresStatements } from './generated-sql.js'

/** Drizzle caches what the driver returned. Caches such as Upstash's keep it as JSON. */
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

test('ids are read from a cache that keeps rows as JSON', async () => {
  const generator = flake.generator({ datacenter: 1, worker: 2 })
  const cached = pgTable('cached', {
    bytes: flaxId({ storage: 'binary' }).primaryKey(),
    past: flaxId.plain({ storage: 'binary' }).array(),
    number: flakeId({ generator }),
    size: integer(),
  })
  const database = await postgres.open()
  try {
    for (const statement of await postgresStatements({ cached })) await database.query(statement)
    const cache = new JsonCache()
    const db = drizzle({ client: database.pool, cache: cache as never })
    const [bytes, past] = [flax.generate(), [flax.generate()]]
    const row = { bytes, past, number: generator.generate(), size: 1 }
    await db.insert(cached).values(row)
    // What a query binds is in the cache's key, which is JSON too.
    const where = and(eq(cached.bytes, row.bytes), eq(cached.number, row.number))
    for (const hits of [0, 1]) {
      expect(await db.select().from(cached).where(where)).toEqual([row])
      expect(cache.hits).toBe(hits)
    }
  } finally {
    await database.close()
  }
})
