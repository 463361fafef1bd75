import { flake, flax, sno, storageFor, uidLocal } from '@snoflax/core'
import { install } from '@snoflax/pg-sql'
import { type PostgresDatabase, postgres } from '@snoflax/test'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { doctor, type Finding, told } from './reports.js'
import { cli } from './running.js'

const TEMPLATE = {
  name: 'installed_for_cli',
  prepare: async ({ pool }: PostgresDatabase) => {
    await install(pool)
  },
}

let database: PostgresDatabase
beforeEach(async () => {
  database = await postgres.open({
    template: TEMPLATE,
  })
})
afterEach(() => database.close())

const SCHEMA = `
  CREATE TABLE customer (id uuid PRIMARY KEY DEFAULT snoflax.flax_generate_uuid(), name text, email text);
  CREATE TABLE orders (id text COLLATE "C" PRIMARY KEY, customer_id uuid REFERENCES customer, note varchar(16));
  CREATE TABLE line (id bytea PRIMARY KEY, order_id text COLLATE "C" REFERENCES orders, number bigint);
  CREATE TABLE event (id bigint PRIMARY KEY, token uuid DEFAULT gen_random_uuid(), at timestamptz);`

const dayAgo = (n: number) => new Date(Date.now() - 86_400_000 + n * 1000)

/** A healthy database: four families in four storages, and columns that only look like ids. */
async function fill(): Promise<void> {
  await database.query(SCHEMA)
  const clock = () => Date.now() - 5000
  const local = uidLocal.generator({ clock: () => Math.floor(Date.now()) })
  for (let n = 0; n < 30; n++) {
    const customer = flax.generateAt(dayAgo(n))
    const order = sno.generateAt(dayAgo(n))
    const line = flax.generateAt(clock())
    await database.query('INSERT INTO customer VALUES ($1, $2)', [
      storageFor(flax, 'postgres').toDatabase(customer),
      `n${n}`,
    ])
    await database.query('INSERT INTO orders VALUES ($1, $2, $3)', [
      order,
      storageFor(flax, 'postgres').toDatabase(customer),
      `${n}`.padStart(16, 'x'),
    ])
    await database.query('INSERT INTO line VALUES ($1, $2, $3)', [flax.decode(line), order, n])
    await database.query('INSERT INTO event VALUES ($1)', [
      String(storageFor(uidLocal, 'postgres').toDatabase(local.generate())),
    ])
  }
}

test('a healthy database gives no finding, and each column of ids is found', async () => {
  await fill()
  const report = await doctor(database.url)
  expect(report.findings).toEqual([])
  expect(
    report.columns.map(({ place, family, storage, evidence }) => [place, family, storage, evidence]),
  ).toEqual([
    ['customer.id', 'flax', 'uuid', 'default'],
    ['event.id', 'uidLocal', 'bigint', 'values'],
    ['line.id', 'flax', 'binary', 'values'],
    ['line.order_id', 'sno', 'text', 'values'],
    ['orders.id', 'sno', 'text', 'values'],
    ['orders.customer_id', 'flax', 'uuid', 'values'],
  ])
})

/** What the cures say, run as they stand, in order. */
async function cure(findings: readonly Finding[]): Promise<void> {
  for (const { cure } of findings) await database.query(cure.sql as string)
}

/** The planted fault is all that is found, and its cure mends it. */
async function findsAndCures(expected: readonly string[], ...options: string[]): Promise<readonly Finding[]> {
  const report = await doctor(database.url, ...options)
  expect(told(report)).toEqual(expected)
  await cure(report.findings)
  expect((await doctor(database.url, ...options)).findings).toEqual([])
  return report.findings
}

/** The same, but for what follows from the faults on the server. */
const curesAll = (expected: readonly string[]) => findsAndCures(expected, '--skip', 'cross-check')

test('a collation by language', async () => {
  await fill()
  await database.query('ALTER TABLE orders ALTER COLUMN id TYPE text COLLATE "en-x-icu"')
  await findsAndCures(['collation orders.id'])
})

