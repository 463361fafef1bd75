import { flaxId, idPlugin, snoId } from '@snoflax/kysely'
import { databases, type OpenDatabase, sqlite } from '@snoflax/test'
import { CamelCasePlugin, Kysely, sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { dialectFor } from './contract/session.js'

/** A column that sorts ids as no code does, and how messages name it. PGlite has no such collation. */
const WRONG: Partial<Record<string, readonly [type: string, named: string]>> = {
  sqlite: ['text collate nocase', 'text COLLATE NOCASE'],
  postgres: ['text collate "en-x-icu"', 'text COLLATE "en-x-icu"'],
  mysql: ['char(20) character set utf8mb4 collate utf8mb4_general_ci', 'char(20) COLLATE utf8mb4_general_ci'],
}

describe.each(databases)('checkColumns() in $name', (kind) => {
  let database: OpenDatabase
  beforeEach(async () => {
    database = await kind.open()
  })
  afterEach(() => database.close())

  test.each([
    ['', []],
    [' under CamelCasePlugin', [new CamelCasePlugin()]],
  ])('accepts what columnType() made, and names what is not so%s', async (_, renaming) => {
    const ids = idPlugin({
      database: database.kind === 'pglite' ? 'postgres' : (database.kind as 'sqlite'),
      tables: {
        customers: { id: flaxId({ prefix: 'cus' }) },
        orders: { id: snoId(), customerId: flaxId.ref('customers.id') },
        paidOrders: { id: snoId.plain() },
      },
    })
    // biome-ignore lint/suspicious/noExplicitAny: tables without types.
    const db = new Kysely<any>({ dialect: dialectFor(database), plugins: [ids, ...renaming] })
    const orders = (customerId = ids.columnType('orders.customerId')) =>
      db.schema
        .createTable('orders')
        .addColumn('id', ids.columnType('orders.id'))
        .addColumn('customerId', customerId)
        .execute()
    const customerId = renaming.length > 0 ? 'customer_id' : 'customerId'

    await db.schema.createTable('customers').addColumn('id', ids.columnType('customers.id')).execute()
    await orders()
    await db.schema.createView('paidOrders').as(db.selectFrom('orders').select('id')).execute()
    await ids.checkColumns(db)

    await db.schema.dropView('paidOrders').execute()
    await db.schema.dropTable('orders').execute()
    const paidOrders = `paidOrders.id: column ${renaming.length > 0 ? 'paid_orders' : 'paidOrders'}.id is not in the database`
    const [type, named] = WRONG[database.kind] ?? [undefined, '']
    await orders(type === undefined ? undefined : sql.raw(type))
    const refused = expect(ids.checkColumns(db)).rejects
    await refused.toMatchObject({ code: 'STORAGE_REFUSED', message: expect.stringContaining(paidOrders) })
    if (type === undefined) return
    const message = `orders.customerId: column orders.${customerId} is ${named} and must be `
    await refused.toMatchObject({ message: expect.stringContaining(message) })
  })
})

const SHOP = `
  CREATE TABLE "what's ""on""?" ("i d" varchar(20) COLLATE nocase);
  CREATE TABLE plain (id text DEFAULT (lower('A' COLLATE NOCASE)) CHECK (id <> 'a' COLLATE NOCASE), other text COLLATE NOCASE);
  CREATE TABLE padded (id [text] CONSTRAINT unusual COLLATE "rtrim" PRIMARY KEY) WITHOUT ROWID;
  CREATE TABLE stated (id text COLLATE NOCASE COLLATE binary);
  CREATE TABLE computed (it text, id text COLLATE NOCASE GENERATED ALWAYS AS (it) VIRTUAL);
  CREATE TABLE copied AS SELECT id FROM padded;
  CREATE VIEW seen AS SELECT coalesce(id, other) AS id FROM plain;
  CREATE TEMP TABLE for_now (id text COLLATE NOCASE);
  ATTACH ':memory:' AS archive;
  CREATE TABLE archive.plain (id text COLLATE NOCASE)`

test('columns in SQLite have the collation by which SQLite compares them, however it is declared', async () => {
  const database = await sqlite.open()
  onTestFinished(() => database.close())
  database.connection.exec(SHOP)
  const id = flaxId.plain()
  const ids = idPlugin({
    database: 'sqlite',
    tables: {
      'what\'s "on"?': { 'i d': id },
      Plain: { ID: id },
      padded: { id },
      stated: { id },
      computed: { id },
      copied: { id },
      seen: { id, other: id },
      for_now: { id },
      'archive.plain': { id },
      'archive.padded': { id },
    },
  })
  // biome-ignore lint/suspicious/noExplicitAny: tables without types.
  const db = new Kysely<any>({ dialect: dialectFor(database), plugins: [ids] })
  const faults = await ids.checkColumns(db).catch(({ message }) => message)
  expect(faults.split('. Change')[0].replaceAll(' and must be TEXT', '').split('; ')).toEqual([
    'what\'s "on"?.i d: column what\'s "on"?.i d is varchar(20) COLLATE NOCASE',
    'padded.id: column padded.id is text COLLATE RTRIM',
    'computed.id: column computed.id is text COLLATE NOCASE',
    'seen.other: column seen.other is not in the database',
    'for_now.id: column for_now.id is text COLLATE NOCASE',
    'archive.plain.id: column archive.plain.id is text COLLATE NOCASE',
    'archive.padded.id: column archive.padded.id is not in the database',
  ])
})

test('more columns in SQLite than Cloudflare D1 takes terms in a statement', async () => {
  const database = await sqlite.open()
  onTestFinished(() => database.close())
  const names = Array.from({ length: 250 }, (_, number) => `c${number}`)
  const types = names.map((name, number) => `${name} text${number % 100 === 0 ? ' COLLATE NOCASE' : ''}`)
  database.connection.exec(`CREATE TABLE wide (${types.join(', ')})`)
  const wide = Object.fromEntries(names.map((name) => [name, flaxId.plain()]))
  const ids = idPlugin({ database: 'sqlite', tables: { wide } })
  // biome-ignore lint/suspicious/noExplicitAny: tables without types.
  const db = new Kysely<any>({ dialect: dialectFor(database), plugins: [ids] })
  await expect(ids.checkColumns(db)).rejects.toThrow(
    /^wide.c0: [^;]*; wide.c100: [^;]*; wide.c200: [^;]* Change the columns/,
  )
})
