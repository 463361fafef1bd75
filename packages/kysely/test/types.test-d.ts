import type { Id, IdFamily, SnoId } from '@snoflax/core'
import { flax, prefixed, sno } from '@snoflax/core'
import { flaxId, idColumn, idPlugin, snoId, type WithIds } from '@snoflax/kysely'
import type { ColumnType, Generated, Insertable, Kysely, Selectable, Updateable } from 'kysely'
import { jsonArrayFrom } from 'kysely/helpers/postgres'
import { expectTypeOf } from 'vitest'

/** As kysely-codegen writes it. */
interface DB {
  customers: {
    id: Generated<string>
    name: string
    referrer_id: Buffer | null
    made: ColumnType<Date, string, never>
  }
  orders: { id: Buffer; customer_id: Buffer; total: number }
  logs: { id: number }
}

const item = prefixed(flax, 'item')
const ids = idPlugin({
  database: 'postgres',
  tables: {
    customers: { id: flaxId(), referrer_id: flaxId.ref('customers.id') },
    orders: { id: snoId({ meta: 1 }), customer_id: flaxId.ref('customers.id') },
    items: {
      id: idColumn(item),
      others: idColumn.list(item),
      customer_id: idColumn.ref('buyers.id'),
      seen: snoId.plain(),
    },
    buyers: { id: flaxId({ prefix: 'buy' }), traced: idColumn.plain(flax, { prefix: 'trc' }) },
  },
})
type Database = WithIds<DB, typeof ids>
type CustomerId = Id<'flax', 'customers'>
type OrderId = Id<'sno', 'orders'>

expectTypeOf<Selectable<Database['customers']>>().branded.toEqualTypeOf<{
  id: CustomerId
  name: string
  referrer_id: CustomerId | null
  made: Date
}>()
expectTypeOf<Insertable<Database['customers']>>().branded.toEqualTypeOf<{
  id?: CustomerId | undefined
  name: string
  referrer_id?: CustomerId | null | undefined
  made: string
}>()
expectTypeOf<Updateable<Database['orders']>>().branded.toEqualTypeOf<{
  id?: OrderId | undefined
  customer_id?: CustomerId | undefined
  total?: number | undefined
}>()
expectTypeOf<Selectable<Database['items']>>().branded.toEqualTypeOf<{
  id: Id<'item'>
  others: Id<'item'>[]
  customer_id: Id<'buy'>
  seen: SnoId
}>()
expectTypeOf<Selectable<Database['buyers']>>().branded.toEqualTypeOf<{ id: Id<'buy'>; traced: Id<'trc'> }>()
expectTypeOf<Database['logs']>().toEqualTypeOf<{ id: number }>()

declare const db: Kysely<Database>
declare const customer: CustomerId
declare const order: OrderId

db.selectFrom('orders').where('id', '=', order).where('customer_id', 'in', [customer])
// @ts-expect-error an id of another family
db.selectFrom('orders').where('id', '=', customer)
// @ts-expect-error an id of the family, but perhaps of another table
db.selectFrom('orders').where('id', '=', sno.min)
db.selectFrom('orders').where('id', '=', sno.parse<'orders'>('text'))
// @ts-expect-error a text that nobody checked
db.selectFrom('orders').where('id', '=', 'text')
// @ts-expect-error a reference is not generated
db.insertInto('orders').values({ total: 1 })
db.insertInto('orders').values({ total: 1, customer_id: customer })

expectTypeOf(ids.generate('orders.id')).toEqualTypeOf<OrderId>()
// @ts-expect-error no such column
ids.generate('orders.none')
// @ts-expect-error an id of another family
ids.createdAt('orders.id', customer)

const query = db
  .selectFrom('customers as c')
  .select((eb) => [
    jsonArrayFrom(
      eb.selectFrom('orders').select(['orders.id', 'total']).whereRef('orders.customer_id', '=', 'c.id'),
    ).as('orders'),
  ])
type Row = Awaited<ReturnType<typeof query.executeTakeFirstOrThrow>>
expectTypeOf<Row['orders'][number]['id']>().toEqualTypeOf<OrderId>()

// Columns without brands, and columns that accept other keys, with what references them.
declare const ulid: IdFamily<Id<'ulid'>>
const existing = idPlugin({
  database: 'sqlite',
  tables: {
    users: { id: flaxId({ branded: false }), friend_id: flaxId.ref('users.id') },
    posts: { id: flaxId({ prefix: 'pst', accept: ulid }), user_id: flaxId.ref('users.id') },
    notes: { id: snoId({ accept: /[a-z0-9]{24}/ }), post_id: flaxId.ref('posts.id') },
    logs: { note_id: snoId.ref('notes.id'), own: snoId.plain({ accept: [ulid, sno] }) },
  },
})
type Existing = WithIds<{ users: { name: string; friend_id: string | null } }, typeof existing>
expectTypeOf<Selectable<Existing['users']>>().branded.toEqualTypeOf<{
  id: string
  friend_id: string | null
  name: string
}>()
expectTypeOf<Selectable<Existing['posts']>>().branded.toEqualTypeOf<{
  id: Id<'pst'> | Id<'ulid'>
  user_id: string
}>()
expectTypeOf<Selectable<Existing['notes']>>().branded.toEqualTypeOf<{
  id: string
  post_id: Id<'pst'> | Id<'ulid'>
}>()
expectTypeOf<Selectable<Existing['logs']>>().branded.toEqualTypeOf<{
  note_id: string
  own: SnoId | Id<'ulid'>
}>()
export const ofStrings = (existingDb: Kysely<Existing>, id: string) => [
  existingDb.selectFrom('users').selectAll().where('id', '=', id).where('friend_id', '=', id),
  existingDb.insertInto('users').values({ id, name: id, friend_id: id }),
  existingDb.updateTable('users').set({ friend_id: id }),
]
// @ts-expect-error No such option.
flaxId({ brand: false })

// Times: null for other keys that the column accepts, and for null.
declare const post: Id<'pst'>
expectTypeOf(ids.createdAt('orders.customer_id', customer)).toEqualTypeOf<Date>()
expectTypeOf(
  ids.createdAt('customers.referrer_id', customer as CustomerId | null),
).toEqualTypeOf<Date | null>()
expectTypeOf(existing.createdAt('posts.id', post)).toEqualTypeOf<Date | null>()
expectTypeOf(existing.createdAt('notes.post_id', post)).toEqualTypeOf<Date | null>()
// Found rows: by the prefix, or by the family.
declare const buy: Id<'buy'>
const bought = ids.find(db, buy)
expectTypeOf<NonNullable<Awaited<typeof bought>>['model']>().toEqualTypeOf<'buyers'>()
expectTypeOf<NonNullable<Awaited<typeof bought>>['row']['id']>().toEqualTypeOf<Id<'buy'>>()
const any = ids.find(db, 'text' as string)
expectTypeOf<NonNullable<Awaited<typeof any>>['model']>().toEqualTypeOf<
  'customers' | 'orders' | 'items' | 'buyers'
>()
idColumn(sno, { meta: 2 })
// @ts-expect-error flax ids have no metabyte
idColumn(flax, { meta: 2 })
// @ts-expect-error only generated ids have a generator
idColumn.plain(sno, { generator: sno.generator() })
// @ts-expect-error no such column
ids.createdAfter('orders.none', 0)
