import { mysql, mysqlVersion } from './databases/mysql.js'
import { pglite } from './databases/pglite.js'
import { postgres } from './databases/postgres.js'
import { sqlite } from './databases/sqlite.js'

export { freePort } from './databases/free-port.js'
export { flakeRequest, granted, request, TTL_MS } from './databases/leases.js'
export type { MysqlDatabase } from './databases/mysql.js'
export type { DatabaseKind, OpenDatabase, Row, Template } from './databases/open-database.js'
export type { PgliteDatabase } from './databases/pglite.js'
export { sharedPostgres } from './databases/postgres.js'
export { connectTo, onConnection, poolTo, urlTo } from './databases/postgres-connection.js'
export type {
  PostgresDatabase,
  PostgresDatabaseOptions,
  PostgresPlace,
} from './databases/postgres-databases.js'
export type { PostgresServer, PostgresStandby, ServerOptions } from './databases/postgres-server.js'
export { startServer } from './databases/postgres-server.js'
export type { PostgresVersion } from './databases/postgres-version.js'
export { POSTGRES_VERSIONS, wantedVersion } from './databases/postgres-version.js'
export { type Random, randomFrom } from './databases/random.js'
export { thisRun } from './databases/run.js'
export type { SqliteDatabase } from './databases/sqlite.js'
export { mysql, mysqlVersion, pglite, postgres, sqlite }

/** The databases that tests run on. This run has all of them, and MySQL or MariaDB if one was named. */
export const databases = [sqlite, pglite, postgres, mysql].filter((kind) => kind.selected())
