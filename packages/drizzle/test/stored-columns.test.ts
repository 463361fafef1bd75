import { opaque } from '@snoflax/core'
import * as my from '@snoflax/drizzle/mysql-core'
import * as pg from '@snoflax/drizzle/pg-core'
import * as lite from '@snoflax/drizzle/sqlite-core'
import { uidLocal } from '@snoflax/families'
import { mysql, type OpenDatabase, pglite, postgres, sqlite } from '@snoflax/test'
import type { Table } from 'drizzle-orm'
import { drizzle as overBetterSqlite3 } from 'drizzle-orm/better-sqlite3'
import { mysqlTable } from 'drizzle-orm/mysql-core'
import { drizzle as overMysql } from 'drizzle-orm/mysql2'
import { drizzle as overNodePostgres } from 'drizzle-orm/node-postgres'
import * as core from 'drizzle-orm/pg-core'
import { drizzle as overPglite } from 'drizzle-orm/pglite'
import { sqliteTable } from 'drizzle-orm/sqlite-core'
import { describe, expect, onTestFinished, test } from 'vitest'
import { isBefore1 } from './contract/version.js'
import { clientOf, dialects } from './dialects.js'

const { pgTable, text } = core

const storage = 'binary'
const org = opaque('org', { pattern: /org_[a-z]{9}/, generate: () => 'org_aaaaaaaaa' })

type ColumnCase = readonly [table: Table, right: readonly string[], wrong: readonly string[]]

/** A column of each storage, the types that suit it in the database, and those that do not. */
interface Case {
  readonly kind: typeof sqlite | typeof pglite | typeof postgres | typeof mysql
  readonly over: (client: never) => lite.AnyDatabase
  readonly columns: readonly ColumnCase[]
}

const CASES: readonly Case[] = [
  {
    kind: sqlite,
    over: (client: never) => overBetterSqlite3({ client }),
    columns: [
      [sqliteTable('t', { x: lite.flaxId.plain() }), ['text'], ['integer', 'text COLLATE NOCASE']],
      [sqliteTable('t', { x: lite.flaxId.plain({ storage }) }), ['blob'], ['text', 'integer']],
      [
        sqliteTable('t', { x: lite.idColumn.plain(uidLocal, { storage: 'bigint', exactBigint: true }) }),
        ['integer', 'bigint'],
        ['text', 'real'],
      ],
    ],
  },
  ...[pglite, postgres].map(
    (kind): Case => ({
      kind,
      over: (client: never) => (kind === pglite ? overPglite({ client }) : overNodePostgres({ client })),
      columns: [
        [pgTable('t', { x: pg.flaxId.plain({ storage: 'uuid' }) }), ['uuid'], ['bytea', 'uuid[]']],
        [
          pgTable('t', { x: pg.flaxId.plain({ storage: 'text' }) }),
          ['text collate "C"', 'varchar(16) collate "C"'],
          // PGlite has no other collations.
          [...(kind === postgres ? ['text collate "en-x-icu"'] : []), 'varchar(12) collate "C"', 'uuid'],
        ],
        [pgTable('t', { x: pg.flaxId.plain({ storage: 'uuid' }).array() }), ['uuid[]'], ['uuid', 'text[]']],
        [pgTable('t', { x: pg.idColumn.plain(org, { type: 'varchar(36)' }) }), ['varchar(36)', 'text'], []],
      ],
    }),
  ),
  {
    kind: mysql,
    over: (client: never) => overMysql({ client }),
    columns: [
      [
        mysqlTable('t', { x: my.flaxId.plain() }),
        ['char(16) character set utf8mb4 collate utf8mb4_bin', 'varchar(20) collate utf8mb4_bin'],
        ['char(16) collate utf8mb4_unicode_ci', 'char(12) character set utf8mb4 collate utf8mb4_bin'],
      ],
      [mysqlTable('t', { x: my.flaxId.plain({ storage }) }), ['binary(12)'], ['binary(16)', 'char(12)']],
      [
        mysqlTable('t', { x: my.idColumn.plain(uidLocal, { storage: 'bigint' }) }),
        ['bigint unsigned'],
        ['bigint', 'int unsigned'],
      ],
    ],
  },
]

