import type { Id, IdFamily } from '@snoflax/core'
import { sqlCall } from '@snoflax/core/adapter'
import { createdAt, idColumn as drizzleId } from '@snoflax/drizzle/pg-core'
import { typeid, ulid, uuid7 } from '@snoflax/families'
import { idPlugin, idColumn as kyselyId } from '@snoflax/kysely'
import { install } from '@snoflax/pg-sql'
import { type PostgresDatabase, postgres } from '@snoflax/test'
import { IdColumn } from '@snoflax/typeorm'
import type { SQL } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/node-postgres'
import { getTableConfig, PgDialect, pgTable, text } from 'drizzle-orm/pg-core'
import { Kysely, PostgresDialect } from 'kysely'
import { Column, DataSource, Entity } from 'typeorm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectRefusal } from '../../core/test/refusal.js'

// The server's uuidv7() from 18 on, before it ours: SNOFLAX_POSTGRES_VERSION chooses. Prisma's is in its own package.

const FAMILIES = [uuid7, ulid, typeid('user')] as unknown as readonly IdFamily<Id>[]
const VARIANTS = FAMILIES.flatMap((family) =>
  (['uuid', 'text'] as const).map((storage) => ({ name: family.name, storage, family })),
)

let database: PostgresDatabase
beforeAll(async () => {
  database = await postgres.open()
  await install(database.pool, { families: ['uuid7'] })
})
afterAll(() => database?.close())

describe.each(VARIANTS)("$name in $storage, default: 'database'", ({ name, storage, family }) => {
  /** Two ids that the ORM was answered, beside one of raw SQL: the database made them, now, as the column stores them. */
  async function expectMade(table: string, answered: readonly string[], read: () => Promise<string[]>) {
    await database.query(`INSERT INTO ${table} (word) VALUES ('raw')`)
    const ids = await read()
    expect(ids).toHaveLength(3)
    expect(new Set(ids).size).toBe(3)
    expect(ids).toEqual(expect.arrayContaining([...answered]))
    for (const id of ids) {
      expect(family.parse(id)).toBe(id)
      expect(Math.abs(family.timeMs(id as Id) - Date.now())).toBeLessThan(600_000)
    }
    const types = await database.query(`SELECT DISTINCT pg_typeof(id)::text AS type FROM ${table}`)
    expect(types).toEqual([{ type: storage }])
  }

  // TypeORM has no prefixed text.
  test.skipIf(name === 'user' && storage === 'text')('TypeORM', async () => {
    const table = `typeorm_${name}_${storage}`
    class Row {
      id!: Id
      word!: string
    }
    IdColumn(family, { storage, default: 'database' })(Row.prototype, 'id')
    Column('text')(Row.prototype, 'word')
    Entity(table)(Row)
    const dataSource = await new DataSource({
      type: 'postgres',
      url: database.url,
      entities: [Row],
      synchronize: true,
    }).initialize()
    try {
      const { upQueries } = await dataSource.driver.createSchemaBuilder().log()
      expect(upQueries).toEqual([])
      const rows = dataSource.getRepository(Row)
      const saved = await rows.save([{ word: 'a' }, { word: 'b' }])
      await expectMade(
        table,
        saved.map(({ id }) => id),
        async () => (await rows.find()).map(({ id }) => id),
      )
    } finally {
      await dataSource.destroy()
    }
  })

  test('Drizzle', async () => {
    const table = `drizzle_${name}_${storage}`
    const rows = pgTable(table, {
      id: drizzleId(family)({ storage, default: 'database' }).primaryKey(),
      word: text().notNull(),
    })
    const [id] = getTableConfig(rows).columns
    const { sql } = new PgDialect().sqlToQuery(id?.default as SQL)
    await database.query(
      `CREATE TABLE ${table} (id ${id?.getSQLType()} PRIMARY KEY DEFAULT ${sql}, word text NOT NULL)`,
    )
    const db = drizzle(database.pool)
    const saved = await db
      .insert(rows)
      .values([{ word: 'a' }, { word: 'b' }])
      .returning()
    await expectMade(
      table,
      saved.map((row) => row.id),
      async () => (await db.select().from(rows)).map((row) => row.id),
    )
    const times = await db
      .select({ id: rows.id, inSql: createdAt(rows.id, { schema: 'snoflax' }) })
      .from(rows)
    for (const { id, inSql } of times) expect(inSql).toEqual(family.time(id))
  })

  test('Kysely', async () => {
    const table = `kysely_${name}_${storage}`
    const ids = idPlugin({
      database: 'postgres',
      tables: { [table]: { id: kyselyId(family)({ storage, default: 'database' }) } },
    })
    const db = new Kysely<Record<string, { id?: Id; word: string }>>({
      dialect: new PostgresDialect({ pool: database.pool }),
      plugins: [ids],
    })
    await db.schema
      .createTable(table)
      .addColumn('id', ids.columnType(`${table}.id`), (column) =>
        column.primaryKey().defaultTo(ids.columnDefault(`${table}.id`)),
      )
      .addColumn('word', 'text', (column) => column.notNull())
      .execute()
    const saved = await db
      .insertInto(table)
      .values([{ word: 'a' }, { word: 'b' }])
      .returningAll()
      .execute()
    await expectMade(
      table,
      saved.map(({ id }) => String(id)),
      async () => (await db.selectFrom(table).selectAll().execute()).map(({ id }) => String(id)),
    )
  })
})

test.each(FAMILIES)(
  '$name: a database default in binary is refused, and the error says to use uuid',
  (family) => {
    const { message } = expectRefusal(() => sqlCall(family, 'binary'), 'INVALID_OPTION')
    expect(message).toContain("use storage 'uuid'")
  },
)

test("uuid7 is generated by the server's own function if it has one", async () => {
  const [row] = await database.query(
    `SELECT current_setting('server_version_num')::integer >= 180000 AS own,
       pg_get_functiondef('snoflax.uuid7_generate()'::regprocedure) ~ '[^_]uuidv7\\(\\)' AS used`,
  )
  expect(row?.['used']).toBe(row?.['own'])
})
