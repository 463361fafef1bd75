import { copyFileSync, existsSync } from 'node:fs'
import { planAdoption, type TableOptions } from '@snoflax/adopt'
import { flake, flax, sno } from '@snoflax/core'
import { type PostgresDatabase, postgres, type SqliteDatabase, sqlite } from '@snoflax/test'
import Database from 'better-sqlite3'
import { afterEach, describe, expect, test } from 'vitest'
import { carryOut, flaxes, type Opened, plan, shapeOf, switchOver } from './moves.js'

let database: Opened
afterEach(() => database.close())

const orders: TableOptions = { table: 'orders', createdAt: 'at', generator: flaxes }

async function open<Kind extends Opened>(
  opening: Promise<Kind>,
  statements: readonly string[],
): Promise<Kind> {
  const opened = await opening
  database = opened
  for (const statement of statements) await opened.query(statement)
  return opened
}

const SHOP = [
  'CREATE TABLE orders (id INTEGER PRIMARY KEY, at TEXT NOT NULL)',
  'CREATE TABLE line (order_id INTEGER REFERENCES orders (id), n INTEGER)',
  "INSERT INTO orders VALUES (1, '2021-01-01'), (2, '2021-01-02')",
  'INSERT INTO line VALUES (1, 1), (2, 2), (2, 3)',
]

describe('sqlite refuses', () => {
  test.each([
    [
      'a trigger whose table is written in another case',
      'CREATE TRIGGER touched AFTER UPDATE ON LINE BEGIN SELECT NEW.order_id; END',
      /trigger touched: it mentions order_id/,
    ],
    [
      'a temporary trigger, which goes with its table',
      'CREATE TEMP TRIGGER heard AFTER UPDATE ON line BEGIN SELECT 1; END',
      /line: temporary trigger heard would be dropped with the old table; drop it first$/,
    ],
    [
      'an index over an expression without brackets',
      'CREATE INDEX odd ON line (order_id % 2)',
      /index odd: it uses order_id otherwise/,
    ],
    [
      'a check behind a comment',
      'CREATE TABLE more (order_id INTEGER REFERENCES orders (id), CHECK /* (a */ (order_id > 0))',
      /more\.order_id: .* uses it/,
    ],
  ])('%s', async (_, sql, message) => {
    await open(sqlite.open(), [...SHOP, sql])
    await expect(plan(database, [orders])).rejects.toThrow(message)
  })
})

describe.each(['postgres', 'sqlite'] as const)('%s refuses', (kind) => {
  const opening = (): Promise<Opened> => (kind === 'postgres' ? postgres.open() : sqlite.open())
  const time = kind === 'postgres' ? 'timestamptz' : 'TEXT'

  test('a key that is a foreign key to a table that stays', async () => {
    await open(opening(), [
      'CREATE TABLE account (id text PRIMARY KEY)',
      `CREATE TABLE profile (id text PRIMARY KEY REFERENCES account (id), at ${time})`,
    ])
    await expect(plan(database, [{ ...orders, table: 'profile' }])).rejects.toThrow(
      /profile\.id: it is a foreign key to .*account\.id, which keeps its keys; list that table too/,
    )
  })

  test('a foreign key with a second target that stays', async () => {
    await open(opening(), [
      `CREATE TABLE orders (id text PRIMARY KEY, at ${time})`,
      'CREATE TABLE parcel (id text PRIMARY KEY)',
      'CREATE TABLE line (x text REFERENCES orders (id) REFERENCES parcel (id))',
    ])
    await expect(plan(database, [orders])).rejects.toThrow(
      /line\.x: it is a foreign key to .*parcel\.id, which keeps its keys/,
    )
  })
})

test('sqlite: comments and names in single quotes are kept as written', async () => {
  await open(sqlite.open(), [
    `CREATE TABLE orders ('id' INTEGER PRIMARY KEY -- the key, (as it was)
    , at TEXT NOT NULL, note TEXT DEFAULT ', ' /* last */)`,
    "INSERT INTO orders VALUES (1, '2021-01-01', 'x')",
  ])
  const adoption = await plan(database, [orders])
  await adoption.backfill()
  await adoption.switchKeys()
  const [table] = await database.query("SELECT sql FROM sqlite_schema WHERE name = 'orders'")
  expect(table?.['sql']).toMatch(/-- the key, \(as it was\)[\s\S]*DEFAULT ', '.*\/\* last \*\/\)$/)
  await adoption.finish()
  expect(await database.query('SELECT note FROM orders')).toEqual([{ note: 'x' }])
})