describe.each(CASES.filter(({ kind }) => kind.selected()))('checkColumns, $kind.name', (one) => {
  const { kind, over, columns } = one
  test('accepts types that suit the storage, and refuses others and missing columns', async () => {
    const database = await kind.open()
    onTestFinished(() => database.close())
    const db = over(clientOf(database as OpenDatabase))
    for (const [table, right, wrong] of columns) {
      await expect(lite.checkColumns(db, { table })).rejects.toMatchObject({
        code: 'STORAGE_REFUSED',
        message: expect.stringMatching(/^t\.x: column t\.x is not in the database and must be /),
      })
      for (const type of [...right, ...wrong]) {
        await database.query(`create table t (n integer, x ${type})`)
        const check = lite.checkColumns(db, { table, helper: () => {} })
        if (right.includes(type)) await check
        else {
          const word = /\w+/.exec(type)?.[0].replace('varchar', '(varchar|character varying)')
          await expect(check, type).rejects.toMatchObject({
            code: 'STORAGE_REFUSED',
            message: expect.stringMatching(`^t\\.x: column t\\.x is ${word}.* and must be .*migration`),
          })
        }
        await database.query('drop table t')
      }
    }
  })
})

test('checkColumns checks several tables, in a schema, with names from casing', async () => {
  const database = await pglite.open()
  onTestFinished(() => database.close())
  await database.query('create schema shop')
  await database.query('create table shop.orders (id uuid, customer_id text)')
  // From 1.0 on it is the table that says how its columns are named.
  const { snakeCase } = core as unknown as {
    snakeCase: { schema: typeof core.pgSchema; table: typeof pgTable }
  }
  const named = isBefore1 ? { schema: core.pgSchema, table: pgTable } : snakeCase
  const orders = named
    .schema('shop')
    .table('orders', { id: pg.snoId({ storage: 'uuid' }), customerId: pg.flaxId.plain({ storage: 'uuid' }) })
  const notes = named.table('notes', { id: pg.flaxId({ storage: 'uuid' }), text: text() })
  const db = overPglite({ client: clientOf(database as OpenDatabase), casing: 'snake_case' })
  await expect(pg.checkColumns(db, { orders, notes })).rejects.toThrow(
    /orders\.customer(Id|_id): column shop\.orders\.customer_id is text COLLATE/,
  )
  await expect(pg.checkColumns(db, { orders, notes })).rejects.toThrow(
    'notes.id: column notes.id is not in the database and must be uuid. Change the columns by a migration',
  )
  const other = sqliteTable('other', { id: lite.flaxId() })
  await expect(pg.checkColumns(db, { notes, other })).rejects.toThrow(
    'checkColumns: notes.id is a column of postgres and other.id of sqlite; pass the tables of one database',
  )
  await expect(pg.checkColumns(db, {})).rejects.toMatchObject({ code: 'INVALID_OPTION' })
})

test.each(dialects)(
  'checkColumns finds references that can never equal a compact id, $name',
  async ({ open, over, table, core, ids: { flaxId, checkColumns } }) => {
    const shops = table('shops', { id: flaxId({ storage }).primaryKey(), name: flaxId.plain() })
    const id = () => shops.id
    const columns = {
      number: core.integer().references(id),
      words: core.text().references(id),
      far: flaxId.plain({ storage: 'text' }),
      right: flaxId.ref('right_id', id),
      near: flaxId.plain({ storage }),
      name: core.text().references(() => shops.name),
    }
    const doors = table('doors', columns, ({ far, near }) =>
      [far, near].map((one) => core.foreignKey({ columns: [one], foreignColumns: [shops.id] })),
    )
    const database = await open()
    onTestFinished(() => database.close())
    const [label, bytes, number] = [shops.name, shops.id, doors.number].map((one) => one.getSQLType())
    await database.query(`create table shops (id ${bytes}, name ${label})`)
    await database.query(`create table doors (far ${label}, near ${bytes}, right_id ${bytes})`)
    const faults = Object.entries({ number, words: 'text', far: label }).map(
      ([column, type]) =>
        `doors.${column}: the column is ${type} and references shops.id, which is ${bytes}; declare it by .ref()`,
    )
    const check = checkColumns(over(database), { shops, doors })
    await expect(check).rejects.toMatchObject({
      code: 'STORAGE_REFUSED',
      message: expect.stringContaining(faults.join('; ')),
    })
  },
)

