import * as ours from '@snoflax/drizzle/sqlite-core'
import * as theirs from 'drizzle-orm/sqlite-core'
import { exercise, relatedOf, tablesOf } from './exercise.mjs'

const tables = tablesOf('sqlite', theirs, ours)
const related = relatedOf(tables)
const CLIENTS = {
  async 'better-sqlite3'() {
    const { drizzle } = await import('drizzle-orm/better-sqlite3')
    const { default: Database } = await import('better-sqlite3')
    return { db: drizzle({ client: new Database(':memory:'), ...related }) }
  },
  async libsql() {
    const { drizzle } = await import('drizzle-orm/libsql')
    const { createClient } = await import('@libsql/client')
    return { db: drizzle({ client: createClient({ url: 'file:libsql.db' }), ...related }) }
  },
  async 'sql.js'() {
    const { drizzle } = await import('drizzle-orm/sql-js')
    const { default: initSqlJs } = await import('sql.js')
    const { Database } = await initSqlJs()
    const client = new Database()
    return { db: drizzle(client, related) }
  },
  async d1() {
    const { drizzle } = await import('drizzle-orm/d1')
    const { Miniflare } = await import('miniflare')
    const script = 'export default { fetch: () => new Response() }'
    const miniflare = new Miniflare({ modules: true, script, d1Databases: ['DB'] })
    const client = await miniflare.getD1Database('DB')
    return { db: drizzle(client, related), end: () => miniflare.dispose() }
  },
  async 'node:sqlite'() {
    const { drizzle } = await import('drizzle-orm/node-sqlite')
    const { DatabaseSync } = await import('node:sqlite')
    return { db: drizzle({ client: new DatabaseSync(':memory:'), ...related }) }
  },
  async 'bun:sqlite'() {
    const { drizzle } = await import('drizzle-orm/bun-sqlite')
    const { Database } = await import('bun:sqlite')
    return { db: drizzle({ client: new Database(':memory:'), ...related }) }
  },
}
const { db, end } = await CLIENTS[process.argv[2]]()
await exercise(db, tables, ours)
await end?.()
