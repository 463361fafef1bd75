import { deepEqual, notEqual, throws } from 'node:assert/strict'
import { createRequire } from 'node:module'
import { IdError } from '@snoflax/core'
import { placeholder } from '@snoflax/drizzle/sqlite-core'
import { key, visits } from 'columns'
import { eq, ne, sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/sql-js'
import { sqliteTable, text } from 'drizzle-orm/sqlite-core'
import initSqlJs from 'sql.js'

const fileOfDrizzle = (from) => createRequire(from).resolve('drizzle-orm')
notEqual(fileOfDrizzle(import.meta.url), fileOfDrizzle(import.meta.resolve('columns')), 'there is one copy')

const orders = sqliteTable('orders', { id: key(), what: text().notNull() })

const { Database } = await initSqlJs()
const db = drizzle(new Database())
db.run(sql`CREATE TABLE orders (id BLOB PRIMARY KEY, what TEXT NOT NULL)`)
const [{ id }] = db.insert(orders).values([{ what: 'tea' }, { what: 'milk' }]).returning().all()
deepEqual(db.select().from(orders).where(eq(orders.id, id)).all(), [{ id, what: 'tea' }])
db.delete(orders).where(ne(orders.id, placeholder(orders.id, 'kept'))).prepare().run({ kept: id })
deepEqual(db.select().from(orders).all(), [{ id, what: 'tea' }])
throws(() => db.select().from(orders).where(eq(orders.id, 'tea')).all(), IdError)

// A table of the one copy in a query of the other, which the package knows by now.
db.run(sql`CREATE TABLE visits (id BLOB PRIMARY KEY)`)
const visit = db.insert(visits).values({}).returning().get()
deepEqual(db.get(sql`SELECT length(id) AS bytes FROM visits`), { bytes: 12 })
db.delete(visits).where(ne(visits.id, placeholder(visits.id, 'kept'))).prepare().run({ kept: visit.id })
deepEqual(db.select().from(visits).all(), [visit])

console.log(`stored, found and refused an id like ${id}`)
