import { createRequire } from 'node:module'
import { flax, type Id, type SnoId, sno } from '@snoflax/core'
import { flaxId, idPlugin, snoId, type WithIds } from '@snoflax/kysely'
import { install } from '@snoflax/pg-sql'
import { type PostgresDatabase, postgres } from '@snoflax/test'
import { Kysely, PostgresDialect } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

type NoteId = Id<'flax', 'notes'>

const require = createRequire(import.meta.url)

interface Tables {
  notes: { text: string }
}

const STORAGES = ['uuid', 'text', 'binary'] as const

describe.each(STORAGES)('PostgreSQL, %s', (storage) => {
  const ids = idPlugin({
    database: 'postgres',
    tables: {
      notes: {
        id: flaxId({ storage, default: 'database' }),
        seen_by: snoId.list({ storage }),
      },
    },
  })
  let database: PostgresDatabase
  let db: Kysely<WithIds<Tables, typeof ids>>

  beforeAll(async () => {
    database = await postgres.open()
    await install(database.pool)
    db = new Kysely({
      dialect: new PostgresDialect({ pool: database.pool, cursor: require('pg-cursor') }),
      plugins: [ids],
    })
    await db.schema
      .createTable('notes')
      .addColumn('id', ids.columnType('notes.id'), (column) =>
        column.primaryKey().defaultTo(ids.columnDefault('notes.id')),
      )
      .addColumn('seen_by', ids.columnType('notes.seen_by'))
      .addColumn('text', 'text', (column) => column.notNull())
      .execute()
  })
  afterAll(() => database?.close())

  test('the database generates ids, arrays contain ids, and streamed rows have ids', async () => {
    const readers = [sno.generate(), sno.generate()]
    const before = Date.now() - 1000
    const note = await db
      .insertInto('notes')
      .values({ text: 'made', seen_by: readers })
      .returningAll()
      .executeTakeFirstOrThrow()
    expect(flax.timeMs(note.id)).toBeGreaterThan(before)
    expect(note.seen_by).toEqual(readers)
    const given: NoteId = flax.generate()
    await db.insertInto('notes').values({ id: given, text: 'given', seen_by: [] }).execute()

    const found: { id: NoteId; seen_by: readonly SnoId[] | null }[] = []
    for await (const row of db.selectFrom('notes').select(['id', 'seen_by']).orderBy('text').stream()) {
      found.push(row)
    }
    expect(found).toEqual([
      { id: given, seen_by: [] },
      { id: note.id, seen_by: readers },
    ])
    const byReader = db.selectFrom('notes').select('text')
    expect(
      await byReader.where((eb) => eb(eb.val(readers[0] as SnoId), '=', eb.fn.any('seen_by'))).execute(),
    ).toEqual([{ text: 'made' }])
    await db
      .updateTable('notes')
      .set({ seen_by: [readers[1] as SnoId] })
      .where('id', '=', given)
      .execute()
    const changed = byReader.where('id', '=', given)
    expect(await changed.where((eb) => eb('seen_by', '=', eb.val([readers[1] as SnoId]))).execute()).toEqual([
      { text: 'given' },
    ])
  })
})
