import { type FlaxId, flax } from '@snoflax/core'
import { asText, flaxId, parameter, placeholder } from '@snoflax/drizzle/pg-core'
import { pglite } from '@snoflax/test'
import {
  and,
  arrayContained,
  arrayContains,
  arrayOverlaps,
  asc,
  between,
  count,
  countDistinct,
  desc,
  eq,
  exists,
  getTableColumns,
  gt,
  gte,
  inArray,
  isNotNull,
  isNull,
  lt,
  lte,
  max,
  min,
  ne,
  not,
  notBetween,
  notExists,
  notInArray,
  or,
  type SQL,
  sql,
} from 'drizzle-orm'
import {
  alias,
  except,
  integer,
  intersect,
  jsonb,
  pgEnum,
  pgMaterializedView,
  pgTable,
  pgView,
  primaryKey,
  text,
  union,
  unionAll,
} from 'drizzle-orm/pg-core'
import { drizzle } from 'drizzle-orm/pglite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

describe.each(['uuid', 'binary', 'text'] as const)('%s', async (storage) => {
  const type = { uuid: 'uuid', binary: 'bytea', text: 'text collate "C"' }[storage]
  const kind = pgEnum('kind', ['a', 'b'])
  const people = pgTable(`people_${storage}`, {
    id: flaxId({ storage }).primaryKey(),
    name: text().notNull(),
    bossId: flaxId.plain('boss_id', { storage }),
    friends: flaxId.plain({ storage }).array(),
    kind: kind().default('a'),
    data: jsonb().$type<{ id?: FlaxId }>(),
    upper: text().generatedAlwaysAs(sql`upper(name)`),
  })
  const members = pgTable(
    `members_${storage}`,
    {
      personId: flaxId.ref('person_id', () => people.id).notNull(),
      otherId: flaxId.plain('other_id', { storage }).notNull(),
      rank: integer(),
    },
    (t) => [primaryKey({ columns: [t.personId, t.otherId] })],
  )
  const view = pgView('named').as((qb) =>
    qb
      .select({
        id: people.id,
        boss: people.bossId,
        any: sql<FlaxId>`coalesce(${people.bossId}, ${people.id})`.mapWith(people.id).as('any'),
      })
      .from(people),
  )
  const mat = pgMaterializedView('mat').as((qb) =>
    qb.select({ id: people.id, name: people.name }).from(people),
  )
  const database = await pglite.open()
  const { connection: client } = database
  const db = drizzle({ client })
  let [a, b, c] = [] as unknown as [FlaxId, FlaxId, FlaxId]
  const added = async (person: typeof people.$inferInsert) => {
    const [row] = await db.insert(people).values(person).returning({ id: people.id })
    return row?.id as FlaxId
  }
  beforeAll(async () => {
    await client.exec(`create type kind as enum ('a','b');
     create table people_${storage} (id ${type} primary key, name text not null, boss_id ${type}, friends ${type.split(' ')[0]}[], kind kind default 'a', data jsonb, upper text generated always as (upper(name)) stored);
     create table members_${storage} (person_id ${type} references people_${storage}, other_id ${type}, rank int, primary key (person_id, other_id));
     create view named as select id, boss_id, coalesce(boss_id, id) as "any" from people_${storage};
     create materialized view mat as select id, name from people_${storage};`)
    a = await added({ name: 'a' })
    b = await added({ name: 'b', bossId: a, friends: [a] })
    c = await added({ name: 'c', bossId: a, friends: [a, b], data: { id: a } })
    await db.insert(members).values([
      { personId: a, otherId: b, rank: 1 },
      { personId: b, otherId: c, rank: 2 },
    ])
    await db.refreshMaterializedView(mat)
  })
  afterAll(() => database.close())
  const names = async (where: SQL | undefined) =>
    (await db.select({ n: people.name }).from(people).where(where).orderBy(asc(people.name)))
      .map((r) => r.n)
      .join('')

  test.each<[string, () => SQL | undefined, string]>([
    ['eq', () => eq(people.id, a), 'a'],
    ['ne', () => ne(people.id, a), 'bc'],
    ['gt', () => gt(people.id, a), 'bc'],
    ['lt', () => lt(people.id, c), 'ab'],
    ['gte lte', () => and(gte(people.id, b), lte(people.id, b)), 'b'],
    ['between', () => between(people.id, a, b), 'ab'],
    ['notBetween', () => notBetween(people.id, a, b), 'c'],
    ['inArray', () => inArray(people.id, [a, c]), 'ac'],
    ['notInArray', () => notInArray(people.id, [a, c]), 'b'],
    ['inArray sub', () => inArray(people.id, db.select({ x: members.otherId }).from(members)), 'bc'],
    [
      'inArray sub where',
      () => inArray(people.id, db.select({ x: people.bossId }).from(people).where(eq(people.bossId, a))),
      'a',
    ],
    ['not', () => not(eq(people.id, a)), 'bc'],
    ['or', () => or(eq(people.id, a), isNull(people.bossId)), 'a'],
    ['isNotNull', () => isNotNull(people.bossId), 'bc'],
    [
      'exists',
      () =>
        exists(
          db
            .select({ one: sql`1` })
            .from(members)
            .where(and(eq(members.personId, people.id), eq(members.otherId, b))),
        ),
      'a',
    ],
    ['notExists', () => notExists(db.select().from(members).where(eq(members.personId, people.id))), 'c'],
    ['arrayContains', () => arrayContains(people.friends, [a]), 'bc'],
    ['arrayContained', () => arrayContained(people.friends, [a]), 'b'],
    ['arrayOverlaps', () => arrayOverlaps(people.friends, [b, c]), 'c'],
    ['any', () => sql`${a} = any(${people.friends})`, 'bc'],
    ['any list', () => sql`${people.id} = any(${sql.param([a, b])})`, 'ab'],
    ['tuple', () => sql`(${people.id}, ${people.name}) in ((${a}, ${'a'}), (${b}, ${'x'}))`, 'a'],
    [
      'sub eq',
      () => eq(people.id, db.select({ x: max(members.otherId) }).from(members) as never),
      storage === 'uuid' ? '*' : 'c',
    ],
    [
      'sub eq 2',
      () => eq(people.id, sql`(select ${members.otherId} from ${members} where ${members.personId} = ${a})`),
      'b',
    ],
    ['jsonb id', () => sql`${people.data} ->> 'id' = ${asText(a)}`, 'c'],
    ['jsonb contains', () => sql`${people.data} @> ${JSON.stringify({ id: a })}`, 'c'],
    ['coalesce', () => eq(sql`coalesce(${people.bossId}, ${people.id})`.mapWith(people.id), a), 'abc'],
    ['generated', () => eq(people.upper, 'A'), 'a'],
    [
      'enum and id',
      () => and(eq(people.kind, 'a'), sql`${people.id} <> ${c} and ${people.kind} = ${'a'}`),
      'ab',
    ],
    ['is distinct', () => sql`${people.bossId} is distinct from ${a}`, 'a'],
    [
      'row number',
      () => sql`${people.id} in (select ${members.personId} from ${members} where ${members.rank} > ${1})`,
      'b',
    ],
  ])('%s finds the rows', async (_, where, expected) => {
    // PostgreSQL has no max of uuid.
    if (expected === '*') {
      const messages = await names(where()).catch(({ message, cause }) => `${message} ${cause?.message}`)
      expect(messages).toContain('function max(uuid) does not exist')
    } else expect(await names(where())).toBe(expected)
  })

  test('$count, selected columns, group by and distinct', async () => {
    expect(await db.$count(people, eq(people.bossId, a))).toBe(2)
    const { id, name } = getTableColumns(people)
    expect(
      await db
        .select({ id, name, n: db.$count(members, eq(members.personId, people.id)) })
        .from(people)
        .where(eq(id, a)),
    ).toEqual([{ id: a, name: 'a', n: 1 }])
    expect(
      await db.select({ n: count(people.bossId), d: countDistinct(people.bossId) }).from(people),
    ).toEqual([{ n: 2, d: 1 }])
    expect(
      await db
        .select({ boss: people.bossId, n: count() })
        .from(people)
        .groupBy(people.bossId)
        .having(eq(people.bossId, a)),
    ).toEqual([{ boss: a, n: 2 }])
    expect(
      await db.selectDistinctOn([people.bossId], { boss: people.bossId }).from(people).orderBy(people.bossId),
    ).toEqual([{ boss: a }, { boss: null }])
    expect(await db.selectDistinct({ boss: people.bossId }).from(people).where(eq(people.bossId, a))).toEqual(
      [{ boss: a }],
    )
  })
  test('joins, aliases, ctes, set operations', async () => {
    const boss = alias(people, 'boss')
    expect(
      await db
        .select({ n: people.name, boss: boss.id })
        .from(people)
        .innerJoin(boss, eq(boss.id, people.bossId))
        .where(eq(people.id, c)),
    ).toEqual([{ n: 'c', boss: a }])
    const [left] = await db
      .select()
      .from(people)
      .leftJoin(members, eq(members.personId, people.id))
      .where(eq(people.id, c))
    expect(Object.values(left ?? {})).toMatchObject([{ id: c, friends: [a, b], data: { id: a } }, null])
    const cte = db.$with('cte').as(
      db
        .select({
          id: people.id,
          boss: people.bossId,
          any: sql<FlaxId>`coalesce(${people.bossId}, ${people.id})`.mapWith(people.id).as('any'),
        })
        .from(people),
    )
    expect(
      await db
        .with(cte)
        .select({ id: cte.id, any: cte.any })
        .from(cte)
        .where(and(eq(cte.boss, a), eq(cte.any, a), gt(cte.id, b))),
    ).toEqual([{ id: c, any: a }])
    const lateral = db
      .select({ friend: members.otherId })
      .from(members)
      .where(eq(members.personId, people.id))
      .as('l')
    expect(
      await db
        .select({ id: people.id, f: lateral.friend })
        .from(people)
        .innerJoinLateral(lateral, sql`true`)
        .where(eq(lateral.friend, b)),
    ).toEqual([{ id: a, f: b }])
    const one = () => db.select({ id: people.id }).from(people).where(eq(people.id, a))
    const two = () => db.select({ id: members.personId }).from(members)
    expect((await union(one(), two()).orderBy(sql`id`)).map((r) => r.id)).toEqual([a, b])
    expect(await unionAll(one(), one())).toHaveLength(2)
    const none = () =>
      db
        .select({ id: sql<FlaxId | null>`null::${sql.raw(type)}`.mapWith(people.id).as('id') })
        .from(people)
        .limit(1)
    expect(await unionAll(none(), one())).toEqual([{ id: null }, { id: a }])
    expect(await intersect(one(), two())).toEqual([{ id: a }])
    expect(await except(two(), one())).toEqual([{ id: b }])
    expect(
      await db
        .select()
        .from(view)
        .where(and(eq(view.boss, a), eq(view.any, a), eq(view.id, c))),
    ).toEqual([{ id: c, boss: a, any: a }])
    expect(await db.select().from(mat).where(eq(mat.id, b))).toEqual([{ id: b, name: 'b' }])
    const sq = db
      .select({ p: members.personId, m: min(members.rank).as('m') })
      .from(members)
      .groupBy(members.personId)
      .as('sq')
    expect(
      await db
        .select({ id: sq.p })
        .from(sq)
        .where(inArray(sq.p, [a]))
        .orderBy(desc(sq.p)),
    ).toEqual([{ id: a }])
    const dyn = db.select({ id: people.id }).from(people).$dynamic()
    expect(await dyn.where(eq(people.id, b)).limit(1)).toEqual([{ id: b }])
    const rn = db
      .select({
        id: people.id,
        rn: sql<number>`row_number() over (partition by ${people.bossId} order by ${people.id} desc)`.as(
          'rn',
        ),
      })
      .from(people)
      .as('rn')
    expect(
      await db
        .select({ id: rn.id })
        .from(rn)
        .where(and(eq(rn.rn, 1), eq(rn.id, c))),
    ).toEqual([{ id: c }])
  })
  test('prepared', async () => {
    const q = db
      .select({ id: people.id })
      .from(people)
      .where(and(eq(people.id, sql.placeholder('id')), inArray(people.id, [sql.placeholder('id')])))
      .prepare(`q${storage}`)
    expect(await q.execute({ id: b })).toEqual([{ id: b }])
    expect(await q.execute({ id: c })).toEqual([{ id: c }])
    if (storage !== 'text') await expect(async () => q.execute({ id: 'x' })).rejects.toThrow(/people_\w+\.id/)
    const lim = db
      .select({ id: people.id })
      .from(people)
      .where(sql`${people.bossId} = ${sql.placeholder('boss')}`)
      .limit(sql.placeholder('n'))
      .prepare(`l${storage}`)
    expect(await lim.execute({ boss: a, n: 1 })).toHaveLength(1)
    const q3 = db
      .select({
        x: sql<FlaxId>`coalesce(${people.bossId}, ${placeholder(people.id, 'd')})`.mapWith(people.id),
      })
      .from(people)
      .where(eq(people.id, a))
      .prepare(`c${storage}`)
    expect(await q3.execute({ d: c })).toEqual([{ x: c }])
  })
  test('writes', async () => {
    await db
      .transaction(async (tx) => {
        const d = flax.generate()
        const sqd = db
          .$with('ins')
          .as(
            tx.insert(people).values({ id: d, name: 'd' }).returning({ id: people.id, boss: people.bossId }),
          )
        expect(await tx.with(sqd).select({ id: sqd.id }).from(sqd).where(eq(sqd.id, d))).toEqual([{ id: d }])
        const up = db
          .$with('up')
          .as(
            tx
              .update(people)
              .set({ bossId: b })
              .where(eq(people.id, d))
              .returning({ id: people.id, x: people.bossId }),
          )
        expect(await tx.with(up).select().from(up)).toEqual([{ id: d, x: b }])
        expect(
          await tx
            .update(people)
            .set({ bossId: members.otherId })
            .from(members)
            .where(and(eq(members.personId, a), eq(people.id, d)))
            .returning({ b: people.bossId }),
        ).toEqual([{ b }])
        expect(
          await tx
            .update(people)
            .set({ bossId: sql`${members.personId}` })
            .from(members)
            .where(and(eq(members.personId, a), eq(people.id, d)))
            .returning({ b: people.bossId }),
        ).toEqual([{ b: a }])
        expect(
          await tx
            .update(people)
            .set({
              friends: sql`array_append(coalesce(${people.friends}, '{}'), ${parameter(people.id, c)})`,
            })
            .where(eq(people.id, d))
            .returning({ f: people.friends }),
        ).toEqual([{ f: [c] }])
        expect(
          await tx
            .insert(people)
            .values({ id: d, name: 'x', bossId: c })
            .onConflictDoUpdate({
              target: people.id,
              set: { bossId: sql`excluded.boss_id`, name: sql`excluded.name` },
              setWhere: sql`excluded.boss_id = ${c}`,
            })
            .returning({ b: people.bossId, n: people.name }),
        ).toEqual([{ b: c, n: 'x' }])
        expect(
          await tx
            .insert(people)
            .values({ id: d, name: 'y' })
            .onConflictDoUpdate({
              target: people.id,
              set: { bossId: a },
              targetWhere: sql`${people.id} = ${d}`,
            })
            .returning({ b: people.bossId }),
        ).toEqual([{ b: a }])
        tx.rollback()
      })
      .catch((e) => {
        if (!/ollback/.test(String(e.message))) throw e
      })
    const e = flax.generate()
    await db.insert(members).select(
      db
        .select({
          personId: people.id,
          otherId: sql<FlaxId>`${parameter(members.otherId, e)}`.as('other_id'),
          rank: sql<number>`1`.as('rank'),
        })
        .from(people)
        .where(eq(people.id, c)),
    )
    expect(await db.select({ o: members.otherId }).from(members).where(eq(members.personId, c))).toEqual([
      { o: e },
    ])
    expect(await db.delete(members).where(eq(members.otherId, e)).returning()).toEqual([
      { personId: c, otherId: e, rank: 1 },
    ])
    const del = db
      .$with('del')
      .as(db.delete(members).where(eq(members.otherId, e)).returning({ p: members.personId }))
    expect(await db.with(del).select().from(del)).toEqual([])
    const { rows } = await db.execute(sql`select ${people.name} from ${people} where ${people.id} = ${a}`)
    expect(rows).toEqual([{ name: 'a' }])
  })
})
