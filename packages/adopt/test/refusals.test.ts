import { keyTime, obstaclesOf, planAdoption, type TableOptions } from '@snoflax/adopt'
import { flake, flax, IdError, prefixed, sno } from '@snoflax/core'
import { onConnection, type PostgresDatabase, poolTo, postgres, sqlite } from '@snoflax/test'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type Opened, plan, shapeOf } from './moves.js'

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

const generator: TableOptions['generator'] = (clock) => flax.generator({ monotonic: true, clock })
const orders: TableOptions = { table: 'orders', createdAt: 'created_at', generator }

const prefixedSno =
  (prefix: string): TableOptions['generator'] =>
  (clock) =>
    prefixed(sno, prefix).generator({ partition: 900, clock })

interface Refusal {
  readonly name: string
  readonly databases?: readonly ('postgres' | 'sqlite')[]
  /** Statements that put it in the way. */
  readonly sql?: readonly string[]
  readonly tables?: readonly unknown[]
  readonly code?: string
  readonly message: RegExp
}

const POSTGRES = ['postgres'] as const
const SQLITE = ['sqlite'] as const

const trigger = (body: string): string[] => [
  `CREATE FUNCTION touch() RETURNS trigger LANGUAGE plpgsql AS $$ ${body} $$`,
  'CREATE TRIGGER touched BEFORE UPDATE ON line FOR EACH ROW EXECUTE FUNCTION touch()',
]

