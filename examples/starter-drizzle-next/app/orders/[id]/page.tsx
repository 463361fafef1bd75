import { eq } from 'drizzle-orm'
import Link from 'next/link'
import { notFound } from 'next/navigation'
import { database } from '@/db'
import { customers, orderId, orders } from '@/schema'

export default async function OrderPage({ params }: PageProps<'/orders/[id]'>) {
  const { id } = await params
  if (!orderId.is(id)) notFound() // malformed, or another table's
  const db = await database()
  const [found] = await db
    .select()
    .from(orders)
    .innerJoin(customers, eq(customers.id, orders.customerId))
    .where(eq(orders.id, id))
  if (!found) notFound()

  return (
    <main>
      <h1>{id}</h1>
      <p>
        {found.orders.total}, ordered by {found.customers.name} ({found.customers.id}) at{' '}
        <time>{orderId.time(id).toISOString()}</time>
      </p>
      <Link href="/">All orders</Link>
    </main>
  )
}
