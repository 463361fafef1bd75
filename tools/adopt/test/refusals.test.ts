import { keyTime, obstaclesOf, planAdoption, type TableOptions } from '@snoflax/adopt'
import { flake, flax, IdError, prefixed, sno } from '@snoflax/core'
import { onConnection, type PostgresDatabase, poolTo, postgres, sqlite, urlTo } from '@snoflax/test'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { flaxes, type Opened, plan, shapeOf, switchOver } from './moves.js'

let server: PostgresDatabase
beforeAll(async () => {
  server = await postgres.open()
})
afterAll(() => server.close())

/** The one database, as a new one is: to make one takes longer than what is tested. */
async function emptied(): Promise<PostgresDatabase> {
  await server.query(`DO $$ DECLARE one name; BEGIN
    FOR one IN SELECT nspname FROM pg_namespace WHERE nspname !~ '^pg_' AND nspname <> 'information_schema' LOOP
      EXECUTE format('DROP SCHEMA %I CASCADE', one);
    END LOOP;
    CREATE SCHEMA public;
    GRANT USAGE ON SCHEMA public TO PUBLIC;
  END $$`)
  return server
}

const files: Opened[] = []
afterEach(async () => {
  await Promise.all(files.splice(0).map((one) => one.close()))
})

async function emptyFile(): Promise<Opened> {
  const database = await sqlite.open()
  files.push(database)
  return database
}

const orders: TableOptions = { table: 'orders', createdAt: 'created_at', generator: flaxes }

const prefixedSno =
  (prefix: string): TableOptions['generator'] =>
  (clock) =>
    prefixed(sno, prefix).generator({ partition: 900, clock })

type Kind = 'postgres' | 'sqlite'

/** What is in the way, as statements or options; the message, and its code unless it is INVALID_OPTION. */
type Refusal = readonly [Way | string | readonly string[], RegExp, code?: string]

interface Way {
  readonly sql?: readonly string[]
  readonly tables: readonly unknown[]
}

/** A table with other options. */
const asked = (options: object, ...sql: string[]): Way => ({ tables: [{ ...orders, ...options }], sql })

const trigger = (body: string): string[] => [
  `CREATE FUNCTION touch() RETURNS trigger LANGUAGE plpgsql AS $$ ${body} $$`,
  'CREATE TRIGGER touched BEFORE UPDATE ON line FOR EACH ROW EXECUTE FUNCTION touch()',
]

const COMPUTED = [
  ...['order_id > 1', '1 = order_id', 'order_id BETWEEN 1 AND 2', 'order_id % 2', "order_id = '1'"],
  ...['line.order_id IN (1, 2)', 'order_id NOT IN (-1)', 'CASE order_id WHEN 1 THEN 1 END'],
  ...["order_id LIKE '1%'", '-1 < order_id', 'rowid = n', 'n BETWEEN 0 AND order_id = order_id'],
]

