import { flax, type IdError } from '@snoflax/core'
import { flaxId as pgFlaxId } from '@snoflax/drizzle/pg-core'
import { flaxId } from '@snoflax/drizzle/sqlite-core'
import { pglite } from '@snoflax/test'
import Database from 'better-sqlite3'
import * as orm from 'drizzle-orm'
import { eq, inArray, type SQL, sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { pgTable, text as pgText } from 'drizzle-orm/pg-core'
import { drizzle as drizzlePglite } from 'drizzle-orm/pglite'
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { describe, expect, test } from 'vitest'
import { isBefore1 } from './contract/version.js'

const shops = sqliteTable('shops', {
  id: flaxId({ storage: 'binary' }).primaryKey(),
  name: text().notNull(),
})
const doors = sqliteTable('doors', {
  number: integer().primaryKey(),
  shopId: flaxId.ref('shop_id', () => shops.id).notNull(),
})
const schema = { shops, doors }
/** What `drizzle()` takes to know the relations, in both of its forms. */
const related = isBefore1
  ? {
      schema: {
        ...schema,
        shopRelations: orm.relations(shops, ({ many }) => ({ doors: many(doors) })),
        doorRelations: orm.relations(doors, ({ one }) => ({
          shop: one(shops, { fields: [doors.shopId], references: [shops.id] }),
        })),
      },
    }
  : {
      relations: (orm as unknown as Next).defineRelations(schema, (r) => ({
        shops: { doors: r.many['doors']?.() },
        doors: { shop: r.one['shops']?.({ from: r['doors']?.shopId, to: r['shops']?.id }) },
      })),
    }
type Related = NonNullable<Extract<typeof related, { schema: unknown }>['schema']>

interface Next {
  // biome-ignore lint/suspicious/noExplicitAny: types of Drizzle 1.0
  defineRelations(given: typeof schema, of: (r: any) => object): object
}

function open() {
  const client = new Database(':memory:')
  client.exec(`
    create table shops (id blob primary key, name text not null);
    create table doors (number integer primary key, shop_id blob not null references shops (id))`)
  const db = drizzle({ client, ...(related as { schema: Related }) })
  const { id } = db.insert(shops).values({ name: 'corner' }).returning().get()
  db.insert(doors).values({ number: 1, shopId: id }).run()
  return { client, db, id }
}

type Make = (columns: Pick<typeof shops, 'id' | 'name'>) => SQL

/** In Drizzle 1.0 it is a function: the table has another name there. */
const extra = (make: Make) => (isBefore1 ? make(shops).as('x') : (make as never))

const codeOf = (work: () => unknown): string => {
  try {
    work()
  } catch (error) {
    const { code, message, cause } = error as IdError & { readonly cause?: unknown }
    return [`${code}: ${message}`, cause].join(' ')
  }
  return 'no error'
}

describe('SQLite, binary', () => {
  const { db, id, client } = open()
  const json = JSON.stringify([id])
  const known = id

  test.each<[string, Make]>([
    ['a cast', ({ id }) => sql`cast(${id} as text)`],
    ['a concatenation', ({ id }) => sql`'shop ' || hex(${id})`],
    ['hex digits', ({ id }) => sql`hex(${id})`],
    ['JSON', ({ id }) => sql`json_object('id', hex(${id}))`],
    ['collected ids', ({ id }) => sql`group_concat(hex(${id}))`],
    ['a cast in coalesce', ({ id }) => sql`coalesce(cast(${id} as text), 'none')`],
    ['a cast in a subquery', ({ id }) => sql`(select cast(${id} as text) from doors limit 1)`],
    ['the name of a column', () => sql`id`],
    ['a function of it', () => sql`max(id)`],
  ])('an expression that makes something else of an id is refused: %s', (_, make) => {
    const expression = make(shops)
    const refused = /INVALID_OPTION: (?:shops|doors).*an expression returns .*\.mapWith\(column\)/
    expect(codeOf(() => db.select({ x: expression }).from(shops).all())).toMatch(refused)
    expect(
      codeOf(() =>
        db
          .select({ x: expression.as('x') })
          .from(shops)
          .all(),
      ),
    ).toMatch(refused)
    const sub = db
      .select({ x: expression.as('x') })
      .from(shops)
      .as('sub')
    expect(codeOf(() => db.select().from(sub).all())).toMatch(refused)
    const returned = db.update(shops).set({ name: 'corner' }).returning({ x: expression })
    const isAggregate = /group_concat|max/.test(db.select({ x: expression }).from(shops).toSQL().sql)
    if (!isAggregate) expect(codeOf(() => returned.all())).toMatch(refused)
    const extras = { x: extra(make) }
    expect(codeOf(() => db.query.shops.findMany({ extras }).sync())).toMatch(refused)
    const nested = db.query.doors.findMany({ with: { shop: { columns: {}, extras } } })
    // SQLite refuses bytes in JSON itself.
    expect(codeOf(() => nested.sync())).toMatch(/an expression returns|JSON cannot hold BLOB/)
  })

  test.each<[string, Make, unknown]>([
    ['a count', ({ id }) => sql`count(${id})`, 1],
    ['a length', ({ id }) => sql`length(${id})`, 12],
    ['a comparison', ({ id }) => sql`${id} = ${known}`, 1],
    [
      'another column of a subquery',
      ({ id }) => sql`(select name from shops as s where s.id = ${id})`,
      'corner',
    ],
    [
      'what a CASE chooses',
      ({ id, name }) => sql`case when ${id} is null then 'nobody there' else ${name} end`,
      'corner',
    ],
    ['what a window orders', ({ id, name }) => sql`first_value(${name}) over (order by ${id})`, 'corner'],
    [
      'what an aggregate filters',
      ({ id, name }) => sql`group_concat(${name}) filter (where ${id} is not null)`,
      'corner',
    ],
    ['mapped by the user', ({ id }) => sql`hex(${id})`.mapWith(() => 'hex'), 'hex'],
    ['no id', ({ name }) => sql`json_object('id', ${name})`, '{"id":"corner"}'],
  ])('an expression whose result is no id is accepted: %s', (_, make, expected) => {
    const expression = make(shops)
    expect(db.select({ x: expression }).from(shops).all()).toEqual([{ x: expected }])
    const found = db.query.shops.findFirst({ columns: {}, extras: { x: extra(make) } }).sync()
    expect(found).toEqual({ x: expected })
  })

  test('an id compared with the result of such an expression is refused', () => {
    const sub = db
      .select({ x: sql<string>`cast(${shops.id} as text)`.as('x') })
      .from(shops)
      .as('sub')
    expect(codeOf(() => db.select().from(sub).where(eq(sub.x, id)).all())).toMatch(
      /shops\.id: .* isn't converted/,
    )
  })

  test.each<[string, () => unknown]>([
    [
      'beside a column',
      () =>
        db
          .select()
          .from(shops)
          .where(eq(shops.id, sql.raw(`'${id}'`)))
          .all(),
    ],
    [
      'in a list',
      () =>
        db
          .select()
          .from(shops)
          .where(sql`${shops.id} in ('x', ${sql.raw(`'${id}'`)})`)
          .all(),
    ],
    [
      'beside its name',
      () =>
        db
          .select()
          .from(shops)
          .where(sql.raw(`shops.id = '${id}'`))
          .all(),
    ],
    ['in a statement', () => db.all(sql.raw(`select name from shops where id = '${id}'`))],
    [
      'in an insert',
      () => db.run(sql.raw(`insert into shops (name, id) values ('x', '${flax.generate()}')`)),
    ],
    ['in an update', () => db.run(sql.raw(`update doors set shop_id = '${id}'`))],
  ])('an id in the text of the SQL is refused: %s', (_, work) => {
    expect(codeOf(work)).toMatch(/^INVALID_OPTION: (?:shops|doors).*is written into the text of the SQL/)
    expect(client.prepare('select typeof(id) as type from shops').all()).toEqual([{ type: 'blob' }])
    expect(client.prepare('select typeof(shop_id) as type from doors').all()).toEqual([{ type: 'blob' }])
  })

  test('a text that is not an id is accepted in the SQL, and an id compared with another column too', () => {
    const rows = db.select().from(shops)
    expect(rows.where(sql`${shops.id} <> 'x' and ${shops.name} = 'corner'`).all()).toHaveLength(1)
    expect(db.all(sql.raw(`select name from shops where name <> '${id}'`))).toHaveLength(1)
  })

  test.each<[string, () => unknown]>([
    ['in a list', () => sql`${shops.id} in (select value from json_each(${json}))`],
    ['in a list by a name', () => sql`shops.id in (select value from json_each(${json}))`],
    ['by Drizzle', () => inArray(shops.id, sql`(select value from json_each(${json}))`)],
    [
      'in objects',
      () => sql`${shops.id} in (select value ->> 'id' from json_each(${JSON.stringify([{ id }])}))`,
    ],
  ])('ids in JSON are refused: %s', (_, where) => {
    expect(
      codeOf(() =>
        db
          .select()
          .from(shops)
          .where(where() as SQL)
          .all(),
      ),
    ).toMatch(/^INVALID_OPTION: shops\.id: the id .* is in a list or JSON/)
  })

  test.each<[string, () => SQL]>([
    ['a CTE', () => sql`with w as (select ${id} as ref) select * from shops join w on w.ref = shops.id`],
    [
      'VALUES',
      () => sql`with w(ref) as (values (${id})) select * from ${shops} join w on w.ref = ${shops.id}`,
    ],
    ['USING', () => sql`select * from shops join (select cast(${id} as text) as id) as w using (id)`],
    ['an INSERT', () => sql`insert into shops (id, name) select ${id}, 'x' where true`],
    ['a cast', () => sql`select * from shops where id = cast(${id} as text)`],
  ])('an id in %s that is compared with an id column is refused or converted', (_, query) => {
    expect(codeOf(() => db.all(query()))).toMatch(/^INVALID_OPTION: shops\.id: the /)
  })

  test('an id compared with an unknown column is refused, unless the column is mapped', () => {
    const joined = () =>
      db.select().from(shops).innerJoin(sql`json_each(${json}) as j`, eq(shops.id, sql`j.value`)).all()
    expect(codeOf(joined)).toMatch(/^INVALID_OPTION: shops\.id: can't tell whether value/)
    const known = sql`(select shop_id as of_door from doors) as d`
    const of = sql`d.of_door`
    const byName = () => db.select({ name: shops.name }).from(shops).innerJoin(known, eq(shops.id, of)).all()
    expect(codeOf(byName)).toMatch(/can't tell whether of_door/)
    of.mapWith(doors.shopId)
    expect(byName()).toEqual([{ name: 'corner' }])
    const byColumn = db
      .select({ n: shops.name })
      .from(shops)
      .innerJoin(sql`doors as d`, eq(shops.id, sql`d.shop_id`))
    expect(byColumn.all()).toEqual([{ n: 'corner' }])
  })
})

describe.each(['uuid', 'binary'] as const)('PostgreSQL, %s', (storage) => {
  const shops = pgTable('shops', { id: pgFlaxId({ storage }).primaryKey(), name: pgText().notNull() })

  test('casts, arrays and JSON of ids are refused', async () => {
    const database = await pglite.open()
    const { connection: client } = database
    await client.exec(
      `create table shops (id ${storage === 'uuid' ? 'uuid' : 'bytea'} primary key, name text not null)`,
    )
    const db = drizzlePglite({ client })
    const [{ id } = { id: flax.generate() }] = await db.insert(shops).values({ name: 'corner' }).returning()
    for (const expression of [
      sql`${shops.id}::text`,
      sql`cast(${shops.id} as varchar)`,
      sql`${shops.name} || ${shops.id}`,
      sql`array_agg(${shops.id})`,
      sql`array(select ${shops.id})`,
      sql`json_agg(${shops.id})`,
      sql`json_agg(${shops})`,
      sql`to_jsonb(${shops})`,
      sql`json_build_object('shop', ${shops.id})`,
      sql`coalesce(json_agg(json_build_object('shop', ${shops.id})), '[]')`,
    ]) {
      const grouped = db.select({ x: expression }).from(shops).groupBy(shops.id)
      await expect(grouped).rejects.toThrow(/shops\.id: an expression returns/)
    }
    for (const expression of [
      sql<number>`count(${shops.id})`,
      sql<string>`json_agg(${shops.name})`,
      sql<string>`json_agg(${shops.name} order by ${shops.id})`,
      sql<string>`string_agg(${shops.name}, ', ') filter (where ${shops.id} is not null)`,
      sql<boolean>`${shops.id} is not null`,
      sql<string>`pg_typeof(${shops.id})`,
      sql<string>`to_char(now(), 'YYYY-MM-DD')`,
    ]) {
      await expect(db.select({ x: expression }).from(shops).groupBy(shops.id)).resolves.toHaveLength(1)
    }
    const ids = sql`array_agg(${shops.id})`.mapWith((list: unknown[]) => list.length)
    await expect(db.select({ ids }).from(shops)).resolves.toEqual([{ ids: 1 }])
    await expect(db.select().from(shops).where(eq(shops.id, id))).resolves.toHaveLength(1)
    await database.close()
  })
})
