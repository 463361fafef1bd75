// A workspace whose schema has one copy of Drizzle, and the application another.
import { flaxId } from '@snoflax/drizzle/sqlite-core'
import Database from 'better-sqlite3'
import { sqliteTable } from 'drizzle-orm/sqlite-core'

const [elsewhere, statement] = process.argv.slice(2)
const sessions = sqliteTable('sessions', { id: flaxId({ storage: 'binary' }).primaryKey() })

const { defineRelations, ne, sql } = await import(`${elsewhere}/index.js`)
const { drizzle } = await import(`${elsewhere}/better-sqlite3/index.js`)
const client = new Database(':memory:')
client.exec('create table sessions (id blob primary key)')
const schema = { sessions }
const db = drizzle({ client, ...(defineRelations ? { relations: defineRelations(schema) } : { schema }) })
const statements = {
  select: () => db.select().from(sessions),
  delete: () => db.delete(sessions).where(ne(sessions.id, sql.placeholder('mine'))),
  insert: () => db.insert(sessions).values({}),
  update: () => db.update(sessions).set({ id: sql`${'x'}` }),
  query: () => db.query.sessions.findMany(),
}
statements[statement]().prepare().run({ mine: 'x' })