const BOTH: readonly Refusal[] = [
  [{ tables: [] }, /at least one table/],
  [asked({ table: 'order' }), /^order: no such table/],
  [{ tables: [orders, orders] }, /orders: the table is listed twice/],
  [asked({ createdAt: 'made_at' }), /orders\.made_at: no such column/],
  [asked({ generator: undefined }), /orders: pass a generator: \(clock\) =>/, 'GENERATOR_REQUIRED'],
  [asked({ createdAt: undefined }), /orders: createdAt must be a column name/],
  [
    asked({ generator: () => sno.generator({ partition: 1, clock: () => Date.UTC(2020, 0) }) }),
    /ignores the clock/,
  ],
  [
    asked({ generator: (clock: () => number) => flax.generator({ clock }) }),
    /orders.*do not ascend; set monotonic: true/,
  ],
  [
    {
      tables: ['orders', 'customer'].map((table) => ({
        ...orders,
        table,
        generator: (clock: () => number) => sno.generator({ partition: 900, clock }),
      })),
    },
    /customer: sno: the generator would repeat the ids of (public\.)?orders for rows of the same time/,
  ],
  [
    {
      tables: [
        { ...orders, generator: prefixedSno('ord') },
        { ...orders, table: 'customer', generator: prefixedSno('cus') },
      ],
    },
    /customer: sno: the generator would repeat the ids of (public\.)?orders for rows of the same time/,
  ],
  [asked({ storage: 'bigint' }), /orders: flax/, 'STORAGE_REFUSED'],
  [asked({ createdAt: { from: new Date(2), to: new Date(1) } }), /the earlier one first/],
  [asked({ createdAt: { from: new Date(1) } }), /from and to must be valid Dates/],
  [
    'INSERT INTO orders (id, customer_id) VALUES (77, 1)',
    /orders\.id 77: the row has no time/,
    'INVALID_TIME',
  ],
  [
    "INSERT INTO orders (id, customer_id, created_at) VALUES (78, 1, '1999-01-01T00:00:00Z')",
    /orders\.id 78: flax: the row's time 1999-01-01T00:00:00\.000Z is outside 2015/,
    'TIME_OUT_OF_RANGE',
  ],
  [asked({ createdAt: 'customer_id' }), /orders\.customer_id.*needs a unit/],
  [asked({ createdAt: { column: 'created_at', through: 'note' } }), /through must be a foreign key/],
  [asked({ createdAt: { key: keyTime.ulid } }), /"1" is not a ULID/, 'INVALID_TIME'],
  [
    asked({ createdAt: { key: (key: string) => Date.UTC(2030, 0) - Number(key) } }),
    /orders\.id: "2" sorts after a key of a later time/,
  ],
  [
    'CREATE INDEX odd ON line ((order_id % 2))',
    /^index odd: it uses "?order_id"? otherwise than selecting it .* or take it on with ignore: \["index odd"\]$/,
  ],
  ['CREATE INDEX few ON line (n) WHERE order_id > 2', /^index few: it uses order_id otherwise than/],
  [
    'ALTER TABLE line ADD COLUMN legacy_order_id integer',
    /line\.order_id: the table already has a column legacy_order_id/,
  ],
  [
    asked({ table: 'pair' }, 'CREATE TABLE pair (a integer, b integer, PRIMARY KEY (a, b))'),
    /pair: the primary key is composite \(a, b\)/,
  ],
  [asked({ table: 'heap' }, 'CREATE TABLE heap (a integer)'), /heap: the table has no primary key/],
  [
    {
      tables: [orders, { ...orders, table: 'customer' }],
      sql: ['CREATE TABLE both_ways (x integer REFERENCES orders (id) REFERENCES customer (id))'],
    },
    /both_ways\.x: the column is a foreign key to .*(orders|customer)\.id and to/,
  ],
]

