import { flax, type IdFamily, type StorageName, sno, storageFor } from '@snoflax/core'
import { isBytes } from '@snoflax/core/adapter'
import { uidLocal } from '@snoflax/families'
import { install, installSql } from '@snoflax/pg-sql'
import { onConnection, type PostgresDatabase, postgres } from '@snoflax/test'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { doctor, type Finding, openInstalled, type Report, told } from './reports.js'
import { cli } from './running.js'

let database: PostgresDatabase
beforeEach(async () => {
  database = await openInstalled()
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
      storageFor(flax, 'postgres', { storage: 'uuid' }).toDatabase(customer),
      `n${n}`,
    ])
    await database.query('INSERT INTO orders VALUES ($1, $2, $3)', [
      order,
      storageFor(flax, 'postgres', { storage: 'uuid' }).toDatabase(customer),
      `${n}`.padStart(16, 'x'),
    ])
    await database.query('INSERT INTO line VALUES ($1, $2, $3)', [flax.decode(line), order, n])
    await database.query('INSERT INTO event VALUES ($1)', [
      String(storageFor(uidLocal, 'postgres', { storage: 'bigint' }).toDatabase(local.generate())),
    ])
  }
}

test('a healthy database has no findings, and each column of ids is found', async () => {
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

/** What the cures say, run as they stand, in order; the same line for the shell once. */
async function cure(findings: readonly Finding[]): Promise<void> {
  const scripts = await Promise.all(findings.map(async (one) => one.cure.sql ?? (await shellCure(one))))
  for (const script of new Set(scripts)) await database.query(script)
}

/** The planted fault is all that is found, and its cure mends it. */
async function findsAndCures(expected: readonly string[], ...options: string[]): Promise<readonly Finding[]> {
  const report = await doctor(database.url, ...options)
  expect(told(report)).toEqual(expected)
  await cure(report.findings)
  expect((await doctor(database.url, ...options)).findings).toEqual([])
  return report.findings
}

/** Columns alone: the functions are those that the healthy database has. */
const COLUMNS = ['--skip', 'drift']

const mendsColumns = (expected: readonly string[], ...options: string[]) =>
  findsAndCures(expected, ...COLUMNS, ...options)

test("a text column with the database's default collation is found and cured", async ({ skip }) => {
  // Before version 15 a database has a collation of the operating system, and that is C here.
  skip(database.version < 15)
  await fill()
  await database.query('CREATE TABLE plain (id text PRIMARY KEY)')
  for (let n = 0; n < 10; n++) await database.query('INSERT INTO plain VALUES ($1)', [flax.generate()])
  const [finding] = await mendsColumns(['collation plain.id'])
  expect(finding?.message).toContain('icu en')
})

test('--full reads more rows than one page', async () => {
  await database.query(`CREATE TABLE a (id uuid PRIMARY KEY DEFAULT snoflax.flax_generate_uuid());
    CREATE TABLE b (id bytea PRIMARY KEY);
    INSERT INTO a SELECT FROM generate_series(1, 12000); INSERT INTO b SELECT snoflax.flax_from_uuid(id) FROM a`)
  const report = await doctor(database.url, ...COLUMNS, '--full')
  expect(report.columns.map(({ rowsRead }) => rowsRead)).toEqual([12_000, 12_000])
  expect(report.findings).toMatchObject([
    { check: 'duplicate', message: expect.stringContaining(': 10000; ') },
  ])
})

test('a default that generates ids in a nested call is found, and codes that are not ids are no finding', async () => {
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

/** Where a drift is, and in what. */
const drifts = (findings: readonly Finding[]) =>
  findings.map(({ where, message }) => `${where} ${message.replace(/:.*$| from what.*$/, '')}`).sort()

/** Changes by hand, and where and in what they are found. */
test.each<[kind: string, sql: string, ...found: string[]]>([
  [
    'functions: missing, bodies and attributes',
    `DROP FUNCTION snoflax.flax_partman_decode(text);
    CREATE OR REPLACE FUNCTION snoflax.flake_to_hex(id bytea) RETURNS text
      LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN encode(substring(id from 2), 'hex');
    CREATE OR REPLACE FUNCTION snoflax._larger(a bytea, b bytea) RETURNS bytea
      LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$ BEGIN RETURN greatest(b, a); END $$;
    CREATE OR REPLACE FUNCTION snoflax._flax_time_ms(bytes bytea) RETURNS bigint
      LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT 1420070400000 + snoflax._read40(bytes, 0) $$;
    CREATE OR REPLACE FUNCTION snoflax._lease_now_ms() RETURNS bigint
      LANGUAGE sql VOLATILE PARALLEL SAFE RETURN snoflax._clock_us() / 100;
    ALTER FUNCTION snoflax.sno_encode(bytea) VOLATILE;
    ALTER FUNCTION snoflax.uid_encode(text) CALLED ON NULL INPUT;
    ALTER FUNCTION snoflax.lease_release(uuid, bigint) RESET search_path;
    ALTER FUNCTION snoflax.lease_renew(uuid, integer, bigint) SECURITY INVOKER;
    ALTER FUNCTION snoflax.flax_generate() PARALLEL RESTRICTED;
    GRANT EXECUTE ON FUNCTION snoflax.sno_set_partition(integer) TO PUBLIC;
    CREATE OR REPLACE AGGREGATE snoflax.max(uuid) (SFUNC = snoflax._larger, STYPE = uuid, PARALLEL = SAFE);
    DROP AGGREGATE snoflax.min(bytea);
    DO $do$ BEGIN
      EXECUTE 'CREATE OR REPLACE VIEW snoflax.leases AS '
        || replace(pg_get_viewdef('snoflax.leases'::regclass), '<=', '<');
    END $do$`,
    'aggregate snoflax.max(uuid) differs in combinefunc, sortop',
    'aggregate snoflax.min(bytea) missing',
    'function snoflax._flax_time_ms(bytea) differs in body',
    'function snoflax._larger(bytea, bytea) differs in body',
    'function snoflax._lease_now_ms() differs in body',
    'function snoflax.flake_to_hex(bytea) differs in body',
    'function snoflax.flax_generate() differs in parallel safety',
    'function snoflax.flax_partman_decode(text) missing',
    'function snoflax.lease_release(uuid, bigint) differs in settings',
    'function snoflax.lease_renew(uuid, integer, bigint) differs in security',
    'function snoflax.sno_encode(bytea) differs in volatility',
    'function snoflax.sno_set_partition(integer) differs in privileges',
    'function snoflax.uid_encode(text) differs in strictness',
    'view snoflax.leases differs in query',
  ],
  [
    'functions: arguments and results!',
    `DROP FUNCTION snoflax.flake_partman_decode(text);
    CREATE FUNCTION snoflax.flake_partman_decode(value text) RETURNS timestamptz
      LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN snoflax.flake_time(value::uuid);
    DO $do$ BEGIN
      EXECUTE replace(pg_get_functiondef('snoflax.uid_lower_bound_uuid'::regproc), 'DEFAULT 8', 'DEFAULT 9');
    END $do$;
    CREATE OR REPLACE FUNCTION snoflax._uid_number() RETURNS bigint LANGUAGE sql RETURN 1`,
    'function snoflax._uid_number() differs in parallel safety, value, volatility',
    'function snoflax.flake_partman_decode(text) differs in arguments, body',
    'function snoflax.uid_lower_bound_uuid(timestamp with time zone, integer) differs in defaults',
  ],
  [
    'domains and types!',
    `ALTER DOMAIN snoflax.sno_binary DROP CONSTRAINT sno_binary_check;
    ALTER DOMAIN snoflax.sno_binary ADD CONSTRAINT looser CHECK (octet_length(VALUE) >= 10);
    ALTER DOMAIN snoflax.uid_uuid8 SET NOT NULL;
    ALTER DOMAIN snoflax.uid_uuid8 SET DEFAULT gen_random_uuid();
    ALTER DOMAIN snoflax.uid_binary DROP CONSTRAINT uid_binary_check;
    ALTER DOMAIN snoflax.uid_binary ADD CHECK (octet_length(VALUE) = 12) NOT VALID;
    DROP DOMAIN snoflax.sno_text;
    CREATE DOMAIN snoflax.sno_text AS varchar(16) CHECK (snoflax.sno_is_valid(VALUE));
    ALTER TYPE snoflax.flax_fields ADD ATTRIBUTE note text`,
    'domain snoflax.sno_binary differs in constraint looser, constraint sno_binary_check',
    'domain snoflax.sno_text differs in collation, constraint sno_text_check, type',
    'domain snoflax.uid_binary differs in constraint uid_binary_check',
    'domain snoflax.uid_uuid8 differs in default, nullability',
    'type snoflax.flax_fields differs in attributes',
  ],
  [
    'tables!',
    `ALTER TABLE snoflax._lease DROP CONSTRAINT _lease_family_fkey,
      ADD CONSTRAINT later UNIQUE (token) DEFERRABLE, ADD FOREIGN KEY (family) REFERENCES snoflax._lease_family NOT VALID,
      ALTER COLUMN shards DROP NOT NULL, ALTER COLUMN permanent DROP DEFAULT, ADD COLUMN note text, SET UNLOGGED;
    ALTER TABLE snoflax._generator ALTER COLUMN unit_us TYPE integer, DROP COLUMN system`,
    'table snoflax._generator differs in column system, column unit_us',
    'table snoflax._lease differs in column note, column permanent, column shards, constraint _lease_family_fkey, constraint later, persistence',
  ],
  [
    'sequences!',
    `ALTER SEQUENCE snoflax.sno_state INCREMENT 2 MAXVALUE 9000000000000000000 CYCLE;
    ALTER SEQUENCE snoflax._sno_timeline INCREMENT 1 MINVALUE -5;
    ALTER SEQUENCE snoflax.flake_state START 5`,
    'sequence snoflax._sno_timeline differs in increment, minvalue',
    'sequence snoflax.flake_state differs in start',
    'sequence snoflax.sno_state differs in cycle, increment, maxvalue',
  ],
  [
    'settings!',
    `SELECT snoflax.sno_set_partition(7), snoflax.flake_set_worker(1, 2, 1700000000000);
    SELECT snoflax.sno_generate();
    UPDATE snoflax._generator SET last_counter = 9, first_unit = 1 WHERE family = 'sno';
    UPDATE snoflax._lease_family SET last_number = 70000, max_ttl_ms = 60000 WHERE family = 'sno'`,
    'row sno of snoflax._generator differs in first_unit, last_counter',
    'row sno of snoflax._lease_family differs in last_number',
  ],
])('what has changed since the installation is found: %s', async (kind, sql, ...found) => {
  await database.query(sql)
  const options = ['--skip', 'lease', 'generator']
  const { findings } = await doctor(database.url, ...options)
  expect(drifts(findings)).toEqual(found)
  const isLeft = kind.endsWith('!')
  expect(findings.map(({ cure }) => cure.shell === undefined)).toEqual(found.map(() => isLeft))
  if (isLeft) expect(findings[0]?.cure.leaves).toMatch(/^installing again does not change it: alter it/)
  else await cure(findings)
  expect((await doctor(database.url, ...options)).findings).toHaveLength(isLeft ? found.length : 0)
})

test('the text report prints a cure shared by several findings once', async () => {
  await database.query(
    'ALTER FUNCTION snoflax.sno_encode(bytea) VOLATILE; ALTER FUNCTION snoflax.uid_encode(text) VOLATILE',
  )
  const { out } = await cli(['doctor', database.url])
  expect(out.split('\n').slice(3)).toEqual([
    'error drift  function snoflax.sno_encode(bytea)',
    '  differs in volatility from what pg-sql installed',
    'error drift  function snoflax.uid_encode(text)',
    '  differs in volatility from what pg-sql installed',
    '  cure:',
    expect.stringContaining('npx snoflax sql --schema snoflax --families '),
    '',
    'errors: 2, warnings: 0',
    '',
  ])
})

test('bodies as a dump restores them, or in other words, are no finding, on a server that computes query ids', async () => {
  await database.query(`
    CREATE OR REPLACE FUNCTION snoflax._unix_ms(us bigint) RETURNS bigint LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
      RETURN ((us / 1000) + CAST((us % 1000) > 0 AS int4)) + 946684800000::int8;
    DO $do$ DECLARE name text := current_database(); function regprocedure; BEGIN
      EXECUTE format('ALTER DATABASE %I SET compute_query_id = on', name);
      FOR function IN SELECT oid FROM pg_proc WHERE pronamespace = 'snoflax'::regnamespace AND prokind = 'f' LOOP
        EXECUTE pg_get_functiondef(function);
      END LOOP;
      EXECUTE 'CREATE OR REPLACE VIEW snoflax.leases AS ' || pg_get_viewdef('snoflax.leases'::regclass);
    END $do$`)
  expect((await doctor(database.url)).findings).toEqual([])
})

test('what was dropped is restored by installing again, with the settings of the generators', async () => {
  await database.query(`SELECT snoflax.uid_set_node('here'), snoflax.flake_set_worker(1, 2, 1700000000000);
    SELECT snoflax.uid_generate(); DROP SEQUENCE snoflax.uid_state; DROP TABLE snoflax._lease CASCADE;
    DROP FUNCTION snoflax._flake_epoch_ms(), snoflax._flake_number(); DROP TYPE snoflax.sno_fields CASCADE;
    DROP DOMAIN snoflax.flax_text`)
  const { findings } = await doctor(database.url)
  expect(findings.map(({ check, where }) => `${check} ${where}`)).toEqual(
    expect.arrayContaining([
      'drift table snoflax._lease',
      'drift view snoflax.leases',
      'drift sequence snoflax.uid_state',
      'drift domain snoflax.flax_text',
      'drift type snoflax.sno_fields',
      'drift function snoflax._flake_epoch_ms()',
      'generator generator of uid',
    ]),
  )
  await cure(findings)
  expect(
    await database.query('SELECT snoflax._flake_epoch_ms() AS epoch, snoflax.uid_generate() AS id'),
  ).toMatchObject([{ epoch: '1700000000000' }])
  expect((await doctor(database.url, '--skip', 'lease')).findings).toEqual([])
})

test('objects in the schema that are not part of pg-sql are warned of', async () => {
  await database.query(`
    CREATE FUNCTION snoflax.flax_encode(varchar) RETURNS text LANGUAGE sql RETURN 'none';
    CREATE TABLE snoflax."Own" (id integer)`)
  const { findings } = await doctor(database.url)
  expect(findings.map(({ where, severity, cure }) => [where, severity, cure])).toEqual(
    ['function snoflax.flax_encode(character varying)', 'table snoflax."Own"'].map((where) => [
      where,
      'warning',
      { leaves: 'move it to another schema, or drop it' },
    ]),
  )
})

test.each(['TABLE snoflax._manifest', 'FUNCTION snoflax._definitions()'])(
  'the manifest is restored after DROP %s',
  async (object) => {
    await database.query(`DROP ${object}`)
    await findsAndCures(['drift table snoflax._manifest'])
  },
)

test('objects of another version, or recorded by another version of PostgreSQL, are found', async () => {
  await database.query(`UPDATE snoflax._manifest SET version = '0.0.0-before' WHERE name ~ '^_?sno_'`)
  const [older] = await findsAndCures(['drift table snoflax._manifest'])
  expect(older?.message).toMatch(/^\d+ objects are from pg-sql 0\.0\.0-before, not /)
  await database.query(`UPDATE snoflax._manifest SET server = 13, parts = '{}'`)
  const [worded] = await findsAndCures(['drift table snoflax._manifest'])
  expect(worded?.message).toMatch(
    /^definitions were not compared: PostgreSQL 13 recorded them, and PostgreSQL \d\d may/,
  )
})

test('a generator whose number others could lease, or have leased, is found', async () => {
  await database.query('SELECT snoflax.sno_set_partition(7); DELETE FROM snoflax._lease')
  await findsAndCures(['lease leases of sno', 'lease lease of sno 7'])
  const own = 'written_by = pg_current_xact_id()::xid'
  await database.query(`UPDATE snoflax._lease SET permanent = false, ${own};
    UPDATE snoflax._lease_family SET floor_ms = 0, ${own} WHERE family = 'sno';
    SELECT snoflax.lease_acquire('sno', 'worker-1', 30000, 7, 7, 1, 0)`)
  const { findings } = await doctor(database.url)
  expect(findings).toMatchObject([
    {
      message: expect.stringContaining('is leased to another process'),
      cure: { sql: 'SELECT snoflax.sno_set_partition(<partition>)' },
    },
  ])
  const [finding] = findings as [Finding]
  await database.query(finding.cure.sql?.replace('<partition>', '8') ?? '')
  expect((await doctor(database.url)).findings).toEqual([])
})

test('if a check needs a missing object, the report says so', async () => {
  await database.query('DROP FUNCTION snoflax._clock_us() CASCADE')
  const report = await doctor(database.url)
  expect(told(report)).toContain('drift function snoflax._clock_us()')
  expect(report.notes).toEqual(['generators were not examined: function snoflax._clock_us() does not exist'])
})

test("a sequence that is not the generator's is found", async () => {
  await database.query('ALTER SEQUENCE snoflax.sno_state RENAME TO before; CREATE SEQUENCE snoflax.sno_state')
  const { findings } = await doctor(database.url)
  expect(told({ findings } as Report).sort()).toEqual([
    'drift sequence snoflax.before',
    'drift sequence snoflax.sno_state',
    'generator generator of sno',
  ])
})

/** What the shell's line has psql run. */
async function shellCure(finding: Finding | undefined): Promise<string> {
  const [, words = ''] =
    /^npx snoflax (sql .*) \| psql -1 -v ON_ERROR_STOP=1 "\$DATABASE_URL"$/.exec(
      finding?.cure.shell as string,
    ) ?? []
  const { code, out } = await cli(words.split(' '))
  expect(code).toBe(0)
  return out
}

test('another version of pg-sql is found', async () => {
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

test('a generator without a number is found if a default uses it', async () => {
  await database.query('CREATE TABLE a (id bytea PRIMARY KEY DEFAULT snoflax.sno_generate())')
  const report = await doctor(database.url)
  expect(told(report)).toEqual(['generator generator of sno'])
  const sql = report.findings[0]?.cure.sql as string
  expect(sql).toBe('SELECT snoflax.sno_set_partition(<partition>)')
  await database.query(sql.replace('<partition>', '7'))
  expect((await doctor(database.url)).findings).toEqual([])
})

test('a copied database, a cached sequence and a generator far ahead are found', async () => {
  await database.query('SELECT snoflax.sno_set_partition(7); SELECT snoflax.sno_generate()')
  await database.query(`UPDATE snoflax._generator SET system = 1 WHERE family = 'sno';
    ALTER SEQUENCE snoflax.sno_state CACHE 10;
    SELECT setval('snoflax.sno_state', (((extract(epoch FROM now())::bigint - 1262304000) * 250 + 25000) << 24))`)
  const { findings } = await doctor(database.url)
  expect(findings.map(({ check, message }) => [check, message.split(':')[0]])).toEqual([
    ['generator', 'this database is a copy'],
    ['generator', 'sequence snoflax.sno_state has a cache, so ids are generated out of order'],
    ['generator', expect.stringMatching(/^its last id is \d\d+(?:\.\d)? s ahead of the server's clock$/)],
  ])
  for (const { cure } of findings) await database.query((cure.sql as string).replace('<partition>', '8'))
  await database.query('SELECT snoflax.sno_generate()')
  expect((await doctor(database.url)).findings).toEqual([])
})

test.each([
  [
    'an expired lease that was not released',
    'UPDATE snoflax._lease SET expires_ms = expires_ms - 60000, written_by = pg_current_xact_id()::xid',
    'lease of sno 7, shard 0',
    /^worker-1 neither renewed nor released it/,
  ],
  [
    'leases of another database',
    "UPDATE snoflax._lease_family SET system = 1 WHERE family = 'sno'",
    'leases of sno',
    /^some were not granted by this database/,
  ],
  [
    'leases restored into an existing table',
    `CREATE TABLE dump AS TABLE snoflax._lease; TRUNCATE snoflax._lease;
    INSERT INTO snoflax._lease TABLE dump; DROP TABLE dump`,
    'leases of sno',
    /^some were not granted by this database/,
  ],
])('%s are found and cured', async (_, sql, where, message) => {
  await database.query("SELECT snoflax.lease_acquire('sno', 'worker-1', 30000, 7, 7, 1, 0)")
  expect((await doctor(database.url)).findings).toEqual([])
  await database.query(sql)
  const [finding] = await findsAndCures([`lease ${where}`])
  expect(finding?.message).toMatch(message)
})

test('a server that hides its identity from the owner is found', async () => {
  const owner = await database.role()
  await database.query(`DROP SCHEMA snoflax CASCADE; GRANT CREATE ON DATABASE ${database.name} TO ${owner.name};
    REVOKE EXECUTE ON FUNCTION pg_control_system(), pg_walfile_name(pg_lsn) FROM PUBLIC`)
  await onConnection(owner.url, async (client) => {
    await client.query(installSql())
    const leasing = client.query("SELECT snoflax.lease_acquire('sno', 'worker-1', 30000, 7, 7, 1, 0)")
    await expect(leasing).rejects.toMatchObject({
      code: '55000',
      hint: expect.stringContaining('lease_adopt'),
    })
    await client.query("SELECT snoflax.lease_adopt('sno')")
    await client.query("SELECT snoflax.lease_acquire('sno', 'worker-1', 30000, 7, 7, 1, 0)")
  })
  const skipped = await doctor(database.url, '--skip', 'identity')
  expect(skipped.findings).toEqual([])
  const [finding] = (await doctor(database.url)).findings
  expect(finding).toMatchObject({
    check: 'identity',
    message: expect.stringMatching(/hides its system identifier.*; this server hides its timeline/),
  })
  await database.query(finding?.cure.sql as string)
  expect(await database.query('SELECT warning FROM snoflax.identity')).toEqual([{ warning: null }])
  // What it gave out while it hid them counts as another server's.
  expect((await doctor(database.url)).findings).toMatchObject([{ check: 'lease', where: 'leases of sno' }])
  await database.query(`DROP OWNED BY ${owner.name}`)
})

test('doctor writes nothing, and leaves no session', async () => {
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

test('operators and functions that others created in public are not called', async () => {
  await fill()
  const before = await doctor(database.url)
  const { name } = await database.role()
  const types = ['oid', 'name', 'text', 'uuid', 'bytea', 'bigint', 'integer', 'smallint']
  const planted = types.map(
    (type) => `CREATE FUNCTION public.planted(${type}, ${type}) RETURNS boolean LANGUAGE plpgsql AS $$
      BEGIN RAISE 'planted'; END $$;
    ${['=', '<>', '<', '>'].map((operator) => `CREATE OPERATOR public.${operator} (LEFTARG = ${type}, RIGHTARG = ${type}, FUNCTION = public.planted);`).join('\n')}`,
  )
  await database.query(`GRANT CREATE ON SCHEMA public TO ${name}; SET ROLE ${name};
    ${planted.join('\n')}
    CREATE FUNCTION public.format_type(oid, integer) RETURNS text LANGUAGE plpgsql AS $$ BEGIN RAISE 'planted'; END $$;
    RESET ROLE;
    DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET search_path = public, pg_catalog', current_database()); END $$`)
  expect(await doctor(database.url)).toEqual(before)
})

test('an application role has the tables examined that it may read', async () => {
  await fill()
  const role = await database.role()
  await database.query(
    `GRANT SELECT ON customer, orders TO ${role.name}; GRANT USAGE ON SCHEMA snoflax TO ${role.name}`,
  )
  const report = await doctor(role.url)
  expect(report.findings).toEqual([])
  expect(report.columns.map(({ place }) => place)).toEqual(['customer.id', 'orders.id', 'orders.customer_id'])
  expect(report.notes).toEqual([
    'generators were not examined: this role may not read their state',
    'not examined, since this role lacks SELECT: event, line',
  ])
  const told = await cli(['doctor', role.url, '--column', 'line.id=flax'])
  expect(told).toMatchObject({
    code: 2,
    err: "snoflax: line.id can't be examined, since this role lacks SELECT\n",
  })
})

test('tables with rows hidden by row-level security are not examined', async () => {
  await fill()
  const role = await database.role()
  await database.query(`ALTER TABLE customer ENABLE ROW LEVEL SECURITY; GRANT USAGE ON SCHEMA snoflax TO ${role.name};
    GRANT SELECT ON customer, line TO ${role.name}; GRANT SELECT (id, customer_id) ON orders TO ${role.name};
    INSERT INTO customer VALUES (gen_random_uuid(), 'no id of ours')`)
  const report = await doctor(role.url)
  expect(report.findings).toEqual([])
  expect(report.columns.map(({ place }) => place)).toEqual([
    'line.id',
    'line.order_id',
    'orders.id',
    'orders.customer_id',
  ])
  expect(report.notes.slice(1)).toEqual([
    'not examined, since row-level security hides rows from this role: customer',
    'not examined, since this role lacks SELECT: event, orders.note',
  ])
  expect(told(await doctor(database.url))).toEqual(['malformed customer.id'])
})

test('a role that may not use the functions has its tables examined all the same', async () => {
  await fill()
  const role = await database.role()
  await database.query(`GRANT SELECT ON customer TO ${role.name}`)
  expect(await doctor(role.url)).toMatchObject({
    installed: null,
    findings: [],
    columns: [{ place: 'customer.id' }],
    notes: [
      'functions were not examined: permission denied for schema snoflax',
      'not examined, since this role lacks SELECT: event, line, orders',
    ],
  })
})

test('a sample is marked as incomplete, and --full reads all rows', async () => {
  await database.query(HEALTHY)
  await database.query('INSERT INTO a SELECT FROM generate_series(1, 200); ANALYZE a')
  const read = async (...options: string[]) => (await doctor(database.url, ...options)).columns[0]
  expect(await read('--sample', '50')).toMatchObject({ rowsRead: 52, isComplete: false })
  expect(await read('--sample', '50', '--full')).toMatchObject({ rowsRead: 200, isComplete: true })
  expect(await read()).toMatchObject({ rowsRead: 200, isComplete: true })
  const later = storageFor(flax, 'postgres', { storage: 'uuid' }).toDatabase(
    flax.generateAt(Date.now() + 1e9),
  )
  await database.query('INSERT INTO a VALUES ($1)', [later])
  expect(told(await doctor(database.url, '--sample', '50'))).toEqual(['future a.id'])
})

test('both ends of a table without statistics are read, and no row twice if statistics are wrong', async () => {
  await database.query(`CREATE TABLE few (id bytea PRIMARY KEY DEFAULT snoflax.flax_generate());
    INSERT INTO few SELECT FROM generate_series(1, 5000); ANALYZE few; DELETE FROM few WHERE random() < 0.995;
    CREATE TABLE many (id bytea PRIMARY KEY DEFAULT snoflax.flax_generate()) PARTITION BY RANGE (id);
    CREATE TABLE part PARTITION OF many DEFAULT;
    INSERT INTO many SELECT FROM generate_series(1, 5000)`)
  const later = storageFor(flax, 'postgres', { storage: 'binary' }).toDatabase(
    flax.generateAt(Date.now() + 1e9),
  )
  await database.query('INSERT INTO many VALUES ($1)', [later])
  const [row] = await database.query('SELECT count(*)::integer AS count FROM few')
  const report = await doctor(database.url, '--sample', '1000')
  expect(told(report)).toEqual(['future many.id'])
  expect(report.columns).toMatchObject([
    { place: 'few.id', rowsRead: row?.['count'], isComplete: true },
    { place: 'many.id', rowsRead: 1002, isComplete: false },
  ])
})

test('defaults that generate other ids than the column stores are found, also of TypeIDs, ULIDs and UUIDv7s', async () => {
  await database.query(`CREATE TABLE made (typeid text COLLATE "C" PRIMARY KEY DEFAULT snoflax.typeid_generate('user'),
    bare uuid DEFAULT snoflax.typeid_generate_uuid(), ulid text COLLATE "C" DEFAULT snoflax.ulid_generate_text(),
    uuid7 uuid DEFAULT snoflax.uuid7_generate(),
    prefixed text COLLATE "C" DEFAULT snoflax.ulid_encode(snoflax.ulid_generate(), 'cus'))`)
  await database.query('INSERT INTO made SELECT FROM generate_series(1, 20)')
  expect(told(await doctor(database.url))).toEqual([])
  await database.query("ALTER TABLE made ALTER COLUMN typeid SET DEFAULT snoflax.typeid_generate('order')")
  await mendsColumns(['default made.typeid'])
})

test.each<[string, StorageName, string, IdFamily]>([
  ['flax', 'uuid', 'uuid', flax],
  ['flax', 'text', 'text COLLATE "C"', flax],
  ['flax', 'binary', 'bytea', flax],
  ['uidLocal', 'bigint', 'bigint', uidLocal],
])('a last partition that ends soon is found: %s as %s', async (name, storage, type, family) => {
  const bound = (fromDays: number): string => {
    const at = Date.now() + fromDays * 86_400_000
    const value = storageFor(family, 'postgres', { storage, exactBigint: true }).toDatabase(
      family.range(at, at + 1).gte,
    )
    return isBytes(value) ? `\\x${Buffer.from(value).toString('hex')}` : String(value)
  }
  const add = (number: number, from: number, to: number) =>
    database.query(
      `CREATE TABLE part${number} PARTITION OF parts FOR VALUES FROM ('${bound(from)}') TO ('${bound(to)}')`,
    )
  const found = () => doctor(database.url, '--column', `parts.id=${name}:${storage}`)
  await database.query(`CREATE TABLE parts (id ${type} PRIMARY KEY) PARTITION BY RANGE (id)`)
  await add(1, -3000, -2000)
  await add(2, -2000, -1)
  const [over] = (await found()).findings
  expect(over).toMatchObject({ check: 'partition', where: 'parts.id', severity: 'error' })
  expect(over?.message).toMatch(/: rows with new ids are refused$/)
  await add(3, -1, 3)
  expect((await found()).findings).toMatchObject([{ check: 'partition', severity: 'warning' }])
  await add(4, 3, 30)
  expect((await found()).findings).toEqual([])
})

test('a generated column of ids is not examined', async () => {
  await database.query(`CREATE TABLE shown (id uuid PRIMARY KEY DEFAULT snoflax.flax_generate_uuid(),
    id_text text COLLATE "en-x-icu" GENERATED ALWAYS AS (snoflax.flax_encode(id)) STORED)`)
  await database.query('INSERT INTO shown SELECT FROM generate_series(1, 20)')
  expect(await doctor(database.url)).toMatchObject({
    columns: [{ place: 'shown.id' }],
    notes: [],
    findings: [],
  })
  expect(await cli(['doctor', database.url, '--column', 'shown.id_text=flax'])).toMatchObject({
    code: 2,
    err: "snoflax: shown.id_text can't be examined, since it is generated from other columns\n",
  })
})

test('--schema names another schema of the functions, and partitioned tables in other schemas are examined', async () => {
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

test('a database without pg-sql is examined', async () => {
  const bare = await postgres.open()
  await bare.query('CREATE TABLE a (id uuid PRIMARY KEY)')
  await bare.query('INSERT INTO a VALUES ($1)', [
    storageFor(flax, 'postgres', { storage: 'uuid' }).toDatabase(flax.generate()),
  ])
  const report = await doctor(bare.url)
  expect(report).toMatchObject({
    installed: null,
    findings: [],
    columns: [{ place: 'a.id', family: 'flax', evidence: 'values' }],
  })
  await bare.close()
})
