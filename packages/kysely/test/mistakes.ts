import type { FlaxId, flake } from '@snoflax/core'
import { flakeId, flaxId, type IdTables, idColumn, idPlugin, keyset, snoId } from '@snoflax/kysely'
import { type Mistakes, WRONG } from '@snoflax/test/contract'
import Database from 'better-sqlite3'
import { Kysely, SqliteDialect } from 'kysely'

const declared = (id: IdTables[string][string]) =>
  idPlugin({ database: 'sqlite', tables: { orders: { id } } })

const referring = (customer_id: IdTables[string][string]) =>
  idPlugin({
    database: 'sqlite',
    tables: { customers: { id: flaxId({ storage: 'binary' }) }, orders: { customer_id } },
  })

const selected = (id: FlaxId) => {
  const dialect = new SqliteDialect({ database: new Database(':memory:') })
  const db = new Kysely<{ orders: { id: FlaxId } }>({ dialect, plugins: [declared(flaxId())] })
  return db.selectFrom('orders').selectAll().where('id', '=', id).execute()
}

export default {
  'no generator': () => declared(flakeId({ storage: 'binary' })),
  'no such generator': () => declared(flaxId({ generator: WRONG.notAGenerator })),
  'generator of another family': () => declared(flaxId({ generator: WRONG.ofAnotherFamily })),
  'generator of another epoch': () =>
    declared(
      idColumn(WRONG.laterFlake as typeof flake)({ generator: WRONG.ofAnotherEpoch, storage: 'binary' }),
    ),
  'misspelled option': () => declared(flaxId({ storge: 'text' } as object)),
  'meta where ids carry none': () => declared(flaxId({ meta: 3 } as object)),
  'meta above 255': () => declared(snoId({ meta: 256 })),
  'foreign key of another family': () => referring(snoId.ref('customers.id')),
  'foreign key in another storage': () => referring(flaxId.ref('customers.id', { storage: 'text' })),
  'default of the database outside PostgreSQL': () => declared(flaxId({ default: 'database' })),
  'schema that needs quotes': () =>
    idPlugin({
      database: 'postgres',
      tables: { orders: { id: flaxId({ default: 'database', schema: 'Ids' }) } },
    }),
  'order in upper case': () => keyset('orders.id', { order: 'DESC' as 'desc' }),
  'page of no rows': () => keyset('orders.id', { take: 0 }),
  'storage that the database lacks': () => declared(flaxId({ storage: 'uuid' })),
  'malformed id': () => selected(WRONG.malformedId as FlaxId),
  'id of another type': () => selected(WRONG.idOfAnotherType),
} satisfies Mistakes