test("the database's own collation", async ({ skip }) => {
  // Before version 15 a database has a collation of the operating system, and that is C here.
  skip(database.version < 15)
  await fill()
  await database.query('CREATE TABLE plain (id text PRIMARY KEY)')
  for (let n = 0; n < 10; n++) await database.query('INSERT INTO plain VALUES ($1)', [flax.generate()])
  const [finding] = await findsAndCures(['collation plain.id'])
  expect(finding?.message).toContain('icu en')
})

test('collations by code are no finding', async () => {
  await database.query(`CREATE TABLE c (a text COLLATE "C", b text COLLATE "POSIX", c text COLLATE "ucs_basic",
    d snoflax.flax_text, e varchar(16) COLLATE "C", f char(16) COLLATE "C")`)
  for (let n = 0; n < 10; n++)
    await database.query('INSERT INTO c SELECT x, x, x, x, x, x FROM (SELECT $1::text AS x) AS given', [
      flax.generate(),
    ])
  const report = await doctor(database.url)
  expect(report.findings).toEqual([])
  expect(report.columns.map(({ place }) => place)).toEqual(['c.a', 'c.b', 'c.c', 'c.d', 'c.e', 'c.f'])
})

test('types that pad, are too short, or do not sort numbers', async () => {
  await database.query(`CREATE TABLE a (id char(20) COLLATE "C" PRIMARY KEY);
    CREATE TABLE b (id varchar(15) COLLATE "C" PRIMARY KEY);
    CREATE TABLE c (id text COLLATE "C" PRIMARY KEY);
    CREATE TABLE d (id numeric(20) PRIMARY KEY)`)
  const flakes = flake.generator({ worker: 1 })
  for (let n = 0; n < 10; n++) {
    await database.query('INSERT INTO a VALUES ($1)', [flax.generate()])
    await database.query('INSERT INTO c VALUES ($1)', [flakes.generate()])
    await database.query('INSERT INTO d VALUES ($1)', [flakes.generate()])
  }
  await findsAndCures(
    ['type a.id', 'type b.id', 'type c.id', 'type d.id'],
    ...['--column', 'a.id=flax', '--column', 'b.id=flax'],
  )
  expect(await database.query('SELECT id::text FROM d ORDER BY id LIMIT 1')).toEqual([
    { id: expect.stringMatching(flake.pattern) },
  ])
})

test('a column that is told to have another storage than its type can be', async () => {
  await database.query(
    'CREATE TABLE a (id text COLLATE "C" PRIMARY KEY DEFAULT snoflax.flax_generate_text())',
  )
  await database.query('INSERT INTO a SELECT FROM generate_series(1, 9)')
  const before = await database.query('SELECT snoflax.flax_decode(id) AS id FROM a ORDER BY 1')
  await findsAndCures(['type a.id'], '--column', 'a.id=flax:uuid8')
  expect(await database.query('SELECT snoflax.flax_from_uuid8(id) AS id FROM a ORDER BY 1')).toEqual(before)
  await database.query('INSERT INTO a SELECT FROM generate_series(1, 9)')
  expect((await doctor(database.url)).findings).toEqual([])
})

test('malformed values, and ids in the form of another storage', async () => {
  await fill()
  const kept = sno.generate()
  await database.query("INSERT INTO orders VALUES ('BRPK4Q72XWF2M63L'), ('nothing'), ($1)", [
    storageFor(sno, 'postgres').toDatabase(kept),
  ])
  await database.query("INSERT INTO line VALUES ('\\x00')")
  const findings = await findsAndCures(['malformed line.id', 'malformed orders.id'])
  expect(findings[1]?.message).toMatch(/^values that are no sno as storage text has it: 3; the first: /)
  expect(await database.query('SELECT id FROM orders WHERE id = $1', [kept])).toEqual([{ id: kept }])
})

