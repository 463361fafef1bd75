import { drizzle } from 'drizzle-orm/pglite'
import { migrate } from 'drizzle-orm/pglite/migrator'

async function open() {
  const db = drizzle('./shop-data')
  await migrate(db, { migrationsFolder: 'drizzle' })
  return db
}

// `next dev` loads this file again after each change, and `next build` in several processes.
const kept = globalThis as { db?: ReturnType<typeof open> }

/** The database of this process, opened by the first request. */
export const database = () => (kept.db ??= open())
