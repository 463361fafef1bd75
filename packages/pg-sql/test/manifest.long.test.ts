import { install, VERSION } from '@snoflax/pg-sql'
import { onConnection, type PostgresDatabase } from '@snoflax/test'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openInstalled, openPostgres, servers } from './installed.js'

const DIFFERENCES = `SELECT coalesce(m.object, d.object) AS object
  FROM snoflax._manifest m FULL JOIN snoflax._definitions() d USING (object)
 WHERE m.parts IS DISTINCT FROM d.parts ORDER BY 1`

test.each(servers)('the manifest lists what is installed: $name', async (kind) => {
  const database = await openInstalled(kind)
  try {
    expect(await database.query(DIFFERENCES)).toEqual([])
    const rows = await database.query(
      `SELECT split_part(object, ' ', 1) AS kind, count(*)::integer > 0 AS are_there FROM snoflax._manifest
        WHERE version = '${VERSION}' AND server = current_setting('server_version_num')::integer / 10000
        GROUP BY 1 ORDER BY 1`,
    )
    expect(rows.map((row) => row['kind'])).toEqual(
      ['aggregate', 'domain', 'function', 'row', 'sequence', 'table', 'type', 'view'], //
    )
  } finally {
    await database.close()
  }
})

describe('PostgreSQL', () => {
  let database: PostgresDatabase
  beforeEach(async () => {
    database = await openPostgres()
  })
  afterEach(() => database.close())

  const objects = async (where: string): Promise<unknown[]> =>
    (await database.query(`SELECT object FROM snoflax._manifest WHERE ${where} ORDER BY object`)).map(
      (row) => row['object'],
    )

  test('a dump and restore change nothing, since the server prints definitions the same way', async () => {
    await database.query(`DO $do$ DECLARE sql text; BEGIN
      FOR sql IN
        SELECT pg_get_functiondef(oid) FROM pg_proc WHERE pronamespace = 'snoflax'::regnamespace AND prokind = 'f'
        UNION ALL SELECT 'CREATE OR REPLACE VIEW snoflax.leases AS ' || pg_get_viewdef('snoflax.leases'::regclass)
        UNION ALL SELECT format('ALTER DOMAIN %1$s DROP CONSTRAINT %2$I; ALTER DOMAIN %1$s ADD CONSTRAINT %2$I %3$s',
            contypid::regtype, conname, pg_get_constraintdef(oid))
          FROM pg_constraint WHERE connamespace = 'snoflax'::regnamespace AND contypid <> 0
        UNION ALL SELECT format('ALTER TABLE %s ALTER %I SET DEFAULT %s', adrelid::regclass, attname,
            pg_get_expr(adbin, adrelid))
          FROM pg_attrdef JOIN pg_attribute ON attrelid = adrelid AND attnum = adnum
         WHERE adrelid IN (SELECT oid FROM pg_class WHERE relnamespace = 'snoflax'::regnamespace)
      LOOP EXECUTE sql; END LOOP;
    END $do$`)
    expect(await database.query(DIFFERENCES)).toEqual([])
  })

  test('settings of the session, the number and the epoch change nothing', async () => {
    await database.query(
      `SELECT snoflax.sno_set_partition(7), snoflax.flake_set_worker(1, 2, 1700000000000), snoflax.uid_set_node('here'),
         snoflax.lease_set_max_ttl('sno', 60000)`,
    )
    const session = await database.connect()
    await session.query(`SET search_path = snoflax, public; SET quote_all_identifiers = on; SET bytea_output = escape;
      SET DateStyle = German; SET TimeZone = 'Asia/Tokyo'; SET extra_float_digits = 0; SET IntervalStyle = iso_8601`)
    expect((await session.query(DIFFERENCES)).rows).toEqual([])
    await session.end()
  })

  test('any role that may use the schema may read and compare the manifest', async () => {
    const role = await database.role()
    await database.query(`GRANT USAGE ON SCHEMA snoflax TO ${role.name}`)
    const rows = await onConnection(role.url, async (client) => {
      await client.query('BEGIN READ ONLY')
      return (await client.query(DIFFERENCES)).rows
    })
    expect(rows).toEqual([])
  })

  test('installing again updates the entries of what it replaces, and of nothing else', async () => {
    await database.query(`
      CREATE OR REPLACE FUNCTION snoflax.flax_generate() RETURNS bytea LANGUAGE sql RETURN '\\x00'::bytea;
      CREATE FUNCTION snoflax.other() RETURNS integer LANGUAGE sql RETURN 1;
      CREATE OR REPLACE FUNCTION snoflax._sno_number() RETURNS bigint LANGUAGE sql RETURN 1;
      ALTER TABLE snoflax._lease ADD COLUMN note text;
      ALTER DOMAIN snoflax.flax_text SET NOT NULL;
      ALTER TYPE snoflax.flax_fields ADD ATTRIBUTE note text;
      ALTER SEQUENCE snoflax.sno_state CYCLE;
      UPDATE snoflax._generator SET last_counter = 9 WHERE family = 'flake'`)
    await install(database.pool)
    expect((await database.query(DIFFERENCES)).map((row) => row['object'])).toEqual([
      'domain snoflax.flax_text',
      'function snoflax._sno_number()',
      'function snoflax.other()',
      'row flake of snoflax._generator',
      'sequence snoflax.sno_state',
      'table snoflax._lease',
      'type snoflax.flax_fields',
    ])
  })

  test('another version of the server prints the definitions anew', async () => {
    await database.query('UPDATE snoflax._manifest SET server = 13, parts = $1', [{ words: 'other' }])
    await install(database.pool)
    expect(await database.query(DIFFERENCES)).toEqual([])
    expect(await objects('server = 13')).toEqual([])
  })

  test('families installed later, or left out of an upgrade, keep their entries', async () => {
    await install(database.pool, { schema: 'ids', families: ['flax'] })
    const families = `SELECT string_agg(DISTINCT left(name, -7), ' ' ORDER BY left(name, -7)) AS all
      FROM ids._manifest WHERE name ~ '^[a-z_]+_decode$' AND name !~ 'partman'`
    expect(await database.query(families)).toEqual([{ all: 'flax' }])
    await install(database.pool, { schema: 'ids', families: ['uid'] })
    expect(await database.query(families)).toEqual([{ all: 'flax uid uid_local' }])

    await database.query(`UPDATE snoflax._manifest SET version = '0.0.0-before';
      INSERT INTO snoflax._manifest VALUES
        ('function snoflax._flax_former()', '_flax_former', 1, '{}', '0.0.0-before', 17),
        ('function snoflax._sno_former()', '_sno_former', 1, '{}', '0.0.0-before', 17)`)
    await install(database.pool, { families: ['flax', 'flake', 'uid'] })
    expect(await objects("version = '0.0.0-before' AND name ~ '^_?(flax|flake|uid)_'")).toEqual([])
    expect(await objects("version = '0.0.0-before'")).toContain('function snoflax._sno_former()')
    expect(await objects("name ~ '_former'")).toEqual(['function snoflax._sno_former()'])
    expect(await objects(`version = '${VERSION}'`)).toContain('function snoflax._sno_number()')
  })
})