test('what references a faulty value follows it', async () => {
  await fill()
  await database.query(
    "INSERT INTO orders VALUES ('nothing'); INSERT INTO line VALUES ('\\x00', 'nothing', 7)",
  )
  await database.query(
    "CREATE TABLE part (id bigint PRIMARY KEY, line bytea REFERENCES line); INSERT INTO part VALUES (1, '\\x00')",
  )
  await database.query(
    'SELECT snoflax.uid_set_node(7); CREATE TABLE host (id text COLLATE "C" PRIMARY KEY DEFAULT snoflax.uid_generate_text())',
  )
  await database.query(
    'INSERT INTO host VALUES (\'localhost\'); CREATE TABLE disk (n integer, host text COLLATE "C" REFERENCES host)',
  )
  await database.query("INSERT INTO disk VALUES (1, 'localhost'), (2, 'localhost')")
  await findsAndCures(['malformed host.id', 'malformed line.id', 'malformed orders.id'])
  const rows =
    await database.query(`SELECT n FROM part JOIN line ON line.id = part.line JOIN orders ON orders.id = order_id
    JOIN disk ON true JOIN host ON host.id = disk.host WHERE number = 7 ORDER BY n`)
  expect(rows).toEqual([{ n: 1 }, { n: 2 }])
})

test('ids from the future', async () => {
  await fill()
  const later = flax.generateAt(Date.now() + 3_600_000)
  await database.query('INSERT INTO line VALUES ($1)', [flax.decode(later)])
  const soon = flax.generateAt(Date.now() + 20_000)
  await database.query('INSERT INTO line VALUES ($1)', [flax.decode(soon)])
  const [finding] = await findsAndCures(['future line.id'])
  expect(finding?.message).toContain(`ids from the future: 1; the first, ${later}, is from 20`)
})

test('an id that is the key of two tables, in any storage, unless a foreign key says so', async () => {
  await fill()
  const [row] = await database.query('SELECT snoflax.flax_encode(id) AS id FROM customer LIMIT 1')
  await database.query('INSERT INTO line VALUES ($1)', [flax.decode(row?.['id'] as string)])
  await database.query(
    'CREATE TABLE profile (id uuid PRIMARY KEY REFERENCES customer); INSERT INTO profile SELECT id FROM customer',
  )
  for (const options of [[], ['--full']]) {
    expect(told(await doctor(database.url, ...options))).toEqual(['duplicate line.id'])
  }
  const [finding] = await findsAndCures(['duplicate line.id'])
  expect(finding?.message).toBe(
    `ids that are keys of customer.id too, and no foreign key says why: 1; the first: ${row?.['id']}`,
  )
})

test('more rows than are read at once', async () => {
  await database.query(`CREATE TABLE a (id uuid PRIMARY KEY DEFAULT snoflax.flax_generate_uuid());
    CREATE TABLE b (id bytea PRIMARY KEY);
    INSERT INTO a SELECT FROM generate_series(1, 12000); INSERT INTO b SELECT snoflax.flax_from_uuid(id) FROM a`)
  const report = await doctor(database.url, '--full')
  expect(report.columns.map(({ rowsRead }) => rowsRead)).toEqual([12_000, 12_000])
  expect(report.findings).toMatchObject([
    { check: 'duplicate', message: expect.stringContaining(': 12000; ') },
  ])
})

test('a default that makes ids inside another call, and codes that are no ids', async () => {
  await database.query(`CREATE TABLE a (
      id text COLLATE "C" PRIMARY KEY DEFAULT snoflax.flax_encode(snoflax.flax_generate()),
      card text, big_card text, hex text, upper text, micros bigint, tweet bigint, uuid uuid DEFAULT gen_random_uuid());
    INSERT INTO a (card, big_card, hex, upper, micros, tweet)
    SELECT 4111111111110000 + n, 6212345678901230000 + n, left(md5(n::text), 16), upper(left(md5(n::text), 16)),
      1790000000000000 + n, 1900000000000000000 + n FROM generate_series(1, 60) n`)
  const report = await doctor(database.url)
  expect(report).toMatchObject({
    findings: [],
    columns: [{ place: 'a.id', storage: 'text', evidence: 'default' }],
  })
  expect(report.columns).toHaveLength(1)
})

