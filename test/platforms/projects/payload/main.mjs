import { sqliteAdapter } from '@payloadcms/db-sqlite'
import { columnFor, flax, prefixed } from '@snoflax/core'
import { buildConfig, getPayload } from 'payload'

const orderId = prefixed(flax, 'ord')
const { generate, range } = columnFor(orderId, 'sqlite')

const orders = {
  slug: 'orders',
  fields: [
    {
      name: 'id',
      type: 'text',
      defaultValue: generate,
      validate: (id) => orderId.is(id) || 'is not the id of an order',
    },
    { name: 'what', type: 'text', required: true },
  ],
}

const db = sqliteAdapter({ client: { url: process.env.DATABASE_URL ?? 'file:./shop.db' } })
const config = buildConfig({ secret: 'only for this example', telemetry: false, collections: [orders], db })
const payload = await getPayload({ config })

const { id } = await payload.create({ collection: 'orders', data: { what: 'tea' } })
const { gte, lt } = range(Date.now() - 3_600_000, Date.now() + 1_000)
const lastHour = { id: { greater_than_equal: gte, less_than: lt } }
const { docs } = await payload.find({ collection: 'orders', where: lastHour })
const refusal = payload.create({ collection: 'orders', data: { id: 'tea', what: 'tea' } })
const { message } = await refusal.catch((error) => error)
if (!docs.some((doc) => doc.id === id)) throw new Error('found nothing')
console.log(`stored, found and refused an id like ${id}: ${message}`)
process.exit(0)
