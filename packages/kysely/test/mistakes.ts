import type { FlaxId } from '@snoflax/core'
import { flaxId, type IdTables, idColumn, idPlugin, snoId } from '@snoflax/kysely'
import { type Mistakes, WRONG } from '@snoflax/test/contract'
import Database from 'better-sqlite3'
import { Kysely, SqliteDialect } from 'kysely'

const declared = (id: IdTables[string][string]) =>
  idPlugin({ database: 'sqlite', tables: { orders: { id } } })

const referring = (customer_id: IdTables[string][string]) =>
  idPlugin({
    database: 'sqlite',
    tables: { customers: { id: flaxId() }, orders: { customer_id } },
  })

const ids = declared(flaxId())

const inserted = (id: FlaxId) => {
  const dialect = new SqliteDialect({ database: new Database(':memory:') })
  const db = new Kysely<{ orders: { id: FlaxId } }>({ dialect, plugins: [ids] })
  return db.insertInto('orders').values({ id }).execute()
}

export default {
  'no such generator': () => declared(flaxId({ generator: WRONG.notAGenerator })),
  'generator of another family': () => declared(flaxId({ generator: WRONG.ofAnotherFamily })),
  'misspelled option': () => declared(flaxId({ storge: 'text' } as object)),
  'meta where ids carry none': () => declared(flaxId({ meta: 3 } as object)),
  'meta above 255': () => declared(snoId({ meta: 256 })),
  'foreign key of another family': () => referring(snoId.ref('customers.id')),
  'default of the database outside PostgreSQL': () => declared(flaxId({ default: 'database' })),
  'schema that needs quotes': () =>
    idPlugin({
      database: 'postgres',
      tables: { orders: { id: flaxId({ default: 'database', schema: 'Ids' }) } },
    }),
  'order in upper case': () => ids.keyset('orders.id', { order: 'DESC' as 'desc' }),
  'page of no rows': () => ids.keyset('orders.id', { take: 0 }),
  'storage that the database lacks, where none converts': () => declared(flaxId({ storage: 'uuid' })),
  'column of ids that are checked by time': () => declared(idColumn(WRONG.ofOneRoute)),
  'malformed id': () => inserted(WRONG.malformedId as FlaxId),
  'id of another type': () => inserted(WRONG.idOfAnotherType),
} satisfies Mistakes
