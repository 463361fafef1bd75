import { createRequire } from 'node:module'
import { flax, type Id, type SnoId, sno, uuid7 } from '@snoflax/core'
import { flaxId, idColumn, idPlugin, snoId, type WithIds } from '@snoflax/kysely'
import { install } from '@snoflax/pg-sql'
import { type PostgresDatabase, postgres } from '@snoflax/test'
import { Kysely, PostgresDialect, sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

type NoteId = Id<'flax', 'notes'>

const require = createRequire(import.meta.url)

interface Tables {
  notes: { text: string }
}

describe('PostgreSQL', () => {
  const ids = idPlugin({
    database: 'postgres',
    tables: {
      notes: {
        id: flaxId({ default: 'database' }),
        seen_by: snoId.list(),
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
    const ownId: NoteId = flax.generate()
    await db.insertInto('notes').values({ id: ownId, text: 'given', seen_by: [] }).execute()

    const found: { id: NoteId; seen_by: readonly SnoId[] | null }[] = []
    for await (const row of db.selectFrom('notes').select(['id', 'seen_by']).orderBy('text').stream()) {
      found.push(row)
    }
    expect(found).toEqual([
      { id: ownId, seen_by: [] },
      { id: note.id, seen_by: readers },
    ])
    const byReader = db.selectFrom('notes').select('text')
    expect(
      await byReader.where((eb) => eb(eb.val(readers[0] as SnoId), '=', eb.fn.any('seen_by'))).execute(),
    ).toEqual([{ text: 'made' }])
    await db
      .updateTable('notes')
      .set({ seen_by: [readers[1] as SnoId] })
      .where('id', '=', ownId)
      .execute()
    const changed = byReader.where('id', '=', ownId)
    expect(await changed.where((eb) => eb('seen_by', '=', eb.val([readers[1] as SnoId]))).execute()).toEqual([
      { text: 'given' },
    ])
  })

  test('inserts in CTEs, transactions and schemas get ids, and a merge those of its source', async () => {
    // biome-ignore lint/suspicious/noExplicitAny: a table that is not in the interface
    const any = db as Kysely<any>
    const shop = idPlugin({
      database: 'postgres',
      tables: { parts: { id: idColumn(uuid7), part_of: idColumn.ref('parts.id') } },
    })
    const parts = any.withPlugin(shop)
    await parts.schema.createSchema('shop').execute()
    const inShop = parts.withSchema('shop')
    await inShop.schema
      .createTable('parts')
      .addColumn('id', shop.columnType('parts.id'), (column) => column.primaryKey())
      .addColumn('part_of', shop.columnType('parts.part_of'))
      .addColumn('name', 'text', (column) => column.unique())
      .execute()
    const [made] = await inShop
      .with('made', (qb) =>
        qb
          .insertInto('parts')
          .values([{ name: 'a' }, { name: 'b' }])
          .returningAll(),
      )
      .insertInto('parts')
      .values((eb) => ({
        name: 'c',
        part_of: eb.selectFrom('made').select('id').where('made.name', '=', 'a'),
      }))
      .returningAll()
      .execute()
    expect(uuid7.is(made?.['id'])).toBe(true)
    const inTransaction = inShop
      .transaction()
      .execute((transaction) =>
        transaction.insertInto('parts').values({ name: 'd' }).returning('id').executeTakeFirstOrThrow(),
      )
    expect(uuid7.is((await inTransaction)['id'])).toBe(true)
    const id = uuid7.generate()
    await inShop
      .mergeInto('parts')
      .using(
        parts
          .selectNoFrom((eb) => [eb.cast<string>(eb.val(id), 'uuid').as('id'), eb.val('d').as('name')])
          .as('source'),
        'source.name',
        'parts.name',
      )
      .whenMatched()
      .thenUpdateSet({ part_of: id })
      .whenNotMatched()
      .thenInsertValues({ id: sql.ref('source.id'), name: sql.ref('source.name') })
      .execute()
    const all = inShop.selectFrom('parts').selectAll().orderBy('name')
    expect(await all.execute()).toMatchObject([
      { name: 'a' },
      { name: 'b' },
      { name: 'c' },
      { name: 'd', part_of: id },
    ])
    const since = { as: 'p.id' }
    const recent = inShop
      .selectFrom('parts as p')
      .selectAll()
      .where(shop.createdAfter('parts.id', Date.now() - 60_000, since))
    expect(await recent.execute()).toHaveLength(4)
    await expect(all.where('id', '=', 'no id').execute()).rejects.toThrow(
      'invalid input syntax for type uuid',
    )
    await expect(inShop.updateTable('parts').set({ part_of: 'no id' }).execute()).rejects.toThrow(
      /^parts\.part_of: uuid7: /,
    )
  })
})
