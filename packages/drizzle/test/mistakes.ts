import { type FlaxId, flax } from '@snoflax/core'
import { keyset } from '@snoflax/drizzle'
import * as pg from '@snoflax/drizzle/pg-core'
import * as sqlite from '@snoflax/drizzle/sqlite-core'
import { type Mistakes, WRONG } from '@snoflax/test/contract'
import Database from 'better-sqlite3'
import { eq } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { pgTable } from 'drizzle-orm/pg-core'
import { sqliteTable } from 'drizzle-orm/sqlite-core'

const customers = sqliteTable('customers', { id: sqlite.flaxId({ storage: 'binary' }).primaryKey() })

const ordersWith = (customerId: ReturnType<typeof sqlite.flaxId.ref>) => {
  const orders = sqliteTable('orders', { customerId: customerId.references(() => customers.id) })
  return orders.customerId.getSQLType()
}

const selected = (id: FlaxId) =>
  drizzle({ client: new Database(':memory:') })
    .select()
    .from(customers)
    .where(eq(customers.id, id))
    .toSQL()

export default {
  'no generator': () => sqliteTable('orders', { id: sqlite.flakeId({ storage: 'binary' }).primaryKey() }),
  'no such generator': () => sqliteTable('orders', { id: sqlite.flaxId({ generator: WRONG.notAGenerator }) }),
  'generator of another family': () =>
    sqliteTable('orders', { id: sqlite.flaxId({ generator: WRONG.ofAnotherFamily }) }),
  'generator of another epoch': () =>
    sqliteTable('orders', {
      id: sqlite.idColumn(WRONG.laterFlake, { generator: WRONG.ofAnotherEpoch, storage: 'binary' }),
    }),
  'misspelled option': () => sqliteTable('orders', { id: sqlite.flaxId({ storge: 'text' } as object) }),
  'meta where ids carry none': () =>
    sqliteTable('orders', { id: sqlite.idColumn(flax, { meta: 3 } as object) }),
  'meta above 255': () => sqliteTable('orders', { id: sqlite.snoId({ meta: 256 }) }),
  'foreign key of another family': () => ordersWith(sqlite.snoId.ref() as never),
  'foreign key in another storage': () => ordersWith(sqlite.flaxId.ref({ storage: 'text' }) as never),
  'default of the database outside PostgreSQL': () =>
    sqliteTable('orders', { id: sqlite.flaxId({ default: 'database' } as object) }),
  'schema that needs quotes': () =>
    pgTable('orders', { id: pg.flaxId({ default: 'database', schema: 'Ids' }) }),
  'order in upper case': () => keyset(customers.id, { order: 'DESC' as 'desc' }),
  'storage that the database lacks': () => sqliteTable('orders', { id: sqlite.flaxId({ storage: 'uuid' }) }),
  'column of ids that are checked by time': () =>
    sqliteTable('orders', { id: sqlite.idColumn(WRONG.ofOneRoute) }),
  'malformed id': () => selected(WRONG.malformedId as FlaxId),
  'id of another type': () => selected(WRONG.idOfAnotherType),
} satisfies Mistakes
