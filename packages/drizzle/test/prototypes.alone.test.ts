import { readFileSync } from 'node:fs'
import { flax, IdError } from '@snoflax/core'
import { flaxId as mysqlFlaxId } from '@snoflax/drizzle/mysql-core'
import { flaxId as pgFlaxId } from '@snoflax/drizzle/pg-core'
import { createdAt, createdBetween, flaxId, keyset } from '@snoflax/drizzle/sqlite-core'
import Database from 'better-sqlite3'
import * as drizzleOrm from 'drizzle-orm'
import { eq, relations, sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import * as mysqlCore from 'drizzle-orm/mysql-core'
import * as pgCore from 'drizzle-orm/pg-core'
import * as core from 'drizzle-orm/sqlite-core'
import { integer, sqliteTable } from 'drizzle-orm/sqlite-core'
import { afterAll, beforeAll, expect, test } from 'vitest'

// What this package changes in Drizzle, compared with the list on its page. In a process of its own, since others define
// columns whose storage converts.

type Member = readonly [name: string, prototype: object]

/** The members that the page says are replaced, by row. */
const listed = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
  .replace(/^[\s\S]*## What is changed in Drizzle|^## [\s\S]*/gm, '')
  .split('\n')
  .filter((line) => line.startsWith('| ') && !/^\| (?:when|---)/.test(line))
  .map((line) => [...(line.split(' | ')[1] ?? '').matchAll(/`([\w.]+)`/g)].map(([, name]) => name as string))

/** Drizzle's exported classes, and the one of `db.query`'s queries. */
const prototypes = (): Member[] => [
  ...Object.entries({ ...drizzleOrm, ...core, ...pgCore, ...mysqlCore }).flatMap(([name, one]): Member[] =>
    typeof one === 'function' && one.prototype ? [[name, one.prototype]] : [],
  ),
  ...relational,
]
const relational: Member[] = []

const membersOf = () =>
  new Map(
    prototypes().flatMap(([name, prototype]) =>
      Reflect.ownKeys(prototype).map((key) => {
        const { value, get } = Object.getOwnPropertyDescriptor(prototype, key) as PropertyDescriptor
        return [`${name}.${String(key)}`, value ?? get] as const
      }),
    ),
  )

let before: ReturnType<typeof membersOf>

/** The members that are not what they were, and those that are new. */
const changed = (): string[] =>
  [...membersOf()].flatMap(([name, value]) => (before.get(name) === value ? [] : [name]))

const client = new Database(':memory:')
beforeAll(() => {
  const plain = sqliteTable('plain', { id: integer() })
  const { plain: queries } = drizzle({ client, schema: { plain } }).query
  relational.push(['RelationalQuery', Object.getPrototypeOf(queries.findMany())])
  before = membersOf()
})
afterAll(() => client.close())

async function use(storage: 'text' | 'binary') {
  pgCore.pgTable(`rooms_${storage}`, { id: pgFlaxId({ storage }) })
  mysqlCore.mysqlTable(`rooms_${storage}`, { id: mysqlFlaxId({ storage }) })
  const shops = sqliteTable(`shops_${storage}`, { id: flaxId({ storage }).primaryKey() })
  const doors = sqliteTable(`doors_${storage}`, {
    id: flaxId({ storage, check: true }).primaryKey(),
    shopId: flaxId.ref('shop_id', () => shops.id),
  })
  const shopRelations = relations(shops, ({ many }) => ({ doors: many(doors) }))
  const doorRelations = relations(doors, ({ one }) => ({
    shop: one(shops, { fields: [doors.shopId], references: [shops.id] }),
  }))
  const type = storage === 'text' ? 'text' : 'blob'
  client.exec(
    `create table shops_${storage} (id ${type}); create table doors_${storage} (id ${type}, shop_id ${type})`,
  )
  const db = drizzle({ client, schema: { shops, doors, shopRelations, doorRelations } })
  // What it finds is tested elsewhere: here it is run because a query could patch as well.
  const [shop] = await db.insert(shops).values({}).returning()
  const shopId = shop?.id as never
  db.insert(doors).values({ shopId }).returning().prepare().get()
  await db
    .update(doors)
    .set({ shopId })
    .where(createdBetween(doors.id, 0, Date.now() + 1e6))
  await db
    .select()
    .from(doors)
    .innerJoin(shops, eq(shops.id, doors.shopId))
    .where(keyset(doors.id, { after: flax.min as never }).where)
  expect(await db.query.shops.findMany({ with: { doors: true } })).toMatchObject([{ doors: [{ shopId }] }])
  await expect(db.$count(doors, eq(doors.id, 'malformed' as never))).rejects.toThrow(IdError)
  await db.delete(doors).where(sql`${doors.id} = ${flax.generate()}`)
}

const methodOf = (member: string) => member.replace(/^\w+\./, '')
const [rejecting = [], checking = [], ...converting] = listed

test('with text columns, the page lists what rejects refusals, and nothing else is changed', async () => {
  await use('text')
  expect(new Set(changed().map(methodOf))).toEqual(new Set(rejecting))
})

test('with a column whose conditions take any text, the page lists what checks its writes', () => {
  pgCore.pgTable('users', { id: pgFlaxId({ onMismatch: 'notFound' }) })
  mysqlCore.mysqlTable('users', { id: mysqlFlaxId({ onMismatch: 'notFound' }) })
  sqliteTable('users', { id: flaxId({ onMismatch: 'notFound' }) })
  const others = changed().filter((member) => !rejecting.includes(methodOf(member)))
  expect(new Set(others)).toEqual(new Set(checking))
})

test('the first query whose extras ask for a time returns it, beside text columns alone', async () => {
  const visits = sqliteTable('visits', { id: flaxId().primaryKey() })
  client.exec('create table visits (id text)')
  const db = drizzle({ client, schema: { visits } })
  const [visit] = await db.insert(visits).values({}).returning()
  const id = visit?.id as never
  const times = { ...visit, at: flax.time(id) }
  const query = db.query.visits.findMany({ extras: (one) => ({ at: createdAt(one.id).as('at') }) })
  expect(await query).toEqual([times])
})

test('with a column whose storage converts, what the page lists is changed too', async () => {
  await use('binary')
  const others = changed().filter((member) => !rejecting.includes(methodOf(member)))
  expect(new Set(others)).toEqual(new Set([...checking, ...converting.flat()]))
})
