import { type FlaxId, flake, flax, type Id, prefixed, type SnoId, sno } from '@snoflax/core'
import { flaxId as mysqlFlaxId } from '@snoflax/drizzle/mysql-core'
import {
  createdAt,
  flakeId,
  flaxId,
  fromDatabase,
  idColumn,
  keyset,
  maxId,
  parameter,
  placeholder,
  snoId,
  toDatabase,
} from '@snoflax/drizzle/pg-core'
import {
  flaxId as sqliteFlaxId,
  idColumn as sqliteIdColumn,
  snoId as sqliteSnoId,
} from '@snoflax/drizzle/sqlite-core'
import { type UidLocalId, uidLocal } from '@snoflax/families'
import { and, eq, inArray, lt, min } from 'drizzle-orm'
import { mysqlTable } from 'drizzle-orm/mysql-core'
import { drizzle } from 'drizzle-orm/node-postgres'
import { type AnyPgColumn, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import { type AnySQLiteColumn, integer, sqliteTable } from 'drizzle-orm/sqlite-core'
import { expectTypeOf, test } from 'vitest'

const customers = pgTable('customers', {
  id: flaxId().primaryKey(),
  name: text().notNull(),
  referrerId: flaxId.ref('referrer_id').references((): AnyPgColumn => customers.id),
  past: idColumn(uidLocal).plain().array(),
})
const orders = pgTable('orders', {
  id: snoId({ meta: 2, storage: 'binary' }).primaryKey(),
  customerId: flaxId
    .ref()
    .notNull()
    .references(() => customers.id),
  traceId: snoId.plain('trace_id'),
})

declare const flaxValue: FlaxId
declare const snoValue: SnoId
const db = drizzle.mock({ schema: { customers, orders } })

test('rows have branded ids, or null if the column allows it', () => {
  expectTypeOf<typeof orders.$inferSelect>().toEqualTypeOf<{
    id: SnoId
    customerId: FlaxId
    traceId: SnoId | null
  }>()
  expectTypeOf<typeof customers.$inferSelect.past>().toEqualTypeOf<UidLocalId[] | null>()
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
  toDatabase(orders.id, flaxValue)
  // @ts-expect-error of another family
  keyset(orders.id, { after: flaxValue })
  and(eq(orders.id, snoValue), eq(orders.id, placeholder(orders.id, 'id')))
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
  sqliteFlaxId({ default: 'database' })
  // @ts-expect-error only SQLite's drivers round
  flaxId({ exactBigint: true })
  flaxId('id', { default: 'database', schema: 'ids' })
  flakeId({ generator: flake.generator({ datacenter: 1, worker: 1 }) })
})

test('the other dialects have the same types', () => {
  const inSqlite = sqliteTable('t', {
    id: sqliteSnoId({ meta: 3 }).primaryKey(),
    total: integer(),
    next: sqliteSnoId.plain(),
  })
  expectTypeOf<typeof inSqlite.$inferSelect>().toEqualTypeOf<{
    id: SnoId
    total: number | null
    next: SnoId | null
  }>()
  expectTypeOf<typeof inSqlite.$inferInsert.id>().toEqualTypeOf<SnoId | undefined>()
  const inMysql = mysqlTable('t', { id: mysqlFlaxId().primaryKey(), next: mysqlFlaxId.plain().notNull() })
  expectTypeOf<typeof inMysql.$inferSelect>().toEqualTypeOf<{ id: FlaxId; next: FlaxId }>()
  expectTypeOf<typeof inMysql.$inferInsert>().toEqualTypeOf<{ id?: FlaxId | undefined; next: FlaxId }>()
})

test('families of your own have types like ours', () => {
  const column = idColumn(flake.withEpoch(1_420_070_400_000))
  const table = pgTable('t', { id: column.plain().notNull(), other: column.ref() }, (t) => [
    primaryKey({ columns: [t.id, t.other] }),
  ])
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
  const userId = sqliteIdColumn(prefixed(flax, 'usr'))
  const inSqlite = sqliteTable('t', {
    option: sqliteFlaxId({ prefix: 'usr' }),
    family: userId(),
    ref: userId.ref((): AnySQLiteColumn => inSqlite.family),
  })
  expectTypeOf<typeof inSqlite.$inferSelect.family>().toEqualTypeOf<Id<'usr'> | null>()
  expectTypeOf<typeof inSqlite.$inferSelect.option>().toEqualTypeOf<Id<'usr'> | null>()
  const inMysql = mysqlTable('t', { id: mysqlFlaxId({ prefix: 'usr' }).primaryKey() })
  expectTypeOf<typeof inMysql.$inferInsert>().toEqualTypeOf<{ id?: Id<'usr'> }>()
  eq(people.id, prefixed(flax, 'usr').generate())
  // @ts-expect-error an id without the prefix
  eq(people.id, flaxValue)
  // @ts-expect-error an id with another prefix
  eq(teams.leadId, prefixed(flax, 'own').generate())
  // @ts-expect-error of another prefix
  idColumn(prefixed(flax, 'own')).ref(() => people.id)
  // @ts-expect-error without the prefix
  idColumn(prefixed(flax, 'own')).ref(() => customers.id)
})
