import { randomUUID } from 'node:crypto'
import { planAdoption } from '@snoflax/adopt'
import { uuid7 } from '@snoflax/families'
import { postgres } from '@snoflax/test'
import { expect, test } from 'vitest'

const START_MS = Date.UTC(2024, 0, 1)
const DAY_MS = 86_400_000

test('UUIDv4 keys become UUIDv7 of created_at, and foreign keys follow', async () => {
  const database = await postgres.open()
  try {
    await database.query(`
      CREATE TABLE customers (id uuid PRIMARY KEY, created_at timestamptz NOT NULL, name text);
      CREATE TABLE orders (number int PRIMARY KEY, customer_id uuid NOT NULL REFERENCES customers)`)
    const customers = Array.from({ length: 50 }, (_, day) => ({ id: randomUUID(), day }))
    for (const { id, day } of [...customers].reverse()) {
      const at = new Date(START_MS + day * DAY_MS)
      await database.query('INSERT INTO customers VALUES ($1, $2, $3)', [id, at, `c${day}`])
      await database.query('INSERT INTO orders VALUES ($1, $2)', [day, id])
    }
    const adoption = await planAdoption(database.pool, {
      tables: [
        {
          table: 'customers',
          createdAt: 'created_at',
          generator: (clock: () => number) => uuid7.generator({ clock }),
        },
      ],
    })
    await adoption.backfill()
    await adoption.switchKeys()
    expect((await adoption.verify()).faults).toEqual([])
    await adoption.finish()

    const rows = await database.query(
      'SELECT c.id, c.name, o.number FROM customers c JOIN orders o ON o.customer_id = c.id ORDER BY c.id',
    )
    expect(rows.map(({ name }) => name)).toEqual(customers.map(({ day }) => `c${day}`))
    for (const { id, number } of rows) {
      expect(uuid7.timeMs(uuid7.parse(id))).toBe(START_MS + Number(number) * DAY_MS)
    }

    const targets = await database.query(
      `SELECT attname, (to_jsonb(a) ->> 'attstattarget')::integer AS target FROM pg_attribute a
        WHERE (attrelid, attname) IN (('customers'::regclass, 'id'), ('orders'::regclass, 'customer_id')) ORDER BY attname DESC`,
    )
    expect(targets[0]).toEqual({ attname: 'id', target: 10_000 })
    expect(targets[1]?.['target']).not.toBe(10_000)
  } finally {
    await database.close()
  }
})
