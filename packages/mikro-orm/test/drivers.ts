import { MikroORM as MariaDb } from '@mikro-orm/mariadb'
import { MikroORM as MySql } from '@mikro-orm/mysql'
import { MikroORM as PostgreSql } from '@mikro-orm/postgresql'
import type { MikroORM, Options } from '@mikro-orm/sqlite'
import type { MysqlDatabase, OpenDatabase, PostgresDatabase } from '@snoflax/test'

/** MikroORM on PostgreSQL, MariaDB or MySQL. Its driver for MariaDB reads MySQL's catalog wrongly. */
export function ormOnServer(database: OpenDatabase, options: object): Promise<MikroORM> {
  const ofMysql = database.label.startsWith('MariaDB') ? MariaDb : MySql
  const driver = (database.kind === 'mysql' ? ofMysql : PostgreSql) as unknown as typeof MikroORM
  const { url } = database as MysqlDatabase | PostgresDatabase
  return driver.init({ clientUrl: url, ...options } as Options)
}
