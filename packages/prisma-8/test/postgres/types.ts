// Compiled by the run after the contract was emitted; never run.
import postgres from '@prisma/orm-postgres/runtime'
import type { FlakeId, FlaxId, Id, SnoId, Ulid } from '@snoflax/core'
import { withIds } from '@snoflax/prisma-8/runtime'
import type { Contract } from './generated/contract.d.ts'
import contractJson from './generated/contract.json' with { type: 'json' }

const db = postgres<Contract>(withIds({ contractJson, url: '' }))
const { Customer, Order, Event, UidUuidRow } = db.orm.public

const customer = await Customer.create({ name: 'Ada' })
export const ids: [Id<'cus'>, Id<'cus'> | null] = [customer.id, customer.referrer]
const order = await Order.create({ customerId: customer.id })
export const more: [SnoId, Id<'cus'>] = [order.id, order.customerId]
export const event: FlakeId = (await Event.create({ label: 'x' })).id

// @ts-expect-error: a text is no id before it is parsed
await Customer.first({ id: 'cus_Kpcan0M1FakODT4k' })
// @ts-expect-error: the id of an order is none of a customer
await Order.create({ customerId: order.id })
// @ts-expect-error: nor in a condition
Customer.where((row) => row.id.eq(order.id))

Customer.where((row) => row.id.createdBetween(new Date(0), Date.now())).orderBy((row) =>
  row.id.createdAt().desc(),
)
Customer.where((row) => row.orders.some((each) => each.id.createdAfter(new Date())))
// @ts-expect-error: other columns have no time
Customer.where((row) => row.name.createdAfter(new Date()))
// @ts-expect-error: uid does not sort by time
UidUuidRow.orderBy((row) => row.id.createdAt().desc())

const [row] = await db.runtime().query(
  db.sql.public.Customer.select('id')
    .select('at', (fields, fns) => fns.createdAt(fields.id))
    .where((fields, fns) => fns.createdAfter(fields.id, new Date()))
    .build(),
)
export const selected: { id: Id<'cus'>; at: Date } | undefined = row

const { KsuidRow, KsuidPrefixedRow, UlidUuidRow, TypeidTextRow, FlaxUuid8Row } = db.orm.public
export const families: [Id<'ksuid'>, Id<'file'>, Ulid, Id<'user'>, FlaxId] = [
  (await KsuidRow.create({ label: 'x' })).id,
  (await KsuidPrefixedRow.create({ label: 'x' })).id,
  (await UlidUuidRow.create({ label: 'x' })).id,
  (await TypeidTextRow.create({ label: 'x' })).id,
  (await FlaxUuid8Row.create({ label: 'x' })).id,
]
// @ts-expect-error: a ULID is no KSUID
await KsuidRow.first({ id: families[2] })
KsuidRow.where((each) => each.id.createdAfter(new Date())).orderBy((each) => each.id.createdAt().desc())

export const ends: { least: FlaxId | null } = await FlaxUuid8Row.aggregate((aggregate) => ({
  least: aggregate.min('id'),
}))
