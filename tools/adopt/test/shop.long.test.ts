import type { TableOptions } from '@snoflax/adopt'
import { storageFor } from '@snoflax/core'
import { afterEach, describe, expect, test } from 'vitest'
import { chinookTables, KEY_KINDS, type KeyKind, type Maker, makers, picture } from './chinook.js'
import { carryOut, type Opened, plan, shapeOf, switchOver } from './moves.js'
import { openShop as openPostgres } from './postgres-chinook.js'
import { openShop as openSqlite } from './sqlite-chinook.js'

const opened: Opened[] = []
const keep = async <Database extends Opened>(opening: Promise<Database>): Promise<Database> => {
  const database = await opening
  opened.push(database)
  return database
}
afterEach(async () => {
  await Promise.all(opened.splice(0).map((one) => one.close()))
})

const maker = (family: string) => makers[family] as Maker

type Move = readonly [
  database: string,
  kind: KeyKind,
  family: string,
  storage: TableOptions['storage'],
  open: (kind: KeyKind) => Promise<Opened>,
]

const MOVES: Move[] = [
  ...KEY_KINDS.map((kind): Move => ['postgres', kind, 'flax', 'text', openPostgres]),
  ['postgres', 'serial', 'sno', 'uuid', openPostgres],
  ['postgres', 'uuid', 'flake', 'bigint', openPostgres],
  ['postgres', 'cuid', 'uid', 'binary', openPostgres],
  ['postgres', 'serial', 'sno', 'uuid8', openPostgres],
  ...KEY_KINDS.map((kind): Move => ['sqlite', kind, 'flax', 'text', openSqlite]),
  ['sqlite', 'serial', 'sno', 'binary', openSqlite],
  ['sqlite', 'uuid', 'flake', 'binary', openSqlite],
  ['sqlite', 'cuid', 'uid', 'text', openSqlite],
]

describe.each(MOVES)('%s: %s keys to %s as %s', (_, kind, family, storage, open) => {
  test('the whole shop is adopted and keeps its order, relations and schema', async () => {
    const database = await keep(open(kind))
    const { query } = database
    const before = { picture: await picture(query), shape: await shapeOf(database) }
    const invoices = await query('SELECT total, invoice_date AS at FROM invoice ORDER BY invoice_date, id')
    const keys = await query('SELECT id FROM invoice ORDER BY invoice_date, id')
    const tables = chinookTables(kind, maker(family)).map((table) => ({ ...table, storage }))

    const adoption = await plan(database, tables)
    expect(adoption.sql).toMatch(/-- switchKeys: one transaction/)
    await adoption.backfill({ batchSize: 300 })
    expect((await adoption.verify()).faults).toEqual([])
    await adoption.switchKeys()

    const { faults, tables: verified } = await adoption.verify()
    expect(faults).toEqual([])
    expect(verified.find(({ table }) => table.endsWith('track'))).toMatchObject({ rows: 1200 })
    for (const { maxDriftMs } of verified) expect(maxDriftMs).toBeLessThanOrEqual(4)
    expect(await query('SELECT legacy_id AS id FROM invoice ORDER BY invoice.id')).toEqual(keys)

    await adoption.finish()
    expect(await picture(query)).toEqual(before.picture)
    expect(await shapeOf(database)).toEqual(before.shape)

    const stored = storageFor(
      maker(family)(0)(() => Date.now()).family,
      database.kind === 'sqlite' ? 'sqlite' : 'postgres',
      { storage },
    )
    const rows = await query('SELECT id, total, invoice_date AS at FROM invoice ORDER BY id')
    expect(rows.map(({ total, at }) => ({ total, at }))).toEqual(invoices)
    for (const { id, at } of rows) {
      const drift = stored.family.timeMs(stored.fromDatabase(id)) - new Date(at as string).getTime()
      expect(Math.abs(drift)).toBeLessThanOrEqual(4)
    }
  })
})

