import {
  generateDrizzleJson,
  generateMigration,
  generateMySQLDrizzleJson,
  generateMySQLMigration,
  generateSQLiteDrizzleJson,
  generateSQLiteMigration,
} from 'drizzle-kit/api'

type Schema = Record<string, unknown>

/** The statements that drizzle-kit writes for a schema in an empty database. */
export const postgresStatements = (schema: Schema): Promise<string[]> =>
  generateMigration(generateDrizzleJson({}), generateDrizzleJson(schema))

export const sqliteStatements = async (schema: Schema): Promise<string[]> =>
  generateSQLiteMigration(await generateSQLiteDrizzleJson({}), await generateSQLiteDrizzleJson(schema))

export const mysqlStatements = async (schema: Schema): Promise<string[]> =>
  generateMySQLMigration(await generateMySQLDrizzleJson({}), await generateMySQLDrizzleJson(schema))
