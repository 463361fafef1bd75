import { typeid, type Uuid7, uuid7 } from '@snoflax/core'
import { createdAt, createdBetween, idColumn, wasCreatedBetween } from '@snoflax/drizzle/pg-core'
import { type PgliteDatabase, type PostgresDatabase, pglite, postgres } from '@snoflax/test'
import { createdBetween as between, CreatedAt, IdColumn, keyset } from '@snoflax/typeorm'
import { asc, eq } from 'drizzle-orm'
import { alias, pgTable, text } from 'drizzle-orm/pg-core'
import { drizzle } from 'drizzle-orm/pglite'
import { Column, DataSource, Entity, ManyToOne, OneToMany, type Relation } from 'typeorm'
import { v4, v7 } from 'uuid'
import { uuidv7 } from 'uuidv7'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

// Tables of UUIDv7 that others have filled are used as they are.

const DAY_MS = 86_400_000

describe("PostgreSQL 18's uuidv7(), by Drizzle", () => {
  const events = pgTable('events', { id: idColumn(uuid7).primaryKey(), name: text().notNull() })
  const notes = pgTable('notes', {
    id: idColumn(uuid7).primaryKey(),
    eventId: idColumn.ref('event_id', () => events.id),
  })

  let database: PgliteDatabase
  let db: ReturnType<typeof drizzle>
  const startMs = Date.now()
  beforeAll(async () => {
    database = await pglite.open()
    db = drizzle(database.connection)
    expect(database.version).toBeGreaterThanOrEqual(18)
    await database.query('CREATE TABLE events (id uuid PRIMARY KEY DEFAULT uuidv7(), name text NOT NULL)')
    await database.query('CREATE TABLE notes (id uuid PRIMARY KEY, event_id uuid REFERENCES events)')
    await database.query(
      `INSERT INTO events (id, name)
        SELECT uuidv7(make_interval(days => -day)), day::text FROM generate_series(1, 9) AS day`,
    )
    await database.query("INSERT INTO events (name) VALUES ('0')")
  })
  afterAll(() => database.close())

  test('generates ids with their times', async () => {
    const rows = await db
      .select({ id: events.id, name: events.name, at: createdAt(events.id) })
      .from(events)
      .orderBy(asc(events.id))
    expect(rows.map(({ name }) => name)).toEqual(['9', '8', '7', '6', '5', '4', '3', '2', '1', '0'])
    const server = await database.query(
      'SELECT name, uuid_extract_timestamp(id) AS at FROM events ORDER BY id',
    )
    for (const [i, { id, at }] of rows.entries()) {
      expect(uuid7.is(id)).toBe(true)
      expect(at).toEqual(server[i]?.['at'])
      expect(at).toEqual(uuid7.time(id))
    }
    expect(Math.abs(Number(rows[9]?.at) - startMs)).toBeLessThan(DAY_MS)
  })

  test('is compared with TypeIDs of the same uuid', async () => {
    const shown = pgTable('events', { id: idColumn(typeid('event'), { storage: 'uuid' }).primaryKey() })
    const same = alias(shown, 'same')
    const rows = await db
      .select({ id: events.id, shown: same.id })
      .from(events)
      .innerJoin(same, eq(same.id, events.id))
    expect(rows).toHaveLength(10)
    for (const { id, shown } of rows) expect(typeid('event').toUuid(shown)).toBe(id)
  })

  test('is searched by time', async () => {
    const ids = await db.select({ id: events.id }).from(events).orderBy(asc(events.id))
    const [from, to] = [2, 5].map((i) => uuid7.time(ids[i]?.id as Uuid7)) as [Date, Date]
    const found = await db
      .select({ name: events.name })
      .from(events)
      .where(createdBetween(events.id, from, to))
      .orderBy(asc(events.id))
    expect(found.map(({ name }) => name)).toEqual(['7', '6', '5'])
  })

  test('can be stored beside ids of ours, and foreign keys refer to both', async () => {
    const [made] = await db.insert(events).values({ name: 'ours' }).returning()
    const [theirs] = await db.select().from(events).where(eq(events.name, '3'))
    await db.insert(notes).values([{ eventId: made?.id }, { eventId: theirs?.id }])
    const joined = await db
      .select({ name: events.name })
      .from(notes)
      .innerJoin(events, eq(events.id, notes.eventId))
      .orderBy(asc(events.id))
    expect(joined.map(({ name }) => name)).toEqual(['3', 'ours'])
  })
})

