export type { Client } from './client.js'
export { type Installed, type InstallOptions, install, installSql } from './install.js'
export {
  drizzleMigration,
  type MigrationFile,
  type MigrationOptions,
  prismaMigration,
  typeormMigration,
} from './migrations.js'
export type { SqlFamily } from './sql-files.js'
export { uninstall } from './uninstall.js'
export { installedVersion, VERSION } from './version.js'
