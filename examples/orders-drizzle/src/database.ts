import { fileURLToPath } from 'node:url'
import { PGlite } from '@electric-sql/pglite'
import { drizzle } from 'drizzle-orm/pglite'
import * as migrator from 'drizzle-orm/pglite/migrator'
import * as schema from './schema.js'

export const db = drizzle({ client: new PGlite(), schema })

export function migrate(): Promise<void> {
  return migrator.migrate(db, { migrationsFolder: fileURLToPath(new URL('../drizzle', import.meta.url)) })
}
