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
export { type LeaseClient, leasePartition, postgresLeases } from './leases.js'
export {
  drizzleMigration,
  type MigrationFile,
  type MigrationOptions,
  prismaMigration,
  typeormMigration,
} from './migrations.js'
export type { SqlFamily } from './sql-files.js'
