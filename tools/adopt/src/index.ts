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
export type { MariadbClient, MariadbConnection } from './mariadb/driver.js'
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
export type { PostgresClient } from './postgres/driver.js'
export type { SqliteConnection, SqliteStatement } from './sqlite/driver.js'