const OF_POSTGRES: readonly Refusal[] = [
  [
    "INSERT INTO orders (id, customer_id, created_at) VALUES (79, 1, 'infinity')",
    /orders\.id 79/,
    'INVALID_TIME',
  ],
  [
    asked(
      { createdAt: { column: 'made', unit: 's' } },
      "ALTER TABLE orders ADD COLUMN made numeric DEFAULT 'NaN'",
    ),
    /orders\.id 1: flax: the row's time NaN ms/,
    'TIME_OUT_OF_RANGE',
  ],
  [asked({ createdAt: 'note' }), /orders\.note: a column of type text contains no time/],
  [
    asked(
      { createdAt: { column: 'created_at', timeZone: 'Middle/Earth' } },
      'ALTER TABLE orders ALTER created_at TYPE timestamp',
    ),
    /orders\.created_at: the server does not know the time zone Middle\/Earth/,
  ],
  [
    [
      'ALTER TABLE line DROP CONSTRAINT line_order_id_fkey',
      'INSERT INTO line (order_id) VALUES (999)',
      'ALTER TABLE line ADD CONSTRAINT line_order FOREIGN KEY (order_id) REFERENCES orders (id) NOT VALID',
    ],
    /line\.order_id: the value 999 references no row of public\.orders/,
  ],
  [
    'CREATE VIEW recent AS SELECT order_id FROM line WHERE order_id > 1',
    /^view public\.recent: it uses order_id otherwise than selecting it or comparing it with another new key; change it/,
  ],
  [
    [
      'CREATE VIEW recent AS SELECT order_id FROM line',
      "CREATE FUNCTION recent() RETURNS SETOF recent LANGUAGE sql AS 'SELECT * FROM recent'",
    ],
    /line\.order_id: function public\.recent\(\) depends on public\.recent, which the switch creates again/,
  ],
  [
    asked(
      { table: 'counted' },
      'CREATE TABLE counted (id integer GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, created_at timestamptz)',
      "CREATE TABLE other (n integer DEFAULT nextval('counted_id_seq'))",
    ),
    /counted\.id: default value for column n of table public\.other depends on its identity/,
  ],
  [
    'CREATE TABLE special () INHERITS (line)',
    /line: the table inherits from another or is inherited from \(public\.special\)/,
  ],
  ['CREATE RULE quiet AS ON UPDATE TO line DO INSTEAD NOTHING', /line: rule quiet would fire for every row/],
  [
    'CREATE POLICY own ON orders USING (id > 0)',
    /^policy own on table public\.orders: it uses id otherwise than/,
  ],
  [
    { tables: [orders, { ...orders, table: 'checked' }] },
    /^constraint small on table public\.checked: it uses id otherwise than/,
  ],
  [
    trigger('BEGIN RAISE NOTICE $x$%$x$, NEW.order_id; RETURN NEW; END'),
    /^trigger touched on table public\.line: it mentions order_id, which has new keys; review it, .* ignore: \["trigger touched on table public\.line"\]$/,
  ],
  [
    trigger('BEGIN PERFORM to_jsonb(NEW); RETURN NEW; END'),
    /^trigger touched on table public\.line: it mentions the whole row/,
  ],
  [
    trigger('BEGIN PERFORM max(o) FROM orders AS o; RETURN NEW; END'),
    /^trigger touched on table public\.line: it mentions orders, which has new keys/,
  ],
  [
    trigger("BEGIN EXECUTE 'SELECT 1'; RETURN NEW; END"),
    /^trigger touched on table public\.line: it runs SQL that it builds/,
  ],
  [
    [...trigger('BEGIN RETURN NEW; END'), 'ALTER TABLE line ENABLE ALWAYS TRIGGER touched'],
    /^trigger touched on table public\.line: it would fire for every row that the backfill updates; disable it/,
  ],
  [
    'ALTER TABLE line ADD COLUMN twice integer GENERATED ALWAYS AS (order_id * 2) STORED',
    /line\.order_id: .*twice.* depends/,
  ],
  ['ALTER TABLE line ALTER COLUMN order_id SET DEFAULT 1', /line\.order_id: the column has a default/],
  [
    asked(
      { table: 'numbered' },
      'CREATE DOMAIN number AS integer NOT NULL',
      'CREATE TABLE numbered (id number PRIMARY KEY, created_at timestamptz)',
    ),
    /numbered\.id: its domain public\.number takes no null/,
  ],
  [
    asked({ default: 'nonsense()' }),
    /orders: PostgreSQL refuses the default nonsense\(\): function nonsense\(\) does not exist/,
  ],
  [
    'ALTER TABLE line ADD COLUMN snoflax_new_order_id integer',
    /line: the adoption needs the name of a column snoflax_new_order_id; rename or drop it/,
  ],
  [
    'CREATE INDEX snoflax_new_1 ON orders (created_at)',
    /public: the adoption needs the name of a relation snoflax_new_1/,
  ],
  [
    [
      'CREATE TYPE line_type AS (order_id integer)',
      'DROP TABLE line CASCADE',
      'CREATE TABLE line OF line_type',
      'ALTER TABLE line ADD FOREIGN KEY (order_id) REFERENCES orders',
    ],
    /line: the table is made of type public\.line_type, and takes no new columns; ALTER TABLE \.\.\. NOT OF first/,
  ],
  [
    ['CREATE DOMAIN row_of AS orders', 'CREATE TABLE history (was row_of, others orders[])'],
    /orders: column others of public\.history contains rows of it, which would lose their keys[\s\S]*column was of/,
  ],
  [
    'CREATE DOMAIN row_of AS orders CHECK ((VALUE).id > 0)',
    /orders\.id: constraint row_of_check depends on it and would keep the old values; drop it/,
  ],
  [
    ['CREATE PUBLICATION news FOR TABLE orders', 'ALTER TABLE orders REPLICA IDENTITY NOTHING'],
    /orders: publication news publishes updates of the table, which has no replica identity/,
  ],
  [
    asked(
      { table: 'parted' },
      'CREATE TABLE parted (id integer PRIMARY KEY, created_at timestamptz) PARTITION BY RANGE (id)',
    ),
    /parted: the key of a partitioned table cannot be replaced/,
  ],
]