const REFUSALS: Refusal[] = [
  { name: 'no table', tables: [], message: /at least one table/ },
  {
    name: 'an unknown table',
    tables: [{ ...orders, table: 'order' }],
    message: /^order: no such table/,
  },
  {
    name: 'a table given twice',
    tables: [orders, orders],
    message: /orders: the table is listed twice/,
  },
  {
    name: 'an unknown column',
    tables: [{ ...orders, createdAt: 'made_at' }],
    message: /orders\.made_at: no such column/,
  },
  {
    name: 'no generator',
    tables: [{ ...orders, generator: undefined }],
    code: 'GENERATOR_REQUIRED',
    message: /orders: pass a generator: \(clock\) =>/,
  },
  {
    name: 'no createdAt',
    tables: [{ ...orders, createdAt: undefined }],
    message: /orders: createdAt must be a column name/,
  },
  {
    name: 'a generator with another clock',
    tables: [{ ...orders, generator: () => sno.generator({ partition: 1, clock: () => Date.UTC(2020, 0) }) }],
    message: /ignores the clock/,
  },
  {
    name: 'a generator whose ids do not ascend',
    tables: [{ ...orders, generator: (clock: () => number) => flax.generator({ clock }) }],
    message: /orders.*do not ascend; set monotonic: true/,
  },
  {
    name: 'generators of two tables that make the same ids',
    tables: ['orders', 'customer'].map((table) => ({
      ...orders,
      table,
      generator: (clock: () => number) => sno.generator({ partition: 900, clock }),
    })),
    message:
      /customer: sno: the generator would repeat the ids of (public\.)?orders for rows of the same time/,
  },
  {
    name: 'generators of two tables that make the same ids behind two prefixes',
    tables: [
      { ...orders, generator: prefixedSno('ord') },
      { ...orders, table: 'customer', generator: prefixedSno('cus') },
    ],
    message:
      /customer: sno: the generator would repeat the ids of (public\.)?orders for rows of the same time/,
  },
  {
    name: 'a storage that the family lacks',
    tables: [{ ...orders, storage: 'bigint' }],
    code: 'STORAGE_REFUSED',
    message: /orders: flax/,
  },
  {
    name: 'a span that runs back',
    tables: [{ ...orders, createdAt: { from: new Date(2), to: new Date(1) } }],
    message: /the earlier one first/,
  },
  {
    name: 'a span without an end',
    tables: [{ ...orders, createdAt: { from: new Date(1) } }],
    message: /from and to must be valid Dates/,
  },
  {
    name: 'a row without a time',
    sql: ['INSERT INTO orders (id, customer_id) VALUES (77, 1)'],
    code: 'INVALID_TIME',
    message: /orders\.id 77: the row has no time/,
  },
  {
    name: 'a time before the epoch',
    sql: ["INSERT INTO orders (id, customer_id, created_at) VALUES (78, 1, '1999-01-01T00:00:00Z')"],
    code: 'TIME_OUT_OF_RANGE',
    message: /orders\.id 78: flax: the row's time 1999-01-01T00:00:00\.000Z is outside 2015/,
  },
  {
    name: 'an infinite time',
    databases: POSTGRES,
    sql: ["INSERT INTO orders (id, customer_id, created_at) VALUES (79, 1, 'infinity')"],
    code: 'INVALID_TIME',
    message: /orders\.id 79/,
  },
  {
    name: 'a number that is no time',
    databases: POSTGRES,
    sql: ["ALTER TABLE orders ADD COLUMN made numeric DEFAULT 'NaN'"],
    tables: [{ ...orders, createdAt: { column: 'made', unit: 's' } }],
    code: 'TIME_OUT_OF_RANGE',
    message: /orders\.id 1: flax: the row's time NaN ms/,
  },
  {
    name: 'a text that is no time',
    databases: SQLITE,
    sql: ["INSERT INTO orders (id, customer_id, created_at) VALUES (79, 1, 'last week')"],
    code: 'INVALID_TIME',
    message: /orders\.id 79/,
  },
  {
    name: 'a column that tells no time',
    databases: POSTGRES,
    tables: [{ ...orders, createdAt: 'note' }],
    message: /orders\.note: a column of type text contains no time/,
  },
  {
    name: 'numbers without a unit',
    tables: [{ ...orders, createdAt: 'customer_id' }],
    message: /orders\.customer_id.*needs a unit/,
  },
  {
    name: 'a related table by a column that is no foreign key',
    tables: [{ ...orders, createdAt: { column: 'created_at', through: 'note' } }],
    message: /through must be a foreign key/,
  },
  {
    name: 'keys that carry no time',
    tables: [{ ...orders, createdAt: { key: keyTime.ulid } }],
    code: 'INVALID_TIME',
    message: /"1" is not a ULID/,
  },
  {
    name: 'keys that do not sort by time',
    tables: [{ ...orders, createdAt: { key: (key: string) => Date.UTC(2030, 0) - Number(key) } }],
    message: /orders\.id: "2" sorts after a key of a later time/,
  },
  {
    name: 'orphans',
    databases: SQLITE,
    sql: ['PRAGMA foreign_keys = OFF', 'INSERT INTO line (order_id) VALUES (999)'],
    message: /line\.order_id: the value 999 references no row of orders/,
  },
  {
    name: 'orphans that a foreign key does not know of',
    databases: POSTGRES,
    sql: [
      'ALTER TABLE line DROP CONSTRAINT line_order_id_fkey',
      'INSERT INTO line (order_id) VALUES (999)',
      'ALTER TABLE line ADD CONSTRAINT line_order FOREIGN KEY (order_id) REFERENCES orders (id) NOT VALID',
    ],
    message: /line\.order_id: the value 999 references no row of public\.orders/,
  },
  {
    name: 'orphans of another foreign key',
    databases: SQLITE,
    sql: [
      'PRAGMA foreign_keys = OFF',
      'ALTER TABLE line ADD COLUMN x REFERENCES checked (id)',
      'INSERT INTO line VALUES (1, 1, 99)',
    ],
    message: /foreign_key_check: line: row 3 references no row of checked/,
  },
  {
    name: 'a row without a key',
    databases: SQLITE,
    sql: [
      'CREATE TABLE coded (id TEXT PRIMARY KEY, created_at TEXT)',
      'INSERT INTO coded VALUES (NULL, NULL)',
    ],
    tables: [{ ...orders, table: 'coded' }],
    message: /coded\.id: a row has NULL as its key/,
  },
  {
    name: 'a view that computes with keys',
    databases: POSTGRES,
    sql: ['CREATE VIEW recent AS SELECT order_id FROM line WHERE order_id > 1'],
    message:
      /^view public\.recent: it does not fit the new keys: operator does not exist: text > integer; drop it, and/,
  },
  ...[
    ...[
      'order_id > 1',
      '1 = order_id',
      'order_id BETWEEN 1 AND 2',
      'order_id % 2',
      "order_id = '1'",
      'line.order_id IN (1, 2)',
    ],
    ...[
      'order_id NOT IN (-1)',
      'CASE order_id WHEN 1 THEN 1 END',
      "order_id LIKE '1%'",
      '-1 < order_id',
      'rowid = n',
    ],
  ].map((condition) => ({
    name: `a view with ${condition}`,
    databases: SQLITE,
    sql: [
      'CREATE VIEW plain AS SELECT *, order_id AS o FROM line WHERE n > 1 AND order_id IS NOT NULL',
      `CREATE VIEW recent AS SELECT n FROM line WHERE ${condition}`,
    ],
    message: /^view recent: it computes with (order_id|rowid), which will be a new key/,
  })),
  {
    name: 'a view on a view that computes with keys',
    databases: SQLITE,
    sql: [
      'CREATE VIEW plain AS SELECT order_id, n FROM line WHERE order_id IN (SELECT id FROM orders)',
      'CREATE VIEW recent AS SELECT n FROM plain WHERE order_id = 2',
    ],
    message: /^view recent: it computes with order_id, which will be a new key/,
  },
  {
    name: 'a trigger of another table',
    databases: SQLITE,
    sql: [
      'CREATE TABLE note (n INTEGER)',
      'CREATE TRIGGER noted AFTER INSERT ON note BEGIN INSERT INTO note SELECT n FROM line WHERE order_id = 1; END',
    ],
    message: /^trigger noted: it computes with order_id, which will be a new key/,
  },
  {
    name: 'a function over a view',
    databases: POSTGRES,
    sql: [
      'CREATE VIEW recent AS SELECT order_id FROM line',
      "CREATE FUNCTION recent() RETURNS SETOF recent LANGUAGE sql AS 'SELECT * FROM recent'",
    ],
    message:
      /line\.order_id: function public\.recent\(\) depends on public\.recent, which the switch creates again/,
  },
  {
    name: 'a sequence of identity that another table uses',
    databases: POSTGRES,
    sql: [
      'CREATE TABLE counted (id integer GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, created_at timestamptz)',
      "CREATE TABLE other (n integer DEFAULT nextval('counted_id_seq'))",
    ],
    tables: [{ ...orders, table: 'counted' }],
    message: /counted\.id: default value for column n of table public\.other depends on its identity/,
  },
  {
    name: 'a table that inherits',
    databases: POSTGRES,
    sql: ['CREATE TABLE special () INHERITS (line)'],
    message: /line: the table inherits from another or is inherited from \(public\.special\)/,
  },
  {
    name: 'a rule',
    databases: POSTGRES,
    sql: ['CREATE RULE quiet AS ON UPDATE TO line DO INSTEAD NOTHING'],
    message: /line: rule quiet would fire for every row/,
  },
  {
    name: 'a policy',
    databases: POSTGRES,
    sql: ['CREATE POLICY own ON orders USING (id > 0)'],
    message: /^policy own on table public\.orders: it does not fit the new keys: operator does not exist/,
  },
  {
    name: 'a check',
    sql: [],
    databases: POSTGRES,
    tables: [orders, { ...orders, table: 'checked' }],
    message: /^constraint small on table public\.checked: it does not fit the new keys/,
  },
  {
    name: 'a check',
    databases: SQLITE,
    tables: [orders, { ...orders, table: 'checked' }],
    message: /checked\.id: CONSTRAINT small CHECK \(id < 100\) uses it/,
  },
  {
    name: 'a trigger that mentions a key',
    databases: POSTGRES,
    sql: trigger('BEGIN RAISE NOTICE $x$%$x$, NEW.order_id; RETURN NEW; END'),
    message: /line: trigger touched mentions order_id, which will be a new key; review it, and list it/,
  },
  {
    name: 'a trigger that keeps whole rows',
    databases: POSTGRES,
    sql: trigger('BEGIN PERFORM to_jsonb(NEW); RETURN NEW; END'),
    message: /line: trigger touched uses the whole row/,
  },
  {
    name: 'a trigger that makes SQL',
    databases: POSTGRES,
    sql: trigger("BEGIN EXECUTE 'SELECT 1'; RETURN NEW; END"),
    message: /line: trigger touched runs dynamic SQL/,
  },
  {
    name: 'a trigger that cannot be silenced',
    databases: POSTGRES,
    sql: [...trigger('BEGIN RETURN NEW; END'), 'ALTER TABLE line ENABLE ALWAYS TRIGGER touched'],
    message: /line: trigger touched would fire for every row that the backfill updates; disable it/,
  },
  {
    name: 'a trigger',
    databases: SQLITE,
    sql: ['CREATE TRIGGER touched AFTER UPDATE ON line BEGIN SELECT NEW.order_id; END'],
    message: /line: trigger touched mentions order_id, which will be a new key; review it/,
  },
  {
    name: 'a trigger that copies rows',
    databases: SQLITE,
    sql: ['CREATE TRIGGER touched AFTER UPDATE ON line BEGIN INSERT INTO line SELECT * FROM line; END'],
    message: /line: trigger touched uses whole rows/,
  },
  {
    name: 'an index over an expression',
    sql: ['CREATE INDEX odd ON line ((order_id % 2))'],
    message:
      /line, index odd: (the index uses order_id in an expression|it does not fit the new keys: operator does not)/,
  },
  {
    name: 'an index with a predicate',
    sql: ['CREATE INDEX few ON line (n) WHERE order_id > 2'],
    message: /line, index few: (the index uses order_id|it does not fit the new keys: operator does not)/,
  },
  {
    name: 'a generated column',
    databases: POSTGRES,
    sql: ['ALTER TABLE line ADD COLUMN twice integer GENERATED ALWAYS AS (order_id * 2) STORED'],
    message: /line\.order_id: .*twice.* depends/,
  },
  {
    name: 'a generated column',
    databases: SQLITE,
    sql: ['ALTER TABLE line ADD COLUMN twice INTEGER AS (order_id * 2)'],
    message: /line\.order_id: .*uses it/,
  },
  {
    name: 'a default of a foreign key',
    databases: POSTGRES,
    sql: ['ALTER TABLE line ALTER COLUMN order_id SET DEFAULT 1'],
    message: /line\.order_id: the column has a default/,
  },
  {
    name: 'a domain without null',
    databases: POSTGRES,
    sql: [
      'CREATE DOMAIN number AS integer NOT NULL',
      'CREATE TABLE numbered (id number PRIMARY KEY, created_at timestamptz)',
    ],
    tables: [{ ...orders, table: 'numbered' }],
    message: /numbered\.id: its domain public\.number takes no null/,
  },
  {
    name: 'a default that the server does not take',
    databases: POSTGRES,
    tables: [{ ...orders, default: 'nonsense()' }],
    message: /orders: PostgreSQL refuses the default nonsense\(\): function nonsense\(\) does not exist/,
  },
  {
    name: 'a name that is taken',
    sql: ['ALTER TABLE line ADD COLUMN legacy_order_id integer'],
    message: /line\.order_id: the table already has a column legacy_order_id/,
  },
  {
    name: 'a column of the backfill',
    databases: POSTGRES,
    sql: ['ALTER TABLE line ADD COLUMN snoflax_new_order_id integer'],
    message: /line: the adoption needs the name of a column snoflax_new_order_id; rename or drop it/,
  },
  {
    name: 'an index of the backfill',
    databases: POSTGRES,
    sql: ['CREATE INDEX snoflax_new_1 ON orders (created_at)'],
    message: /public: the adoption needs the name of a relation snoflax_new_1/,
  },
  {
    name: 'a table and an index of the switch',
    databases: SQLITE,
    sql: ['CREATE TABLE Snoflax_new_orders (x)', 'CREATE INDEX snoflax_legacy_1 ON Snoflax_new_orders (x)'],
    message:
      /Snoflax_new_orders: the adoption needs this name; rename or drop the existing object[\s\S]*snoflax_legacy_1: /,
  },
  {
    name: 'a table of a type',
    databases: POSTGRES,
    sql: [
      'CREATE TYPE line_type AS (order_id integer)',
      'DROP TABLE line CASCADE',
      'CREATE TABLE line OF line_type',
      'ALTER TABLE line ADD FOREIGN KEY (order_id) REFERENCES orders',
    ],
    message:
      /line: the table is made of type public\.line_type, and takes no new columns; ALTER TABLE … NOT OF first/,
  },
  {
    name: 'rows that are values',
    databases: POSTGRES,
    sql: ['CREATE DOMAIN row_of AS orders', 'CREATE TABLE history (was row_of, others orders[])'],
    message:
      /orders: column others of public\.history contains rows of it, which would lose their keys[\s\S]*column was of/,
  },
  {
    name: 'a domain over rows that asks for keys',
    databases: POSTGRES,
    sql: ['CREATE DOMAIN row_of AS orders CHECK ((VALUE).id > 0)'],
    message: /orders\.id: constraint row_of_check depends on it and would keep the old values; drop it/,
  },
  {
    name: 'a publication that refuses updates',
    databases: POSTGRES,
    sql: [
      'ALTER TABLE line DROP CONSTRAINT IF EXISTS line_pkey',
      'CREATE PUBLICATION news FOR TABLE orders',
      'ALTER TABLE orders REPLICA IDENTITY NOTHING',
    ],
    message: /orders: publication news publishes updates of the table, which has no replica identity/,
  },
  {
    name: 'a partitioned table',
    databases: POSTGRES,
    sql: ['CREATE TABLE parted (id integer PRIMARY KEY, created_at timestamptz) PARTITION BY RANGE (id)'],
    tables: [{ ...orders, table: 'parted' }],
    message: /parted: the key of a partitioned table cannot be replaced/,
  },
  {
    name: 'a key of several columns',
    sql: ['CREATE TABLE pair (a integer, b integer, PRIMARY KEY (a, b))'],
    tables: [{ ...orders, table: 'pair' }],
    message: /pair: the primary key is composite \(a, b\)/,
  },
  {
    name: 'no key',
    sql: ['CREATE TABLE heap (a integer)'],
    tables: [{ ...orders, table: 'heap' }],
    message: /heap: the table has no primary key/,
  },
  {
    name: 'a column with two targets',
    sql: ['CREATE TABLE both_ways (x integer REFERENCES orders (id) REFERENCES customer (id))'],
    tables: [orders, { ...orders, table: 'customer' }],
    message: /both_ways\.x: the column is a foreign key to .*(orders|customer)\.id and to/,
  },
  {
    name: 'a full-text table',
    databases: SQLITE,
    sql: ["CREATE VIRTUAL TABLE words USING fts5(note, content='orders', content_rowid='id')"],
    message: /orders: the virtual table words uses it/,
  },
  {
    name: 'a default',
    databases: SQLITE,
    tables: [{ ...orders, default: 'x()' }],
    message: /default is not supported for SQLite/,
  },
  {
    name: 'a time zone',
    databases: SQLITE,
    tables: [{ ...orders, createdAt: { column: 'created_at', timeZone: 'Europe/Paris' } }],
    message: /timeZone is not supported for SQLite/,
  },
  {
    name: 'a collation of the key',
    databases: SQLITE,
    sql: ['CREATE TABLE coded (id TEXT COLLATE NOCASE PRIMARY KEY, created_at TEXT)'],
    tables: [{ ...orders, table: 'coded' }],
    message: /coded\.id: the column is defined as/,
  },
]

