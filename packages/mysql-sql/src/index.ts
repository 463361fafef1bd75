export { type ColumnOptions, type ColumnSql, columnSql, type Server } from './column-sql.js'
export { type Drift, drift } from './drift.js'
export {
  type Installed,
  type InstallOptions,
  install,
  installedVersion,
  installStatements,
  type SchemaOption,
  uninstall,
  VERSION,
} from './install.js'
export { type LeaseClient, leasePartition, mysqlLeases } from './leases.js'
export type { Client, Connection } from './session.js'
export { type IdColumnName, type PartitionOptions, partitionsSql, timeSql } from './time-sql.js'
