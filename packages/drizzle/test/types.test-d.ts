import {
  accepting,
  type FlaxId,
  flake,
  flax,
  type Id,
  type IdFamily,
  prefixed,
  type SnoId,
  sno,
} from '@snoflax/core'
import * as mysql from '@snoflax/drizzle/mysql-core'
import {
  createdAfter,
  createdAt,
  createdBefore,
  createdBetween,
  flakeId,
  flaxId,
  fromDatabase,
  idColumn,
  keyset,
  maxId,
  parameter,
  placeholder,
  snoId,
  typedIds,
} from '@snoflax/drizzle/pg-core'
import * as sqlite from '@snoflax/drizzle/sqlite-core'
import { idSchema, type insertIds } from '@snoflax/drizzle/zod'
import { type UidLocalId, uidLocal } from '@snoflax/families'
import { and, eq, inArray, lt, min, relations } from 'drizzle-orm'
import { mysqlTable } from 'drizzle-orm/mysql-core'
import { drizzle } from 'drizzle-orm/node-postgres'
import { type AnyPgColumn, alias, pgSchema, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import { type AnySQLiteColumn, integer, sqliteTable } from 'drizzle-orm/sqlite-core'
import { describe, expectTypeOf, test } from 'vitest'

declare const flaxValue: FlaxId
declare const snoValue: SnoId

const customers = pgTable('customers', {
  id: flaxId().primaryKey(),
  name: text().notNull(),
  referrerId: flaxId.ref('referrer_id').references((): AnyPgColumn => customers.id),
  past: idColumn.plain(uidLocal).array(),
})
const orders = pgTable('orders', {
  id: snoId({ meta: 2, storage: 'binary' }).primaryKey(),
  customerId: flaxId
    .ref()
    .notNull()
    .references(() => customers.id),
  traceId: snoId.plain('trace_id'),
})
const db = drizzle.mock({ schema: { customers, orders } })

test('rows have branded ids, or null if the column allows it', () => {
  expectTypeOf<typeof orders.$inferSelect>().toEqualTypeOf<{
    id: SnoId
    customerId: FlaxId
    traceId: SnoId | null
  }>()
  expectTypeOf<typeof customers.$inferSelect.past>().toEqualTypeOf<UidLocalId[] | null>()
  expectTypeOf<typeof customers.$inferSelect.referrerId>().toEqualTypeOf<FlaxId | null>()
})

test('a generated id is optional on insert, a reference is not', () => {
  expectTypeOf<typeof orders.$inferInsert>().toEqualTypeOf<{
    id?: SnoId | undefined
    customerId: FlaxId
    traceId?: SnoId | null | undefined
  }>()
  db.insert(orders).values({ customerId: flaxValue })
  // @ts-expect-error a reference has to be given
  db.insert(orders).values({ id: snoValue })
  // @ts-expect-error of another family
  db.insert(orders).values({ customerId: snoValue })
  // @ts-expect-error text that nobody has checked
  db.insert(orders).values({ customerId: 'Kpcan0M1FakODT4k' })
})

test('comparing with an id of another family is a type error', () => {
  eq(orders.id, snoValue)
  // @ts-expect-error of another family
  eq(orders.id, flaxValue)
  // @ts-expect-error text that nobody has checked
  lt(orders.id, 'brpk4q72xwf2m63l')
  // @ts-expect-error of another family
  inArray(orders.customerId, [flaxValue, snoValue])
  // @ts-expect-error of another family
  parameter(orders.id, flaxValue)
  // @ts-expect-error of another family
  keyset(orders.id, { after: flaxValue })
  and(eq(orders.id, snoValue), eq(orders.id, placeholder(orders.id, 'id')))
})

test('times, placeholders and references are for id columns', () => {
  createdBetween(customers.id, 0, 1)
  createdAfter(orders.traceId, 0)
  placeholder(customers.past, 'past')
  // @ts-expect-error a column without ids
  createdBetween(customers.name, 0, 1)
  // @ts-expect-error a column without ids
  createdAfter(customers.name, 0)
  // @ts-expect-error a column without ids
  createdBefore(customers.name, 0)
  // @ts-expect-error a column without ids
  placeholder(customers.name, 'name')
  // @ts-expect-error a column without ids
  flaxId.ref('order_id', () => customers.name)
  // @ts-expect-error of another family
  flaxId.ref('order_id', () => orders.id)
})

test('queries return branded ids', async () => {
  const joined = () =>
    db
      .select({ order: orders.id, customer: customers.id, at: createdAt(orders.id), first: min(orders.id) })
      .from(orders)
      .leftJoin(customers, eq(customers.id, orders.customerId))
  expectTypeOf<Awaited<ReturnType<typeof joined>>>().toEqualTypeOf<
    { order: SnoId; customer: FlaxId | null; at: Date; first: SnoId | null }[]
  >()
  const times = () => db.select({ id: createdAt(orders.id), trace: createdAt(orders.traceId) }).from(orders)
  expectTypeOf<Awaited<ReturnType<typeof times>>>().toEqualTypeOf<{ id: Date; trace: Date | null }[]>()
  const last = () => db.select({ last: maxId(orders.id) }).from(orders)
  expectTypeOf<Awaited<ReturnType<typeof last>>>().toEqualTypeOf<{ last: SnoId | null }[]>()
  const returned = () => db.insert(orders).values({ customerId: flaxValue }).returning({ id: orders.id })
  expectTypeOf<Awaited<ReturnType<typeof returned>>>().toEqualTypeOf<{ id: SnoId }[]>()
  expectTypeOf(fromDatabase(orders.id, '…')).toEqualTypeOf<SnoId>()
})

test('options are those of the family and the database', () => {
  // @ts-expect-error flax ids carry no metabyte
  flaxId({ meta: 1 })
  // @ts-expect-error a reference is not generated
  snoId.ref({ meta: 1 })
  // @ts-expect-error a plain id is not generated
  flaxId.plain({ generator: flax.generator() })
  // @ts-expect-error the generator of another family
  flaxId({ generator: sno.generator() })
  // @ts-expect-error no storage
  flaxId({ storage: 'base64' })
  // @ts-expect-error only PostgreSQL has our functions
  sqlite.flaxId({ default: 'database' })
  // @ts-expect-error only SQLite's drivers round
  flaxId({ exactBigint: true })
  flaxId('id', { default: 'database', schema: 'ids' })
  flakeId({ generator: flake.generator({ datacenter: 1, worker: 1 }) })
})

test('the other dialects have the same types', () => {
  const inSqlite = sqliteTable('t', {
    id: sqlite.snoId({ meta: 3 }).primaryKey(),
    total: integer(),
    next: sqlite.snoId.ref((): AnySQLiteColumn => inSqlite.id),
  })
  expectTypeOf<typeof inSqlite.$inferSelect>().toEqualTypeOf<{
    id: SnoId
    total: number | null
    next: SnoId | null
  }>()
  expectTypeOf<typeof inSqlite.$inferInsert.id>().toEqualTypeOf<SnoId | undefined>()
  // @ts-expect-error of another family
  sqlite.flaxId.ref(() => inSqlite.id)
  const inMysql = mysqlTable('t', { id: mysql.flaxId().primaryKey(), next: mysql.flaxId.plain().notNull() })
  expectTypeOf<typeof inMysql.$inferSelect>().toEqualTypeOf<{ id: FlaxId; next: FlaxId }>()
  expectTypeOf<typeof inMysql.$inferInsert>().toEqualTypeOf<{ id?: FlaxId | undefined; next: FlaxId }>()
})

test('families of your own have types like ours', () => {
  const own = flake.withEpoch(1_420_070_400_000)
  const table = pgTable(
    't',
    { id: idColumn.plain(own).notNull(), other: idColumn.ref((): AnyPgColumn => table.id) },
    (t) => [primaryKey({ columns: [t.id, t.other] })],
  )
  expectTypeOf<typeof table.$inferSelect.id>().toExtend<Id<'flake'>>()
})

test('a prefix is in the type, and references take it from their target', () => {
  const people = pgTable('people', {
    id: flaxId({ prefix: 'usr' }).primaryKey(),
    ownId: flaxId('own_id', { prefix: 'own', storage: 'binary' }).notNull(),
    pastIds: snoId.plain({ prefix: 'past' }).array().notNull(),
    friendId: flaxId.ref('friend_id', { prefix: 'usr' }).references((): AnyPgColumn => people.id),
  })
  const teams = pgTable('teams', {
    id: snoId({ prefix: 'tea', meta: 2, generator: sno }).primaryKey(),
    leadId: flaxId.ref('lead_id', () => people.id, { onDelete: 'cascade' }).notNull(),
    nextId: flaxId.ref(() => people.id),
  })
  expectTypeOf<typeof people.$inferSelect>().toEqualTypeOf<{
    id: Id<'usr'>
    ownId: Id<'own'>
    pastIds: Id<'past'>[]
    friendId: Id<'usr'> | null
  }>()
  expectTypeOf<typeof teams.$inferSelect>().toEqualTypeOf<{
    id: Id<'tea'>
    leadId: Id<'usr'>
    nextId: Id<'usr'> | null
  }>()
  const userId = prefixed(flax, 'usr')
  const inSqlite = sqliteTable('t', {
    option: sqlite.flaxId({ prefix: 'usr' }),
    family: sqlite.idColumn(userId),
    ref: sqlite.idColumn.ref((): AnySQLiteColumn => inSqlite.family),
  })
  expectTypeOf<typeof inSqlite.$inferSelect.family>().toEqualTypeOf<Id<'usr'> | null>()
  expectTypeOf<typeof inSqlite.$inferSelect.option>().toEqualTypeOf<Id<'usr'> | null>()
  const inMysql = mysqlTable('t', { id: mysql.flaxId({ prefix: 'usr' }).primaryKey() })
  expectTypeOf<typeof inMysql.$inferInsert>().toEqualTypeOf<{ id?: Id<'usr'> }>()
  eq(people.id, prefixed(flax, 'usr').generate())
  // @ts-expect-error an id without the prefix
  eq(people.id, flaxValue)
  // @ts-expect-error an id with another prefix
  eq(teams.leadId, prefixed(flax, 'own').generate())
  // @ts-expect-error of another family
  snoId.ref(() => customers.id)
  // @ts-expect-error no id column
  idColumn.ref(() => customers.name)
  // @ts-expect-error a target is needed
  idColumn.ref('friend_id')
  // @ts-expect-error no metabyte
  idColumn(flax, { meta: 1 })
  idColumn(prefixed(sno, 'tea'), { meta: 1 })
})

describe('ids of one table', () => {
  const shops = typedIds(
    pgTable('shops', {
      id: flaxId().primaryKey(),
      ownerId: flaxId.ref('owner_id', (): AnyPgColumn => owners.id),
      traceId: flaxId.plain('trace_id'),
      name: text().notNull(),
    }),
  )
  const owners = typedIds(
    pgTable('owners', {
      id: flaxId().primaryKey().$type<Id<'flax', 'person'>>(),
      shopId: flaxId.ref('shop_id', () => shops.id).notNull(),
      bossId: flaxId.ref('boss_id', (): AnyPgColumn => owners.id),
    }),
  )
  type ShopId = Id<'flax', 'shops'>

  test('have its name in their type, and so have references', () => {
    expectTypeOf<typeof shops.$inferSelect>().toEqualTypeOf<{
      id: ShopId
      ownerId: FlaxId | null
      traceId: FlaxId | null
      name: string
    }>()
    expectTypeOf<typeof shops.$inferInsert>().toEqualTypeOf<{
      id?: ShopId | undefined
      ownerId?: FlaxId | null | undefined
      traceId?: FlaxId | null | undefined
      name: string
    }>()
    expectTypeOf<typeof owners.$inferSelect>().toEqualTypeOf<{
      id: Id<'flax', 'person'>
      shopId: ShopId
      bossId: FlaxId | null
    }>()
    const keys = pgTable('keys', { ownerId: flaxId.ref(() => owners.id) })
    expectTypeOf<typeof keys.$inferSelect>().toEqualTypeOf<{ ownerId: Id<'flax', 'person'> | null }>()
    const inSchema = typedIds(pgSchema('crm').table('shops', { id: snoId().primaryKey() }))
    expectTypeOf<typeof inSchema.$inferSelect>().toEqualTypeOf<{ id: Id<'sno', 'crm.shops'> }>()
    const inSqlite = typedIds(sqliteTable('shops', { id: sqlite.flaxId().primaryKey() }))
    expectTypeOf<typeof inSqlite.$inferSelect>().toEqualTypeOf<{ id: ShopId }>()
    const inMysql = typedIds(mysqlTable('shops', { id: mysql.flaxId().primaryKey() }))
    expectTypeOf<typeof inMysql.$inferSelect>().toEqualTypeOf<{ id: ShopId }>()
    // @ts-expect-error not a table
    typedIds(shops.id)
  })

  test('are returned by queries, and do not mix with those of another table', () => {
    const shopRelations = relations(shops, ({ many }) => ({ owners: many(owners) }))
    const ownerRelations = relations(owners, ({ one }) => ({
      shop: one(shops, { fields: [owners.shopId], references: [shops.id] }),
    }))
    const typed = drizzle.mock({ schema: { shops, owners, shopRelations, ownerRelations } })
    const query = async (shop: ShopId, owner: Id<'flax', 'person'>) => {
      const other = alias(shops, 'other')
      eq(owners.shopId, shop)
      eq(owners.shopId, shops.id)
      eq(other.id, shop)
      // @ts-expect-error an id of another table
      eq(owners.shopId, owner)
      // @ts-expect-error an id of another table
      eq(other.id, owner)
      createdAfter(shops.id, 0)
      expectTypeOf(await typed.select({ id: other.id }).from(other)).toEqualTypeOf<{ id: ShopId }[]>()
      const insert = typed.insert(shops).values({ name: '' })
      expectTypeOf(await insert.returning({ id: shops.id })).toEqualTypeOf<{ id: ShopId }[]>()
      const found = await typed.query.owners.findFirst({ columns: { id: true }, with: { shop: true } })
      expectTypeOf(found).toEqualTypeOf<
        { id: Id<'flax', 'person'>; shop: typeof shops.$inferSelect } | undefined
      >()
    }
    expectTypeOf(query).toBeFunction()
  })
})

describe('existing keys', () => {
  const users = pgTable('users', {
    id: flaxId({ branded: false }).primaryKey(),
    name: text(),
    friendId: flaxId.ref('friend_id', (): AnyPgColumn => users.id, { branded: false }),
    bossId: flaxId.ref((): AnyPgColumn => users.id),
  })
  const posts = pgTable('posts', {
    id: snoId('id', { branded: false, prefix: 'pst', meta: 2 }).primaryKey(),
    userId: flaxId.ref('user_id', () => users.id).notNull(),
    otherId: flaxId.ref({ branded: false }).references(() => users.id),
  })

  test('are strings in columns without brands, and in references to them', () => {
    expectTypeOf<typeof users.$inferSelect>().toEqualTypeOf<{
      id: string
      name: string | null
      friendId: string | null
      bossId: FlaxId | null
    }>()
    expectTypeOf<typeof users.$inferInsert>().toEqualTypeOf<{
      id?: string
      name?: string | null
      friendId?: string | null
      bossId?: FlaxId | null
    }>()
    expectTypeOf<typeof posts.$inferSelect>().toEqualTypeOf<{
      id: string
      userId: string
      otherId: string | null
    }>()
    const typed = typedIds(pgTable('typed', { id: flaxId({ branded: false }).primaryKey() }))
    expectTypeOf<(typeof typed)['$inferSelect']>().toEqualTypeOf<{ id: string }>()
  })

  test("are taken by an application's functions of strings", () => {
    const find = (id: string) => db.select().from(users).where(eq(users.id, id))
    const add = (id: string, userId: string) => [
      db.insert(users).values({ id }),
      db.insert(posts).values({ userId, id }),
      db.update(posts).set({ userId }).where(eq(posts.userId, id)),
    ]
    expectTypeOf(find).toBeFunction()
    expectTypeOf(add).toBeFunction()
    keyset(users.id, { after: 'any' })
    createdBetween(users.id, 0, 1)
    expectTypeOf(createdAt(users.id)._.type).toEqualTypeOf<Date | null>()
    expectTypeOf<keyof ReturnType<typeof insertIds<typeof posts>>>().toEqualTypeOf<
      'id' | 'userId' | 'otherId'
    >()
    expectTypeOf(idSchema(users.id)._output).toEqualTypeOf<string>()
    // @ts-expect-error A text that no id column has.
    flaxId.ref(() => users.name)
    // @ts-expect-error Neither has it a time.
    createdBetween(users.name, 0, 1)
    // @ts-expect-error No such option.
    flaxId({ brand: false })
    // @ts-expect-error Nor this one for an expected boolean.
    flaxId.ref(() => users.id, { branded: 'no' })
  })

  type Ulid = Id<'ulid'>
  const ulid = null as unknown as IdFamily<Ulid>
  const accepted = () =>
    pgTable('accepted', {
      id: flaxId({ prefix: 'brd' }).primaryKey(),
      ulid: flaxId.plain({ accept: ulid }).notNull(),
      both: flaxId.plain('both', { prefix: 'usr', accept: [ulid, flax] }).notNull(),
      any: flaxId.plain({ accept: /[a-z0-9]{24}/ }).notNull(),
      list: flaxId.plain({ accept: [ulid, /x/] }).array(),
    })

  test('that a column accepts are in its type: those of families, or any string', () => {
    const table = accepted()
    expectTypeOf<typeof table.$inferSelect>().toEqualTypeOf<{
      id: Id<'brd'>
      ulid: FlaxId | Ulid
      both: Id<'usr'> | Ulid | FlaxId
      any: string
      list: string[] | null
    }>()
    const referring = pgTable('referring', {
      id: flaxId.ref(() => table.id).notNull(),
      ulid: flaxId.ref(() => table.ulid).notNull(),
      any: flaxId.ref(() => table.any).notNull(),
    })
    expectTypeOf<typeof referring.$inferSelect>().toEqualTypeOf<{
      id: Id<'brd'>
      ulid: FlaxId | Ulid
      any: string
    }>()
    expectTypeOf(createdAt(table.id)._.type).toEqualTypeOf<Date>()
    expectTypeOf(createdAt(table.ulid)._.type).toEqualTypeOf<Date | null>()
    // @ts-expect-error Ids of another family.
    snoId.ref(() => table.ulid)
  })

  test('of a definition have its types', () => {
    const key = accepting(flax, ulid)
    const own = pgTable('own', { id: idColumn(key).primaryKey() })
    const table = pgTable('t', {
      id: idColumn('the_id', flax, { branded: false, storage: 'uuid' }).primaryKey(),
      accepted: idColumn.plain(flax, { accept: ulid }),
      keyId: idColumn.ref(() => own.id).notNull(),
    })
    expectTypeOf<typeof table.$inferSelect>().toEqualTypeOf<{
      id: string
      accepted: FlaxId | Ulid | null
      keyId: FlaxId | Ulid
    }>()
  })
})