const HEALTHY = `CREATE TABLE a (id uuid PRIMARY KEY DEFAULT snoflax.flax_generate_uuid())`

test('functions that are missing or changed, by their body or their attributes', async () => {
  await database.query(HEALTHY)
  await database.query(`
    DROP FUNCTION snoflax.flax_partman_decode(text);
    CREATE OR REPLACE FUNCTION snoflax.flake_to_hex(id bytea) RETURNS text
      LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN encode(substring(id from 2), 'hex');
    CREATE OR REPLACE FUNCTION snoflax._larger(a bytea, b bytea) RETURNS bytea
      LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$ BEGIN RETURN greatest(b, a); END $$;
    CREATE OR REPLACE FUNCTION snoflax._flax_time_ms(bytes bytea) RETURNS bigint
      LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN 1420070400001 + snoflax._read40(bytes, 0);
    ALTER FUNCTION snoflax.sno_encode(bytea) VOLATILE;
    ALTER FUNCTION snoflax.uid_encode(text) CALLED ON NULL INPUT`)
  const findings = await curesAll([
    'drift function snoflax._larger(bytea, bytea)',
    'drift function snoflax._flax_time_ms(bytea)',
    'drift function snoflax.flax_partman_decode(text)',
    'drift function snoflax.sno_encode(bytea)',
    'drift function snoflax.flake_to_hex(bytea)',
    'drift function snoflax.uid_encode(text)',
  ])
  expect(findings.map(({ message }) => message.split(':')[0])).toEqual([
    'it differs in body',
    'it differs in body',
    'it is missing',
    'it differs in volatility',
    'it differs in body',
    'it differs in strictness',
  ])
})

test('types and sequences that are missing: the command that installs again brings them back', async () => {
  await database.query("SELECT snoflax.uid_set_node('here'); SELECT snoflax.uid_generate()")
  await database.query(
    'DROP DOMAIN snoflax.flax_text; DROP SEQUENCE snoflax.uid_state; DROP AGGREGATE snoflax.min(uuid)',
  )
  const { findings } = await doctor(database.url)
  expect(findings.map(({ check, where }) => `${check} ${where}`)).toEqual([
    'drift aggregate snoflax.min(uuid)',
    'drift domain snoflax.flax_text',
    'drift sequence snoflax.uid_state',
    'generator generator of uid',
  ])
  expect(new Set(findings.map(({ cure }) => cure.shell)).size).toBe(1)
  await database.query(await shellCure(findings[3]))
  await database.query('SELECT snoflax.uid_generate()')
  expect((await doctor(database.url)).findings).toEqual([])
})

test('a sequence that is another one than the generator has', async () => {
  await database.query('ALTER SEQUENCE snoflax.sno_state RENAME TO before; CREATE SEQUENCE snoflax.sno_state')
  const { findings } = await doctor(database.url)
  expect(findings).toMatchObject([{ check: 'generator', where: 'generator of sno' }])
  await database.query(await shellCure(findings[0]))
  expect((await doctor(database.url)).findings).toEqual([])
})

/** What the shell's line would give to psql. */
async function shellCure(finding: Finding | undefined): Promise<string> {
  const [, words] = /^npx snoflax (sql .*) \| psql /.exec(finding?.cure.shell as string) as unknown as [
    string,
    string,
  ]
  const { code, out } = await cli(words.split(' '))
  expect(code).toBe(0)
  return out
}

test('a server that computes otherwise', async () => {
  await database.query(`CREATE OR REPLACE FUNCTION snoflax._flax_time_ms(bytes bytea) RETURNS bigint
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN snoflax._read40(bytes, 0) - 1420070400000/*flax.epochMs*/`)
  const { findings } = await doctor(database.url, '--skip', 'drift')
  expect(findings).toMatchObject([
    {
      check: 'cross-check',
      where: '(extract(epoch FROM snoflax.flax_time($1)) * 1000)::bigint',
      message: expect.stringMatching(/^of "[-\w]{16}" the server makes -?\d+, and TypeScript \d+$/),
    },
  ])
  await database.query(await shellCure(findings[0]))
  expect((await doctor(database.url)).findings).toEqual([])
})