describe('a table that contains UUIDv4, by Drizzle', () => {
  const rows = pgTable('rows', { id: idColumn(uuid7.withVersion4()).primaryKey() })
  const strict = pgTable('rows', { id: idColumn(uuid7).primaryKey() })

  let database: PgliteDatabase
  beforeAll(async () => {
    database = await pglite.open()
    await database.query('CREATE TABLE rows (id uuid PRIMARY KEY)')
    await database.query('INSERT INTO rows SELECT gen_random_uuid() FROM generate_series(1, 20)')
    await database.query('INSERT INTO rows SELECT uuidv7() FROM generate_series(1, 20)')
  })
  afterAll(() => database.close())

  test('is read, and compared by time again', async () => {
    const db = drizzle(database.connection)
    const all = await db.select({ id: rows.id, at: createdAt(rows.id) }).from(rows)
    expect(all).toHaveLength(40)
    const family = uuid7.withVersion4()
    expect(all.filter(({ id }) => family.hasTime(id))).toHaveLength(20)
    expect(all.filter(({ at }) => Number.isNaN(at.getTime()))).toHaveLength(20)

    const [from, to] = [new Date('2020-01-01'), new Date('2100-01-01')]
    const found = await db
      .select()
      .from(rows)
      .where(createdBetween(rows.id, from, to))
    expect(found.length).toBeGreaterThanOrEqual(20)
    expect(found.filter(({ id }) => wasCreatedBetween(rows.id, id, from, to))).toHaveLength(20)
  })

  test('is an error if version 4 is not allowed', async () => {
    const old = 'b5a1e7c2-3f4d-4a6b-8c9d-0e1f2a3b4c5d' as Uuid7
    const read = drizzle(database.connection).select().from(strict).where(eq(strict.id, old))
    await expect(read).rejects.toThrow('uuid7.withVersion4()')
  })
})

@Entity()
class Author {
  @IdColumn(uuid7) id!: Uuid7
  @CreatedAt() readonly createdAt!: Date
  @OneToMany(() => Book, 'author') books!: Relation<Book[]>
}

@Entity()
class Mixed {
  @IdColumn(uuid7.withVersion4()) id!: Uuid7
  @CreatedAt() readonly createdAt!: Date
}

@Entity()
class Book {
  @IdColumn(uuid7) id!: Uuid7
  @Column('text') title!: string
  @ManyToOne(() => Author, 'books') author!: Relation<Author>
}

describe('ids of npm packages, by TypeORM', () => {
  let database: PostgresDatabase
  let dataSource: DataSource
  const oldMs = Date.UTC(2025, 5, 1)
  const author = v7({ msecs: oldMs })
  const books = [v7({ msecs: oldMs + DAY_MS }), v7({ msecs: oldMs + 2 * DAY_MS }), uuidv7()]
  beforeAll(async () => {
    database = await postgres.open()
    await database.query('CREATE TABLE author (id uuid PRIMARY KEY)')
    await database.query(
      'CREATE TABLE book (id uuid PRIMARY KEY, title text NOT NULL, "authorId" uuid REFERENCES author)',
    )
    await database.query('INSERT INTO author VALUES ($1)', [author])
    for (const [i, id] of books.entries()) {
      await database.query('INSERT INTO book VALUES ($1, $2, $3)', [id, `${i}`, author])
    }
    dataSource = await new DataSource({
      type: 'postgres',
      url: database.url,
      entities: [Author, Book, Mixed],
    }).initialize()
  })
  afterAll(async () => {
    await dataSource?.destroy()
    await database.close()
  })

  test('are read with their relations, times and ranges', async () => {
    const [found] = await dataSource.getRepository(Author).find({ relations: { books: true } })
    expect(found?.createdAt).toEqual(new Date(oldMs))
    expect(found?.books.map(({ id }) => id).sort()).toEqual([...books].sort())
    const repository = dataSource.getRepository(Book)
    const [from, to] = [new Date(oldMs), new Date(oldMs + 2 * DAY_MS)]
    const inJune = await repository.findBy({ id: between(Book, 'id', from, to) })
    expect(inJune.map(({ title }) => title)).toEqual(['0'])
  })

  test('are paged by keyset, with an id of ours as the last', async () => {
    const repository = dataSource.getRepository(Book)
    const { id } = await repository.save({ title: 'ours', author: { id: author as Uuid7 } })
    const first = await repository.find(keyset(Book, { order: 'asc', take: 2 }))
    const rest = await repository.find(keyset(Book, { order: 'asc', take: 9, after: first.at(-1)?.id }))
    expect([...first, ...rest].map(({ title }) => title)).toEqual(['0', '1', '2', 'ours'])
    expect(rest.at(-1)?.id).toBe(id)
    await expect(repository.insert({ id: v4() as Uuid7, title: 'old' })).rejects.toThrow(
      'uuid7.withVersion4()',
    )
  })

  test('are stored beside UUIDv4, which have no time', async () => {
    const old = uuid7.withVersion4().parse(v4())
    await database.query('CREATE TABLE mixed (id uuid PRIMARY KEY)')
    await database.query('INSERT INTO mixed VALUES ($1), ($2)', [old, author])
    const mixed = dataSource.getRepository(Mixed)
    expect((await mixed.findOneByOrFail({ id: old })).createdAt.getTime()).toBeNaN()
    expect((await mixed.findOneByOrFail({ id: author as Uuid7 })).createdAt).toEqual(new Date(oldMs))
    const { id } = await mixed.save({})
    expect(uuid7.is(id)).toBe(true)
  })
})
