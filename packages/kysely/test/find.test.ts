import { flax, prefixed, storageFor, uuid7 } from '@snoflax/core'
import { idColumn, idPlugin, snoId } from '@snoflax/kysely'
import { databases } from '@snoflax/test'
import { type Finder, storageDatabase, testFind } from '@snoflax/test/contract'
import { CamelCasePlugin, Kysely } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { dialectFor, PGliteDialect } from './contract/session.js'

const kinds = databases.filter(({ name }) => name !== 'pglite' || PGliteDialect)

testFind(kinds, (database, tables, log) => {
  const ids = idPlugin({
    database: storageDatabase(database.kind),
    tables: Object.fromEntries(tables.map((name) => [name, { id: idColumn(uuid7) }])),
  })
  // biome-ignore lint/suspicious/noExplicitAny: the tables have names of their own
  const db = new Kysely<any>({
    dialect: dialectFor(database),
    plugins: [ids, new CamelCasePlugin()],
    log: ({ query }) => log(query.sql, query.parameters),
  })
  const finder = (on: typeof db): Finder => ({
    insert: (name, id) => on.insertInto(name).values({ id }).execute(),
    find: (id) => ids.find(on, id),
  })
  return { ...finder(db), transaction: (work) => db.transaction().execute((on) => work(finder(on))) }
})

const rowId = prefixed(flax, 'row')

test.each(kinds)(
  'find() returns every row of an id, of generated and referenced columns, $name',
  async (kind) => {
    const database = await kind.open()
    onTestFinished(() => database.close())
    const ids = idPlugin({
      database: storageDatabase(database.kind),
      tables: {
        notes: { row_id: idColumn.ref('versions.id') },
        profiles: { id: idColumn.ref('versions.id') },
        badges: { id: idColumn.ref('profiles.id') },
        versions: { id: idColumn(rowId) },
        parts: { part_of: idColumn.ref('supplied.id'), trace_id: snoId.plain() },
        supplied: { id: idColumn.plain(flax, { prefix: 'sup' }) },
      },
    })
    // biome-ignore lint/suspicious/noExplicitAny: tables without types
    const db = new Kysely<any>({ dialect: dialectFor(database), plugins: [ids] })
    const type = storageFor(rowId, storageDatabase(database.kind)).column.sql
    const create = (table: string, column: string) =>
      database.query(`create table ${table} (${column} ${type}, n integer)`)
    for (const table of ['versions', 'profiles', 'supplied']) await create(table, 'id')
    await create('notes', 'row_id')
    const id = rowId.generate()
    const versions = Array.from({ length: 11 }, (_, n) => ({ id, n }))
    await db.insertInto('versions').values(versions).execute()
    await db.insertInto('notes').values({ row_id: id, n: 0 }).execute()
    const found = await ids.find(db, id)
    const rows = [found, ...(found?.also ?? [])].map((one) => one?.row)
    expect([found?.model, found?.column, found?.hasMore, rows.length]).toEqual(['versions', 'id', false, 11])
    expect(rows).toEqual(expect.arrayContaining(versions))
    await db.insertInto('profiles').values({ id, n: 0 }).execute()
    const more = await ids.find(db, id)
    expect([more?.model, more?.also.length, more?.hasMore]).toEqual(['versions', 10, true])
    // A column that others reference is a key, also if the application supplies its ids.
    const supplied = { id: `sup_${flax.generate()}`, n: 0 } as never
    await db.insertInto('supplied').values(supplied).execute()
    expect(await ids.find(db, (supplied as { id: string }).id)).toMatchObject({
      model: 'supplied',
      row: supplied,
    })
  },
)

const customerId = prefixed(flax, 'cus')

test.each([
  [
    { customers: { id: idColumn(customerId) }, orders: { customer_id: idColumn(customerId) } },
    /^orders\.customer_id: generates ids with the prefix cus, as customers\.id does; .*idColumn\.ref\('customers\.id'\).*idColumn\.plain\(definition\)$/,
  ],
  [
    {
      customers: {
        id: idColumn(customerId, { default: 'database' }),
        parent_id: idColumn(prefixed(flax, 'cus')),
      },
    },
    /^customers\.parent_id: generates ids with the prefix cus/,
  ],
])('idPlugin refuses a second column that generates the ids of a prefix %#', (tables, message) => {
  expect(() => idPlugin({ database: 'postgres', tables: tables as never })).toThrow(
    expect.objectContaining({
      name: 'IdError',
      code: 'INVALID_OPTION',
      message: expect.stringMatching(message),
    }),
  )
})

test('one table in two schemas, and families without a prefix, may generate', () => {
  const id = idColumn(customerId)
  idPlugin({ database: 'postgres', tables: { customers: { id }, 'audit.customers': { id } } })
  idPlugin({
    database: 'postgres',
    tables: { a: { id: idColumn(flax), public_id: idColumn(flax) }, b: { id: idColumn(flax) } },
  })
})
