import {
  type FlakeId,
  type FlaxId,
  fixedId,
  flake,
  flax,
  IdError,
  prefixed,
  type StorageName,
  sno,
} from '@snoflax/core'
import {
  createdAfter,
  createdAt,
  createdBefore,
  createdBetween,
  flakeId,
  flaxId,
  fromDatabase,
  idColumn,
  keyset,
  maxId,
  parameter,
  snoId,
  toDatabase,
  wasCreatedBetween,
} from '@snoflax/drizzle/pg-core'
import { install } from '@snoflax/pg-sql'
import { type PostgresDatabase, postgres } from '@snoflax/test'
import { arrayContains, asc, desc, eq, isNull, relations, type SQL, sql } from 'drizzle-orm'
import { drizzle, type NodePgDatabase } from 'drizzle-orm/node-postgres'
import { type AnyPgColumn, alias, integer, pgTable, pgView, text } from 'drizzle-orm/pg-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { postgresStatements } from './generated-sql.js'

const own = flake.withEpoch(1_420_070_400_000)
const jobs = flake.generator({ datacenter: 2, worker: 3 })

function schemaOf(storage: StorageName) {
  const people = pgTable('people', {
    id: flaxId({ storage }).primaryKey(),
    name: text().notNull().unique(),
    parentId: flaxId.ref('parent_id').references((): AnyPgColumn => people.id),
    past: flaxId.plain({ storage }).array(),
    jobs: flakeId.plain().array(),
  })
  const tasks = pgTable('tasks', {
    id: flakeId({ generator: jobs }).primaryKey(),
    personId: flaxId.ref('person_id').references(() => people.id),
    total: integer().notNull().default(0),
  })
  const events = pgTable('events', {
    id: snoId({ default: 'database', meta: 5, storage }).primaryKey(),
    personId: flaxId.ref('person_id').references(() => people.id),
  })
  const notes = pgTable('notes', { id: idColumn(own).plain().primaryKey() })
  const peopleRelations = relations(people, ({ one, many }) => ({
    parent: one(people, { fields: [people.parentId], references: [people.id], relationName: 'family' }),
    children: many(people, { relationName: 'family' }),
    tasks: many(tasks),
  }))
  const taskRelations = relations(tasks, ({ one }) => ({
    person: one(people, { fields: [tasks.personId], references: [people.id] }),
  }))
  return { people, tasks, events, notes, peopleRelations, taskRelations }
}