const OF_SQLITE: readonly Refusal[] = [
  [
    "INSERT INTO orders (id, customer_id, created_at) VALUES (79, 1, 'last week')",
    /orders\.id 79/,
    'INVALID_TIME',
  ],
  [
    ['PRAGMA foreign_keys = OFF', 'INSERT INTO line (order_id) VALUES (999)'],
    /line\.order_id: the value 999 references no row of orders/,
  ],
  [
    [
      'PRAGMA foreign_keys = OFF',
      'ALTER TABLE line ADD COLUMN x REFERENCES checked (id)',
      'INSERT INTO line VALUES (1, 1, 99)',
    ],
    /foreign_key_check: line: row 3 references no row of checked/,
  ],
  [
    [
      'PRAGMA foreign_keys = OFF',
      'CREATE TABLE tag (order_id REFERENCES orders, x REFERENCES checked, PRIMARY KEY (order_id, x)) WITHOUT ROWID',
      'INSERT INTO tag VALUES (1, 99)',
    ],
    /foreign_key_check: tag: a row references no row of checked/,
  ],
  [
    asked(
      { table: 'coded' },
      'CREATE TABLE coded (id TEXT PRIMARY KEY, created_at TEXT)',
      'INSERT INTO coded VALUES (NULL, NULL)',
    ),
    /coded\.id: a row has NULL as its key/,
  ],
  ...COMPUTED.map(
    (condition): Refusal => [
      [
        'CREATE VIEW plain AS SELECT *, order_id AS o FROM line WHERE n > 1 AND order_id IS NOT NULL',
        `CREATE VIEW recent AS SELECT n FROM line WHERE ${condition}`,
      ],
      /^view recent: it uses (line\.)?(order_id|rowid) otherwise than selecting it/,
    ],
  ),
  [
    [
      'CREATE VIEW plain AS SELECT order_id, n FROM line WHERE order_id IN (SELECT id FROM orders)',
      'CREATE VIEW recent AS SELECT n FROM plain WHERE order_id = 2',
    ],
    /^view recent: it uses order_id otherwise than selecting it/,
  ],
  [
    [
      'CREATE TABLE note (n INTEGER)',
      'CREATE TRIGGER noted AFTER INSERT ON note BEGIN INSERT INTO note SELECT n FROM line WHERE order_id = 1; END',
    ],
    /^trigger noted: it mentions line, which has new keys; review it, drop it/,
  ],
  [
    { tables: [orders, { ...orders, table: 'checked' }] },
    /checked\.id: CONSTRAINT small CHECK \(id < 100\) uses it/,
  ],
  [
    'CREATE TRIGGER touched AFTER UPDATE ON line BEGIN SELECT NEW.order_id; END',
    /^trigger touched: it mentions order_id, which has new keys; review it/,
  ],
  [
    'CREATE TRIGGER touched AFTER UPDATE ON line BEGIN INSERT INTO line SELECT * FROM line; END',
    /^trigger touched: it mentions line, /,
  ],
  ['ALTER TABLE line ADD COLUMN twice INTEGER AS (order_id * 2)', /line\.order_id: .*uses it/],
  [
    ['CREATE TABLE Snoflax_new_orders (x)', 'CREATE INDEX snoflax_legacy_1 ON Snoflax_new_orders (x)'],
    /Snoflax_new_orders: the adoption needs this name; rename or drop the existing object[\s\S]*snoflax_legacy_1: /,
  ],
  [
    "CREATE VIRTUAL TABLE words USING fts5(note, content='orders', content_rowid='id')",
    /orders: the virtual table words uses it/,
  ],
  [asked({ default: 'x()' }), /default is not supported for SQLite/],
  [
    asked({ createdAt: { column: 'created_at', timeZone: 'Europe/Paris' } }),
    /timeZone is not supported for SQLite/,
  ],
  [
    asked({ table: 'coded' }, 'CREATE TABLE coded (id TEXT COLLATE NOCASE PRIMARY KEY, created_at TEXT)'),
    /coded\.id: the column is defined as/,
  ],
]

