import { keyTime, planAdoption, type TableOptions } from '@snoflax/adopt'
import { flax, prefixed, sno, storageFor, uuid7 } from '@snoflax/core'
import { mysql, pglite, postgres, type SqliteDatabase, sqlite } from '@snoflax/test'
import Database from 'better-sqlite3'
import { afterEach, expect, test } from 'vitest'
import { carryOut, finished, flaxes, type Opened, plan, shapeOf, switchOver } from './moves.js'

let database: Opened
afterEach(() => database.close())

const START_MS = Date.UTC(2026, 0, 1)

async function open(opening: Promise<Opened>, statements: readonly string[]): Promise<void> {
  database = await opening
  for (const statement of statements) await database.query(statement)
}

async function move(tables: readonly TableOptions[], ignore: readonly string[] = []): Promise<void> {
  const adoption = await plan(database, tables, { ignore })
  await carryOut(adoption)
  await finished(database, adoption)
}

test('postgres: names that need quotes, other schemas, composite foreign keys, deferred constraints and odd indexes are kept', async () => {
  await open(postgres.open(), [
    'CREATE SCHEMA "My Shop"',
    `CREATE TABLE "My Shop"."Order, (big)" ("Id" bigserial PRIMARY KEY, "tenant" int NOT NULL, "Parent Id" bigint,
       "At" timestamp(3) NOT NULL, UNIQUE (tenant, "Id") DEFERRABLE INITIALLY DEFERRED)`,
    'ALTER TABLE "My Shop"."Order, (big)" ADD CONSTRAINT "par,ent" FOREIGN KEY ("Parent Id") REFERENCES "My Shop"."Order, (big)" ("Id") ON DELETE SET NULL DEFERRABLE',
    `CREATE TABLE tag (order_id bigint REFERENCES "My Shop"."Order, (big)" ON UPDATE CASCADE, tag text, PRIMARY KEY (order_id, tag))`,
    'CREATE TABLE note (order_id bigint, tag text, body text, FOREIGN KEY (order_id, tag) REFERENCES tag ON DELETE CASCADE)',
    'CREATE TABLE profile (order_id bigint PRIMARY KEY REFERENCES "My Shop"."Order, (big)")',
    'CREATE TABLE "a ON b USING c (" (order_id bigint REFERENCES "My Shop"."Order, (big)", CONSTRAINT "d ON e USING f (" UNIQUE (order_id))',
    'CREATE INDEX odd ON "My Shop"."Order, (big)" (lower(\'a,(\' || "tenant"), "Parent Id" DESC NULLS LAST, "At") INCLUDE ("Id", tenant) WITH (fillfactor = 70) WHERE tenant > 0',
    `INSERT INTO "My Shop"."Order, (big)" (tenant, "Parent Id", "At") SELECT n % 3 + 1, nullif(n - 1, 0), '2021-03-04 05:06:07.891'::timestamp + n / 7 * interval '1 day' FROM generate_series(1, 40) AS n`,
    `INSERT INTO tag SELECT "Id", 't' || "Id" FROM "My Shop"."Order, (big)"`,
    `INSERT INTO note SELECT order_id, tag, 'body ' || order_id FROM tag`,
    'INSERT INTO profile SELECT "Id" FROM "My Shop"."Order, (big)" WHERE "Id" < 9',
  ])
  const definitions = `SELECT conname, pg_get_constraintdef(oid) AS definition FROM pg_constraint WHERE contype <> 'n' AND connamespace::regnamespace::text IN ('public', '"My Shop"')
    UNION ALL SELECT indexname, indexdef FROM pg_indexes WHERE schemaname IN ('public', 'My Shop') ORDER BY 1, 2`
  const bodies = `SELECT body, o."At"::text AS at, "Parent Id" IS NULL AS top FROM note JOIN tag USING (order_id, tag)
    JOIN "My Shop"."Order, (big)" AS o ON o."Id" = order_id LEFT JOIN profile USING (order_id) ORDER BY o."Id"`
  const before = [await database.query(definitions), await database.query(bodies)]
  await move([
    {
      table: '"My Shop"."Order, (big)"',
      createdAt: { column: 'At', timeZone: 'Europe/Paris' },
      generator: flaxes,
    },
  ])
  expect([await database.query(definitions), await database.query(bodies)]).toEqual(before)
  const [first] = await database.query(
    'SELECT "Id" AS id FROM "My Shop"."Order, (big)" ORDER BY "Id" LIMIT 1',
  )
  const id = flax.parse(first?.['id'])
  expect(flax.time(id).toISOString()).toBe('2021-03-04T04:06:07.891Z')
})

