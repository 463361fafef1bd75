import {
  generateDrizzleJson,
  generateMigration,
  generateMySQLDrizzleJson,
  generateMySQLMigration,
  generateSQLiteDrizzleJson,
  generateSQLiteMigration,
} from 'drizzle-kit/api'
import { PrimaryKey } from 'drizzle-orm/mysql-core'

type Schema = Record<string, unknown>

/** The statements that drizzle-kit writes for a schema in an empty database. */
export const postgresStatements = (schema: Schema): Promise<string[]> =>
  generateMigration(generateDrizzleJson({}), generateDrizzleJson(schema))

export const sqliteStatements = async (schema: Schema): Promise<string[]> =>
  generateSQLiteMigration(await generateSQLiteDrizzleJson({}), await generateSQLiteDrizzleJson(schema))

// Drizzle 1.0 has no names for primary keys that were given none, and this drizzle-kit asks for them.
const keys = PrimaryKey.prototype as { getName?: () => string }
keys.getName ??= () => 'primary_key'

export const mysqlStatements = async (schema: Schema): Promise<string[]> =>
  generateMySQLMigration(await generateMySQLDrizzleJson({}), await generateMySQLDrizzleJson(schema))
