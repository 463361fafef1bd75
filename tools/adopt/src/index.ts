export type {
  Adoption,
  Orm,
  Phase,
  ReplacedColumn,
  SchemaChange,
  Stage,
  TableVerification,
  Verification,
  Via,
} from './adoption.js'
export type { InventoryRow, Verdict } from './inventory.js'
export { keyTime } from './key-time.js'
export type { MariadbClient, MariadbConnection } from './mariadb/session.js'
export { inventoryOf, obstaclesOf } from './obstacles.js'
export type {
  AdoptionOptions,
  BackfillOptions,
  ColumnTime,
  CreatedAt,
  Progress,
  Reference,
  SwitchOptions,
  TableOptions,
} from './options.js'
export { type AdoptionClient, planAdoption } from './plan-adoption.js'
export type { PostgresClient } from './postgres/session.js'
export { type Rehearsal, rehearseAdoption, type ViewComparison } from './rehearse.js'
export type { SqliteConnection, SqliteStatement } from './sqlite/session.js'
