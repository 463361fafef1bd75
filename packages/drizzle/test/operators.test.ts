import { type FlaxId, flax } from '@snoflax/core'
import { flaxId, parameter, placeholder } from '@snoflax/drizzle/pg-core'
import { pglite } from '@snoflax/test'
import {
  and,
  arrayContained,
  arrayContains,
  arrayOverlaps,
  asc,
  eq,
  getTableColumns,
  gt,
  type SQL,
  sql,
} from 'drizzle-orm'
import {
  integer,
  jsonb,
  pgEnum,
  pgMaterializedView,
  pgTable,
  pgView,
  primaryKey,
  text,
  unionAll,
} from 'drizzle-orm/pg-core'
import { drizzle } from 'drizzle-orm/pglite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

// What the random queries of differential.long.test.ts don't have: arrays, JSON, views, and writes within other statements.

describe.each(['uuid', 'binary', 'text'] as const)('%s', async (storage) => {
  const type = { uuid: 'uuid', binary: 'bytea', text: 'text collate "C"' }[storage]
  const kind = pgEnum('kind', ['a', 'b'])
  const people = pgTable('people', {
    id: flaxId({ storage }).primaryKey(),
    name: text().notNull(),
    bossId: flaxId.plain('boss_id', { storage }),
    friends: flaxId.plain({ storage }).array(),
    kind: kind().default('a'),
    data: jsonb().$type<{ id?: FlaxId }>(),
  })
  const members = pgTable(
    'members',
    {
      personId: flaxId.ref('person_id', () => people.id).notNull(),
      otherId: flaxId.plain('other_id', { storage }).notNull(),
      rank: integer(),
    },
    (t) => [primaryKey({ columns: [t.personId, t.otherId] })],
  )
  const bossOrOwn = sql<FlaxId>`coalesce(${people.bossId}, ${people.id})`.mapWith(people.id)
  const named = { id: people.id, boss: people.bossId, any: bossOrOwn.as('any') }
  const view = pgView('named').as((query) => query.select(named).from(people))
  const copy = pgMaterializedView('copy').as((query) => query.select({ id: people.id }).from(people))
  const database = await pglite.open()
  const db = drizzle({ client: database.connection })
  let [a, b, c] = [] as unknown as [FlaxId, FlaxId, FlaxId]
  const added = async (person: typeof people.$inferInsert) => {
    const [row] = await db.insert(people).values(person).returning({ id: people.id })
    return row?.id as FlaxId
  }
  beforeAll(async () => {
    await database.connection.exec(`create type kind as enum ('a', 'b');
     create table people (id ${type} primary key, name text not null, boss_id ${type}, friends ${type.split(' ')[0]}[], kind kind default 'a', data jsonb);
     create table members (person_id ${type} references people, other_id ${type}, rank int, primary key (person_id, other_id));
     create view named as select id, boss_id, coalesce(boss_id, id) as "any" from people;
     create materialized view copy as select id from people`)
    a = await added({ name: 'a' })
    b = await added({ name: 'b', bossId: a, friends: [a] })
    c = await added({ name: 'c', bossId: a, friends: [a, b], data: { id: a } })
    await db.insert(members).values([
      { personId: a, otherId: b, rank: 1 },
      { personId: b, otherId: c, rank: 2 },
    ])
    await db.refreshMaterializedView(copy)
  })
  afterAll(() => database.close())

  test.each<[string, () => SQL | undefined, string]>([
    ['arrayContains', () => arrayContains(people.friends, [a]), 'bc'],
    ['arrayContained', () => arrayContained(people.friends, [a]), 'b'],
    ['arrayOverlaps', () => arrayOverlaps(people.friends, [b, c]), 'c'],
    ['a list in SQL', () => sql`${people.id} in ${[a, b].map((id) => parameter(people.id, id))}`, 'ab'],
    [
      'a query in SQL',
      () =>
        eq(
          people.id,
          sql`(select ${members.otherId} from ${members} where ${members.personId} = ${parameter(people.id, a)})`,
        ),
      'b',
    ],
    ['a text in JSON', () => sql`${people.data} ->> 'id' = ${a}`, 'c'],
    ['JSON', () => sql`${people.data} @> ${JSON.stringify({ id: a })}`, 'c'],
    ['an expression that is mapped', () => eq(bossOrOwn, parameter(people.id, a)), 'abc'],
    [
      'beside an enum',
      () => sql`${people.id} <> ${parameter(people.id, c)} and ${people.kind} = ${'a'}`,
      'ab',
    ],
  ])('%s finds the rows', async (_, where, expected) => {
    const found = await db.select().from(people).where(where()).orderBy(asc(people.name))
    expect(found.map(({ name }) => name).join('')).toBe(expected)
  })

  test('$count and distinctOn', async () => {
    expect(await db.$count(people, eq(people.bossId, a))).toBe(2)
    const { id } = getTableColumns(people)
    const counted = { id, n: db.$count(members, eq(members.personId, people.id)) }
    expect(await db.select(counted).from(people).where(eq(id, a))).toEqual([{ id: a, n: 1 }])
    const bosses = db.selectDistinctOn([people.bossId], { boss: people.bossId }).from(people)
    expect(await bosses.orderBy(people.bossId)).toEqual([{ boss: a }, { boss: null }])
  })

  test('left and lateral joins, unions with null, and a parameter in a selected expression', async () => {
    const [left] = await db
      .select()
      .from(people)
      .leftJoin(members, eq(members.personId, people.id))
      .where(eq(people.id, c))
    expect(left).toMatchObject({ people: { id: c, friends: [a, b], data: { id: a } }, members: null })
    const lateral = db
      .select({ friend: members.otherId })
      .from(members)
      .where(eq(members.personId, people.id))
      .as('l')
    const joined = db
      .select({ id: people.id, friend: lateral.friend })
      .from(people)
      .innerJoinLateral(lateral, sql`true`)
    expect(await joined.where(eq(lateral.friend, b))).toEqual([{ id: a, friend: b }])
    const nothing = sql<FlaxId | null>`null::${sql.raw(type)}`.mapWith(people.id).as('id')
    const none = db.select({ id: nothing }).from(people).limit(1)
    const one = db.select({ id: people.id }).from(people).where(eq(people.id, a))
    expect(await unionAll(none, one)).toEqual([{ id: null }, { id: a }])
    const bossOr = sql<FlaxId>`coalesce(${people.bossId}, ${placeholder(people.id, 'other')})`
    const prepared = db
      .select({ id: bossOr.mapWith(people.id) })
      .from(people)
      .where(eq(people.id, a))
      .prepare('boss_or')
    expect(await prepared.execute({ other: c })).toEqual([{ id: c }])
  })

  test('CTEs, views and subqueries have mapped fields, and columns of ids', async () => {
    const cte = db.$with('cte').as(db.select(named).from(people))
    for (const [some, from] of [
      [cte, db.with(cte).select().from(cte)],
      [view, db.select().from(view)],
    ] as const) {
      const where = and(eq(some.boss, a), eq(some.any, parameter(people.id, a)), gt(some.id, b))
      expect(await (from as typeof from & { where: (one?: SQL) => unknown }).where(where)).toEqual([
        { id: c, boss: a, any: a },
      ])
    }
    expect(await db.select().from(copy).where(eq(copy.id, b))).toEqual([{ id: b }])
    const rank = sql<number>`row_number() over (partition by ${people.bossId} order by ${people.id} desc)`
    const ranked = db
      .select({ id: people.id, rank: rank.as('rank') })
      .from(people)
      .as('ranked')
    const first = and(eq(ranked.rank, 1), eq(ranked.id, c))
    expect(await db.select({ id: ranked.id }).from(ranked).where(first)).toEqual([{ id: c }])
  })

  test('writes in CTEs, from other tables, of arrays and of what an upsert proposes', async () => {
    const d = flax.generate()
    const own = eq(people.id, d)
    const made = db.$with('made').as(db.insert(people).values({ id: d, name: 'd' }).returning(named))
    expect(await db.with(made).select({ id: made.id }).from(made).where(eq(made.id, d))).toEqual([{ id: d }])
    const set = db
      .$with('set')
      .as(db.update(people).set({ bossId: b }).where(own).returning({ boss: people.bossId }))
    expect(await db.with(set).select().from(set)).toEqual([{ boss: b }])
    const updated = async (bossId: SQL | typeof members.otherId) => {
      const update = db.update(people).set({ bossId }).from(members)
      const [row] = await update.where(and(eq(members.personId, a), own)).returning({ boss: people.bossId })
      return row?.boss
    }
    expect(await updated(members.otherId)).toBe(b)
    expect(await updated(sql`${members.personId}`)).toBe(a)
    const friends = sql`array_append(coalesce(${people.friends}, '{}'), ${parameter(people.id, c)})`
    const appended = db.update(people).set({ friends }).where(own)
    expect(await appended.returning({ friends: people.friends })).toEqual([{ friends: [c] }])
    const upsert = db
      .insert(people)
      .values({ id: d, name: 'x', bossId: c })
      .onConflictDoUpdate({
        target: people.id,
        set: { bossId: sql`excluded.boss_id`, name: sql`excluded.name` },
        setWhere: sql`excluded.boss_id = ${parameter(people.bossId, c)}`,
      })
    expect(await upsert.returning({ boss: people.bossId, name: people.name })).toEqual([
      { boss: c, name: 'x' },
    ])
    const tie = {
      personId: people.id,
      otherId: sql<FlaxId>`${parameter(members.otherId, d)}`.as('other_id'),
      rank: sql<number>`1`.as('rank'),
    }
    await db.insert(members).select(db.select(tie).from(people).where(eq(people.id, c)))
    const deleted = db.delete(members).where(eq(members.otherId, d))
    expect(await deleted.returning()).toEqual([{ personId: c, otherId: d, rank: 1 }])
  })
})
