import type { MySqlDatabase, MySqlQueryResultHKT, PreparedQueryHKTBase } from 'drizzle-orm/mysql-core'
import type { mysqlSchema } from './mysql-schema.js'

export type MySqlSchema = ReturnType<typeof mysqlSchema>

/** As {@link Session}, for writes that MySQL does in other ways. */
export interface MySqlSession {
  readonly db: MySqlDatabase<MySqlQueryResultHKT, PreparedQueryHKTBase, MySqlSchema>
  readonly schema: MySqlSchema
}
