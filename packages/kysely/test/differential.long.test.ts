import { type IdColumn, idColumn, idPlugin } from '@snoflax/kysely'
import { mysql, type OpenDatabase, pglite, type Random, randomFrom, sqlite } from '@snoflax/test'
import { contestants, prefixedContestants, type Variant, variantsOf } from '@snoflax/test/contract'
import {
  type Expression,
  type ExpressionBuilder,
  Kysely,
  ParseJSONResultsPlugin,
  type SqlBool,
  sql,
} from 'kysely'
import * as mysqlHelpers from 'kysely/helpers/mysql'
import * as postgresHelpers from 'kysely/helpers/postgres'
import * as sqliteHelpers from 'kysely/helpers/sqlite'
import { afterAll, describe, expect, test } from 'vitest'
import { dialectFor, PGliteDialect } from './contract/session.js'

// Random queries, on our columns and on texts without a plugin: the rows must be the same.

const CASES = Number(process.env['SNOFLAX_CASES'] ?? 60)
const SEED = Number(process.env['SNOFLAX_SEED'] ?? 23)
const CASES_OF_SCHEMA = 40
const ROWS = 10

const pick = <Item>(random: Random, from: readonly Item[]): Item => from[random(from.length)] as Item

// biome-ignore lint/suspicious/noExplicitAny: tables and columns are names that a generator picks
type Any = any
type Db = Kysely<Any>
type Eb = ExpressionBuilder<Any, Any>

/** Columns of ids, and the table whose ids they hold. */
const IDS = {
  a: { id: 'a', up: 'a' },
  b: { id: 'b', a_id: 'a' },
  c: { id: 'c', b_id: 'b', a_id: 'a' },
} as const
type Name = keyof typeof IDS
const NAMES = Object.keys(IDS) as readonly Name[]

/** Something that has ids of a table, by how a query names it. */
interface Column {
  readonly ref: string
  readonly of: Name
}

interface World {
  readonly db: Db
  readonly database: OpenDatabase
  readonly isOurs: boolean
  readonly ids: Readonly<Record<Name, readonly string[]>>
}

const columnsOf = (table: Name, alias: string): Column[] =>
  Object.entries(IDS[table]).map(([column, of]) => ({ ref: `${alias}.${column}`, of: of as Name }))

class Generator {
  private aliases = 0

  constructor(
    private readonly random: Random,
    private readonly world: World,
  ) {}

  private pick<Item>(from: readonly Item[]): Item {
    return pick(this.random, from)
  }

  private id(of: Name): string {
    return this.pick(this.world.ids[of])
  }

  private alias(): string {
    this.aliases++
    return `t${this.aliases}`
  }

  /** A condition over the columns. */
  condition(eb: Eb, columns: readonly Column[], depth: number): Expression<SqlBool> {
    const { ref, of } = this.pick(columns)
    const others = columns.filter((other) => other.of === of && other.ref !== ref)
    const id = this.id(of)
    const operator = this.pick(['=', '!=', '<', '<=', '>', '>='] as const)
    const list = Array.from({ length: 1 + this.random(4) }, () => this.id(of))
    const ways: (() => Expression<SqlBool>)[] = [
      () => eb(ref, operator, id),
      () => eb(eb.val(id), operator, eb.ref(ref)),
      () => eb(ref, this.pick(['in', 'not in'] as const), list),
      () => eb(ref, 'in', [eb.val(list[0]), sql.lit(list.at(-1))]),
      () => eb.between(ref, ...((list.length > 1 ? [list[0], list[1]] : [id, id]) as [string, string])),
      () => eb(ref, this.pick(['is', 'is not'] as const), null),
      () => eb(eb.fn.coalesce(ref, eb.val(id)), operator, list[0]),
      () => eb(eb.fn('nullif', [ref, eb.val(id)]), 'is', null),
      () =>
        eb(
          eb
            .case()
            .when(ref as never, operator, id as never)
            .then(eb.ref(ref))
            .else(list[0])
            .end(),
          '=',
          list.at(-1),
        ),
      () =>
        eb(
          eb
            .case(ref)
            .when(id as never)
            .then(1)
            .else(2)
            .end(),
          '=',
          1,
        ),
      () => sql<SqlBool>`${sql.ref(ref)} ${sql.raw(operator)} ${id}`,
      () => sql<SqlBool>`${id} ${sql.raw(operator)} ${sql.ref(ref)}`,
      () => sql<SqlBool>`${sql.ref(ref)} in (${sql.join(list)})`,
      () => sql<SqlBool>`${sql.ref(ref)} between ${id} and ${list[0]}`,
    ]
    for (const other of others) {
      ways.push(
        () => eb(ref, operator, eb.ref(other.ref)),
        () => eb(eb.refTuple(ref as never, other.ref as never), 'in', [eb.tuple(id, list[0]) as never]),
        () => eb(eb.refTuple(ref as never, other.ref as never), '=', eb.tuple(id, id) as never),
      )
    }
    if (depth > 0) {
      ways.push(
        () => eb.and([this.condition(eb, columns, depth - 1), this.condition(eb, columns, depth - 1)]),
        () => eb.or([this.condition(eb, columns, depth - 1), this.condition(eb, columns, depth - 1)]),
        () => eb.not(this.condition(eb, columns, depth - 1)),
        () => eb(ref, this.pick(['in', 'not in'] as const), this.idsOf(eb, of, depth - 1)),
        () => {
          const table = this.pick(NAMES)
          const alias = this.alias()
          const inner = [...columns, ...columnsOf(table, alias)]
          return eb.exists(
            eb
              .selectFrom(`${table} as ${alias}`)
              .select(`${alias}.id`)
              .where((below: Eb) => this.condition(below, inner, depth - 1)),
          )
        },
      )
    }
    return this.pick(ways)()
  }

