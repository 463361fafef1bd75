import { uuid7 } from '@snoflax/core'
import { idColumn, idPlugin } from '@snoflax/kysely'
import { databases } from '@snoflax/test'
import { type Finder, storageDatabase, testFind } from '@snoflax/test/contract'
import { CamelCasePlugin, Kysely } from 'kysely'
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
