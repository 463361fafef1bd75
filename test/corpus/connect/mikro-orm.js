import { MikroORM as PostgreSql } from '@mikro-orm/postgresql'
import { MikroORM as Sqlite } from '@mikro-orm/sqlite'

export const start = (database, entities) =>
  database.kind === 'sqlite' ? Sqlite.init({ dbName: database.file, entities }) : PostgreSql.init({ clientUrl: database.url, entities })
