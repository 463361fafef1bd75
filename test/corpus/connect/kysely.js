import { PostgresDialect, SqliteDialect } from 'kysely'

/** The dialect of a test's database, whose connections stay those of the test. */
export const dialectOf = ({ kind, connection, pool }) =>
  kind === 'sqlite' ? new SqliteDialect({ database: connection }) : new PostgresDialect({ pool })
