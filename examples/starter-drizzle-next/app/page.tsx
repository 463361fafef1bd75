import { createdBetween, keyset } from '@snoflax/drizzle/pg-core'
import { and, eq } from 'drizzle-orm'
import Link from 'next/link'
import { notFound, redirect } from 'next/navigation'
import { database } from '@/db'
import { customers, orderId, orders } from '@/schema'

const PAGE = 20
const DAY_MS = 86_400_000

export default async function OrdersPage({ searchParams }: PageProps<'/'>) {
  const { after, day } = await searchParams
  if (after !== undefined && !orderId.is(after)) notFound()
  const from = day ? Date.parse(String(day)) : undefined
  if (Number.isNaN(from)) notFound()

  const page = keyset(orders.id, { after, order: 'desc' })
  const db = await database()
  const found = await db
    .select({ id: orders.id, total: orders.total, customer: customers.name })
    .from(orders)
    .innerJoin(customers, eq(customers.id, orders.customerId))
    .where(and(page.where, from === undefined ? undefined : createdBetween(orders.id, from, from + DAY_MS)))
    .orderBy(page.orderBy)
    .limit(PAGE + 1) // one more, to know whether there is a next page
  const shown = found.slice(0, PAGE)
  const next = found.length > PAGE ? shown.at(-1)?.id : undefined

  return (
    <main>
      <h1>Orders</h1>
      <form action={createOrder}>
        <input name="customer" placeholder="Customer" required />
        <input name="total" placeholder="Total" type="number" min="0" required />
        <button type="submit">Order</button>
      </form>
      <form>
        <input name="day" type="date" defaultValue={day} />
        <button type="submit">Show the day</button>
      </form>
      <ul>
        {shown.map(({ id, total, customer }) => (
          <li key={id}>
            <Link href={`/orders/${id}`}>{id}</Link> {customer}, {total}
          </li>
        ))}
      </ul>
      {next && (
        <Link href={{ pathname: '/', query: day ? { day, after: next } : { after: next } }}>Next page</Link>
      )}
    </main>
  )
}

async function createOrder(form: FormData) {
  'use server'
  const name = String(form.get('customer') ?? '')
  const total = Number(form.get('total'))
  if (name === '' || !(total >= 0)) return
  const db = await database()
  const [customer] = await db
    .insert(customers)
    .values({ name })
    .onConflictDoUpdate({ target: customers.name, set: { name } })
    .returning()
  const [order] = await db.insert(orders).values({ customerId: customer.id, total }).returning()
  redirect(`/orders/${order.id}`)
}
