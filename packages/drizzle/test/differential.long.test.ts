import { idColumn as pgIdColumn } from '@snoflax/drizzle/pg-core'
import { idColumn as sqliteIdColumn } from '@snoflax/drizzle/sqlite-core'
import { type OpenDatabase, pglite, postgres, type Random, randomFrom, sqlite } from '@snoflax/test'
import { contestants, prefixedContestants, type Variant, variantsOf } from '@snoflax/test/contract'
import * as drizzle from 'drizzle-orm'
import {
  and,
  asc,
  between,
  count,
  desc,
  eq,
  exists,
  gt,
  inArray,
  isNotNull,
  lte,
  ne,
  not,
  notInArray,
  or,
  type SQL,
  sql,
} from 'drizzle-orm'
import { type BetterSQLite3Database, drizzle as overBetterSqlite3 } from 'drizzle-orm/better-sqlite3'
import { drizzle as overNodePostgres } from 'drizzle-orm/node-postgres'
import { customType, integer as pgInteger, pgTable, text as pgText } from 'drizzle-orm/pg-core'
import { drizzle as overPglite } from 'drizzle-orm/pglite'
import { integer, type SQLiteColumn, type SQLiteTable, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { afterAll, describe, expect, test } from 'vitest'
import { nested } from './contract/reads.js'
import { isBefore1, raw, relations } from './contract/version.js'

// Random schemas and queries, on our columns and on texts of Drizzle's own: the rows must be the same.

const CASES = Number(process.env['SNOFLAX_CASES'] ?? 90)
const SEED = Number(process.env['SNOFLAX_SEED'] ?? 19)
const FAMILIES = [...contestants, ...prefixedContestants]
const CASES_OF_SCHEMA = 30
const ROWS = 12

/** A schema: each table has an id, texts, numbers and references to tables before it or itself. */
interface Plan {
  readonly variants: readonly Variant[]
  readonly references: readonly (readonly number[])[]
  /** Ids that the rows have, and some that no row has. */
  readonly ids: readonly (readonly string[])[]
  readonly rows: readonly (readonly Row[])[]
}

type Row = Readonly<Record<string, unknown>>
/** Types of SQLite stand for those of all dialects. */
type Columns = Readonly<Record<'id' | 'n' | 's' | Reference, SQLiteColumn>>
/** A table has one of them, or both. */
type Reference = 'r0' | 'r1'
type Table = SQLiteTable & Columns

interface World {
  readonly db: BetterSQLite3Database<Record<string, never>>
  readonly tables: readonly Table[]
}

const pick = <Item>(random: Random, from: readonly Item[]): Item => from[random(from.length)] as Item

function planOf(random: Random, variants: readonly Variant[]): Plan {
  const tables = Array.from({ length: 2 + random(3) }, () => pick(random, variants))
  const newId = ({ family, generator }: Variant) =>
    (generator ?? (family as unknown as NonNullable<Variant['generator']>)).generate()
  const ids = tables.map((variant) => Array.from({ length: ROWS + 4 }, () => newId(variant)))
  const references = tables.map((_, at) => Array.from({ length: 1 + random(2) }, () => random(at + 1)))
  const rows = tables.map((_, at) =>
    Array.from({ length: ROWS }, (_, row) => ({
      id: ids[at]?.[row],
      n: random(6),
      s: pick(random, ['a', 'b', 'ä', "o'clock", 'abcdefghijklmnop']),
      ...Object.fromEntries(
        (references[at] as number[]).map((to, k) => [
          `r${k}`,
          random(4) === 0 ? null : ids[to]?.[random(ROWS)],
        ]),
      ),
    })),
  )
  return { variants: tables, references, ids, rows }
}

/** An id that stands beside no column, as Drizzle encodes it for one. */
const { param } = sql

const textC = customType<{ data: string }>({ dataType: () => 'text collate "C"' })

/** The tables of a plan, with ids of ours or with texts. */
function tablesOf({ variants, references }: Plan, isOurs: boolean, isPostgres: boolean): Table[] {
  const idOf = (at: number, name: string) => {
    const { family, storage } = variants[at] as Variant
    if (!isOurs) return isPostgres ? textC(name) : text(name)
    return isPostgres
      ? pgIdColumn.plain(name, family, { storage })
      : sqliteIdColumn.plain(name, family, { storage })
  }
  return variants.map((_, at) => {
    const columns = {
      id: idOf(at, 'id').primaryKey(),
      n: (isPostgres ? pgInteger('n') : integer('n')).notNull(),
      s: (isPostgres ? pgText('s') : text('s')).notNull(),
      ...Object.fromEntries((references[at] as number[]).map((to, k) => [`r${k}`, idOf(to, `r${k}`)])),
    }
    const name = `${isOurs ? 'ours' : 'theirs'}_${at}`
    return (isPostgres
      ? pgTable(name, columns as never)
      : sqliteTable(name, columns as never)) as unknown as Table
  })
}

function relatedOf({ references }: Plan, tables: readonly Table[]): object {
  const schema = Object.fromEntries(tables.map((table, at) => [`t${at}`, table]))
  const ones = references.flatMap((its, at) => its.map((to, k) => ({ at, to, k, alias: `${at}_${k}` })))
  if (isBefore1) {
    const related = tables.map((table, at) =>
      relations(table, ({ one, many }) => ({
        ...Object.fromEntries(
          ones
            .filter((one) => one.at === at)
            .map(({ to, k, alias }) => [
              `one${k}`,
              one(tables[to] as Table, {
                fields: [table[`r${k}` as Reference]],
                references: [(tables[to] as Table).id],
                relationName: alias,
              }),
            ]),
        ),
        ...Object.fromEntries(
          ones
            .filter(({ to }) => to === at)
            .map((one) => [`many${one.alias}`, many(tables[one.at] as Table, { relationName: one.alias })]),
        ),
      })),
    )
    return { schema: { ...schema, ...Object.fromEntries(related.map((one, at) => [`related${at}`, one])) } }
  }
  type Related = Record<'one' | 'many', Record<string, (config: object) => object>> &
    Record<string, Record<string, object>>
  const { defineRelations } = drizzle as unknown as {
    defineRelations(tables: object, of: (r: Related) => object): object
  }
  const defined = defineRelations(schema, (r) => {
    const of: Record<string, Record<string, unknown>> = {}
    for (const { at, to, k, alias } of ones) {
      const [from, id] = [r[`t${at}`]?.[`r${k}`], r[`t${to}`]?.['id']]
      of[`t${at}`] = { ...of[`t${at}`], [`one${k}`]: r.one[`t${to}`]?.({ from, to: id, alias }) }
      of[`t${to}`] = { ...of[`t${to}`], [`many${alias}`]: r.many[`t${at}`]?.({ from: id, to: from, alias }) }
    }
    return of
  })
  return { relations: defined }
}

const statementsOf = (tables: readonly Table[]): string[] =>
  tables.map((table) => {
    const columns = Object.values<SQLiteColumn>(drizzle.getTableColumns(table))
    const lines = columns.map((one) => `${one.name} ${one.getSQLType()}${one.primary ? ' primary key' : ''}`)
    return `create table ${drizzle.getTableName(table)} (${lines.join(', ')})`
  })

/** One query, on the one world or the other. */
class Asked {
  constructor(
    private readonly random: Random,
    private readonly plan: Plan,
    private readonly world: World,
  ) {}

  private table(at: number): Table {
    return this.world.tables[at] as Table
  }

  private anyTable(): [at: number, table: Table] {
    const at = this.random(this.world.tables.length)
    return [at, this.table(at)]
  }

  private id(at: number): string {
    return pick(this.random, this.plan.ids[at] as string[])
  }

  /** A column of ids, and the table that they are of. */
  private idKey(at: number): [key: keyof Columns, to: number] {
    return this.random(3) ? this.reference(at) : ['id', at]
  }

  private reference(at: number): [key: Reference, to: number] {
    const its = this.plan.references[at] as number[]
    const k = this.random(its.length)
    return [`r${k}` as Reference, its[k] as number]
  }

  /** @param isAlone whether no other table can be named in it */
  condition(at: number, columns: Columns, isAlone = false, depth = 0): SQL {
    const { random } = this
    const [key, to] = this.idKey(at)
    const [column, { n }] = [columns[key], columns]
    const id = this.id(to)
    const more = [this.id(to), this.id(to), id]
    const isLike = this.plan.variants[to] === this.plan.variants[at]
    const own = isLike ? columns.id : column
    const simple = [
      () => eq(column, id),
      () => ne(column, id),
      () => gt(column, id),
      () => lte(column, id),
      () => between(column, more[0] as string, id),
      () => inArray(column, more),
      () => notInArray(column, more),
      () => isNotNull(column),
      () => gt(n, random(6)),
      () => eq(columns.s, 'abcdefghijklmnop'),
      () => sql`${param(id, column)} <= ${column}`,
      () => sql`${column} in ${more.map((one) => param(one, column))}`,
      () => sql`coalesce(${column}, ${own}) = ${param(id, column)}`,
      () => sql`coalesce(${column}, ${param(id, column)}) > ${param(more[0], column)}`,
      () => sql`nullif(${column}, ${param(id, column)}) is null`,
      () => sql`case when ${n} > ${random(6)} then ${column} else ${own} end >= ${param(id, column)}`,
      () =>
        sql`case ${column} when ${param(id, column)} then 1 when ${param(more[1], column)} then 2 else 3 end < 3`,
      () => sql`(${n}, ${column}) > (${random(6)}, ${param(id, column)})`,
      () => sql`${column} is distinct from ${param(id, column)}`,
    ]
    const part = () => this.condition(at, columns, isAlone, depth + 1)
    const compound = [() => and(part(), part()), () => or(part(), part()), () => not(part())]
    const nested = [
      () => inArray(column, this.idsOf(to)),
      () => eq(column, this.idsOf(to).limit(1)),
      () => exists(this.idsOf(to)),
    ]
    const kinds = [...simple, ...(depth < 2 ? compound : []), ...(isAlone || depth > 0 ? [] : nested)]
    return pick(random, kinds)() as SQL
  }

  private idsOf(at: number) {
    const table = drizzle.aliasedTable(this.table(at), 'inner_one') as Table
    const query = this.world.db.select({ id: table.id }).from(table)
    return query.where(this.condition(at, table, true)).orderBy(asc(table.id))
  }

  private selected(at: number, table: Columns) {
    const references = (this.plan.references[at] as number[]).map((_, k) => `r${k}` as Reference)
    return Object.fromEntries((['id', 'n', 's', ...references] as const).map((key) => [key, table[key]]))
  }

  private readonly kinds: Readonly<Record<string, () => PromiseLike<unknown> | unknown>> = {
    'inner and left joins': () => {
      const [at, table] = this.anyTable()
      const [key, to] = this.reference(at)
      const other = drizzle.aliasedTable(this.table(to), 'other') as Table
      const from = this.world.db
        .select({ table: this.selected(at, table), other: this.selected(to, other) })
        .from(table)
      const on = eq(table[key], other.id)
      const joined = this.random(2) ? from.innerJoin(other, on) : from.leftJoin(other, on)
      const where = and(this.condition(at, table), this.random(2) ? this.condition(to, other) : undefined)
      const order = pick(this.random, [asc, desc])
      return joined
        .where(where)
        .orderBy(order(table.id))
        .limit(1 + this.random(9))
        .offset(this.random(3))
    },
    'relational queries': () => {
      const [at] = this.anyTable()
      const { query } = this.world.db as unknown as {
        query: Record<string, { findMany(config: object): PromiseLike<unknown> }>
      }
      return query[`t${at}`]?.findMany(this.related(at, 4))
    },
    CTEs: () => {
      const [at, table] = this.anyTable()
      const some = this.world.db
        .$with('some')
        .as(this.world.db.select(this.selected(at, table)).from(table).where(this.condition(at, table)))
      const where = this.condition(at, some as unknown as Columns, true)
      return this.world.db.with(some).select().from(some).where(where)
    },
    'set operations': () => {
      const [at, table] = this.anyTable()
      const side = (id: unknown) =>
        this.world.db
          .select({ id: id as SQLiteColumn })
          .from(table)
          .where(this.condition(at, table))
      const written = sql<string>`${param(this.id(at), table.id)}`
      const right = this.random(3) ? table.id : isBefore1 ? written : written.as('id')
      const name = pick(this.random, ['union', 'intersect', 'except'] as const)
      return side(table.id)[name](side(right))
    },
    windows: () => {
      const [at, table] = this.anyTable()
      const { id, r0 } = table
      return this.world.db
        .select({
          id,
          before: sql`lag(${id}) over (order by ${id})`.mapWith(id),
          first: sql`first_value(${id}) over (partition by ${r0} order by ${id} desc)`.mapWith(id),
          rank: sql`rank() over (partition by ${r0} order by ${id})`.mapWith(Number),
          isOne: sql`case when ${id} = ${param(this.id(at), id)} then 1 else 0 end`.mapWith(Number),
        })
        .from(table)
        .where(this.condition(at, table))
    },
    groups: () => {
      const [at, table] = this.anyTable()
      const { r0 } = table
      return this.world.db
        .select({ r0, rows: count() })
        .from(table)
        .where(this.condition(at, table))
        .groupBy(r0)
        .having(gt(count(), this.random(2)))
    },
    prepared: async () => {
      const [at, table] = this.anyTable()
      const [key, to] = this.idKey(at)
      const column = table[key]
      const later = (name: string) => param(sql.placeholder(name), column)
      const where = pick(this.random, [
        () => eq(column, later('one')),
        () => sql`${later('one')} < ${column}`,
        () => between(column, later('one'), later('two')),
        () => inArray(column, [later('one'), later('two')]),
      ])()
      const query = this.world.db.select(this.selected(at, table)).from(table).where(where)
      const prepared = (
        query as unknown as { prepare(name: string): { execute(values: object): PromiseLike<unknown[]> } }
      ).prepare(`${drizzle.getTableName(table)}_${this.random(1e9)}`)
      const results: unknown[] = []
      for (let i = 0; i < 2; i++)
        results.push(...(await prepared.execute({ one: this.id(to), two: this.id(to) })))
      return results
    },
    upserts: () => {
      const [at, table] = this.anyTable()
      const rows = Array.from({ length: 1 + this.random(3) }, (_, i) => ({
        ...this.newRow(at),
        id: this.plan.ids[at]?.[(i * 5 + this.random(5)) % (ROWS + 4)],
      }))
      const [key, to] = this.reference(at)
      const set = { n: 7, [key]: this.id(to) }
      return this.world.db
        .insert(table)
        .values(rows as never)
        .onConflictDoUpdate({ target: table.id, set: set as never })
        .returning()
    },
    updates: () => {
      const [at, table] = this.anyTable()
      const [key, to] = this.reference(at)
      const column = table[key]
      const value = pick<() => unknown>(this.random, [
        () => this.id(to),
        () => null,
        () => sql`coalesce(${column}, ${param(this.id(to), column)})`,
        () => sql`case when ${table.n} > 2 then ${param(this.id(to), column)} else ${column} end`,
      ])()
      return this.world.db
        .update(table)
        .set({ [key]: value } as never)
        .where(this.condition(at, table))
        .returning()
    },
    deletes: () => {
      const [at, table] = this.anyTable()
      const where = and(eq(table.n, this.random(6)), this.condition(at, table))
      return this.world.db.delete(table).where(where).returning()
    },
  }

  private newRow(at: number): Row {
    const its = (this.plan.references[at] as number[]).map((to, k) => [
      `r${k}`,
      this.random(3) ? this.id(to) : null,
    ])
    return { n: this.random(6), s: 'new', ...Object.fromEntries(its) }
  }

  private related(at: number, deepest: number): object {
    const { references } = this.plan
    const chosen = () => this.random(2) === 0
    const below = [
      ...(references[at] as number[]).map((to, k) => ({ name: `one${k}`, to, isMany: false })),
      ...references.flatMap((its, from) =>
        its.flatMap((to, k) => (to === at ? [{ name: `many${from}_${k}`, to: from, isMany: true }] : [])),
      ),
    ].filter(chosen)
    const withBelow = below.slice(0, deepest === 1 ? 0 : 2).map(({ name, to, isMany }) => {
      const { columns, with: deeper, ...page } = this.related(to, deepest - 1) as Record<string, object>
      return [name, { ...(columns && { columns }), ...(deeper && { with: deeper }), ...(isMany && page) }]
    })
    return {
      ...(chosen() && { columns: pick(this.random, [{ id: true }, { s: false }, { id: true, r0: true }]) }),
      ...(chosen() && { where: raw(this.conditionOf(at)) }),
      orderBy: (fields: Columns) => asc(fields.id),
      ...(chosen() && { limit: 1 + this.random(6) }),
      ...(withBelow.length > 0 && { with: Object.fromEntries(withBelow) }),
    }
  }

  /** Drizzle builds the condition later, and how often is its own affair. */
  private conditionOf(at: number): (fields: Columns) => SQL {
    const seed = this.random(1e9)
    return (fields) => new Asked(randomFrom(seed), this.plan, this.world).condition(at, fields, true)
  }

  /** The kind of the query and what it answers, in an order of ours. */
  async answer(): Promise<[kind: string, rows: readonly unknown[]]> {
    const all = Object.keys(this.kinds)
    const isRelated = !this.plan.variants.some(nested)
    const kind = pick(
      this.random,
      all.filter((one) => isRelated || one !== 'relational queries'),
    )
    const rows = (await this.kinds[kind]?.()) as unknown[]
    return [kind, [...rows].sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))]
  }
}

