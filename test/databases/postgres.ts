import type { DatabaseKind } from './open-database.js'
import type { PostgresDatabase, PostgresDatabaseOptions, PostgresPlace } from './postgres-databases.js'
import { createDatabase } from './postgres-databases.js'
import { thisRun } from './run.js'

/** The run's real PostgreSQL server, which the global setup has started. */
export const sharedPostgres = (): PostgresPlace => thisRun().postgres

/** A separate database on that server, empty or with the template's content. */
export const postgres: DatabaseKind<PostgresDatabase, PostgresDatabaseOptions> = {
  name: 'postgres',
  selected: () => true,
  open: (options) => createDatabase(sharedPostgres(), options),
}
