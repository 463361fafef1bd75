import { setTimeout as sleep } from 'node:timers/promises'
import { planAdoption } from '@snoflax/adopt'
import { install } from '@snoflax/pg-sql'
import type { PostgresDatabase } from '@snoflax/test'
import { afterEach, expect, test } from 'vitest'
import { chinookTables, makers } from './chinook.js'
import { switchOver } from './moves.js'
import { openShop } from './postgres-chinook.js'

let database: PostgresDatabase
afterEach(() => database.close())

const tables = (family = 'sno') => chinookTables('serial', makers[family] as never)

test('sessions that insert, update and delete during the backfill lose nothing', async () => {
  database = await openShop('serial')
  const { pool, query } = database
  const adoption = await planAdoption(pool, { tables: tables() })

  let isOpen = true
  const written: number[] = [0, 0]
  const session = async (number: number) => {
    const client = await database.connect()
    for (let n = 0; isOpen || n < 6; n++) {
      await client.query('BEGIN')
      const { rows } = await client.query(
        `INSERT INTO customer (email, support_rep_id, created_at) VALUES ($1, ${1 + (n % 9)}, now()) RETURNING id`,
        [`late ${number} ${n}`],
      )
      await client.query(
        'INSERT INTO invoice (customer_id, invoice_date, total) VALUES ($1, now(), $2), ($1, now(), $2)',
        [rows[0].id, -n],
      )
      await client.query(`UPDATE invoice SET customer_id = $1 WHERE id = ${1 + (n % 500)}`, [rows[0].id])
      await client.query(`DELETE FROM invoice_line WHERE id = ${number * 50 + (n % 50)}`)
      await client.query('COMMIT')
      written[number] = n + 1
      await sleep(20)
    }
    await client.end()
  }
  const sessions = [session(0), session(1)]
  await adoption.backfill({ batchSize: 200 })
  isOpen = false
  await Promise.all(sessions)

  const who =
    'SELECT i.total, email FROM invoice AS i JOIN customer AS c ON c.id = i.customer_id ORDER BY 1, 2'
  const before = await query(who)
  await switchOver(adoption)
  expect(await query(who)).toEqual(before)
  const [late] = await query(
    "SELECT count(*)::integer AS n FROM customer WHERE email LIKE 'late %' AND legacy_id IS NOT NULL",
  )
  expect(late?.['n']).toBe((written[0] as number) + (written[1] as number))
  expect(written.every((count) => count > 5)).toBe(true)
  // Late rows carry their own time and come after the shop's, which are years older.
  const [disorder] = await query(
    `SELECT count(*)::integer AS n FROM invoice AS a JOIN invoice AS b ON a.invoice_date < b.invoice_date
      WHERE a.total >= 0 AND b.total < 0 AND a.id >= b.id`,
  )
  expect(disorder?.['n']).toBe(0)
})

test('the switch gives up after lockTimeoutMs, changes nothing then, and can be run again', async () => {
  database = await openShop('serial')
  const adoption = await planAdoption(database.pool, { tables: tables() })
  await adoption.backfill()
  const client = await database.connect()
  await client.query('BEGIN')
  await client.query("INSERT INTO genre (name) VALUES ('in flight')")
  await expect(adoption.switchKeys({ lockTimeoutMs: 100 })).rejects.toMatchObject({ code: '55P03' })
  await client.query('COMMIT')
  expect(adoption.phase).toBe('backfilling')
  await switchOver(adoption)
  const rows = await database.query("SELECT count(id)::integer AS n FROM genre WHERE name = 'in flight'")
  expect(rows).toEqual([{ n: 1 }])
})

test('a client inside a transaction is refused, and its transaction continues', async () => {
  database = await openShop('serial')
  const client = await database.connect()
  await client.query('BEGIN')
  await client.query("INSERT INTO genre (name) VALUES ('mine')")
  await expect(planAdoption(client, { tables: tables() })).rejects.toThrow(
    /^client: the client is inside a transaction/,
  )
  await client.query('COMMIT')
  expect(await database.query("SELECT name FROM genre WHERE name = 'mine'")).toHaveLength(1)
  expect((await planAdoption(client, { tables: tables() })).phase).toBe('planned')
})

test('of two backfills at once, the second is refused', async () => {
  database = await openShop('serial')
  const [one, other] = await Promise.all([
    planAdoption(database.pool, { tables: tables() }),
    planAdoption(database.pool, { tables: tables() }),
  ])
  const outcomes = await Promise.allSettled(
    [one, other].map((adoption) => adoption.backfill({ batchSize: 100 })),
  )
  const refused = outcomes.filter((outcome) => outcome.status === 'rejected')
  expect(refused).toHaveLength(1)
  expect(String(refused[0]?.reason)).toMatch(/adoption: another session is running this adoption/)
})

test('the default of a new key generates ids from the switch on', async () => {
  database = await openShop('serial')
  await install(database.pool, { families: ['flax'] })
  const adoption = await planAdoption(database.pool, {
    tables: tables('flax').map((one) => ({ ...one, default: 'snoflax.flax_generate_text()' })),
  })
  await adoption.backfill()
  await adoption.switchKeys()
  await database.query("INSERT INTO artist (name, created_at) VALUES ('new', now())")
  expect(
    await database.query(
      "SELECT legacy_id, id = (SELECT max(id) FROM artist) AS last FROM artist WHERE name = 'new'",
    ),
  ).toEqual([{ legacy_id: null, last: true }])
  expect((await adoption.verify()).faults).toEqual([])
  await adoption.finish()
})

test('a schema that changed during the backfill is refused at the switch', async () => {
  database = await openShop('serial')
  const adoption = await planAdoption(database.pool, { tables: tables() })
  await adoption.backfill()
  await database.query('CREATE TABLE review (track_id integer REFERENCES track (id), words text)')
  await expect(adoption.switchKeys()).rejects.toThrow(/schema changed/)
  await database.query('DROP TABLE review')
  await adoption.switchKeys()
})

test.for(['repeatable read', 'serializable'])(
  'the switch sees what is committed while it waits for locks, even if %s is the default isolation level',
  async (level) => {
    database = await openShop('serial')
    await database.query(
      `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET default_transaction_isolation TO %L', current_database(), '${level}'); END $$`,
    )
    const own = await database.connect()
    const adoption = await planAdoption(own, { tables: tables() })
    await adoption.backfill()
    const client = await database.connect()
    await client.query('BEGIN')
    await client.query('UPDATE invoice SET customer_id = 5 WHERE id = 7')
    const switched = adoption.switchKeys({ lockTimeoutMs: 10_000 })
    await expect
      .poll(() =>
        database.query(
          'SELECT FROM pg_locks JOIN pg_database AS d ON d.oid = database WHERE NOT granted AND datname = current_database()',
        ),
      )
      .toHaveLength(1)
    await client.query('COMMIT')
    await switched
    expect((await adoption.verify()).faults).toEqual([])
    const [invoice] = await database.query(
      'SELECT c.legacy_id FROM invoice AS i JOIN customer AS c ON c.id = i.customer_id WHERE i.legacy_id = 7',
    )
    expect(invoice).toEqual({ legacy_id: 5 })
  },
)