test('sqlite: numbers that AUTOINCREMENT used are not used again', async () => {
  await open(sqlite.open(), [
    ...SHOP,
    'CREATE TABLE receipt (id INTEGER PRIMARY KEY AUTOINCREMENT, order_id INTEGER REFERENCES orders (id))',
    'INSERT INTO receipt VALUES (1, 1), (2, 2)',
    'DELETE FROM receipt WHERE id = 2',
  ])
  const adoption = await plan(database, [orders])
  await adoption.backfill()
  await adoption.switchKeys()
  await database.query('INSERT INTO receipt (order_id) VALUES (NULL)')
  expect(await database.query('SELECT id FROM receipt ORDER BY id')).toEqual([{ id: 1 }, { id: 3 }])
})

test('sqlite: the id of a reused key contains the time of the new row', async () => {
  await open(sqlite.open(), SHOP)
  const adoption = await plan(database, [orders])
  await adoption.backfill()
  await database.query('DELETE FROM line WHERE order_id = 2')
  await database.query('DELETE FROM orders WHERE id = 2')
  await database.query("INSERT INTO orders (at) VALUES ('2024-06-01')")
  await switchOver(adoption)
  const [row] = await database.query('SELECT id FROM orders WHERE legacy_id = 2')
  expect(flax.time(flax.parse(row?.['id'])).toISOString()).toBe('2024-06-01T00:00:00.000Z')
})

test('postgres: a value that references no row by the time of the switch is refused, not lost', async () => {
  await open(postgres.open(), [
    'CREATE TABLE orders (id integer PRIMARY KEY, at timestamptz NOT NULL)',
    'CREATE TABLE line (order_id integer REFERENCES orders (id))',
    "INSERT INTO orders VALUES (1, '2021-01-01')",
    'INSERT INTO line VALUES (1)',
  ])
  const adoption = await plan(database, [orders])
  await adoption.backfill()
  // As replication applies changes: without triggers, which foreign keys are.
  const client = await (database as PostgresDatabase).connect()
  await client.query('SET session_replication_role = replica')
  await client.query('UPDATE line SET order_id = 999')
  await expect(adoption.switchKeys()).rejects.toThrow(/line\.order_id: the value 999 references no row/)
  await client.query('UPDATE line SET order_id = 1')
  await switchOver(adoption)
})

test('postgres: a lost connection is an error of the step, and the step can be run again', async () => {
  const { pool } = await open(postgres.open(), [
    'CREATE TABLE orders (id integer PRIMARY KEY, at timestamptz NOT NULL)',
    "INSERT INTO orders SELECT n, '2021-01-01'::timestamptz + n * interval '1 hour' FROM generate_series(1, 50) AS n",
  ])
  const adoption = await plan(database, [orders])
  const client = await (database as PostgresDatabase).connect()
  // As when the server goes while no query runs on the connection.
  pool.once('acquire', (lent) => setImmediate(() => lent.emit('error', new Error('gone'))))
  await adoption.backfill({ batchSize: 40 })
  let ended: Promise<unknown> | undefined
  const onProgress = (): void => {
    ended ??= client.query(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
    )
  }
  await pool.query("INSERT INTO orders SELECT n, '2022-01-01' FROM generate_series(51, 90) AS n")
  await expect(adoption.backfill({ batchSize: 1, onProgress })).rejects.toThrow(/terminat|Connection|ended/i)
  await ended
  await carryOut(adoption)
})

const SQLITE_ROWS = 'SELECT n, at FROM line JOIN orders ON orders.id = order_id ORDER BY n'

/** What a process that is killed leaves behind: the files as they are, journals too. */
async function leftBehind(file: string, name: string): Promise<{ shape: unknown; rows: unknown }> {
  const copy = `${file}-${name}`
  for (const ending of ['', '-journal', '-wal'])
    if (existsSync(file + ending)) copyFileSync(file + ending, copy + ending)
  const connection = new Database(copy)
  const query = async (sql: string): Promise<unknown[]> => connection.prepare(sql).all()
  try {
    return { shape: await shapeOf({ kind: 'sqlite', query } as never), rows: await query(SQLITE_ROWS) }
  } finally {
    connection.close()
  }
}

