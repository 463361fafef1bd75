import { flax } from '@snoflax/core'
import * as pgIds from '@snoflax/drizzle/pg-core'
import * as sqliteIds from '@snoflax/drizzle/sqlite-core'
import { drizzle as drizzleSqlite } from 'drizzle-orm/better-sqlite3'
import { drizzle as drizzlePg } from 'drizzle-orm/node-postgres'
import * as pg from 'drizzle-orm/pg-core'
import * as sqlite from 'drizzle-orm/sqlite-core'
import { inChunks, type Model, type Orm, type Place, type Row } from './contest.js'

/** Rows for one statement. Drizzle doesn't split lists; SQLite accepts 32,766 parameters. */
const CHUNK = 5_000

const pgTable = (key: string, id: pg.PgColumnBuilderBase) =>
  pg.pgTable(`race_${key}`, { id, name: pg.text().notNull(), total: pg.integer().notNull() })
const sqliteTable = (key: string, id: sqlite.SQLiteColumnBuilderBase) =>
  sqlite.sqliteTable(`race_${key}`, { id, name: sqlite.text().notNull(), total: sqlite.integer().notNull() })

export async function openDrizzle(place: Place): Promise<Orm> {
  const postgres = drizzlePg(place.postgres.pool)
  const lite = drizzleSqlite(place.sqlite.connection)
  const pgModel = (table: ReturnType<typeof pgTable>) => model((rows) => postgres.insert(table).values(rows))
  const liteModel = (table: ReturnType<typeof sqliteTable>) =>
    model((rows) => lite.insert(table).values(rows))
  return {
    models: {
      postgres: {
        flax: pgModel(pgTable('flax', pgIds.flaxId().primaryKey())),
        sno: pgModel(pgTable('sno', pgIds.snoId().primaryKey())),
        plain: pgModel(pgTable('plain', pg.text().primaryKey().$defaultFn(flax.generate))),
      },
      sqlite: {
        flax: liteModel(sqliteTable('flax', sqliteIds.flaxId().primaryKey())),
        sno: liteModel(sqliteTable('sno', sqliteIds.snoId().primaryKey())),
        plain: liteModel(sqliteTable('plain', sqlite.text().primaryKey().$defaultFn(flax.generate))),
      },
    },
    close: async () => {},
  }
}

function model(insert: (rows: Row[]) => PromiseLike<unknown>): Model {
  return {
    insertMany: (rows) => inChunks(rows, CHUNK, insert),
    insertOne: async (row) => insert([row]),
  }
}
