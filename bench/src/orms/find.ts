import { flax, type IdFamily, prefixed } from '@snoflax/core'
import { find } from '@snoflax/drizzle'
import { idColumn as drizzleId } from '@snoflax/drizzle/pg-core'
import { idPlugin, idColumn as kyselyId } from '@snoflax/kysely'
import { find as findInTypeorm, idColumn as typeormId } from '@snoflax/typeorm'
import { eq } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/node-postgres'
import { integer, pgTable } from 'drizzle-orm/pg-core'
import { Kysely, PostgresDialect } from 'kysely'
import { DataSource, EntitySchema } from 'typeorm'
import { besidePlainKeys, type Pair } from '../ratios.js'
import type { Section } from '../report.js'
import { raceTurns, timedByCpu } from '../turns.js'
import type { Place } from './contest.js'

const ROWS = 10_000

const kinds = {
  find_customers: prefixed(flax, 'cus'),
  find_orders: prefixed(flax, 'ord'),
  find_invoices: prefixed(flax, 'inv'),
}

/** A look-up of the row of an id, by our function and by the statement that its author would write. */
interface Contest {
  readonly name: string
  ours(id: string): Promise<unknown>
  plain(id: string): Promise<unknown>
}

/** From an id to its row. */
export const findRows: Section<Place> = {
  name: 'find',
  run: async ({ postgres: { pool, query, url } }) => {
    for (const [table, family] of Object.entries(kinds)) {
      await query(`CREATE TABLE ${table} (id text COLLATE "C" PRIMARY KEY, total integer NOT NULL)`)
      const ids = family.generator({ monotonic: true }).batch(ROWS)
      await query(`INSERT INTO ${table} SELECT id, 1 FROM unnest($1::text[]) AS id`, [ids])
    }
    await query('ANALYZE')
    const rows = await query('SELECT id FROM find_orders LIMIT 50')
    const ids = rows.map((row) => row['id'] as string)
    const entities = Object.entries<IdFamily>(kinds).map(
      ([name, family]) =>
        new EntitySchema({ name, columns: { id: typeormId(family), total: { type: 'integer' } } }),
    )
    const source = await new DataSource({ type: 'postgres', url, entities }).initialize()
    try {
      const pairs: Pair[] = []
      for (const { name, ours, plain } of [ofDrizzle(pool), ofKysely(pool), ofTypeorm(source)]) {
        const each = (look: Contest['ours']) => async () => {
          for (const id of ids) await look(id)
        }
        const turns = { ours: timedByCpu(each(ours)), plain: timedByCpu(each(plain)) }
        pairs.push({ name, aim: 1.1, ...(await raceTurns(turns, { rounds: 100, warmUps: 30 })) })
      }
      return {
        title: 'From an id to its row, PostgreSQL',
        about:
          'An id with a prefix, of three tables, beside the same look-up in the one table, by the same ORM. The time is the CPU of the client.',
        ...besidePlainKeys(pairs, 'a look-up by hand'),
      }
    } finally {
      await source.destroy()
    }
  },
}

function ofDrizzle(client: Place['postgres']['pool']): Contest {
  const db = drizzle({ client })
  const orders = pgTable('find_orders', {
    id: drizzleId(kinds.find_orders).primaryKey(),
    total: integer().notNull(),
  })
  const customers = pgTable('find_customers', { id: drizzleId(kinds.find_customers).primaryKey() })
  const invoices = pgTable('find_invoices', { id: drizzleId(kinds.find_invoices).primaryKey() })
  const schema = { customers, orders, invoices }
  return {
    name: 'Drizzle',
    ours: (id) => find(db, schema, id),
    plain: (id) =>
      db
        .select()
        .from(orders)
        .where(eq(orders.id, id as never)),
  }
}

function ofKysely(pool: Place['postgres']['pool']): Contest {
  const ids = idPlugin({
    database: 'postgres',
    tables: {
      find_customers: { id: kyselyId(kinds.find_customers) },
      find_orders: { id: kyselyId(kinds.find_orders) },
      find_invoices: { id: kyselyId(kinds.find_invoices) },
    },
  })
  type Tables = Record<keyof typeof kinds, { id: string; total: number }>
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }), plugins: [ids] })
  return {
    name: 'Kysely',
    ours: (id) => ids.find(db, id),
    plain: (id) => db.selectFrom('find_orders').selectAll().where('id', '=', id).executeTakeFirst(),
  }
}

function ofTypeorm(source: DataSource): Contest {
  const orders = source.getRepository('find_orders')
  return {
    name: 'TypeORM',
    ours: (id) => findInTypeorm(source, id),
    plain: (id) => orders.findOneBy({ id }),
  }
}