const KINDS = { sqlite, postgres, mariadb: mysql }

test.each([
  ['sqlite', undefined],
  ['sqlite', 'binary'],
  ['postgres', undefined],
  ['postgres', 'uuid'],
  ...(mysql.selected()
    ? ([
        ['mariadb', undefined],
        ['mariadb', 'binary'],
      ] as const)
    : []),
] as const)('%s: only text has the prefix of ids, not %s', async (kind, storage) => {
  await open(KINDS[kind].open(), [
    'CREATE TABLE orders (id BIGINT PRIMARY KEY, at BIGINT NOT NULL)',
    `INSERT INTO orders (id, at) VALUES (1, ${START_MS}), (2, ${START_MS + 5000}), (3, ${START_MS + 5000})`,
    'CREATE TABLE line (order_id BIGINT REFERENCES orders (id))',
    'INSERT INTO line VALUES (2)',
  ])
  const orderId = prefixed(sno, 'ord')
  const createdAt = { column: 'at', unit: 'ms' } as const
  await move([
    {
      table: 'orders',
      createdAt,
      storage,
      generator: (clock) => orderId.generator({ partition: 9, clock }),
    },
  ])
  const { fromDatabase } = storageFor(orderId, kind, { storage })
  const rows = await database.query(
    'SELECT orders.id, order_id FROM orders LEFT JOIN line ON order_id = orders.id ORDER BY at, orders.id',
  )
  expect(rows.map(({ id }) => orderId.timeMs(fromDatabase(id)))).toEqual([
    START_MS,
    START_MS + 5000,
    START_MS + 5000,
  ])
  expect(rows.map(({ id }) => orderId.is(id))).toEqual(rows.map(() => storage === undefined))
  expect(rows.map(({ order_id }) => order_id !== null)).toEqual([false, true, false])
})

test.each(['sqlite', 'postgres', ...(mysql.selected() ? (['mariadb'] as const) : [])] as const)(
  '%s: many rows over a long span',
  async (kind) => {
    const rows = 33_000
    await open(KINDS[kind].open(), [
      'CREATE TABLE orders (id BIGINT PRIMARY KEY)',
      `INSERT INTO orders VALUES ${Array.from({ length: rows }, (_, i) => `(${i})`).join(', ')}`,
    ])
    const createdAt = { from: new Date(0), to: new Date(uuid7.lastMs) }
    const generator: TableOptions['generator'] = (clock) => uuid7.generator({ clock })
    const adoption = await plan(database, [{ table: 'orders', createdAt, generator, storage: 'text' }])
    await adoption.backfill({ batchSize: rows })
    await switchOver(adoption)
    const [ends] = await database.query('SELECT min(id) AS first, max(id) AS last FROM orders')
    expect([ends?.['first'], ends?.['last']].map((id) => uuid7.timeMs(uuid7.parse(id)))).toEqual([
      0,
      uuid7.lastMs,
    ])
  },
)