describe.each([['uuid'], ['text'], ['binary'], ['uuid8']] as const)('PostgreSQL, %s', (storage) => {
  const schema = schemaOf(storage)
  const { people, tasks, events, notes } = schema
  const parents = pgView('parents').as((query) =>
    query.select({ id: people.id, name: people.name }).from(people).where(isNull(people.parentId)),
  )
  const everyone = pgView('everyone', { id: flaxId.plain({ storage }), name: text() }).as(
    sql`select id, name from people`,
  )

  let database: PostgresDatabase
  let db: NodePgDatabase<typeof schema>
  let ada: typeof people.$inferSelect
  let bea: typeof people.$inferSelect

  beforeAll(async () => {
    database = await postgres.open()
    await install(database.pool)
    await database.query('SELECT snoflax.sno_set_partition(31)')
    for (const statement of await postgresStatements({ ...schema, parents, everyone })) {
      await database.query(statement)
    }
    // Made while the table is empty: the planner passes over a younger index of updated rows for as long as any older transaction of the server runs.
    await database.query('CREATE INDEX tasks_at ON tasks (snoflax.flake_time(id))')
    db = drizzle(database.pool, { schema })
    const past = [flax.generateAt(new Date('2026-01-01')), flax.generate()]
    const own = [jobs.generate(), jobs.generate()]
    ada = (await db.insert(people).values({ name: 'Ada', past, jobs: own }).returning())[0] as typeof ada
    bea = (await db.insert(people).values({ name: 'Bea', parentId: ada.id }).returning())[0] as typeof bea
    await db.insert(tasks).values([
      { personId: ada.id, total: 1 },
      { personId: ada.id, total: 2 },
    ])
  })
  afterAll(() => database.close())

  test('views, and views that declare their own columns', async () => {
    expect(await db.select().from(parents)).toEqual([{ id: ada.id, name: 'Ada' }])
    expect(await db.select().from(everyone).where(eq(everyone.id, bea.id))).toEqual([
      { id: bea.id, name: 'Bea' },
    ])
    const now = Date.now()
    const recent = createdBetween(parents.id, now - 3_600_000, now + 3_600_000)
    expect(
      await db
        .select({ at: createdAt(parents.id) })
        .from(parents)
        .where(recent),
    ).toEqual([{ at: flax.time(ada.id) }])
  })

  test('values compared with an id column in raw SQL', async () => {
    const { id, name, past } = people
    const found = async (condition: SQL) =>
      (await db.select({ name }).from(people).where(condition).orderBy(id)).map((row) => row.name)
    const both = [ada.id, bea.id]
    expect(await found(sql`${id} = any(${sql.param(both)})`)).toEqual(['Ada', 'Bea'])
    expect(await found(sql`${id} <> all(${sql.param([bea.id])}) and ${name} in ${['Ada', 'Bea']}`)).toEqual([
      'Ada',
    ])
    expect(await found(sql`${id} is not distinct from ${bea.id}`)).toEqual(['Bea'])
    expect(await found(sql`${id} not between ${ada.id} and ${ada.id} and ${'Bea'} = ${name}`)).toEqual([
      'Bea',
    ])
    expect(await found(sql`(${name}, ${id}) in ((${'Ada'}, ${ada.id}), (${'Ada'}, ${bea.id}))`)).toEqual([
      'Ada',
    ])
    expect(await found(sql`(${id}, ${name}) > (${ada.id}, ${'Ada'}) and ${name} = ${'Bea'}`)).toEqual(['Bea'])
    expect(await found(sql`${ada.past?.[0]} = any(${past})`)).toEqual(['Ada'])
    expect(await found(sql`${past} && ${parameter(past, ada.past as FlaxId[])}`)).toEqual(['Ada'])
    const byIds = db
      .select({ name })
      .from(people)
      .where(sql`${id} = any(${sql.placeholder('ids')})`)
      .orderBy(id)
      .prepare(`by_ids_${storage}`)
    expect(await byIds.execute({ ids: both })).toEqual([{ name: 'Ada' }, { name: 'Bea' }])
  })

  test('a self join by alias', async () => {
    const child = alias(people, 'child')
    const rows = await db
      .select({ parent: people.id, child: child.id })
      .from(people)
      .innerJoin(child, eq(child.parentId, people.id))
      .where(eq(child.id, bea.id))
    expect(rows).toEqual([{ parent: ada.id, child: bea.id }])
  })

  test('distinct, and a subquery with an aggregate', async () => {
    expect(await db.selectDistinct({ id: tasks.personId }).from(tasks)).toEqual([{ id: ada.id }])
    const sums = db
      .select({ id: tasks.personId, sum: sql<number>`sum(${tasks.total})::integer`.as('sum') })
      .from(tasks)
      .groupBy(tasks.personId)
      .as('sums')
    const rows = await db.select().from(sums).where(eq(sums.id, ada.id))
    expect(rows).toEqual([{ id: ada.id, sum: 3 }])
  })

  test('a CTE that inserts, and an insert from a query', async () => {
    const made = db
      .$with('made')
      .as(db.insert(people).values({ name: 'Made by a CTE' }).returning({ id: people.id }))
    const [found] = await db.with(made).select({ id: made.id }).from(made)
    expect(flax.is(found?.id)).toBe(true)
    // Drizzle generates nothing for an insert from a select: the database does.
    await db.insert(events).select(
      db
        .select({
          id: sql`snoflax.sno_generate${sql.raw(storage === 'binary' ? '' : `_${storage}`)}(9)`.as('id'),
          personId: people.id,
        })
        .from(people),
    )
    const rows = await db.select().from(events)
    expect(rows.length).toBeGreaterThan(2)
    for (const { id } of rows) expect(sno.meta(id)).toBe(9)
    await db.delete(events)
  })

  test('a default of the database is used and returned, and an id that is inserted is kept', async () => {
    const given = sno.generate(1)
    const rows = await db
      .insert(events)
      .values([{}, { id: given }])
      .returning()
    expect(sno.unpack(rows[0]?.id as never)).toMatchObject({ meta: 5, partition: 31 })
    expect(rows[1]?.id).toBe(given)
  })

  test('a rolled back transaction stores nothing, a committed one its ids', async () => {
    const failing = db.transaction(async (tx) => {
      await tx.insert(people).values({ name: 'Never' })
      throw new Error('back')
    })
    await expect(failing).rejects.toThrow('back')
    expect(await db.$count(people, eq(people.name, 'Never'))).toBe(0)
    const id = await db.transaction(async (tx) => {
      const [row] = await tx.insert(people).values({ name: 'Kept' }).returning({ id: people.id })
      return row?.id as FlaxId
    })
    expect(await db.$count(people, eq(people.id, id))).toBe(1)
  })

  test('an update from another table, and the ids it returns', async () => {
    const [row] = await db.update(tasks).set({ personId: bea.id }).where(eq(tasks.total, 2)).returning()
    expect(row?.personId).toBe(bea.id)
    const changed = await db
      .update(tasks)
      .set({ personId: sql`${people.parentId}` })
      .from(people)
      .where(sql`${tasks.personId} = ${people.id} and ${people.id} = ${bea.id}`)
      .returning({ id: tasks.id, personId: tasks.personId })
    expect(changed).toEqual([{ id: row?.id, personId: ada.id }])
  })

  test('raw SQL, with parameter() and fromDatabase()', async () => {
    const id = parameter(people.id, ada.id)
    const { rows } = await db.execute(
      sql`select id, parent_id from people where coalesce(parent_id, id) = ${id}`,
    )
    expect(rows.map((row) => fromDatabase(people.id, row['id'])).sort()).toEqual([ada.id, bea.id].sort())
    expect(rows.map((row) => fromDatabase(people.parentId, row['parent_id'])).sort()).toEqual([ada.id, null])
    const direct = await database.pool.query('select name from people where id = $1', [
      toDatabase(people.id, ada.id),
    ])
    expect(direct.rows).toEqual([{ name: 'Ada' }])
    const list = await database.pool.query('select past from people where past = $1', [
      toDatabase(people.past, ada.past as FlaxId[]),
    ])
    expect(list.rows.map((row) => fromDatabase(people.past, row.past))).toEqual([ada.past])
    expect(fromDatabase(people.past, null)).toBeNull()
    expect(() => fromDatabase(people.name, 'x')).toThrow('people.name is not an id column')
    expect(() => toDatabase(people.id, 'x' as FlaxId)).toThrow('people.id: flax')
  })

  test('arrays of ids', async () => {
    const [row] = await db.select().from(people).where(eq(people.id, ada.id))
    expect(row).toEqual(ada)
    expect(await db.$count(people, arrayContains(people.past, [ada.past?.[1] as FlaxId]))).toBe(1)
    expect(await db.$count(people, arrayContains(people.jobs, [ada.jobs?.[0] as FlakeId]))).toBe(1)
    expect(await db.$count(people, arrayContains(people.past, [flax.generate()]))).toBe(0)
    const holed = [null, flax.generate()] as FlaxId[]
    const [updated] = await db.update(people).set({ past: holed }).where(eq(people.id, bea.id)).returning()
    expect(updated?.past).toEqual(holed)
    await db.update(people).set({ past: null }).where(eq(people.id, bea.id))
    const wrong = db
      .select()
      .from(people)
      .where(arrayContains(people.past, ['x' as FlaxId]))
    await expect(wrong).rejects.toMatchObject({ name: 'IdError', path: 'people.past' })
  })

  test('nested rows of a relational query, with arrays of ids and numbers above 2^53', async () => {
    const found = await db.query.tasks.findMany({ orderBy: asc(tasks.id), with: { person: true } })
    expect(found.map(({ person }) => person)).toEqual([ada, ada])
    const nested = await db.query.people.findFirst({
      where: eq(people.id, ada.id),
      columns: { name: true },
      with: {
        tasks: { columns: { id: true }, orderBy: desc(tasks.id) },
        children: {
          with: { parent: { columns: { id: true }, with: { tasks: { limit: 1, orderBy: asc(tasks.id) } } } },
        },
      },
    })
    const [first, second] = found
    expect(nested).toEqual({
      name: 'Ada',
      tasks: [{ id: second?.id }, { id: first?.id }],
      children: [{ ...bea, parent: { id: ada.id, tasks: [{ id: first?.id, personId: ada.id, total: 1 }] } }],
    })
    expect(Object.keys(found[0]?.person ?? {})).toEqual(['id', 'name', 'parentId', 'past', 'jobs'])
  })

  test('createdAt and ids as extras of a relational query, nested too', async () => {
    const found = await db.query.people.findFirst({
      where: eq(people.id, ada.id),
      extras: {
        at: createdAt(people.id).as('at'),
        inDatabase: createdAt(people.id, { schema: 'snoflax' }).as('in_database'),
        same: sql`coalesce(${people.parentId}, ${people.id})`.mapWith(people.id).as('same'),
        upper: sql<string>`upper(${people.name})`.as('upper'),
      },
      with: {
        tasks: {
          orderBy: asc(tasks.id),
          extras: (task, { sql }) => ({
            at: createdAt(task.id).as('at'),
            inDatabase: createdAt(task.id, { schema: 'snoflax' }).as('in_database'),
            double: sql<number>`${task.total} * 2`.as('double'),
          }),
        },
      },
    })
    const at = flax.time(ada.id)
    expect(found).toMatchObject({ at, inDatabase: at, same: ada.id, upper: 'ADA' })
    for (const task of found?.tasks ?? []) {
      expect(task).toMatchObject({
        at: flake.time(task.id),
        inDatabase: flake.time(task.id),
        double: task.total * 2,
      })
    }
    expect(found?.tasks).toHaveLength(2)
  })

  test('creation time is selected, sorted by, grouped by', async () => {
    const rows = await db
      .select({ id: tasks.id, at: createdAt(tasks.id) })
      .from(tasks)
      .orderBy(desc(createdAt(tasks.id)))
    expect(rows.map(({ at }) => at)).toEqual(rows.map(({ id }) => flake.time(id)))
    expect(rows.map(({ id }) => id)).toEqual([...rows.map(({ id }) => id)].sort(flake.compare).reverse())
    const day = sql<string>`date_trunc('day', ${createdAt(people.id, { schema: 'snoflax' })} at time zone 'UTC')::date::text`
    const days = await db.select({ day }).from(people).where(eq(people.id, ada.id)).groupBy(day)
    expect(days).toEqual([{ day: flax.time(ada.id).toISOString().slice(0, 10) }])
    expect(
      await db
        .select({ at: createdAt(people.parentId) })
        .from(people)
        .where(eq(people.id, ada.id)),
    ).toEqual([{ at: null }])
  })

  test("the functions use a family's own epoch, and an index for the default epoch", async () => {
    const id = own.lowerBound(new Date('2026-11-01'))
    await db.insert(notes).values({ id })
    const at = createdAt(notes.id, { schema: 'snoflax' })
    expect(await db.select({ at }).from(notes)).toEqual([{ at: new Date('2026-11-01') }])
    const byTime = sql`explain select 1 from ${tasks} order by ${createdAt(tasks.id, { schema: 'snoflax' })}`
    const plan = await db.transaction(async (tx) => {
      await tx.execute(sql`set local enable_sort = off`)
      return (await tx.execute(byTime)).rows
    })
    expect(JSON.stringify(plan)).toContain('tasks_at')
  })

  test('the functions see the time of ids behind a prefix, and none in other keys that a column accepts', async () => {
    const kept = pgTable('kept', {
      id: flaxId({ prefix: 'usr', accept: /user-\d+/ }).primaryKey(),
      bare: flaxId.plain({ accept: /[a-z0-9]{24}/ }),
      sealed: flaxId.plain({ prefix: 'sld' }).notNull(),
    })
    await db.execute(
      sql`create table kept (id text collate "C" primary key, bare text collate "C", sealed text collate "C")`,
    )
    const schema = { schema: 'snoflax' }
    const [from, until] = [new Date('2026-11-01'), new Date('2026-12-01')]
    const ids = ['usr', 'sld'].map((prefix) => fixedId(prefixed(flax, prefix), 'x', { at: from })) as never[]
    await db.insert(kept).values([
      { id: ids[0] as never, bare: fixedId(flax, 'x', { at: from }), sealed: ids[1] as never },
      { id: 'user-1', bare: 'tz4a98xxat96iws9zmbrgj3a', sealed: ids[1] as never },
    ])
    const rows = await db
      .select({
        id: createdAt(kept.id, schema),
        bare: createdAt(kept.bare, schema),
        sealed: createdAt(kept.sealed, schema),
      })
      .from(kept)
      .where(createdBetween(kept.sealed, from, until))
      .orderBy(desc(kept.id))
    expect(rows).toEqual([
      { id: from, bare: from, sealed: from },
      { id: null, bare: null, sealed: from },
    ])
    expect(await db.$count(kept, createdBetween(kept.bare, from, until, schema))).toBe(1)
    // Other keys sort between the ends of a long range, and have no time in the database.
    const ever = new Date('2049-01-01')
    expect(await db.$count(kept, createdBetween(kept.bare, from, ever))).toBe(2)
    expect(await db.$count(kept, createdBetween(kept.bare, from, ever, schema))).toBe(1)
  })

  test('time, range, keyset and maxId are refused for an array, and for what is not an id', () => {
    const now = new Date()
    for (const action of [
      () => createdAt(people.past),
      () => createdAt(people.past, { schema: 'snoflax' }),
      () => createdBetween(people.past, now, now),
      () => createdAfter(people.past, now),
      () => createdBefore(people.past, now),
      () => wasCreatedBetween(people.past, [], now, now),
      () => keyset(people.past),
      () => maxId(people.past),
    ]) {
      expect(action).toThrow(IdError)
      expect(action).toThrow('people.past is an array of ids')
    }
    expect(() => createdAt(people.name)).toThrow('people.name is not an id column')
    expect(() => createdAt(people as never)).toThrow(
      'expected a column, such as orders.id, not the table people',
    )
    expect(() => createdBetween(undefined as never, 0, 1)).toThrow('such as orders.id, not undefined')
  })
})
