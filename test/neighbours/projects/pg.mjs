import * as ours from '@snoflax/drizzle/pg-core'
import * as theirs from 'drizzle-orm/pg-core'
import { exercise, relatedOf, tablesOf } from './exercise.mjs'

const tables = tablesOf('pg', theirs, ours)
const related = relatedOf(tables)
const CLIENTS = {
  async 'node-postgres'() {
    const { drizzle } = await import('drizzle-orm/node-postgres')
    const { default: pg } = await import('pg')
    const client = new pg.Pool({ connectionString: process.env.URL })
    return { db: drizzle({ client, ...related }), end: () => client.end() }
  },
  async postgres() {
    const { drizzle } = await import('drizzle-orm/postgres-js')
    const { default: postgres } = await import('postgres')
    const client = postgres(process.env.URL)
    return { db: drizzle({ client, ...related }), end: () => client.end() }
  },
  async pglite() {
    const { drizzle } = await import('drizzle-orm/pglite')
    const { PGlite } = await import('@electric-sql/pglite')
    const client = new PGlite()
    return { db: drizzle({ client, ...related }), end: () => client.close() }
  },
}
const { db, end } = await CLIENTS[process.argv[2]]()
await exercise(db, tables, ours)
await end()
