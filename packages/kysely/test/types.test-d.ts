import type { FlaxId, Id, SnoId } from '@snoflax/core'
import { flax, prefixed, sno } from '@snoflax/core'
import { createdAt, flaxId, type GeneratedId, idColumn, idPlugin, snoId, type WithIds } from '@snoflax/kysely'
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

const item = idColumn(prefixed(flax, 'item'))
const ids = idPlugin({
  database: 'postgres',
  tables: {
    customers: { id: flaxId(), referrer_id: flaxId.ref('customers.id') },
    orders: { id: snoId({ meta: 1 }), customer_id: flaxId.ref('customers.id') },
    items: { id: item(), others: item.list(), customer_id: flaxId.ref('buyers.id'), seen: snoId.plain() },
    buyers: { id: flaxId({ prefix: 'buy' }), traced: flaxId.plain({ prefix: 'trc' }) },
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
expectTypeOf<Selectable<{ id: GeneratedId<FlaxId> }>>().toEqualTypeOf<{ id: FlaxId }>()

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
ids.parameter('orders.id', customer)

const query = db
  .selectFrom('customers as c')
  .select((eb) => [
    createdAt('c.id').as('at'),
    jsonArrayFrom(
      eb.selectFrom('orders').select(['orders.id', 'total']).whereRef('orders.customer_id', '=', 'c.id'),
    ).as('orders'),
  ])
type Row = Awaited<ReturnType<typeof query.executeTakeFirstOrThrow>>
expectTypeOf<Row['at']>().toEqualTypeOf<Date>()
expectTypeOf<Row['orders'][number]['id']>().toEqualTypeOf<OrderId>()
