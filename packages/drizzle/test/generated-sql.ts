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

/** The statements that drizzle-kit writes for a schema, in an empty database or in one that has another schema. */
export const postgresStatements = (schema: Schema, before = {}, casing?: 'snake_case'): Promise<string[]> =>
  generateMigration(
    generateDrizzleJson(before, undefined, undefined, casing),
    generateDrizzleJson(schema, undefined, undefined, casing),
  )

export const sqliteStatements = async (schema: Schema, before = {}): Promise<string[]> =>
  generateSQLiteMigration(await generateSQLiteDrizzleJson(before), await generateSQLiteDrizzleJson(schema))

// Drizzle 1.0 has no names for primary keys that were given none, and this drizzle-kit asks for them.
const keys = PrimaryKey.prototype as { getName?: () => string }
keys.getName ??= () => 'primary_key'

export const mysqlStatements = async (schema: Schema, before = {}): Promise<string[]> =>
  generateMySQLMigration(await generateMySQLDrizzleJson(before), await generateMySQLDrizzleJson(schema))