const TIME = { postgres: 'timestamptz', sqlite: 'TEXT' } as const

async function open(kind: Kind): Promise<Opened> {
  const database = await (kind === 'postgres' ? emptied() : emptyFile())
  for (const sql of [
    `CREATE TABLE customer (id integer PRIMARY KEY, created_at ${TIME[kind]})`,
    `CREATE TABLE orders (id integer PRIMARY KEY, customer_id integer REFERENCES customer (id), created_at ${TIME[kind]}, note text)`,
    'CREATE TABLE line (order_id integer NOT NULL REFERENCES orders (id), n integer)',
    `CREATE TABLE checked (id integer PRIMARY KEY, created_at ${TIME[kind]}, CONSTRAINT small CHECK (id < 100))`,
    "INSERT INTO customer VALUES (1, '2020-01-01T00:00:00Z')",
    "INSERT INTO orders (id, customer_id, created_at) VALUES (1, 1, '2020-01-01T00:00:00Z'), (2, 1, '2020-01-01T00:00:00Z')",
    'INSERT INTO line VALUES (1, 1), (2, 2)',
  ]) {
    await database.query(sql)
  }
  return database
}

const asWay = (way: Refusal[0]): Way =>
  typeof way === 'object' && 'tables' in way ? way : { tables: [orders], sql: [way].flat() }

const KINDS = { postgres: [...BOTH, ...OF_POSTGRES], sqlite: [...BOTH, ...OF_SQLITE] }

describe('refused before anything changes', () => {
  test.each<[Kind, ...Refusal]>(
    (['postgres', 'sqlite'] as const).flatMap((kind) =>
      KINDS[kind].map((one): [Kind, ...Refusal] => [kind, ...one]),
    ),
  )('%s: %j, %s', async (kind, way, message, code = 'INVALID_OPTION') => {
    const database = await open(kind)
    const { sql = [], tables } = asWay(way)
    for (const statement of sql) await database.query(statement)
    const shape = await shapeOf(database)
    const error = await plan(database, tables as TableOptions[]).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(IdError)
    expect((error as IdError).message).toMatch(message)
    expect((error as IdError).code).toBe(code)
    expect(await shapeOf(database)).toEqual(shape)
  })
})

test.each(['postgres', 'sqlite'] as const)('%s: all obstacles are in one error', async (kind) => {
  const database = await open(kind)
  for (const sql of [
    'ALTER TABLE line ADD COLUMN legacy_order_id integer',
    'INSERT INTO orders (id, customer_id) VALUES (77, 1)',
    'CREATE INDEX odd ON line ((order_id % 2))',
  ])
    await database.query(sql)
  const shape = await shapeOf(database)
  const tables = [orders, { ...orders, table: 'nowhere' }, { ...orders, table: 'checked' }] as TableOptions[]
  const error = await plan(database, tables).catch((reason: unknown) => reason)
  const found = obstaclesOf(error)
  const expected = [
    /^nowhere: no such table/,
    /line\.order_id: the table already has a column legacy_order_id/,
    /orders\.id 77: the row has no time/,
    ...(kind === 'sqlite' ? [/index odd: it uses order_id/, /checked\.id: CONSTRAINT small/] : []),
  ]
  for (const message of expected)
    expect(found.map((one) => one.message)).toContainEqual(expect.stringMatching(message))
  expect((error as IdError).message).toMatch(/^\d obstacles:\n- /)
  expect(found.every(({ path }) => path !== undefined)).toBe(true)
  expect(await shapeOf(database)).toEqual(shape)
})

