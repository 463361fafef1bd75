import { flaxId, idPlugin, snoId } from '@snoflax/kysely'
import { databases, type OpenDatabase } from '@snoflax/test'
import { CamelCasePlugin, Kysely, sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { dialectFor } from './contract/session.js'

/** A column that sorts ids as no code does, and how messages name it. PGlite has no such collation. */
const WRONG: Partial<Record<string, readonly [type: string, named: string]>> = {
  sqlite: ['text collate nocase', 'text COLLATE nocase'],
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
