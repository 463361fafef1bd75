import { createRequire } from 'node:module'
import { flax } from '@snoflax/core'
import { flaxId, snoId } from '@snoflax/drizzle/pg-core'
import * as drizzle from 'drizzle-orm'
import * as pg from 'drizzle-orm/pg-core'
import { race } from '../race.js'
import { againstYardsticks } from '../ratios.js'
import type { Section } from '../report.js'

/** Drizzle's other copy, which is not patched, since it defines no table with our columns. */
const require = createRequire(import.meta.url)
const untouched: typeof drizzle = require('drizzle-orm')
const untouchedPg: typeof pg = require('drizzle-orm/pg-core')

/** Of statements with ids, and of those without. */
const AIMS = { ids: 1.25, none: 1.1 }

function statements(
  { sql, eq, and, gt }: typeof drizzle,
  { PgDialect, QueryBuilder, integer, text, pgTable }: typeof pg,
  id: () => pg.PgColumnBuilderBase,
  key: string,
) {
  const table = pgTable('orders', { id: id() as ReturnType<typeof text>, name: text(), note: text() })
  const notes = pgTable('notes', { number: integer(), name: text(), note: text() })
  const dialect = new PgDialect()
  const builder = new QueryBuilder(dialect)
  const where = () => and(eq(table.id, key), gt(table.name, 'a'))
  const others = () => and(eq(notes.number, 5), gt(notes.name, 'Ada Lovelace'))
  return {
    ids: {
      'id condition': () => dialect.sqlToQuery(eq(table.id, key)).sql,
      'id in a template': () => dialect.sqlToQuery(sql`${table.id} = ${key}`).sql,
      'select with an id': () =>
        builder.select().from(table).where(where()).orderBy(table.id).limit(9).toSQL().sql,
    },
    none: {
      condition: () => dialect.sqlToQuery(eq(notes.name, 'x')).sql,
      template: () => dialect.sqlToQuery(sql`${notes.name} = ${'Ada Lovelace'}`).sql,
      select: () => builder.select().from(notes).where(others()).orderBy(notes.number).limit(9).toSQL().sql,
    },
  }
}

type Kind = keyof typeof AIMS

export const drizzleSql: Section<unknown> = {
  name: 'drizzle-sql',
  run() {
    const compact = () => flaxId({ storage: 'uuid' })
    for (let at = 0; at < 100; at++)
      pg.pgTable(`table_${at}`, { id: compact(), [`key_${at}`]: snoId({ storage: 'binary' }) })
    const ours = statements(drizzle, pg, compact, flax.generate())
    const theirs = statements(untouched, untouchedPg, () => untouchedPg.uuid(), crypto.randomUUID())
    const tables = (Object.keys(AIMS) as Kind[]).flatMap((kind) =>
      Object.entries<() => string>(ours[kind]).map(([name, own]) => {
        const other = (theirs[kind] as Record<string, () => string>)[name] as () => string
        const timings = race({ [`${name}, flax`]: own, [`${name}, uuid`]: other })
        return againstYardsticks(timings, [`${name}, uuid`], {
          [`${name}, uuid`]: name === 'id in a template' ? {} : { [`${name}, flax`]: AIMS[kind] },
        })
      }),
    )
    return {
      title: 'Drizzle: building SQL',
      about:
        'Without a database, beside an unpatched copy of Drizzle with its own uuid columns. Our keys are compact (`uuid`), a hundred tables with two compact columns each are declared, and the last three statements are of a table without ids; with text keys nothing is patched. In a new process: after inserts into two databases the patched copy takes a tenth to a fifth longer.',
      columns: [
        { title: 'untouched', aims: Object.assign({}, ...tables.map(({ columns }) => columns[0]?.aims)) },
      ],
      rows: tables.flatMap(({ rows }) => rows),
    }
  },
}
