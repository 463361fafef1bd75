export type { Client } from './client.js'
export {
  type Installed,
  type InstallOptions,
  install,
  installedVersion,
  installSql,
  installStatements,
  uninstall,
  VERSION,
} from './install.js'
export type { GeneratorOf, GeneratorOptionsOf, LeasableFamily } from './lease/families.js'
export { leasePartition, leasePartitionFrom, type PartitionLease } from './lease/lease-partition.js'
export type { LeaseOptions, LeaseWait } from './lease/options.js'
export { type LeaseClient, postgresLeases } from './lease/postgres.js'
export type {
  LeaseGrant,
  LeaseNumbers,
  LeaseRefusal,
  LeaseRequest,
  LeaseStore,
  LeaseWindow,
} from './lease/store.js'
export {
  drizzleMigration,
  type MigrationFile,
  type MigrationOptions,
  prismaMigration,
  typeormMigration,
} from './migrations.js'
export type { SqlFamily } from './sql-files.js'
