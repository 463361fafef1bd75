import { uuid7 } from '@snoflax/core'
import { idColumn, idPlugin, type WithIds } from '@snoflax/kysely'
import { type PostgresDatabase, postgres } from '@snoflax/test'
import { Kysely, PostgresDialect } from 'kysely'
import { v4, v7 } from 'uuid'
import { afterAll, beforeAll, expect, test } from 'vitest'

const ids = idPlugin({
  database: 'postgres',
  tables: {
    visits: { id: idColumn(uuid7) },
    pages: { id: idColumn(uuid7), visit_id: idColumn.ref('visits.id') },
  },
})

const DAY_MS = 86_400_000
const oldMs = Date.UTC(2025, 5, 1)
const theirs = v7({ msecs: oldMs })

let database: PostgresDatabase
let db: Kysely<WithIds<{ visits: { name: string }; pages: object }, typeof ids>>
beforeAll(async () => {
  database = await postgres.open()
  await database.query('CREATE TABLE visits (id uuid PRIMARY KEY, name text NOT NULL)')
  await database.query('CREATE TABLE pages (id uuid PRIMARY KEY, visit_id uuid REFERENCES visits)')
  await database.query("INSERT INTO visits VALUES ($1, 'theirs')", [theirs])
  db = new Kysely({ dialect: new PostgresDialect({ pool: database.pool }), plugins: [ids] })
})
afterAll(() => database?.close())

test('ids of npm packages are found by time and referenced, beside ids of ours', async () => {
  const ours = await db
    .insertInto('visits')
    .values({ name: 'ours' })
    .returning('id')
    .executeTakeFirstOrThrow()
  const [from, to] = [new Date(oldMs), new Date(oldMs + DAY_MS)]
  const inJune = await db
    .selectFrom('visits')
    .select('name')
    .where(ids.createdBetween('visits.id', from, to))
    .execute()
  expect(inJune).toEqual([{ name: 'theirs' }])
  await db
    .insertInto('pages')
    .values([{ visit_id: uuid7.parse(theirs) }, { visit_id: ours.id }])
    .execute()
  const joined = await db
    .selectFrom('pages')
    .innerJoin('visits', 'visits.id', 'pages.visit_id')
    .select(['visits.id', 'visits.name'])
    .orderBy('visits.id')
    .execute()
  expect(joined).toEqual([
    { id: theirs, name: 'theirs' },
    { id: ours.id, name: 'ours' },
  ])
})

test('a UUIDv4 has no time, if version 4 is allowed', async () => {
  const old = v4()
  await database.query('CREATE TABLE mixed (id uuid PRIMARY KEY)')
  await database.query('INSERT INTO mixed VALUES ($1), ($2)', [old, theirs])
  const read = async (family: typeof uuid7) => {
    const columns = idPlugin({ database: 'postgres', tables: { mixed: { id: idColumn(family) } } })
    const mixed = new Kysely<WithIds<{ mixed: object }, typeof columns>>({
      dialect: new PostgresDialect({ pool: database.pool }),
      plugins: [columns],
    })
    const rows = await mixed.selectFrom('mixed').selectAll().execute()
    return new Map(rows.map(({ id }) => [String(id), Number(columns.createdAt('mixed.id', id))]))
  }
  expect(await read(uuid7.withVersion4())).toEqual(
    new Map([
      [old, Number.NaN],
      [theirs, oldMs],
    ]),
  )
  await expect(read(uuid7)).rejects.toThrow('uuid7.withVersion4()')
})