test.each([
  ['9.1.0', /^client: .*not MySQL 9\.1\.0; pass a client of one of them/],
  ['10.5.29-MariaDB', /^client: MariaDB 10\.5\.29.* cannot rename several tables at once; upgrade to 10\.6/],
])('MySQL and old versions of MariaDB are refused by name: %s', async (version, message) => {
  const query = async () => [[{ version, database: 'shop', open: 0 }], []]
  await expect(planAdoption({ execute: () => {}, query }, { tables: [orders] })).rejects.toThrow(message)
})

test('all wrong options are in one error', async () => {
  const database = await open('sqlite')
  const tables = [
    { ...orders, createdAt: { from: new Date(2), to: new Date(1) } },
    { ...orders, table: 'customer', storage: 'bigint' },
  ] as TableOptions[]
  const found = obstaclesOf(await plan(database, tables).catch((reason: unknown) => reason))
  expect(found.map(({ path }) => path)).toEqual(['orders', 'customer'])
})

test('postgres: a role from which row-level security hides rows is refused', async () => {
  const database = (await open('postgres')) as PostgresDatabase
  const owner = await database.role()
  for (const sql of [
    `GRANT CREATE ON DATABASE ${database.name} TO ${owner.name}`,
    `ALTER TABLE orders OWNER TO ${owner.name}`,
    `ALTER TABLE line OWNER TO ${owner.name}`,
    'ALTER TABLE line ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY',
    'CREATE POLICY firsts ON line USING (n = 1)',
  ]) {
    await database.query(sql)
  }
  const pool = poolTo(owner.url)
  try {
    await expect(planAdoption(pool, { tables: [orders] })).rejects.toThrow(/line: row security hides rows/)
  } finally {
    await pool.end()
  }
})

test('postgres: a plan that another role stored is refused', async () => {
  const database = (await open('postgres')) as PostgresDatabase
  const { name, url } = await database.role()
  await database.query(`GRANT CREATE ON DATABASE ${database.name} TO ${name}`)
  await onConnection(url, (client) =>
    client.query(`CREATE SCHEMA snoflax_adoption; GRANT ALL ON SCHEMA snoflax_adoption TO PUBLIC;
      CREATE TABLE snoflax_adoption.state AS SELECT 'backfilling' AS phase, '{}' AS plan;
      GRANT ALL ON snoflax_adoption.state TO PUBLIC`),
  )
  await expect(plan(database, [orders])).rejects.toThrow(
    `snoflax_adoption: role ${name} owns the plan stored in this schema`,
  )
})

test('postgres: no default privileges let another role change the plan', async () => {
  const database = (await open('postgres')) as PostgresDatabase
  const { name, url } = await database.role()
  const defaults = (word: string) =>
    ['SCHEMAS', 'TABLES'].map((kind) => `ALTER DEFAULT PRIVILEGES ${word} ALL ON ${kind}`)
  for (const sql of defaults('GRANT')) {
    await database.query(`${sql} TO PUBLIC`)
    await database.query(`${sql} TO ${name} WITH GRANT OPTION`)
  }
  try {
    const adoption = await plan(database, [orders])
    await adoption.backfill()
    const change = onConnection(url, (client) =>
      client.query("UPDATE snoflax_adoption.state SET plan = '{}'"),
    )
    await expect(change).rejects.toMatchObject({ code: '42501' })
    await adoption.switchKeys()
  } finally {
    for (const sql of defaults('REVOKE')) await database.query(`${sql} FROM PUBLIC, ${name}`)
  }
})

