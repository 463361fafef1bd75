import { uuid7 } from '@snoflax/core'
import { type Contestant, type ContractAdapter, converts, variantsOf } from '@snoflax/test/contract'
import { sql } from 'kysely'
import * as reads from './reads.js'
import { open, PGliteDialect, type Session } from './session.js'
import { unawaited } from './unawaited.js'
import * as writes from './writes.js'

const text = (database: 'sqlite' | 'pglite' | 'postgres' | 'mysql') =>
  variantsOf(database, { storages: ['text'] })
const families = [{ family: uuid7, generator: uuid7.generator() }] as unknown as readonly Contestant[]
const uuid = (database: 'pglite' | 'postgres') => variantsOf(database, { families, storages: ['uuid'] })

const adapter: ContractAdapter<Session> = {
  orm: 'Kysely',
  variants: {
    sqlite: text('sqlite'),
    // PGlite is PostgreSQL behind another driver.
    ...(PGliteDialect && { pglite: [...text('pglite').slice(0, 1), ...uuid('pglite')] }),
    postgres: [...text('postgres'), ...uuid('postgres')],
    mysql: text('mysql'),
  },
  refuses: converts,
  mismatch: 'notFound',
  instead: { mysql: { ...writes.onMysql, graph: reads.onMysql } },
  junction: { table: 'orders_tags', order: 'order_id', tag: 'tag_id' },
  open,
  // The database closes what Kysely was given.
  close: async () => {},
  ...reads,
  ...writes,
  unawaited,
  raw: {
    run: async ({ db }, strings, values) =>
      (await sql(strings as unknown as TemplateStringsArray, ...values).execute(db)).rows,
    column: (_, column) => sql.ref(column),
  },
}

export default adapter
