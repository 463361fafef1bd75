import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { checkColumns } from '@snoflax/drizzle/pg-core'
import { drizzle } from 'drizzle-orm/node-postgres'
import pg from 'pg'
import { customers, orders } from './kit-schema.mjs'

// What `generate` wrote is in the database by `migrate`; `push` changed nothing, and `pull` read it.
const client = new pg.Pool({ connectionString: process.env.URL })
const db = drizzle({ client })
await checkColumns(db, { customers, orders })
const [ada] = await db.insert(customers).values({ n: 1 }).returning()
await db.insert(orders).values({ customerId: ada.id, n: 1 })
assert.equal((await db.select().from(orders))[0].customerId, ada.id)
await client.end()
const pulled = readdirSync('pulled', { recursive: true }).find((name) => /schema\.ts$/.test(name))
assert.match(readFileSync(join('pulled', pulled), 'utf8'), /customerId: (bytea|unknown)|customer_id/)
console.log('stored, found and refused an id')
