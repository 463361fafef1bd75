import { randomUUID } from 'node:crypto'
import { flax } from '@snoflax/core'
import { flaxId } from '@snoflax/drizzle/pg-core'
import { and, eq, gt } from 'drizzle-orm'
import { PgDialect, pgTable, QueryBuilder, text, uuid } from 'drizzle-orm/pg-core'
import { race } from '../race.js'
import { besidePlainKeys } from '../ratios.js'
import type { Section } from '../report.js'

const AIM = 1.25

const dialect = new PgDialect()
const builder = new QueryBuilder(dialect)

function statements(id: ReturnType<typeof text>, key: string) {
  const table = pgTable('orders', { id, name: text(), note: text() })
  const where = () => and(eq(table.id, key), gt(table.name, 'a'))
  return {
    condition: () => dialect.sqlToQuery(eq(table.id, key)).sql,
    select: () => builder.select().from(table).where(where()).orderBy(table.id).limit(9).toSQL().sql,
  }
}

export const drizzleSql: Section<unknown> = {
  name: 'drizzle-sql',
  run() {
    const ours = statements(flaxId({ storage: 'uuid' }) as never, flax.generate())
    const plain = statements(uuid() as never, randomUUID())
    const pairs = (['condition', 'select'] as const).map((name) => ({
      name: `${name} with an id`,
      aim: AIM,
      ...race({ ours: ours[name], plain: plain[name] }),
    }))
    return {
      title: 'Drizzle: building SQL',
      about: "Without a database: our keys as `uuid` beside Drizzle's own uuid columns.",
      ...besidePlainKeys(pairs),
    }
  },
}
