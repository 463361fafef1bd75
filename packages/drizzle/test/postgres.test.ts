import {
  accepting,
  type FlakeId,
  type FlaxId,
  fixedId,
  flake,
  flax,
  IdError,
  prefixed,
  sno,
  uuid7,
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
  wasCreatedBetween,
} from '@snoflax/drizzle/pg-core'
import { install } from '@snoflax/pg-sql'
import { type PostgresDatabase, postgres } from '@snoflax/test'
import { arrayContains, asc, desc, eq, isNull, relations, sql } from 'drizzle-orm'
import { drizzle, type NodePgDatabase } from 'drizzle-orm/node-postgres'
import { type AnyPgColumn, foreignKey, integer, pgSchema, pgTable, text, unique } from 'drizzle-orm/pg-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { postgresStatements } from './generated-sql.js'

// Beside the contract: a schema of its own whose columns are named by Drizzle's casing, families and storages that differ from
// table to table, arrays, and the functions of @snoflax/pg-sql.

const IN_DATABASE = { schema: 'snoflax' }
const later = flake.withEpoch(1_420_070_400_000)
const jobs = flake.generator({ datacenter: 2, worker: 3 })

function schemaOf(storage: 'uuid' | 'text' | 'binary') {
  const app = pgSchema('app')
  const people = app.table(
    'people',
    {
      id: flaxId({ storage }).primaryKey(),
      name: text().notNull(),
      parentId: flaxId.ref((): AnyPgColumn => people.id),
      pastIds: flaxId.plain({ storage }).array(),
      jobs: flakeId.plain({ storage: 'binary' }).array(),
    },
    (person) => [unique().on(person.id, person.parentId)],
  )
  const tasks = app.table('tasks', {
    id: flakeId({ generator: jobs, storage: 'binary' }).primaryKey(),
    personId: flaxId.ref(() => people.id),
    total: integer().notNull().default(0),
  })
  const events = app.table(
    'events',
    {
      id: snoId({ default: 'database', meta: 5, storage }).primaryKey(),
      personId: flaxId.ref({ storage }),
      parentId: flaxId.ref({ storage }),
    },
    (event) => [
      foreignKey({
        columns: [event.personId, event.parentId],
        foreignColumns: [people.id, people.parentId],
      }),
    ],
  )
  const notes = app.table('notes', { id: idColumn.plain(later).primaryKey() })
  const peopleRelations = relations(people, ({ one, many }) => ({
    parent: one(people, { fields: [people.parentId], references: [people.id], relationName: 'family' }),
    children: many(people, { relationName: 'family' }),
    tasks: many(tasks),
  }))
  const taskRelations = relations(tasks, ({ one }) => ({
    person: one(people, { fields: [tasks.personId], references: [people.id] }),
  }))
  const parents = app
    .view('parents')
    .as((query) => query.select({ id: people.id }).from(people).where(isNull(people.parentId)))
  const everyone = app
    .view('everyone', { id: flaxId.plain({ storage }), name: text() })
    .as(sql`select id, name from app.people`)
  return { app, people, tasks, events, notes, peopleRelations, taskRelations, parents, everyone }
}