  /** A subquery of ids, without null, of which `not in` makes nothing. */
  private idsOf(eb: Eb, of: Name, depth: number): Any {
    const table = this.pick(NAMES.filter((name) => (Object.values(IDS[name]) as Name[]).includes(of)))
    const alias = this.alias()
    const columns = columnsOf(table, alias)
    const [column] = columns.filter((one) => one.of === of) as [Column]
    return eb
      .selectFrom(`${table} as ${alias}`)
      .select(`${column.ref} as key`)
      .where(column.ref, 'is not', null)
      .where((below: Eb) => this.condition(below, columns, depth))
  }

  /** Rows of one table or two, as they are or in a subquery. */
  select(db: Db): Any {
    const table = this.pick(NAMES)
    const alias = this.alias()
    let columns = columnsOf(table, alias)
    let query: Any
    const shape = this.random(5)
    if (shape === 0) {
      const inner = this.alias()
      query = db
        .with(inner, (qb) =>
          qb
            .selectFrom(table)
            .selectAll()
            .where((eb: Eb) => this.condition(eb, columnsOf(table, table), 1)),
        )
        .selectFrom(`${inner} as ${alias}`)
    } else if (shape === 1) {
      const inner = this.alias()
      query = db.selectFrom((eb: Any) =>
        eb
          .selectFrom(`${table} as ${inner}`)
          .select(columnsOf(table, inner).map(({ ref }) => `${ref} as ${ref.split('.')[1]}`))
          .where((below: Eb) => this.condition(below, columnsOf(table, inner), 1))
          .as(alias),
      )
    } else query = db.selectFrom(`${table} as ${alias}`)
    if (this.random(2) === 0) {
      const other = this.pick(NAMES)
      const joined = this.alias()
      const right = columnsOf(other, joined)
      const on = columns.flatMap((left) =>
        right.filter(({ of }) => of === left.of).map((one) => [left.ref, one.ref]),
      )
      if (on.length > 0) {
        const [left, second] = this.pick(on) as [string, string]
        const method = this.pick(['innerJoin', 'leftJoin'] as const)
        const isMore = this.random(2) === 0
        query = query[method](`${other} as ${joined}`, (join: Any) => {
          const made = join.onRef(left, '=', second)
          return isMore ? made.on((eb: Eb) => this.condition(eb, [...columns, ...right], 0)) : made
        })
        columns = [...columns, ...right]
      }
    }
    query = query.where((eb: Eb) => this.condition(eb, columns, 2))
    if (this.random(4) === 0) {
      const { ref } = this.pick(columns)
      return query
        .select((eb: Eb) => [eb.ref(ref).as('key'), eb.fn.countAll().as('n')])
        .groupBy(ref)
        .having((eb: Eb) => this.condition(eb, [columns.find((one) => one.ref === ref) as Column], 0))
    }
    query = query.select((eb: Eb) => columns.map(({ ref }, at) => eb.ref(ref).as(`c${at}`)))
    query = query.select((eb: Eb) => this.expressions(eb, columns))
    if (this.random(5) === 0) {
      const kept = query
      query = db.selectFrom(kept.as('outermost')).selectAll()
    }
    return query
  }

