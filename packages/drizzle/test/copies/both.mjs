// Two copies of this package in one process: one patches Drizzle, the other defines the table.
import { createRequire } from 'node:module'
import * as imported from '@snoflax/drizzle/sqlite-core'
import Database from 'better-sqlite3'
import { sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { sqliteTable } from 'drizzle-orm/sqlite-core'

sqliteTable('first', { id: imported.snoId({ storage: 'binary' }) })
const required = createRequire(import.meta.url)('@snoflax/drizzle/sqlite-core')
const sessions = sqliteTable('sessions', { key: required.flaxId({ storage: 'binary' }).primaryKey() })
const client = new Database(':memory:')
client.exec('create table sessions (key blob primary key)')
const db = drizzle({ client })
const { key } = db.insert(sessions).values({}).returning().get()
db.all(sql`select 1 from sessions where lower(key) = ${key}`)
