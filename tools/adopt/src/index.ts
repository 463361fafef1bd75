export type {
  Adoption,
  Orm,
  Phase,
  ReplacedColumn,
  SchemaChange,
  Stage,
  TableVerification,
  Verification,
} from './adoption.js'
export { keyTime } from './key-time.js'
export type { MariadbClient, MariadbConnection } from './mariadb/session.js'
export { obstaclesOf } from './obstacles.js'
export type {
  AdoptionOptions,
  BackfillOptions,
  ColumnTime,
  CreatedAt,
  Progress,
  SwitchOptions,
  TableOptions,
} from './options.js'
export { planAdoption } from './plan-adoption.js'
export type { PostgresClient } from './postgres/session.js'
export type { SqliteConnection, SqliteStatement } from './sqlite/session.js'
