import { afterEach, expect, test } from 'vitest'
import { picture } from './chinook.js'
import { type KilledTable, killed, tablesOf } from './killing.js'
import { type Opened, plan, shapeOf } from './moves.js'
import { openShop as openPostgres } from './postgres-chinook.js'
import { openShop as openSqlite } from './sqlite-chinook.js'

const opened: Opened[] = []
afterEach(async () => {
  await Promise.all(opened.splice(0).map((one) => one.close()))
})

const TABLES: KilledTable[] = [{ table: 'invoice', createdAt: 'invoice_date', partition: 900 }]

test.each([
  ['postgres', openPostgres],
  ['sqlite', openSqlite],
] as const)('%s: killed repeatedly, each step continues where it was', async (_, open) => {
  const database: Opened = await open('serial')
  opened.push(database)
  const before = await picture(database.query)
  const order = await database.query('SELECT total FROM invoice ORDER BY invoice_date, id')

  const reached: number[] = []
  for (const batches of [1, 4, 16]) reached.push(Number(await killed(database, 'backfill', TABLES, batches)))
  for (const [i, done] of reached.entries())
    expect(done).toBeGreaterThan(i === 0 ? 0 : (reached[i - 1] as number))
  expect(reached.at(-1)).toBeLessThan(500)
  expect(await killed(database, 'backfill', TABLES, 10_000)).toBe('through')

  const shape = await shapeOf(database)
  for (const statements of [3, 12, 25]) {
    expect(await killed(database, 'switchKeys', TABLES, statements)).not.toBe('through')
    expect(await shapeOf(database)).toEqual(shape)
    expect(await picture(database.query)).toEqual(before)
  }
  expect(await killed(database, 'switchKeys', TABLES, 10_000)).toBe('through')

  const adoption = await plan(database, tablesOf(TABLES))
  expect(adoption.phase).toBe('switched')
  const { faults, tables } = await adoption.verify()
  expect(faults).toEqual([])
  expect(tables).toMatchObject([{ rows: 500 }])
  expect(tables[0]?.maxDriftMs).toBeLessThanOrEqual(4 * reached.length)

  for (const statements of [2, 4]) {
    expect(await killed(database, 'finish', TABLES, statements)).not.toBe('through')
    expect((await plan(database, tablesOf(TABLES))).phase).toBe('switched')
  }
  expect(await killed(database, 'finish', TABLES, 10_000)).toBe('through')
  expect(await picture(database.query)).toEqual(before)
  expect(await database.query('SELECT total FROM invoice ORDER BY id')).toEqual(order)
})