describe.each(['uuid', 'text', 'binary'] as const)('PostgreSQL, %s', (storage) => {
  const schema = schemaOf(storage)
  const { people, tasks, events, notes, parents, everyone } = schema
  let database: PostgresDatabase
  let db: NodePgDatabase<typeof schema>
  let ada: typeof people.$inferSelect
  let bea: typeof people.$inferSelect

  beforeAll(async () => {
    database = await postgres.open()
    await install(database.pool)
    await database.query('SELECT snoflax.sno_set_partition(31)')
    for (const statement of await postgresStatements(schema, {}, 'snake_case'))
      await database.query(statement)
    // Made while the table is empty: the planner passes over a younger index of updated rows for as long as any older transaction of the server runs.
    await database.query('CREATE INDEX tasks_at ON app.tasks (snoflax.flake_time(id))')
    db = drizzle(database.pool, { schema, casing: 'snake_case' })
    const pastIds = [flax.generateAt(new Date('2026-01-01')), flax.generate()]
    const own = [jobs.generate(), jobs.generate()]
    ada = (await db.insert(people).values({ name: 'Ada', pastIds, jobs: own }).returning())[0] as typeof ada
    bea = (await db.insert(people).values({ name: 'Bea', parentId: ada.id }).returning())[0] as typeof bea
    await db.insert(tasks).values([
      { personId: ada.id, total: 1 },
      { personId: ada.id, total: 2 },
    ])
  })
  afterAll(() => database?.close())

  test('values beside columns that are named by casing, in templates and what is set', async () => {
    const found = (id: FlaxId) =>
      db.$count(people, sql`${people.parentId} = ${parameter(people.parentId, id)}`)
    expect(await found(ada.id)).toBe(1)
    const set = { parentId: sql`${parameter(people.parentId, bea.id)}` }
    const update = db.update(people).set(set).where(eq(people.id, bea.id))
    expect(await update.returning({ parentId: people.parentId })).toEqual([{ parentId: bea.id }])
    await db.update(people).set({ parentId: ada.id }).where(eq(people.id, bea.id))
    expect(await found(bea.id)).toBe(0)
  })

  test('views, and views that declare their own columns', async () => {
    expect(await db.select().from(parents)).toEqual([{ id: ada.id }])
    expect(await db.select().from(everyone).where(eq(everyone.id, bea.id))).toEqual([
      { id: bea.id, name: 'Bea' },
    ])
    const now = Date.now()
    const recent = createdBetween(parents.id, now - 3_600_000, now + 3_600_000)
    const times = db.select({ at: createdAt(parents.id) }).from(parents)
    expect(await times.where(recent)).toEqual([{ at: flax.time(ada.id) }])
  })

  test('the database generates ids by default, a composite key is checked, and what is inserted is kept', async () => {
    const ownId = sno.generate(1)
    const rows = await db
      .insert(events)
      .values([{ personId: bea.id, parentId: ada.id }, { id: ownId }])
      .returning()
    expect(sno.unpack(rows[0]?.id as never)).toMatchObject({ meta: 5, partition: 31 })
    expect(rows[1]?.id).toBe(ownId)
    const wrong = db.insert(events).values({ personId: ada.id, parentId: bea.id })
    await expect(wrong).rejects.toMatchObject({ cause: { code: '23503' } })
  })

  test('raw SQL, with parameter() and fromDatabase()', async () => {
    const id = parameter(people.id, ada.id)
    const { rows } = await db.execute(
      sql`select id, parent_id from app.people where coalesce(parent_id, id) = ${id}`,
    )
    expect(rows.map((row) => fromDatabase(people.id, row['id'])).sort()).toEqual([ada.id, bea.id].sort())
    expect(rows.map((row) => fromDatabase(people.parentId, row['parent_id'])).sort()).toEqual([ada.id, null])
    const past = ada.pastIds as FlaxId[]
    const { rows: direct } = await database.pool.query(
      'select past_ids from app.people where id = $1 and past_ids = $2',
      [people.id.mapToDriverValue(ada.id), people.pastIds.mapToDriverValue(past)],
    )
    expect(direct.map((row) => fromDatabase(people.pastIds, row.past_ids))).toEqual([past])
    expect(fromDatabase(people.pastIds, null)).toBeNull()
    expect(() => fromDatabase(people.name, 'x')).toThrow('app.people.name is not an id column')
  })

  test('arrays of ids', async () => {
    const [row] = await db.select().from(people).where(eq(people.id, ada.id))
    expect(row).toEqual(ada)
    const where = arrayContains(people.pastIds, [ada.pastIds?.[1] as FlaxId])
    expect(await db.$count(people, where)).toBe(1)
    expect(await db.$count(people, arrayContains(people.jobs, [ada.jobs?.[0] as FlakeId]))).toBe(1)
    const holed = [null, flax.generate()] as FlaxId[]
    const update = db.update(people).set({ pastIds: holed }).where(eq(people.id, bea.id))
    expect(await update.returning({ pastIds: people.pastIds })).toEqual([{ pastIds: holed }])
    await db.update(people).set({ pastIds: null }).where(eq(people.id, bea.id))
    const wrong = async () => db.$count(people, arrayContains(people.pastIds, ['x' as FlaxId]))
    await expect(wrong).rejects.toMatchObject({
      name: 'IdError',
      path: 'app.people.pastIds',
    })
  })

  test('nested rows of a relational query, with arrays of ids', async () => {
    const found = await db.query.tasks.findMany({ orderBy: asc(tasks.id), with: { person: true } })
    expect(found.map(({ person }) => person)).toEqual([ada, ada])
    expect(Object.keys(found[0]?.person ?? {})).toEqual(['id', 'name', 'parentId', 'pastIds', 'jobs'])
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
  })

  test('creation time is selected, sorted by, grouped by', async () => {
    const rows = await db
      .select({ id: tasks.id, at: createdAt(tasks.id) })
      .from(tasks)
      .orderBy(desc(createdAt(tasks.id)))
    expect(rows.map(({ at }) => at)).toEqual(rows.map(({ id }) => flake.time(id)))
    expect(rows.map(({ id }) => id)).toEqual([...rows.map(({ id }) => id)].sort(flake.compare).reverse())
    const at = createdAt(people.id, IN_DATABASE)
    const day = sql<string>`date_trunc('day', ${at} at time zone 'UTC')::date::text`
    const where = eq(people.id, ada.id)
    const days = await db.select({ day }).from(people).where(where).groupBy(day)
    expect(days).toEqual([{ day: flax.time(ada.id).toISOString().slice(0, 10) }])
    const ofNull = { at: createdAt(people.parentId) }
    expect(await db.select(ofNull).from(people).where(where)).toEqual([{ at: null }])
  })

  test("the functions use a family's own epoch, and an index for the default epoch", async () => {
    await db.insert(notes).values({ id: later.lowerBound(new Date('2026-11-01')) })
    const at = createdAt(notes.id, IN_DATABASE)
    expect(await db.select({ at }).from(notes)).toEqual([{ at: new Date('2026-11-01') }])
    const byTime = sql`explain select 1 from ${tasks} order by ${createdAt(tasks.id, IN_DATABASE)}`
    const plan = await db.transaction(async (tx) => {
      await tx.execute(sql`set local enable_sort = off`)
      return (await tx.execute(byTime)).rows
    })
    expect(JSON.stringify(plan)).toContain('tasks_at')
  })
})