describe.each([
  ['postgres', openPostgres],
  ['sqlite', openSqlite],
] as const)('%s', (name, open) => {
  test('columns have the type and collation of the storage, and old keys remain until finish', async () => {
    const database = await keep<Opened>(open('serial'))
    const adoption = await plan(
      database,
      chinookTables('serial', maker('sno')).map((one) => ({ ...one, storage: 'text' as const })),
    )
    await adoption.backfill()
    await adoption.switchKeys()
    const types =
      name === 'postgres'
        ? `SELECT table_name AS table, column_name AS column, data_type || coalesce(' ' || collation_name, '') AS type FROM information_schema.columns
            WHERE table_name IN ('employee', 'playlist_track') ORDER BY 1, 2`
        : `SELECT t.name AS "table", c.name AS column, c.type FROM sqlite_schema AS t, pragma_table_info(t.name) AS c
            WHERE t.name IN ('employee', 'playlist_track') ORDER BY 1, 2`
    const text = name === 'postgres' ? 'text C' : 'TEXT'
    const integer = name === 'postgres' ? 'integer' : 'INTEGER'
    const rows = await database.query(types)
    expect(rows).toEqual(
      expect.arrayContaining([
        { table: 'employee', column: 'id', type: text },
        { table: 'employee', column: 'reports_to', type: text },
        { table: 'employee', column: 'legacy_reports_to', type: integer },
        { table: 'playlist_track', column: 'track_id', type: text },
        { table: 'playlist_track', column: 'legacy_track_id', type: integer },
      ]),
    )
  })

  test('if one table is adopted, the tables that reference it follow, and the others stay', async () => {
    const database = await keep<Opened>(open('serial'))
    const before = await picture(database.query)
    const adoption = await plan(database, [
      { table: 'employee', createdAt: 'hired_on', generator: maker('flax')(0) },
    ])
    expect(adoption.columns.map(({ table, column }) => `${table}.${column}`.replace('public.', ''))).toEqual([
      'employee.id',
      'customer.support_rep_id',
      'employee.reports_to',
    ])
    await adoption.backfill()
    await adoption.switchKeys()
    await adoption.finish()
    expect(await picture(database.query)).toEqual(before)
  })

  test('an adoption in progress can be abandoned, and started again with another family', async () => {
    const database = await keep<Opened>(open('serial'))
    const shape = await shapeOf(database)
    const adoption = await plan(database, chinookTables('serial', maker('flax')))
    await adoption.backfill()
    await expect(plan(database, chinookTables('serial', maker('sno')))).rejects.toThrow(
      /to flax as \w+.* in progress/,
    )
    await adoption.abandon()
    expect(await shapeOf(database)).toEqual(shape)
    const again = await plan(database, chinookTables('serial', maker('sno')))
    await again.backfill()
    await again.switchKeys()
    await expect(again.abandon()).rejects.toThrow(/already switched/)
    // A program that was killed here is run again, from its beginning.
    await carryOut(again)
  })

  test('steps in the wrong order are refused', async () => {
    const database = await keep<Opened>(open('serial'))
    const adoption = await plan(database, chinookTables('serial', maker('flax')))
    for (const step of ['switchKeys', 'verify', 'finish', 'abandon'] as const) {
      await expect(adoption[step]()).rejects.toThrow(/no adoption in progress/)
    }
    const controller = new AbortController()
    const progress: unknown[] = []
    const stop = (one: unknown) => progress.push(one) === 3 && controller.abort()
    await expect(
      adoption.backfill({ batchSize: 20, onProgress: stop, signal: controller.signal }),
    ).rejects.toThrow(/abort/i)
    expect(progress).toHaveLength(3)
    expect(progress[2]).toMatchObject({ columns: ['id'], done: 60, total: 60, round: 1 })
    await expect(adoption.switchKeys()).rejects.toThrow(/backfill not finished/)
    await expect(adoption.finish()).rejects.toThrow(/not switched yet/)
    await carryOut(adoption)
  })

  test('rows inserted, updated and deleted during the adoption are included', async () => {
    const database = await keep<Opened>(open('serial'))
    const { query } = database
    const adoption = await plan(database, chinookTables('serial', maker('sno')))
    const change = async (id: number) => {
      await query(
        `INSERT INTO customer (id, email, support_rep_id, created_at) VALUES (${id}, 'new${id}', 1, '2021-01-01T05:00:00.000Z')`,
      )
      await query(
        `INSERT INTO invoice (id, customer_id, invoice_date, total) VALUES (${id}, ${id}, '2030-01-01T00:00:00.000Z', 5)`,
      )
      await query(`INSERT INTO genre (id, name) VALUES (${id}, 'late ${id}')`)
      await query(`UPDATE invoice SET customer_id = ${id} WHERE id = 7`)
      await query('UPDATE customer SET support_rep_id = NULL WHERE id = 9')
      await query(`DELETE FROM invoice_line WHERE id = ${id - 1000}`)
    }
    await adoption.backfill({ batchSize: 100 })
    await change(2001)
    await adoption.backfill({ batchSize: 100 })
    await change(2002)
    const before = await picture(query)
    await switchOver(adoption)
    expect(await picture(query)).toEqual(before)
    const [row] = await query(`SELECT count(*) AS n FROM customer WHERE email LIKE 'new%' AND id IS NOT NULL`)
    expect(Number(row?.['n'])).toBe(2)
    expect(
      await query(
        'SELECT email FROM customer JOIN invoice AS i ON i.customer_id = customer.id WHERE i.legacy_id = 7',
      ),
    ).toEqual([{ email: 'new2002' }])
    // No time is told of genres: late ones come at the end of the span.
    expect(await query('SELECT name FROM genre ORDER BY id DESC LIMIT 2')).toEqual([
      { name: 'late 2002' },
      { name: 'late 2001' },
    ])
  })
})
