import { flake, flax } from '@snoflax/core'
import { type ContractAdapter, contestants, variantsOf } from '@snoflax/test/contract'
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
}

export default adapter