test('the functions see the time of ids behind a prefix, and none in other keys that a column accepts', async () => {
  const kept = pgTable('kept', {
    id: flaxId({ prefix: 'usr', accept: /user-\d{1,9}/ }).primaryKey(),
    bare: flaxId.plain({ accept: [/[a-z0-9]{24}/, /abc_[\w-]{16}/] }),
    uuid: idColumn.plain(accepting(uuid7, /abc_[0-9a-f-]{36}/)),
    sealed: flaxId.plain({ prefix: 'sld' }).notNull(),
  })
  const database = await postgres.open()
  try {
    await install(database.pool)
    for (const statement of await postgresStatements({ kept })) await database.query(statement)
    const db = drizzle(database.pool)
    const [from, until] = [new Date('2026-11-01'), new Date('2026-12-01')]
    const ids = ['usr', 'sld'].map((prefix) => fixedId(prefixed(flax, prefix), 'x', { at: from })) as never[]
    const [bare, uuid] = [fixedId(flax, 'x', { at: from }), fixedId(uuid7, 'x', { at: from })]
    await db.insert(kept).values([
      { id: ids[0] as never, bare, uuid, sealed: ids[1] as never },
      { id: 'user-1', bare: 'tz4a98xxat96iws9zmbrgj3a', sealed: ids[1] as never },
      { id: 'user-0', bare: `abc_${bare}`, uuid: `abc_${uuid}`, sealed: ids[1] as never },
    ])
    const rows = await db
      .select({
        id: createdAt(kept.id, IN_DATABASE),
        bare: createdAt(kept.bare, IN_DATABASE),
        uuid: createdAt(kept.uuid, IN_DATABASE),
        sealed: createdAt(kept.sealed, IN_DATABASE),
      })
      .from(kept)
      .where(createdBetween(kept.sealed, from, until))
      .orderBy(desc(kept.id))
    expect(rows).toEqual([
      { id: from, bare: from, uuid: from, sealed: from },
      { id: null, bare: null, uuid: null, sealed: from },
      { id: null, bare: null, uuid: null, sealed: from },
    ])
    // Other keys sort between the ends of a long range, and have no time in the database.
    const ever = new Date('2049-01-01')
    expect(await db.$count(kept, createdBetween(kept.bare, from, ever))).toBe(3)
    expect(await db.$count(kept, createdBetween(kept.bare, from, ever, IN_DATABASE))).toBe(1)
  } finally {
    await database.close()
  }
})

test('time, range, keyset and maxId are refused for an array, and for what is not an id', () => {
  const people = pgTable('people', { name: text(), past: flaxId.plain().array() })
  const now = new Date()
  for (const action of [
    () => createdAt(people.past),
    () => createdAt(people.past, IN_DATABASE),
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