const TIME = { postgres: 'timestamptz', sqlite: 'TEXT' } as const

async function open(kind: 'postgres' | 'sqlite'): Promise<Opened> {
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

const CASES = REFUSALS.flatMap((refusal) =>
  (refusal.databases ?? (['postgres', 'sqlite'] as const)).map((kind) => ({ kind, ...refusal })),
)

describe('refused before anything changes', () => {
  test.each(CASES)(
    '$kind: $name',
    async ({ kind, sql = [], tables = [orders], code = 'INVALID_OPTION', message }) => {
      const database = await open(kind)
      for (const statement of sql) await database.query(statement)
      const shape = await shapeOf(database)
      const error = await plan(database, tables as TableOptions[]).then(
        () => undefined,
        (reason: unknown) => reason,
      )
      expect(error).toBeInstanceOf(IdError)
      expect((error as IdError).message).toMatch(message)
      expect((error as IdError).code).toBe(code)
      expect(await shapeOf(database)).toEqual(shape)
    },
  )

  test.each(['postgres', 'sqlite'] as const)(
    '%s: without any obstacle, the same tables are adopted',
    async (kind) => {
      const database = await open(kind)
      const adoption = await plan(database, [orders])
      await adoption.backfill()
      await adoption.switchKeys()
      expect((await adoption.verify()).faults).toEqual([])
    },
  )
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
    ...(kind === 'sqlite'
      ? [/line, index odd: the index uses order_id/, /checked\.id: CONSTRAINT small/]
      : []),
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
    await adoption.switchKeys()
    expect((await adoption.verify()).faults).toEqual([])
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
    await adoption.switchKeys()
    expect((await adoption.verify()).faults).toEqual([])
  })
})