const OVER = {
  sqlite: {
    kind: sqlite,
    isPostgres: false,
    connect: (client: object, related: object) => overBetterSqlite3({ client: client as never, ...related }),
  },
  pglite: {
    kind: pglite,
    isPostgres: true,
    connect: (client: object, related: object) => overPglite({ client: client as never, ...related }),
  },
  postgres: {
    kind: postgres,
    isPostgres: true,
    connect: (client: object, related: object) => overNodePostgres({ client: client as never, ...related }),
  },
}

async function openWorld(
  name: keyof typeof OVER,
  database: OpenDatabase,
  plan: Plan,
  isOurs: boolean,
): Promise<World> {
  const { isPostgres, connect } = OVER[name]
  const { connection, pool } = database as unknown as Record<string, object>
  const tables = tablesOf(plan, isOurs, isPostgres)
  const db = connect((pool ?? connection) as object, relatedOf(plan, tables)) as unknown as World['db']
  for (const statement of statementsOf(tables)) await database.query(statement)
  for (const [at, table] of tables.entries()) await db.insert(table).values(plan.rows[at] as never)
  return { db, tables }
}

const counts = new Map<string, number>()
afterAll(() => {
  if (process.env['SNOFLAX_CASES']) console.log('same rows:', Object.fromEntries(counts))
})