test('checkColumns lets a bigint reference a bigint id, unless Drizzle rounds its numbers', async () => {
  const shops = pgTable('shops', { id: pg.idColumn.plain(uidLocal, { storage: 'bigint' }).primaryKey() })
  const doors = pgTable('doors', {
    exact: core.bigint({ mode: 'bigint' }).references(() => shops.id),
    rounded: core.bigint({ mode: 'number' }).references(() => shops.id),
  })
  const database = await pglite.open()
  onTestFinished(() => database.close())
  await database.query('create table shops (id bigint)')
  const db = overPglite({ client: clientOf(database as OpenDatabase) })
  await expect(pg.checkColumns(db, { shops, doors })).rejects.toThrow(
    /^doors\.rounded: the column is bigint and references shops\.id, which is bigint; declare it by \.ref\(\)\. /,
  )
})

test.each(dialects)(
  'checkColumns and find refuse a second column that generates the ids of a prefix, $name',
  async ({ open, over, table, core, ids: { flaxId, idColumn, snoId, checkColumns, find } }) => {
    const { primaryKey, foreignKey } = core
    const orderId = () => flaxId({ prefix: 'ord' })
    const orders = table('orders', { id: orderId().primaryKey() })
    const posts = table('posts', { id: flaxId().primaryKey() })
    const refused: readonly [schema: Record<string, Table>, message: RegExp][] = [
      [
        { orders, lines: table('lines', { orderId: orderId() }) },
        /^lines\.orderId: generates ids with the prefix ord, as orders\.id does; .*idColumn\.ref\(\(\) => orders\.id\).*idColumn\.plain\(definition\)$/,
      ],
      [
        { both: table('both', { id: orderId(), orderId: orderId() }) },
        /^both\.orderId: generates ids with the prefix ord/,
      ],
      [
        { posts, lines: table('lines', { postId: flaxId().references(() => posts.id) }) },
        /^lines\.postId: references posts\.id, but is declared to generate ids, .*idColumn\.ref\(\(\) => posts\.id\)$/,
      ],
      [
        {
          posts,
          lines: table('lines', { postId: flaxId() }, ({ postId }) => [
            foreignKey({ columns: [postId], foreignColumns: [posts.id] }),
          ]),
        },
        /^lines\.postId: references posts\.id, /,
      ],
      [
        {
          tags: table('tags', { postId: flaxId(), tagId: snoId() }, ({ postId, tagId }) => [
            primaryKey({ columns: [postId, tagId] }),
          ]),
        },
        /^tags\.tagId: the primary key has two generated ids, this one and tags\.postId; /,
      ],
    ]
    // A document references its current version, whose key begins with the document's own id.
    const documents = table(
      'documents',
      { id: flaxId({ prefix: 'doc' }).primaryKey(), current: core.integer() },
      ({ id, current }): never =>
        [foreignKey({ columns: [id, current], foreignColumns: [versions.of, versions.n] })] as never,
    )
    const versions = table('versions', {
      of: idColumn.ref((): never => documents.id as never),
      n: core.integer(),
    })
    const passing: readonly Record<string, Table>[] = [
      { orders, again: orders, copy: table('orders', { id: orderId() }) },
      { posts, more: table('more', { id: flaxId().primaryKey(), publicId: flaxId().unique() }) },
      { lines: table('lines', { id: flaxId({ prefix: 'lin' }).primaryKey(), publicId: flaxId() }), orders },
      { documents, versions },
    ]
    const database = await open()
    onTestFinished(() => database.close())
    const db = over(database)
    for (const [schema, message] of refused) {
      const error = { code: 'INVALID_OPTION', message: expect.stringMatching(message) }
      await expect(checkColumns(db, schema), String(message)).rejects.toMatchObject(error)
      await expect(find(db, schema, 'Kpcan0M1FakODT4k')).rejects.toMatchObject(error)
    }
    for (const schema of passing) {
      await expect(checkColumns(db, schema)).rejects.toMatchObject({ code: 'STORAGE_REFUSED' })
    }
  },
)
