import { flax, type IdFamily, sno, storageFor, ulid, uuid7 } from '@snoflax/core'
import { databaseDefault } from '@snoflax/core/adapter'
import { idColumn, idPlugin, snoId } from '@snoflax/kysely'
import { type MysqlDatabase, mysql } from '@snoflax/test'
import { Kysely, MysqlDialect, sql } from 'kysely'
import { createPool } from 'mysql2'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

interface Tables {
  notes: { id: string; text: string }
}

describe.runIf(mysql.selected())("default: 'database' in MySQL and MariaDB", () => {
  let database: MysqlDatabase
  let server: 'mysql' | 'mariadb'
  beforeAll(async () => {
    database = await mysql.open()
    server = database.label.startsWith('MariaDB') ? 'mariadb' : 'mysql'
  })
  afterAll(() => database?.close())

  test.each([flax, uuid7, ulid] as const)('the server generates the ids (%#)', async (family: IdFamily) => {
    const ids = idPlugin({
      database: server,
      tables: { notes: { id: idColumn(family, { default: 'database' }) } },
    })
    const pool = createPool({ uri: database.url })
    const db = new Kysely<Tables>({ dialect: new MysqlDialect({ pool }), plugins: [ids] })
    try {
      await db.schema
        .createTable('notes')
        .addColumn('id', ids.columnType('notes.id'), (column) =>
          column.primaryKey().defaultTo(ids.columnDefault('notes.id')),
        )
        .addColumn('text', 'varchar(80)', (column) => column.notNull())
        .execute()
      // MysqlDialect answers no ids, on MariaDB neither.
      await db
        .insertInto('notes')
        .values({ text: 'made' } as never)
        .execute()
      const made = await db.selectFrom('notes').selectAll().executeTakeFirstOrThrow()
      expect(family.is(made.id)).toBe(true)
      expect(Math.abs(family.timeMs(made.id) - Date.now())).toBeLessThan(60_000)
      const ownId = family.min
      await db.insertInto('notes').values({ id: ownId, text: 'given' }).execute()
      const found = db.selectFrom('notes').select('text').where('id', '=', ownId)
      expect(await found.execute()).toEqual([{ text: 'given' }])
    } finally {
      await db.schema.dropTable('notes').ifExists().execute()
      await db.destroy()
    }
  })

  test('is refused for sno, whose SQL default with a partition works in a plain column', async () => {
    expect(() =>
      idPlugin({ database: server, tables: { notes: { id: snoId({ default: 'database' }) } } }),
    ).toThrow(/need their own partition or worker.*columnSql/)
    const ids = idPlugin({ database: server, tables: { notes: { id: snoId.plain() } } })
    const pool = createPool({ uri: database.url })
    const db = new Kysely<Tables>({ dialect: new MysqlDialect({ pool }), plugins: [ids] })
    try {
      const { column } = storageFor(sno, server)
      const made = databaseDefault({ family: sno, database: server, storage: 'text', number: 7 })
      await db.schema
        .createTable('numbered')
        .addColumn('id', sql.raw(column.sql), (one) => one.primaryKey().defaultTo(sql.raw(made)))
        .addColumn('text', 'varchar(80)')
        .execute()
      await sql`RENAME TABLE numbered TO notes`.execute(db)
      await db
        .insertInto('notes')
        .values({ text: 'made' } as never)
        .execute()
      const { id } = await db.selectFrom('notes').selectAll().executeTakeFirstOrThrow()
      expect(sno.unpack(sno.parse(id)).partition).toBe(7)
    } finally {
      await db.schema.dropTable('notes').ifExists().execute()
      await db.destroy()
    }
  })
})