  private expressions(eb: Eb, columns: readonly Column[]): Any[] {
    const { ref, of } = this.pick(columns)
    const id = this.id(of)
    const { kind } = this.world.database
    const ways: (() => Any[])[] = [
      () => [],
      () => [eb.fn.coalesce(ref, eb.val(id)).as('x')],
      () => [
        eb
          .case()
          .when(ref as never, '=', id as never)
          .then(id)
          .else(eb.ref(ref))
          .end()
          .as('x'),
      ],
      () => [
        eb
          .selectFrom(`${of} as s`)
          .select((below: Eb) => below.ref('s.id').as('k'))
          .whereRef('s.id', '=', ref)
          .as('x'),
      ],
      () => [this.helpers.jsonBuildObject({ key: eb.ref(ref), word: sql.lit('w') }).as('x')],
    ]
    if (kind !== 'mysql') {
      ways.push(() => {
        const columnsBelow = columnsOf(of, 's')
        const below = eb
          .selectFrom(`${of} as s`)
          .select(columnsBelow.map((one) => one.ref))
          .whereRef('s.id', '=', ref)
          .where((inner: Eb) => this.condition(inner, columnsBelow, 1))
        return [
          this.helpers.jsonArrayFrom(below as Any).as('x'),
          this.helpers.jsonObjectFrom(below.limit(1) as Any).as('y'),
        ]
      })
    }
    return this.pick(ways)()
  }

  private get helpers(): Pick<
    typeof postgresHelpers,
    'jsonArrayFrom' | 'jsonBuildObject' | 'jsonObjectFrom'
  > {
    const { kind } = this.world.database
    return (kind === 'sqlite' ? sqliteHelpers : kind === 'mysql' ? mysqlHelpers : postgresHelpers) as Any
  }

  /** A query, or a write and what is there after it. */
  async ask(): Promise<unknown> {
    const { db, database } = this.world
    const table = this.pick(NAMES)
    const columns = columnsOf(table, table)
    const where = (eb: Eb) => this.condition(eb, columns, 0)
    const all = async () => rowsOf(await db.selectFrom(table).selectAll().execute())
    switch (this.random(12)) {
      case 0: {
        const [, ...references] = columns
        const { ref, of } = this.pick(references.length > 0 ? references : columns)
        const set = { [ref.split('.')[1] as string]: this.id(of) }
        await db.updateTable(table).set(set).where(where).execute()
        return all()
      }
      case 1: {
        // MySQL can't delete by a query of the same table.
        await db.deleteFrom(table).where(where).execute()
        return all()
      }
      case 2: {
        const row = Object.fromEntries(columns.map(({ ref, of }) => [ref.split('.')[1], this.id(of)]))
        if (database.kind === 'mysql') return all()
        const conflict = this.pick(['nothing', 'set'])
        const inserted = await db
          .insertInto(table)
          .values([row, row].slice(this.random(2)))
          .onConflict((one: Any) =>
            conflict === 'nothing'
              ? one.column('id').doNothing()
              : one.column('id').doUpdateSet({ id: (eb: Eb) => eb.ref('excluded.id') }),
          )
          .returningAll()
          .execute()
          .catch(() => 'refused')
        return [rowsOf(inserted as Any), await all()]
      }
      case 3: {
        const first = this.pick(columns)
        const same = NAMES.flatMap((name) => columnsOf(name, name)).filter(({ of }) => of === first.of)
        const second = this.pick(same)
        const id = this.id(first.of)
        const parts = [
          () => db.selectFrom(table).select(`${first.ref} as k`).where(where),
          () => db.selectFrom(second.ref.split('.')[0] as string).select(`${second.ref} as k`),
          () => db.selectNoFrom((eb: Any) => eb.val(id).as('k')) as Any,
        ]
        const [one, other] = [this.pick(parts)(), this.pick(parts.slice(0, 2))()] as [Any, Any]
        return rowsOf(await one[this.pick(['union', 'unionAll'])](other).execute())
      }
      default:
        return rowsOf(await this.select(db).execute())
    }
  }
}

/** In an order of their own, numbers as numbers, lists of rows too. */
const rowsOf = (rows: readonly unknown[] | string): unknown =>
  typeof rows === 'string' ? rows : rows.map((row) => JSON.stringify(sorted(row))).sort()

function sorted(value: unknown): unknown {
  if (Array.isArray(value))
    return value.map(sorted).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
  if (typeof value !== 'object' || value === null) return /^\d+$/.test(String(value)) ? Number(value) : value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, sorted(one)]))
}

