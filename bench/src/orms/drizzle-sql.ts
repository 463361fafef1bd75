import { createRequire } from 'node:module'
import { flax } from '@snoflax/core'
import { flaxId } from '@snoflax/drizzle/pg-core'
import * as drizzle from 'drizzle-orm'
import * as pg from 'drizzle-orm/pg-core'
import { race } from '../race.js'
import { againstYardsticks } from '../ratios.js'
import type { Section } from '../report.js'

/** Drizzle's other copy, which is not patched, since it defines no table with our columns. */
const require = createRequire(import.meta.url)
const untouched: typeof drizzle = require('drizzle-orm')
const untouchedPg: typeof pg = require('drizzle-orm/pg-core')

const AIM = 1.3

function statements(
  { sql, eq, and, gt }: typeof drizzle,
  { PgDialect, QueryBuilder, text, pgTable }: typeof pg,
  id: () => pg.PgColumnBuilderBase,
  key: string,
) {
  const table = pgTable('orders', { id: id() as ReturnType<typeof text>, name: text(), note: text() })
  const dialect = new PgDialect()
  const builder = new QueryBuilder(dialect)
  const where = () => and(eq(table.id, key), gt(table.name, 'a'))
  return {
    'text condition': () => dialect.sqlToQuery(sql`${table.name} = ${'x'}`).sql,
    'id condition': () => dialect.sqlToQuery(eq(table.id, key)).sql,
    'id in a template': () => dialect.sqlToQuery(sql`${table.id} = ${key}`).sql,
    select: () => builder.select().from(table).where(where()).orderBy(table.id).limit(9).toSQL().sql,
  }
}

export const drizzleSql: Section<unknown> = {
  name: 'drizzle-sql',
  run() {
    const ours = statements(drizzle, pg, () => flaxId(), flax.generate())
    const theirs = statements(untouched, untouchedPg, () => untouchedPg.uuid(), crypto.randomUUID())
    const tables = (Object.keys(ours) as (keyof typeof ours)[]).map((name) => {
      const timings = race({ [`${name}, flax`]: ours[name], [`${name}, uuid`]: theirs[name] })
      return againstYardsticks(timings, [`${name}, uuid`], {
        [`${name}, uuid`]: name === 'id in a template' ? {} : { [`${name}, flax`]: AIM },
      })
    })
    return {
      title: 'Drizzle: building SQL',
      about:
        'Without a database, compared with an unpatched copy of Drizzle whose keys are its own uuid columns. In a process in which neither copy has done anything else: after inserts into two databases, the patched copy alone takes a tenth to a fifth longer.',
      columns: [
        { title: 'untouched', aims: Object.assign({}, ...tables.map(({ columns }) => columns[0]?.aims)) },
      ],
      rows: tables.flatMap(({ rows }) => rows),
    }
  },
}
