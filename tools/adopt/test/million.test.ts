import { readFileSync, writeFileSync } from 'node:fs'
import { planAdoption } from '@snoflax/adopt'
import { sno } from '@snoflax/core'
import { postgres } from '@snoflax/test'
import { expect, test } from 'vitest'

const ROWS = 1_000_000

const HOUR_MS = 3_600_000

/** `npm run test:adoption` runs it, with an application that goes on writing, and writes what it took. */
test.runIf(process.env['SNOFLAX_KILLS'] !== undefined)(
  'a million rows are adopted',
  { timeout: HOUR_MS },
  async () => {
    const database = await postgres.open()
    try {
      for (const sql of [
        'CREATE TABLE customer (id serial PRIMARY KEY, at timestamptz NOT NULL)',
        'CREATE TABLE orders (id serial PRIMARY KEY, customer_id integer NOT NULL REFERENCES customer, at timestamptz NOT NULL, total numeric)',
        'CREATE INDEX orders_customer ON orders (customer_id)',
        "INSERT INTO customer (at) SELECT '2020-01-01Z'::timestamptz + n * interval '1 minute' FROM generate_series(1, 50000) AS n",
        `INSERT INTO orders (customer_id, at, total) SELECT 1 + n % 50000, '2021-01-01Z'::timestamptz + n * interval '30 seconds', n % 100 FROM generate_series(1, ${ROWS}) AS n`,
      ])
        await database.query(sql)
      const adoption = await planAdoption(database.pool, {
        tables: [
          {
            table: 'customer',
            createdAt: 'at',
            generator: (clock) => sno.generator({ partition: 900, clock }),
          },
          {
            table: 'orders',
            createdAt: 'at',
            generator: (clock) => sno.generator({ partition: 901, clock }),
          },
        ],
      })
      const measured = async (step: () => Promise<unknown>) => {
        const [start] = await database.query('SELECT pg_current_wal_lsn() AS lsn')
        const startMs = performance.now()
        await step()
        const [wal] = await database.query(
          'SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), $1)::float AS bytes',
          [start?.['lsn']],
        )
        return `${((performance.now() - startMs) / 1000).toFixed(1)} s, ${Math.round((wal?.['bytes'] as number) / 2 ** 20)} MB of WAL`
      }
      let isOpen = true
      let written = 0
      const writer = async () => {
        while (isOpen) {
          await database.query('INSERT INTO orders (customer_id, at, total) VALUES ($1, now(), -1)', [
            1 + (written++ % 50_000),
          ])
        }
      }
      const writing = writer()
      const backfill = await measured(() => adoption.backfill({ batchSize: 5000 }))
      isOpen = false
      await writing
      const switched = await measured(() => adoption.switchKeys({ lockTimeoutMs: 60_000 }))
      const { faults, tables } = await adoption.verify()
      expect(faults).toEqual([])
      expect(tables[1]?.rows).toBe(ROWS + written)
      const finish = await measured(() => adoption.finish({ lockTimeoutMs: 60_000 }))

      const page = new URL('../../../docs/adopting.txt', import.meta.url)
      const [size] = await database.query("SELECT current_setting('server_version') AS version")
      const line = `1,050,000 rows in two tables, while a session inserted ${written.toLocaleString('en')} more, PostgreSQL ${size?.['version']}: backfill ${backfill}; switch ${switched}; finish ${finish}.`
      writeFileSync(
        page,
        readFileSync(page, 'utf8').replace(
          /(<!-- million -->\n)[\s\S]*?(<!-- \/million -->)/,
          `$1${line}\n$2`,
        ),
      )
    } finally {
      await database.close()
    }
  },
)
