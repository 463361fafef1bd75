import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { flax } from '@snoflax/core'
import { type SqliteDatabase, sqlite } from '@snoflax/test'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { cli } from './running.js'

let database: SqliteDatabase
beforeEach(async () => {
  database = await sqlite.open()
})
afterEach(async () => {
  await database.close()
})

test('a backfill says how far it is, how fast, and how long it takes', async () => {
  await database.query('CREATE TABLE orders (id integer PRIMARY KEY)')
  await database.query(
    'INSERT INTO orders WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000) SELECT i FROM n',
  )
  const config = join(dirname(database.file), `${Date.now()}.adopt.json`)
  const createdAt = { from: '2021-01-01', to: '2022-01-01' }
  writeFileSync(config, JSON.stringify({ tables: [{ table: 'orders', createdAt, family: 'flax' }] }))
  const adopt = ['adopt', 'backfill', '-c', config, '--url', database.file, '--batch-size', '100']
  const { code, err } = await cli(adopt)
  expect(code).toBe(0)
  expect(err).toMatch(/^ {2}orders id: 100 of 1,000 rows, 10 %$/m)
  expect(err).toMatch(/^ {2}orders id: 1,000 of 1,000 rows, 100 %, [\d,]+ a second$/m)
})

test('doctor says on a terminal how far it is', async () => {
  await database.query('CREATE TABLE orders (id text COLLATE BINARY PRIMARY KEY)')
  for (const id of flax.generator({ monotonic: true }).batch(20))
    await database.query('INSERT INTO orders VALUES (?)', [id])
  // Lines that follow each other too quickly are left out.
  let now = Date.now()
  const clock = vi.spyOn(Date, 'now').mockImplementation(() => (now += 200))
  const { err } = await cli(['doctor', database.file], { isTTY: true })
  clock.mockRestore()
  expect(err).toContain('reading the catalog')
  expect(err).toContain('looking for ids: 1 of 1 tables, 100 %')
  expect(err).toContain('orders.id: 20 of 20 ids, 100 %')
  expect(err.endsWith('\r\u001b[K')).toBe(true)
  expect(await cli(['doctor', database.file, '--json'])).toMatchObject({ err: '' })
})