describe.each(['postgres', 'sqlite'] as const)('%s', (kind) => {
  test('a finished adoption is not run again', async () => {
    const database = await open(kind)
    for (const createdAt of ['created_at', { from: new Date('2020-01-01'), to: new Date('2021-01-01') }]) {
      const tables = [{ ...orders, table: createdAt === 'created_at' ? 'orders' : 'customer', createdAt }]
      const adoption = await plan(database, tables)
      await adoption.backfill()
      await adoption.switchKeys()
      await adoption.finish()
      await expect(plan(database, tables)).rejects.toThrow(
        /\.id: the keys are already flax ids .* already been finished/,
      )
    }
  })

  test('a batch size of no rows is refused', async () => {
    const adoption = await plan(await open(kind), [orders])
    for (const batchSize of [0, -1, 0.5, Number.NaN]) {
      await expect(adoption.backfill({ batchSize })).rejects.toThrow(
        /^backfill: batchSize must be an integer/,
      )
    }
  })

  test('if more rows share a time than there are ids, the time drifts a little, or the backfill is refused', async () => {
    const database = await open(kind)
    await database.query(
      `INSERT INTO orders (id, customer_id, created_at) SELECT n, 1, '2021-05-05T00:00:00Z' FROM (WITH RECURSIVE s (n) AS (SELECT 10 UNION ALL SELECT n + 1 FROM s WHERE n < 5009) SELECT n FROM s) AS s`,
    )
    const table: TableOptions = {
      ...orders,
      storage: 'binary',
      generator: (clock) => flake.generator({ worker: 1, clock }),
    }
    const strict = await plan(database, [table], { maxDriftMs: 0 })
    await expect(strict.backfill()).rejects.toMatchObject({
      code: 'SEQUENCE_EXHAUSTED',
      message: expect.stringMatching(/orders\.id: flake: too many rows share the time 2021-05-05/),
    })
    const adoption = await plan(database, [table])
    await adoption.backfill()
    await adoption.switchKeys()
    const { faults, tables } = await adoption.verify()
    expect(faults).toEqual([])
    expect(tables[0]?.maxDriftMs).toBeGreaterThanOrEqual(1)
    expect(tables[0]?.maxDriftMs).toBeLessThanOrEqual(4)
  })

  test('late rows that share a time with earlier rows get other ids', async () => {
    const database = await open(kind)
    const insert = (first: number) =>
      database.query(
        `INSERT INTO orders (id, customer_id, created_at) SELECT n, 1, '2021-05-05T00:00:00Z' FROM (WITH RECURSIVE s (n) AS (SELECT ${first} UNION ALL SELECT n + 1 FROM s WHERE n < ${first + 29}) SELECT n FROM s) AS s`,
      )
    await insert(10)
    const table: TableOptions = {
      ...orders,
      storage: 'binary',
      generator: (clock) => flake.generator({ worker: 1, clock }),
    }
    const adoption = await plan(database, [table])
    await adoption.backfill()
    await insert(100)
    await adoption.backfill({ batchSize: 7 })
    await switchOver(adoption)
  })

  test('a new row without a time stops the switch, which then changes nothing', async () => {
    const database = await open(kind)
    const adoption = await plan(database, [orders])
    await adoption.backfill()
    const shape = await shapeOf(database)
    await database.query('INSERT INTO orders (id, customer_id) VALUES (99, 1)')
    for (const step of ['backfill', 'switchKeys'] as const) {
      await expect(adoption[step]()).rejects.toThrow(/orders\.id 99: the row has no time/)
    }
    expect(await shapeOf(database)).toEqual(shape)
    await database.query("UPDATE orders SET created_at = '2024-01-01T00:00:00Z' WHERE id = 99")
    await switchOver(adoption)
  })
})

test('postgres: the encoding of the database can be another one than UTF-8', async () => {
  const name = `${server.name}_latin1`
  await server.query(`CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'LATIN1' LOCALE 'C'`)
  const pool = poolTo(urlTo(server.url, { database: name }))
  try {
    await pool.query('CREATE TABLE orders (id integer PRIMARY KEY, created_at timestamptz NOT NULL)')
    await pool.query('INSERT INTO orders SELECT n, now() FROM generate_series(1, 9) AS n')
    await pool.query(
      'CREATE PUBLICATION copies FOR TABLE orders; ALTER TABLE orders REPLICA IDENTITY DEFAULT',
    )
    const adoption = await planAdoption(pool, { tables: [orders] })
    await adoption.backfill()
    expect((await adoption.verify()).faults).toEqual([])
  } finally {
    await pool.end()
    await server.query(`DROP DATABASE ${name} WITH (FORCE)`)
  }
})
