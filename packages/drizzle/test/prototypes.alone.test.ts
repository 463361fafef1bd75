import { flax } from '@snoflax/core'
import Database from 'better-sqlite3'
import * as drizzleOrm from 'drizzle-orm'
import { eq, relations } from 'drizzle-orm'
import * as sessions from 'drizzle-orm/better-sqlite3'
import * as mysqlCore from 'drizzle-orm/mysql-core'
import * as pgCore from 'drizzle-orm/pg-core'
import * as core from 'drizzle-orm/sqlite-core'
import { expect, test } from 'vitest'
import { isBefore1 } from './contract/version.js'

// In a process of its own: Drizzle is looked at before anything of ours is loaded.

const modules = { drizzleOrm, core, pgCore, mysqlCore, sessions }

/** Drizzle's exports, and what its classes and their prototypes consist of. */
function members(): Map<string, unknown> {
  const found = new Map<string, unknown>()
  const add = (path: string, object: object) => {
    for (const key of Reflect.ownKeys(object)) {
      const { value, get } = Object.getOwnPropertyDescriptor(object, key) as PropertyDescriptor
      found.set(`${path}.${String(key)}`, value ?? get)
    }
  }
  for (const [name, module] of Object.entries(modules)) {
    add(name, module)
    for (const [key, one] of Object.entries(module)) {
      if (typeof one !== 'function') continue
      add(`${name}.${key}`, one)
      if (one.prototype) add(`${name}.${key}.prototype`, one.prototype)
    }
  }
  const client = new Database(':memory:')
  const db = sessions.drizzle({ client, schema: { plain: core.sqliteTable('plain', { id: core.text() }) } })
  if (isBefore1) add('RelationalQuery', Object.getPrototypeOf(db.query.plain.findMany()))
  client.close()
  return found
}

test('no class, prototype or module of Drizzle changes with columns, queries and writes', async () => {
  const before = members()
  const { flaxId: pgFlaxId } = await import('@snoflax/drizzle/pg-core')
  const { flaxId: mysqlFlaxId } = await import('@snoflax/drizzle/mysql-core')
  const { createdBetween, flaxId, keyset } = await import('@snoflax/drizzle/sqlite-core')
  const client = new Database(':memory:')
  for (const storage of ['text', 'binary'] as const) {
    pgCore.pgTable('rooms', { id: pgFlaxId({ storage }) })
    mysqlCore.mysqlTable('rooms', { id: mysqlFlaxId({ storage }) })
    const shops = core.sqliteTable(`shops_${storage}`, { id: flaxId({ storage, check: true }).primaryKey() })
    const doors = core.sqliteTable(`doors_${storage}`, {
      id: flaxId({ onMismatch: 'notFound' }).primaryKey(),
      shopId: flaxId.ref('shop_id', () => shops.id),
    })
    client.exec(`create table shops_${storage} (id); create table doors_${storage} (id, shop_id)`)
    const related = isBefore1
      ? { shopRelations: relations(shops, ({ many }) => ({ doors: many(doors) })) }
      : {}
    const db = sessions.drizzle({ client, schema: { shops, doors, ...related } })
    const [shop] = await db.insert(shops).values({}).returning()
    const shopId = shop?.id as never
    db.insert(doors).values({ shopId }).returning().prepare().get()
    const where = createdBetween(doors.id, 0, Date.now() + 1e6)
    await db.update(doors).set({ shopId }).where(where)
    const joined = db.select().from(doors).innerJoin(shops, eq(shops.id, doors.shopId))
    const page = keyset(doors.id, { after: flax.min as never })
    expect(await joined.where(page.where)).toHaveLength(1)
    if (isBefore1) expect(await db.query.shops.findMany()).toEqual([{ id: shopId }])
    expect(() =>
      db
        .select()
        .from(shops)
        .where(eq(shops.id, 'malformed' as never))
        .all(),
    ).toThrow('16 char')
  }
  client.close()
  const after = members()
  expect([...after.keys()]).toEqual([...before.keys()])
  expect([...after].filter(([path, value]) => before.get(path) !== value)).toEqual([])
})