test.each(['sqlite', 'postgres', ...(mysql.selected() ? (['mariadb'] as const) : [])] as const)(
  '%s: names with quotes, capitals, blanks and backslashes',
  async (kind) => {
    const quote = (name: string): string =>
      kind === 'mariadb' ? `\`${name.replaceAll('`', '``')}\`` : `"${name.replaceAll('"', '""')}"`
    const [orders, id, at, line, of] = ['Or\\der "s\' \\', 'I"d\\', "At '$1", 'Li`ne\\', "of 'O`\\"] as const
    await open(KINDS[kind].open(), [
      `CREATE TABLE ${quote(orders)} (${quote(id)} BIGINT PRIMARY KEY, ${quote(at)} BIGINT NOT NULL)`,
      `INSERT INTO ${quote(orders)} VALUES (1, ${START_MS}), (2, ${START_MS + 5000})`,
      `CREATE TABLE ${quote(line)} (${quote(of)} BIGINT REFERENCES ${quote(orders)} (${quote(id)}))`,
      `INSERT INTO ${quote(line)} VALUES (2)`,
    ])
    const table = kind === 'postgres' ? quote(orders) : orders
    const tables: TableOptions[] = [{ table, createdAt: { column: at, unit: 'ms' }, generator: flaxes }]
    if (kind === 'mariadb') {
      const trigger = `CREATE TRIGGER kept AFTER INSERT ON ${quote(orders)} FOR EACH ROW SET @n = 1`
      await database.query(trigger)
      await expect(plan(database, tables)).rejects.toThrow('trigger kept would stay with the old table')
      await database.query('DROP TRIGGER kept')
    }
    await move(tables)
    const rows = await database.query(
      `SELECT o.${quote(id)} AS id, ${quote(of)} AS ref FROM ${quote(orders)} AS o
         LEFT JOIN ${quote(line)} ON ${quote(of)} = o.${quote(id)} ORDER BY ${quote(at)}`,
    )
    expect(rows.map((row) => flax.timeMs(flax.parse(row['id'])))).toEqual([START_MS, START_MS + 5000])
    expect(rows.map(({ ref }) => ref)).toEqual([null, rows[1]?.['id']])
  },
)

test('sqlite: names, comments, table options and triggers are kept as written', async () => {
  await open(sqlite.open(), [
    `CREATE TABLE [Order (big)] ( -- the orders, (all of them)
       "Id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT /* never, ever reused */,
       made_s INT NOT NULL, parent INTEGER DEFAULT NULL REFERENCES "order (BIG)" ON DELETE CASCADE,
       price DECIMAL(10, 2) CHECK (price > 0), twice AS (price * 2), note TEXT DEFAULT 'a, (b' -- the last
     ) STRICT`
      .replace('DECIMAL(10, 2)', 'REAL')
      .replace('twice AS', 'twice REAL AS'),
    'CREATE TABLE tag (ORDER_ID INTEGER NOT NULL, tag TEXT, PRIMARY KEY (order_id, tag), FOREIGN KEY (order_id) REFERENCES "Order (big)" ("Id")) WITHOUT ROWID',
    'CREATE TABLE note (body, order_id, tag, FOREIGN KEY (order_id, tag) REFERENCES tag)',
    'CREATE TABLE log (line)',
    `CREATE TRIGGER logged AFTER INSERT ON tag BEGIN INSERT INTO log VALUES (NEW.tag || ', ' || typeof(NEW.order_id)); END`,
    'CREATE UNIQUE INDEX one_note ON note (order_id DESC, tag) WHERE body IS NOT NULL',
    'CREATE VIEW everything AS SELECT o.note, t.tag, n.body FROM [Order (big)] AS o JOIN tag AS t ON t.order_id = o.Id JOIN note AS n USING (order_id, tag)',
    `INSERT INTO [Order (big)] ("Id", made_s, parent, price, note) VALUES (1, 1700000000, NULL, 5, 'one'), (2, 1700000000, 1, 6, 'two'), (30, 1600000000, 2, 7, 'three')`,
    "INSERT INTO tag VALUES (1, 'a'), (2, 'b'), (30, 'c')",
    "INSERT INTO note VALUES ('n1', 1, 'a'), ('n2', 2, 'b'), (NULL, 30, 'c')",
    'PRAGMA foreign_keys = ON',
  ])
  const rows = 'SELECT * FROM everything ORDER BY 1, 2, 3'
  const before = [await shapeOf(database), await database.query(rows)]
  await move(
    [{ table: 'order (big)', createdAt: { column: 'made_s', unit: 's' }, generator: flaxes }],
    ['trigger logged'],
  )
  expect([await shapeOf(database), await database.query(rows)]).toEqual(before)
  const orders = await database.query('SELECT "Id" AS id, note, twice FROM [Order (big)] ORDER BY "Id"')
  expect(orders.map(({ note, twice }) => [note, twice])).toEqual([
    ['three', 14],
    ['one', 10],
    ['two', 12],
  ])
  expect(flax.time(flax.parse(orders[1]?.['id'])).getTime()).toBe(1_700_000_000_000)
  expect(await database.query('PRAGMA foreign_keys')).toEqual([{ foreign_keys: 1 }])
  expect(await database.query('PRAGMA legacy_alter_table')).toEqual([{ legacy_alter_table: 0 }])
  await database.query("INSERT INTO tag SELECT Id, 'late' FROM [Order (big)] LIMIT 1")
  expect(await database.query("SELECT line FROM log WHERE line LIKE 'late%'")).toEqual([
    { line: 'late, text' },
  ])
  await expect(database.query("INSERT INTO tag VALUES ('nowhere', 'x')")).rejects.toThrow(/FOREIGN KEY/)
})

test('postgres: literals that read like names, dropped child tables and deferred triggers are no obstacle', async () => {
  await open(postgres.open(), [
    'CREATE TABLE orders (id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY, created_at timestamptz DEFAULT now(), data jsonb)',
    "CREATE INDEX by_outer_id ON orders ((data ->> 'id'))",
    'CREATE TABLE child () INHERITS (orders)',
    'DROP TABLE child',
    'CREATE FUNCTION pass() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$',
    'CREATE CONSTRAINT TRIGGER late AFTER INSERT OR UPDATE ON orders DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION pass()',
    'INSERT INTO orders DEFAULT VALUES',
  ])
  const before = await shapeOf(database)
  const adoption = await plan(database, [{ table: 'orders', createdAt: 'created_at', generator: flaxes }], {
    ignore: ['trigger late on table public.orders'],
  })
  await adoption.backfill()
  await database.query('INSERT INTO orders DEFAULT VALUES')
  await switchOver(adoption)
  await adoption.finish()
  expect(await shapeOf(database)).toEqual(before)
})

test('sqlite: literals that read like names, and foreign keys to missing tables are no obstacle', async () => {
  await open(sqlite.open(), [
    `CREATE TABLE orders (id INTEGER PRIMARY KEY, at TEXT NOT NULL, data TEXT CHECK (json_extract(data, '$.id') > 0))`,
    "CREATE INDEX by_outer_id ON orders (json_extract(data, '$.id'))",
    'CREATE TABLE keyless (x)',
    'CREATE TABLE stray (a REFERENCES gone (id), b REFERENCES orders (no_column), c REFERENCES keyless)',
    "CREATE TABLE line (order_id INTEGER REFERENCES orders, how TEXT DEFAULT 'autoincrement')",
    `INSERT INTO orders VALUES (1, '2021-01-01', '{"id": 7}')`,
  ])
  await move([{ table: 'orders', createdAt: 'at', generator: flaxes }], ['column orders.data'])
})

test('sqlite: a connection that returns bigints loses no rows', async () => {
  await open(sqlite.open(), [
    'CREATE TABLE orders (id INTEGER PRIMARY KEY, at TEXT NOT NULL)',
    'CREATE TABLE line (order_id INTEGER REFERENCES orders, n INTEGER)',
    "INSERT INTO orders VALUES (9007199254740993, '2021-01-01')",
    'INSERT INTO line VALUES (9007199254740993, 5), (NULL, 6)',
  ])
  const { connection } = database as SqliteDatabase
  connection.defaultSafeIntegers(true)
  await move([{ table: 'orders', createdAt: 'at', generator: flaxes }])
  connection.defaultSafeIntegers(false)
  expect(await database.query('SELECT n, order_id IS NULL AS "none" FROM line ORDER BY n')).toEqual([
    { n: 5, none: 0 },
    { n: 6, none: 1 },
  ])
})

test('sqlite: a second backfill at the same time is refused or waits, and both end', async () => {
  await open(sqlite.open(), [
    'CREATE TABLE orders (id INTEGER PRIMARY KEY, at TEXT NOT NULL)',
    "INSERT INTO orders SELECT n, '2021-01-01' FROM (WITH RECURSIVE s (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < 50) SELECT n FROM s)",
  ])
  const { file } = database as SqliteDatabase
  const connection = new Database(file)
  const tables = [{ table: 'orders', createdAt: 'at', generator: flaxes }]
  const [one, two] = [await plan(database, tables), await planAdoption(connection, { tables })]
  const seconds: Promise<void>[] = []
  const onProgress = () => seconds.push(two.backfill({ batchSize: 7 }))
  await expect(one.backfill({ batchSize: 5, onProgress })).rejects.toThrow(
    /adoption: another session is running this adoption/,
  )
  await Promise.all(seconds)
  connection.close()
  await switchOver(one)
})

test('pglite: a table with rows is adopted as bytes, and an empty table too', async () => {
  await open(pglite.open(), [
    'CREATE TABLE orders (id serial PRIMARY KEY, parent integer REFERENCES orders, day date NOT NULL)',
    'CREATE TABLE empty (id uuid PRIMARY KEY, at timestamptz)',
    "INSERT INTO orders (parent, day) SELECT nullif(n / 2, 0), date '2022-02-02' - n / 3 FROM generate_series(1, 1500) AS n",
  ])
  const before = await database.query('SELECT id, parent FROM orders ORDER BY day, id')
  const adoption = await plan(database, [
    { table: 'orders', createdAt: 'day', storage: 'binary', generator: flaxes },
    { table: 'empty', createdAt: 'at', generator: flaxes },
  ])
  await carryOut(adoption)
  const after = 'SELECT legacy_id AS id, legacy_parent AS parent FROM orders ORDER BY orders.id'
  expect(await database.query(after)).toEqual(before)
  await adoption.finish()
  await database.query("INSERT INTO empty (id, at) VALUES ('4b706361-6e30-4d31-4661-6b4f4454346b', now())")
})

test('sqlite: an empty table is adopted, and one with a table constraint as primary key', async () => {
  await open(sqlite.open(), ['CREATE TABLE orders (id INTEGER, at TEXT, CONSTRAINT pk PRIMARY KEY (id))'])
  await move([{ table: 'orders', createdAt: 'at', generator: flaxes }])
  await expect(database.query("INSERT INTO orders VALUES (NULL, '2021-01-01')")).rejects.toThrow(/NOT NULL/)
})

test('postgres: UUIDv4 keys become UUIDv7 of created_at, with the statistics that ranges of time need', async () => {
  await open(postgres.open(), [
    'CREATE TABLE customers (id uuid PRIMARY KEY, day int, at timestamptz NOT NULL)',
    'CREATE TABLE orders (number int PRIMARY KEY, customer_id uuid NOT NULL REFERENCES customers)',
    "INSERT INTO customers SELECT gen_random_uuid(), n, '2024-01-01Z'::timestamptz + n * interval '1 day' FROM generate_series(50, 1, -1) AS n",
    'INSERT INTO orders SELECT day, id FROM customers',
  ])
  await move([{ table: 'customers', createdAt: 'at', generator: (clock) => uuid7.generator({ clock }) }])
  const rows = await database.query(
    'SELECT c.id, number FROM customers AS c JOIN orders ON customer_id = c.id AND number = day ORDER BY c.id',
  )
  expect(rows.map(({ number }) => number)).toEqual(Array.from({ length: 50 }, (_, n) => n + 1))
  for (const { id, number } of rows)
    expect(uuid7.timeMs(uuid7.parse(id))).toBe(Date.UTC(2024, 0, 1 + Number(number)))
  const targets = await database.query(
    `SELECT (to_jsonb(a) ->> 'attstattarget')::integer = 10000 AS raised FROM pg_attribute AS a
      WHERE (attrelid, attname) IN (('customers'::regclass, 'id'), ('orders'::regclass, 'customer_id')) ORDER BY attname DESC`,
  )
  expect(targets.map(({ raised }) => raised === true)).toEqual([true, false])
})

// The examples of RFC 9562, of the ULID and KSUID specifications, of cuid's and of MongoDB's manual.
test.each([
  ['uuid7', '017F22E2-79B0-7CC3-98C4-DC0C0C07398F', '2022-02-22T19:22:22.000Z'],
  ['ulid', '01ARZ3NDEKTSV4RRFFQ69G5FAV', '2016-07-30T23:54:10.259Z'],
  ['ksuid', '0ujtsYcgvSTl8PAuAdqWYSMnLOv', '2017-10-10T04:00:47.000Z'],
  ['cuid', 'ch72gsb320000udocl363eofy', '2012-09-13T23:03:12.926Z'],
  ['objectId', '507f191e810c19729de860ea', '2012-10-17T20:46:22.000Z'],
] as const)('keyTime reads the time of a %s', (kind, key, iso) => {
  expect(new Date(keyTime[kind](key)).toISOString()).toBe(iso)
  expect(() => keyTime[kind](`${key}0`)).toThrow(/so it contains no time/)
})

test('sqlite: old keys are looked up by an index', async () => {
  await open(sqlite.open(), [
    'CREATE TABLE orders (id INTEGER PRIMARY KEY, at TEXT NOT NULL)',
    'CREATE TABLE line (order_id INTEGER REFERENCES orders (id))',
  ])
  await (await plan(database, [{ table: 'orders', createdAt: 'at', generator: flaxes }])).backfill()
  const rows = await database.query(
    'EXPLAIN QUERY PLAN SELECT m.id FROM line AS t LEFT JOIN snoflax_adoption_map_1 AS m ON m.key = t.order_id',
  )
  expect(rows.map(({ detail }) => detail).join('\n')).toMatch(/SEARCH m USING INDEX sqlite_autoindex/)
})

test('postgres: the plan warns of publications of the tables', async () => {
  await open(postgres.open(), [
    'CREATE TABLE orders (id serial PRIMARY KEY, at timestamptz)',
    'CREATE TABLE line (order_id int REFERENCES orders, at timestamptz PRIMARY KEY) PARTITION BY RANGE (at)',
    'CREATE TABLE line_1 PARTITION OF line DEFAULT',
    'CREATE TABLE other (id serial PRIMARY KEY)',
    'CREATE PUBLICATION news FOR TABLE orders, line, other',
    "CREATE PUBLICATION emptied FOR TABLE orders WITH (publish = 'truncate')",
    'CREATE PUBLICATION "whole root" FOR TABLE line WITH (publish_via_partition_root)',
    'CREATE PUBLICATION unrelated FOR TABLE other',
  ])
  const { warnings } = await plan(database, [{ table: 'orders', createdAt: 'at', generator: flaxes }])
  expect(warnings).toEqual([
    expect.stringMatching(
      /^publication news publishes public\.line_1, public\.orders, and its subscribers stop/,
    ),
    expect.stringMatching(/^publication whole root publishes public\.line, and its subscribers stop/),
  ])
})

test('postgres: the plan warns of subscriptions that write to the tables', async () => {
  await open(postgres.open(), [
    'CREATE TABLE orders (id serial PRIMARY KEY, at timestamptz)',
    'CREATE TABLE line (order_id int REFERENCES orders, at timestamptz PRIMARY KEY) PARTITION BY RANGE (at)',
    'CREATE TABLE line_1 PARTITION OF line DEFAULT',
    'CREATE TABLE other (id serial PRIMARY KEY)',
    ...['news', 'unrelated'].map(
      (name) =>
        `CREATE SUBSCRIPTION ${name} CONNECTION 'dbname=none' PUBLICATION ${name} WITH (connect = false)`,
    ),
    // As if it had connected.
    `INSERT INTO pg_subscription_rel (srsubid, srrelid, srsubstate)
       SELECT oid, relation::regclass, 'r' FROM pg_subscription,
         unnest(CASE subname WHEN 'news' THEN '{orders,line_1,other}'::text[] ELSE '{other}' END) AS relation
        WHERE subdbid = (SELECT oid FROM pg_database WHERE datname = current_database())`,
  ])
  try {
    const { warnings } = await plan(database, [{ table: 'orders', createdAt: 'at', generator: flaxes }])
    expect(warnings).toEqual([
      expect.stringMatching(
        /^subscription news writes to public\.line_1, public\.orders and, after the switch, stops/,
      ),
    ])
  } finally {
    // A database with a subscription can't be dropped.
    for (const name of ['news', 'unrelated']) {
      await database.query(`ALTER SUBSCRIPTION ${name} SET (slot_name = NONE)`)
      await database.query(`DROP SUBSCRIPTION ${name}`)
    }
  }
})
