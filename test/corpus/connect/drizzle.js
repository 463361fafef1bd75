import { generateDrizzleJson, generateMigration, generateSQLiteDrizzleJson, generateSQLiteMigration } from 'drizzle-kit/api'
import { drizzle as overSqlite } from 'drizzle-orm/better-sqlite3'
import { drizzle as overPglite } from 'drizzle-orm/pglite'

/** What drizzle-kit generates from a schema, or from none, to another. */
export async function migration(kind, from, to) {
  const statements =
    kind === 'sqlite'
      ? await generateSQLiteMigration(await generateSQLiteDrizzleJson(from), await generateSQLiteDrizzleJson(to))
      : await generateMigration(generateDrizzleJson(from), generateDrizzleJson(to))
  return statements
}

export const connect = ({ kind, connection: client }, schema) =>
  kind === 'sqlite' ? overSqlite({ client, schema }) : overPglite({ client, schema })