test.each(['switchKeys', 'finish'] as const)(
  'sqlite: if killed before any statement of %s, the schema is the old one or the new one',
  async (step) => {
    const { file, connection } = await open<SqliteDatabase>(sqlite.open(), SHOP)
    const adoption = await plan(database, [orders])
    await adoption.backfill()
    if (step === 'finish') await adoption.switchKeys()

    const left: Promise<{ shape: unknown; rows: unknown }>[] = []
    let isRunning = false
    const watched = <Method extends 'exec' | 'prepare'>(method: Method) =>
      ((sql: string) => {
        if (isRunning) left.push(leftBehind(file, `${left.length}`))
        return connection[method](sql)
      }) as Database.Database[Method]
    const client = { exec: watched('exec'), prepare: watched('prepare') }
    const again = await planAdoption(client, { tables: [orders] })
    isRunning = true
    const [before, rows] = [await shapeOf(database), await database.query(SQLITE_ROWS)]
    await again[step]()
    left.push(leftBehind(file, 'end'))
    const after = await shapeOf(database)

    const shapes = (await Promise.all(left)).map((one) => {
      expect(one.rows).toEqual(rows)
      return JSON.stringify(one.shape)
    })
    expect(new Set(shapes)).toEqual(new Set([before, after].map((one) => JSON.stringify(one))))
    expect(shapes.indexOf(JSON.stringify(after))).toBeGreaterThan(4)
  },
)

test.each(['postgres', 'sqlite'] as const)(
  '%s: a plan other than the one in progress is refused before it changes a row',
  async (kind) => {
    const time = kind === 'postgres' ? 'timestamptz' : 'TEXT'
    await open(kind === 'postgres' ? postgres.open() : (sqlite.open() as Promise<Opened>), [
      `CREATE TABLE orders (id integer PRIMARY KEY, at ${time} NOT NULL)`,
      `CREATE TABLE parcel (id integer PRIMARY KEY, at ${time} NOT NULL)`,
      "INSERT INTO orders VALUES (1, '2021-01-01T00:00:00Z')",
      "INSERT INTO parcel VALUES (1, '2022-01-01T00:00:00Z')",
    ])
    const partitioned = (table: string, partition: number): TableOptions => ({
      table,
      createdAt: 'at',
      generator: (clock) => sno.generator({ partition, clock }),
    })
    const tables = [partitioned('orders', 900), partitioned('parcel', 901)]
    const [one, other] = [await plan(database, tables), await plan(database, [...tables].reverse())]
    await one.backfill()
    for (const step of ['backfill', 'switchKeys', 'verify', 'abandon'] as const)
      await expect(other[step]()).rejects.toThrow(/another adoption was started after this one was planned/)
    await switchOver(one)
  },
)

test('sqlite: an adoption in progress does not continue with another epoch', async () => {
  await open(sqlite.open(), SHOP)
  const tables = (epochMs: number): TableOptions[] => [
    {
      ...orders,
      storage: 'binary',
      generator: (clock) => flake.withEpoch(epochMs).generator({ worker: 1, clock }),
    },
  ]
  await (await plan(database, tables(0))).backfill()
  await expect(plan(database, tables(5))).rejects.toThrow(/plan it with the same tables and families/)
  expect((await plan(database, tables(0))).phase).toBe('backfilling')
})

describe('postgres: what keeps rows from being updated', () => {
  const TABLES = [
    'CREATE TABLE orders (id integer PRIMARY KEY, at timestamptz NOT NULL)',
    'CREATE TABLE line (order_id integer REFERENCES orders (id), n integer)',
    "INSERT INTO orders SELECT n, '2021-01-01' FROM generate_series(1, 5) AS n",
    'INSERT INTO line SELECT n, n FROM generate_series(1, 5) AS n',
    'CREATE FUNCTION cancel() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$',
  ]
  const cancelOn = (table: string): string[] => [
    `CREATE TRIGGER cancelled BEFORE UPDATE ON ${table} FOR EACH ROW EXECUTE FUNCTION cancel()`,
    `ALTER TABLE ${table} ENABLE ALWAYS TRIGGER cancelled`,
  ]

  test('a rule is refused', async () => {
    await open(postgres.open(), [...TABLES, 'CREATE RULE never AS ON UPDATE TO line DO INSTEAD NOTHING'])
    await expect(plan(database, [orders])).rejects.toThrow(/line: rule never /)
  })

  test('a trigger that cancels updates of the key stops the backfill', async () => {
    await open(postgres.open(), [...TABLES, ...cancelOn('orders')])
    const adoption = await plan(database, [orders], { ignore: ['trigger cancelled on table public.orders'] })
    await expect(adoption.backfill({ batchSize: 2 })).rejects.toThrow(
      /orders\.id: some rows were not updated; look for a trigger that cancels updates/,
    )
  })

  test('a trigger that cancels updates of a foreign key stops the switch', async () => {
    await open(postgres.open(), [...TABLES, ...cancelOn('line')])
    const adoption = await plan(database, [orders], { ignore: ['trigger cancelled on table public.line'] })
    await adoption.backfill()
    await expect(adoption.switchKeys()).rejects.toThrow(
      /line\.order_id: some rows were not updated; look for a trigger that cancels updates/,
    )
    await database.query('DROP TRIGGER cancelled ON line')
    await switchOver(adoption)
  })
})
