import { flax, prefixed, sno } from '@snoflax/core'
import * as my from '@snoflax/drizzle/mysql-core'
import * as pg from '@snoflax/drizzle/pg-core'
import * as lite from '@snoflax/drizzle/sqlite-core'
import { pglite, sqlite } from '@snoflax/test'
import { eq, inArray, ne, sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { mysqlTable } from 'drizzle-orm/mysql-core'
import { type AnyPgColumn, check, index, integer, pgPolicy, pgTable } from 'drizzle-orm/pg-core'
import { drizzle as overPglite } from 'drizzle-orm/pglite'
import {
  check as liteCheck,
  index as liteIndex,
  integer as liteInteger,
  sqliteTable,
} from 'drizzle-orm/sqlite-core'
import { describe, expect, test } from 'vitest'
import { isBefore1 } from './contract/version.js'
import { mysqlStatements, postgresStatements, sqliteStatements } from './generated-sql.js'

const id = flax.generate()
const bytes = Buffer.from(flax.decode(id)).toString('hex')

describe('ids in checks, partial indexes and policies', () => {
  test('are written into the SQL of PostgreSQL as stored', async () => {
    const rows = pgTable(
      'rows',
      { id: pg.flaxId({ storage: 'binary' }).primaryKey(), n: integer() },
      (row) => [
        check('no_root', sql`${row.id} <> ${id} and ${row.n} < ${5}`),
        index('rest').on(row.n).where(ne(row.id, id)),
        pgPolicy('mine', { using: eq(row.id, id), withCheck: inArray(row.id, [id]) }),
      ],
    )
    const statements = (await postgresStatements({ rows })).join('\n')
    expect(statements).not.toMatch(/\$\d/)
    expect(statements.split(`'\\x${bytes}'`)).toHaveLength(5)
    expect(statements).toContain(`"rows"."n" < 5`)
  })

  test('are written into the SQL of SQLite as stored, and queries still find them', async () => {
    const rows = sqliteTable(
      'rows',
      { id: lite.flaxId({ storage: 'binary' }).primaryKey(), n: liteInteger() },
      (row) => [liteCheck('no_root', ne(row.id, id)), liteIndex('rest').on(row.n).where(ne(row.id, id))],
    )
    const database = await sqlite.open()
    for (const statement of await sqliteStatements({ rows })) await database.query(statement)
    const db = drizzle({ client: database.connection })
    // Drizzle 1.0 puts the driver's error into an error of its own.
    const message = isBefore1 ? { message: expect.stringContaining('no_root') } : {}
    const cause = isBefore1
      ? {}
      : { cause: expect.objectContaining({ message: expect.stringContaining('no_root') }) }
    expect(() => db.insert(rows).values({ id, n: 1 }).run()).toThrow(
      expect.objectContaining({ ...message, ...cause }),
    )
    const other = db.insert(rows).values({ n: 1 }).returning().get()
    expect(db.select().from(rows).where(ne(rows.id, id)).all()).toEqual([other])
    await database.close()
  })
})

describe('check: true in SQLite', () => {
  const rows = sqliteTable('rows', {
    id: lite.flaxId({ storage: 'binary', check: true }).primaryKey(),
    other: lite.snoId.plain({ check: true }),
    ref: lite.flaxId.ref('ref', { check: true }).references((): never => rows.id as never),
    job: lite.flakeId.plain({ storage: 'bigint', exactBigint: true, check: true }),
  })

  test('refuses values that are not ids of the storage', async () => {
    const database = await sqlite.open()
    for (const statement of await sqliteStatements({ rows })) await database.query(statement)
    const db = drizzle({ client: database.connection })
    const row = db.insert(rows).values({}).returning().get()
    db.insert(rows)
      .values({ ref: row.id, other: '2222222222222222' as never, job: '4611686018427387905' as never })
      .run()
    const refused = [
      `insert into rows (id) values ('${id}')`,
      `insert into rows (id) values (null)`,
      `insert into rows (id) values (x'00')`,
      `insert into rows (id, other) values (x'${bytes}', 'short')`,
      `insert into rows (id, ref) values (x'${bytes}', '${row.id}')`,
      `insert into rows (id, job) values (x'${bytes}', 'x')`,
    ]
    for (const statement of refused) {
      expect(() => database.connection.exec(statement), statement).toThrow(/constraint failed/i)
    }
    expect(db.select({ id: rows.id }).from(rows).all()).toHaveLength(2)
    await database.close()
  })
})

const cus = prefixed(flax, 'cus')

describe('check: true in other databases', () => {
  test('refuses in PostgreSQL what other programs write, by length and prefix', async () => {
    const rows = pgTable('rows', {
      id: pg.flaxId({ prefix: 'cus', check: true }).primaryKey(),
      bytes: pg.snoId.plain({ storage: 'binary', check: true }),
      uuid: pg.flaxId.plain({ storage: 'uuid', check: true }),
      own: pg.flaxId.ref('own_id', (): AnyPgColumn => rows.id, { check: true }),
    })
    const database = await pglite.open()
    for (const statement of await postgresStatements({ rows })) await database.query(statement)
    const [row] = await overPglite({ client: database.connection })
      .insert(rows)
      .values({ bytes: sno.generate(), uuid: flax.generate() })
      .returning()
    const given = cus.generate()
    for (const [column, value] of [
      ['id', `'${flax.generate()}'`],
      ['id', `'ord${given.slice(3)}'`],
      ['own_id', `'${given} '`],
      ['bytes', "'\\x00'"],
    ]) {
      const statement = `update rows set ${column} = ${value}`
      await expect(database.query(statement), statement).rejects.toThrow(/check constraint/)
    }
    await database.query(`update rows set own_id = '${row?.id}'`)
    await database.close()
  })

  test('is written for MySQL', async () => {
    const rows = mysqlTable('rows', {
      id: my.flaxId({ prefix: 'cus', check: true }).primaryKey(),
      bytes: my.snoId.plain({ storage: 'binary', check: true }),
      job: my.flakeId.plain({ check: true }),
    })
    const [create] = await mysqlStatements({ rows })
    expect(create?.match(/CHECK\(.*\)/g)).toEqual([
      "CHECK(length(`id`) = 20 and substr(`id`, 1, 4) = 'cus_')",
      'CHECK(`bytes` is null or octet_length(`bytes`) = 10)',
    ])
  })
})
