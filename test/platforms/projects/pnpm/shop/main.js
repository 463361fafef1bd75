import { deepEqual, notEqual, throws } from 'node:assert/strict'
import { createRequire } from 'node:module'
import { IdError } from '@snoflax/core'
import { eq, ne, sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/sql-js'
import { orders } from 'schema'
import initSqlJs from 'sql.js'

const schema = createRequire(import.meta.resolve('schema'))
notEqual(schema.resolve('drizzle-orm'), createRequire(import.meta.url).resolve('drizzle-orm'), 'there is one copy')

const { Database } = await initSqlJs()
const db = drizzle(new Database())
db.run(sql`CREATE TABLE orders (id BLOB PRIMARY KEY, what TEXT NOT NULL)`)
const [{ id }] = db.insert(orders).values([{ what: 'tea' }, { what: 'milk' }]).returning().all()
deepEqual(db.select().from(orders).where(eq(orders.id, id)).all(), [{ id, what: 'tea' }])
db.delete(orders).where(ne(orders.id, sql.placeholder('kept'))).prepare().run({ kept: id })
deepEqual(db.select().from(orders).all(), [{ id, what: 'tea' }])
throws(() => db.select().from(orders).where(eq(orders.id, 'tea')).all(), IdError)
console.log(`stored, found and refused an id like ${id}`)