test('another version of pg-sql', async () => {
  const version = async (text: string) => {
    await database.query(`CREATE OR REPLACE FUNCTION snoflax.version() RETURNS text
      LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN '${text}'`)
    return (await doctor(database.url)).findings
  }
  expect(await version('99.1.0')).toMatchObject([
    { check: 'version', severity: 'warning', cure: { shell: 'npm install @snoflax/pg-sql@99.1.0' } },
  ])
  const [older] = await version('0.0.0-alpha')
  expect(older).toMatchObject({ check: 'version', where: 'schema snoflax' })
})

test('a generator without a number, where a default makes ids of it', async () => {
  await database.query('CREATE TABLE a (id bytea PRIMARY KEY DEFAULT snoflax.sno_generate())')
  const report = await doctor(database.url)
  expect(told(report)).toEqual(['generator generator of sno'])
  const sql = report.findings[0]?.cure.sql as string
  expect(sql).toBe('SELECT snoflax.sno_set_partition(<partition>)')
  await database.query(sql.replace('<partition>', '7'))
  expect((await doctor(database.url)).findings).toEqual([])
})

test('a copied database, a cached sequence, a generator far ahead', async () => {
  await database.query('SELECT snoflax.sno_set_partition(7); SELECT snoflax.sno_generate()')
  await database.query(`UPDATE snoflax._generator SET system = 1 WHERE family = 'sno';
    ALTER SEQUENCE snoflax.sno_state CACHE 10;
    SELECT setval('snoflax.sno_state', (((extract(epoch FROM now())::bigint - 1262304000) * 250 + 25000) << 24))`)
  const { findings } = await doctor(database.url)
  expect(findings.map(({ check, message }) => [check, message.split(':')[0]])).toEqual([
    ['generator', 'this database is a copy'],
    ['generator', 'sequence snoflax.sno_state has a cache, which breaks the order of ids'],
    [
      'generator',
      expect.stringMatching(/^its last id is (?:99|100)(?:\.\d)? s ahead of the server's clock$/),
    ],
  ])
  for (const { cure } of findings) await database.query((cure.sql as string).replace('<partition>', '8'))
  await database.query('SELECT snoflax.sno_generate()')
  expect((await doctor(database.url)).findings).toEqual([])
})

test('a lease whose holder is gone', async () => {
  await database.query("SELECT snoflax.lease_acquire('sno', 'worker-1', 1000, 7, 7, 1, 0)")
  expect((await doctor(database.url)).findings).toEqual([])
  await database.query('UPDATE snoflax._lease SET expires_ms = expires_ms - 5000')
  const [finding] = await findsAndCures(['lease lease of sno 7, shard 0'])
  expect(finding?.message).toMatch(/^worker-1 did not renew it/)
})

test('leases that another database gave out', async () => {
  await database.query("SELECT snoflax.lease_acquire('sno', 'worker-1', 1000, 7, 7, 1, 0)")
  await database.query("UPDATE snoflax._lease_family SET system = 1 WHERE family = 'sno'")
  await findsAndCures(['lease leases of sno'])
})

test('it only reads, and leaves no session', async () => {
  await fill()
  const state = () =>
    database.query(`SELECT pg_current_xact_id_if_assigned() AS own, xact_commit IS NOT NULL AS there,
      (SELECT count(*) FROM customer)::integer AS customers FROM pg_stat_database WHERE datname = current_database()`)
  const before = await state()
  await doctor(database.url, '--full')
  expect(await state()).toEqual(before)
  const sessions = await database.query(
    "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'snoflax doctor'",
  )
  expect(sessions).toEqual([])
})

test('whatever a function tries, the transaction is READ ONLY', async () => {
  await database.query(`CREATE TABLE log (line text);
    CREATE OR REPLACE FUNCTION snoflax.flax_decode(id text) RETURNS bytea LANGUAGE plpgsql IMMUTABLE STRICT AS $$
    BEGIN
      INSERT INTO public.log VALUES (id);
      RETURN '';
    END $$`)
  const { findings } = await doctor(database.url, '--skip', 'drift')
  expect(findings[0]?.message).toMatch(/non-volatile function|read-only transaction/)
  await database.query('ALTER FUNCTION snoflax.flax_decode(text) VOLATILE')
  const [finding] = (await doctor(database.url, '--skip', 'drift')).findings
  expect(finding?.message).toContain('cannot execute INSERT in a read-only transaction')
})

test('an application role sees what it may see', async () => {
  await fill()
  const role = await database.role()
  await database.query(
    `GRANT SELECT ON customer, orders TO ${role.name}; GRANT USAGE ON SCHEMA snoflax TO ${role.name}`,
  )
  const report = await doctor(role.url)
  expect(report.findings).toEqual([])
  expect(report.columns.map(({ place }) => place)).toEqual(['customer.id', 'orders.id', 'orders.customer_id'])
  expect(report.notes).toEqual(['generators were not examined: this role may not read their state'])
})

test('a server that goes away is told, with code 2', async () => {
  await database.query(`CREATE OR REPLACE FUNCTION snoflax.flax_decode(id text) RETURNS bytea LANGUAGE plpgsql AS $$
    BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); PERFORM pg_sleep(1); RETURN ''; END $$`)
  const { code, out, err } = await cli(['doctor', database.url, '--skip', 'drift'])
  expect({ code, out }).toEqual({ code: 2, out: '' })
  expect(err).toBe('snoflax: the examination failed: terminating connection due to administrator command\n')
})

test('a sample says that it is one; --full reads all', async () => {
  await database.query(HEALTHY)
  await database.query('INSERT INTO a SELECT FROM generate_series(1, 200); ANALYZE a')
  const read = async (...options: string[]) => (await doctor(database.url, ...options)).columns[0]
  expect(await read('--sample', '50')).toMatchObject({ rowsRead: 52, isComplete: false })
  expect(await read('--sample', '50', '--full')).toMatchObject({ rowsRead: 200, isComplete: true })
  expect(await read()).toMatchObject({ rowsRead: 200, isComplete: true })
  const later = storageFor(flax, 'postgres').toDatabase(flax.generateAt(Date.now() + 1e9))
  await database.query('INSERT INTO a VALUES ($1)', [later])
  expect(told(await doctor(database.url, '--sample', '50'))).toEqual(['future a.id'])
})

test('another schema, partitions and other schemas for tables', async () => {
  await install(database.pool, { schema: 'ids', families: ['flax'] })
  await database.query(`CREATE SCHEMA shop;
    CREATE TABLE shop."Order Line" ("Id" uuid PRIMARY KEY DEFAULT ids.flax_generate_uuid()) PARTITION BY HASH ("Id");
    CREATE TABLE shop.part0 PARTITION OF shop."Order Line" FOR VALUES WITH (MODULUS 2, REMAINDER 0);
    CREATE TABLE shop.part1 PARTITION OF shop."Order Line" FOR VALUES WITH (MODULUS 2, REMAINDER 1);
    INSERT INTO shop."Order Line" SELECT FROM generate_series(1, 20)`)
  const report = await doctor(database.url, '--schema', 'ids')
  expect(report).toMatchObject({ findings: [], columns: [{ place: 'shop.Order Line.Id', rowsRead: 20 }] })
  await database.query('DROP FUNCTION ids.flax_partman_decode(text)')
  expect(told(await doctor(database.url, '--schema', 'ids'))).toEqual([
    'drift function ids.flax_partman_decode(text)',
  ])
})

test('a database without pg-sql', async () => {
  const bare = await postgres.open()
  await bare.query('CREATE TABLE a (id uuid PRIMARY KEY)')
  await bare.query('INSERT INTO a VALUES ($1)', [storageFor(flax, 'postgres').toDatabase(flax.generate())])
  const report = await doctor(bare.url)
  expect(report).toMatchObject({
    pgSql: null,
    findings: [],
    columns: [{ place: 'a.id', family: 'flax', evidence: 'values' }],
  })
  await bare.close()
})