describe.each(Object.keys(OVER) as (keyof typeof OVER)[])('%s', (name) => {
  const variants = variantsOf(name === 'sqlite' ? 'sqlite' : 'postgres', { families: FAMILIES })

  test.each(Array.from({ length: Math.ceil(CASES / 3 / CASES_OF_SCHEMA) }, (_, i) => i))(
    'schema %d',
    async (schema) => {
      const seed = SEED * 1e6 + schema
      const plan = planOf(randomFrom(seed), variants)
      const database = (await OVER[name].kind.open()) as OpenDatabase
      try {
        const ours = await openWorld(name, database, plan, true)
        const theirs = await openWorld(name, database, plan, false)
        for (let one = 0; one < CASES_OF_SCHEMA; one++) {
          const ask = (world: World) => new Asked(randomFrom(seed * 1000 + one), plan, world).answer()
          const [kind, expected] = await ask(theirs)
          expect(await ask(ours), `${kind}: SNOFLAX_SEED=${SEED}, schema ${schema}, query ${one}`).toEqual([
            kind,
            expected,
          ])
          for (const storage of new Set(plan.variants.map(({ storage }) => storage))) {
            counts.set(`${name} ${storage}`, (counts.get(`${name} ${storage}`) ?? 0) + 1)
          }
        }
      } finally {
        await database.close()
      }
    },
  )
})