async function openWorld(
  database: OpenDatabase,
  variants: Readonly<Record<Name, Variant>>,
  seed: number,
  isOurs: boolean,
) {
  const random = randomFrom(seed)
  const kind = database.kind === 'pglite' ? 'postgres' : (database.kind as 'sqlite' | 'mysql')
  const column = (of: Name, name: string): IdColumn => {
    const { family, storage } = variants[of]
    return name === 'id' ? idColumn.plain(family, { storage }) : idColumn.ref(`${of}.id`)
  }
  const tables = Object.fromEntries(
    NAMES.map((table) => [
      table,
      Object.fromEntries(Object.entries(IDS[table]).map(([name, of]) => [name, column(of as Name, name)])),
    ]),
  )
  const ids = idPlugin({ database: kind, tables })
  const parse = new ParseJSONResultsPlugin()
  const plugins = isOurs ? [ids, parse] : [parse]
  const db: Db = new Kysely<Any>({ dialect: dialectFor(database), plugins })
  const text =
    kind === 'postgres'
      ? sql`text collate "C"`
      : kind === 'mysql'
        ? sql`char(40) character set utf8mb4 collate utf8mb4_bin`
        : sql`text`
  for (const table of NAMES) {
    let made = db.schema.createTable(table)
    for (const name of Object.keys(IDS[table])) {
      const type = isOurs ? ids.columnType(`${table}.${name}` as never) : text
      made = made.addColumn(name, type, (one) => (name === 'id' ? one.primaryKey().notNull() : one))
    }
    await made.execute()
  }
  const known = Object.fromEntries(
    NAMES.map((table) => [table, idsOf(variants[table], random)]),
  ) as unknown as World['ids']
  for (const table of NAMES) {
    for (let row = 0; row < ROWS; row++) {
      const values = Object.fromEntries(
        Object.entries(IDS[table]).map(([name, of]) => [
          name,
          name === 'id' ? known[table][row] : random(4) === 0 ? null : known[of][random(ROWS)],
        ]),
      )
      await db.insertInto(table).values(values).execute()
    }
  }
  return { db, database, isOurs, ids: known }
}

/** Of random moments, so that both worlds have the same. */
const idsOf = ({ family }: Variant, random: Random): string[] => [
  ...new Set(
    Array.from({ length: ROWS + 4 }, (_, at) =>
      family.lowerBound(
        Date.UTC(2026, random(12), 1 + random(28), random(24), random(60), random(60), at * 60),
      ),
    ),
  ),
]

const KINDS = [sqlite, ...(PGliteDialect ? [pglite] : []), mysql].filter((kind) => kind.selected())
const counts = new Map<string, number>()
afterAll(() => {
  if (process.env['SNOFLAX_CASES']) console.log('same rows:', Object.fromEntries(counts))
})

describe.each(KINDS.map((kind) => [kind.name, kind] as const))('%s', (name, kind) => {
  // Texts whose length varies don't sort as their ids.
  const families = [...contestants, ...prefixedContestants].filter(
    ({ family }) => family.textLength !== undefined,
  )
  const variants = variantsOf(name, { families, storages: ['text'] })
  const schemas = Math.ceil(CASES / CASES_OF_SCHEMA / KINDS.length)

  test.each(Array.from({ length: schemas }, (_, at) => at))('schema %i', async (schema) => {
    const seed = SEED + 1000 * schema
    const random = randomFrom(seed)
    // Each another one, as a prefix has one table.
    const left = [...variants]
    const take = () => left.splice(random(left.length), 1)[0] as Variant
    const chosen = { a: take(), b: take(), c: take() }
    const opened = [await kind.open(), await kind.open()] as const
    try {
      const ours = await openWorld(opened[0], chosen, seed, true)
      const plain = await openWorld(opened[1], chosen, seed, false)
      for (let one = 0; one < CASES_OF_SCHEMA; one++) {
        const ask = (world: World) =>
          new Generator(randomFrom(seed + 7 * one), world)
            .ask()
            .catch((error: Error) => `${error.name}: ${error.message}`)
        const wanted = await ask(plain)
        const shown = `SNOFLAX_SEED=${SEED}, schema ${schema}, query ${one}`
        if (typeof wanted === 'string') expect.fail(`${shown}: ${wanted}`)
        expect(await ask(ours), shown).toEqual(wanted)
        const filled = `${name}${JSON.stringify(wanted).length > 6 ? '' : ', no rows'}`
        counts.set(filled, (counts.get(filled) ?? 0) + 1)
      }
    } finally {
      for (const database of opened) await database.close()
    }
  })
})
