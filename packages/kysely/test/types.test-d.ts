import type { FlaxId, Id, SnoId } from '@snoflax/core'
import { flax, prefixed } from '@snoflax/core'
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
    items: { id: item(), others: item.list() },
  },
})
type Database = WithIds<DB, typeof ids>

expectTypeOf<Selectable<Database['customers']>>().branded.toEqualTypeOf<{
  id: FlaxId
  name: string
  referrer_id: FlaxId | null
  made: Date
}>()
expectTypeOf<Insertable<Database['customers']>>().branded.toEqualTypeOf<{
  id?: FlaxId | undefined
  name: string
  referrer_id?: FlaxId | null | undefined
  made: string
}>()
expectTypeOf<Updateable<Database['orders']>>().branded.toEqualTypeOf<{
  id?: SnoId | undefined
  customer_id?: FlaxId | undefined
  total?: number | undefined
}>()
expectTypeOf<Selectable<Database['items']>>().branded.toEqualTypeOf<{
  id: Id<'item'>
  others: Id<'item'>[]
}>()
expectTypeOf<Database['logs']>().toEqualTypeOf<{ id: number }>()
expectTypeOf<Selectable<{ id: GeneratedId<FlaxId> }>>().toEqualTypeOf<{ id: FlaxId }>()

declare const db: Kysely<Database>
declare const customer: FlaxId
declare const order: SnoId

db.selectFrom('orders').where('id', '=', order).where('customer_id', 'in', [customer])
// @ts-expect-error an id of another family
db.selectFrom('orders').where('id', '=', customer)
// @ts-expect-error a text that nobody checked
db.selectFrom('orders').where('id', '=', 'text')
// @ts-expect-error a reference is not generated
db.insertInto('orders').values({ total: 1 })
db.insertInto('orders').values({ total: 1, customer_id: customer })

expectTypeOf(ids.generate('orders.id')).toEqualTypeOf<SnoId>()
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
expectTypeOf<Row['orders'][number]['id']>().toEqualTypeOf<SnoId>()
