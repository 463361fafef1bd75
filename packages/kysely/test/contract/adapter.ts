import { flake, flax } from '@snoflax/core'
import { asText } from '@snoflax/kysely'
import { type ContractAdapter, contestants, variantsOf } from '@snoflax/test/contract'
import { sql } from 'kysely'
import * as reads from './reads.js'
import { open, PGliteDialect, type Session } from './session.js'
import { unawaited } from './unawaited.js'
import * as writes from './writes.js'

// PGlite is PostgreSQL behind another driver: these two families have every form of value between them.
const families = contestants.filter(({ family }) => [flax.name, flake.name].includes(family.name))

const adapter: ContractAdapter<Session> = {
  orm: 'Kysely',
  variants: {
    sqlite: variantsOf('sqlite'),
    ...(PGliteDialect && { pglite: variantsOf('pglite', { families }) }),
    postgres: variantsOf('postgres'),
    mysql: variantsOf('mysql'),
  },
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
    parameter: ({ ids }, column, id) => ids.parameter(column, id),
    asText: (_, value) => asText(value),
  },
}

export default adapter
