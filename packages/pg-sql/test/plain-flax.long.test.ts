import { readFileSync } from 'node:fs'
import { flax, storageFor } from '@snoflax/core'
import { type OpenDatabase, pglite, postgres } from '@snoflax/test'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hexLiteral } from './families.js'
import { microseconds, timestamptz, usOf } from './moments.js'
import { planOf } from './plans.js'
import { CASES, Random, SEED } from './random.js'

// The file for servers that have SQL functions and little else.

const script = readFileSync(new URL('../dist/sql/plain-flax.sql', import.meta.url), 'utf8')
const statements = script
  .replaceAll(/^--.*$/gm, '')
  .split(/;\s*$/m)
  .map((statement) => statement.trim())
  .filter(Boolean)
const COUNT = Math.min(CASES, 1_000_000) / 5
const uuids = storageFor(flax, 'postgres', { storage: 'uuid' })

describe.each([pglite, postgres].filter((kind) => kind.selected()))(`$name, SNOFLAX_SEED=${SEED}`, (kind) => {
  let database: OpenDatabase
  beforeAll(async () => {
    database = await kind.open()
    await database.query('DROP EXTENSION plpgsql')
    for (const statement of statements) await database.query(statement)
  })
  afterAll(() => database.close())

  test('contains only functions in SQL', async () => {
    const made = await database.query(
      `SELECT DISTINCT classid::regclass::text AS what, (SELECT lanname FROM pg_language l, pg_proc p
          WHERE l.oid = p.prolang AND p.oid = objid) AS language
         FROM pg_depend WHERE refclassid = 'pg_namespace'::regclass AND refobjid = 'snoflax'::regnamespace`,
    )
    expect(made).toEqual([{ what: 'pg_proc', language: 'sql' }])
  })

  test(`${COUNT} random ids are those of core in every form`, async () => {
    const random = new Random(SEED)
    const input = Array.from({ length: COUNT }, () => {
      const bytes = random.bytes(flax.byteLength)
      const id = flax.encode(bytes)
      return {
        id,
        bytes: hexLiteral(bytes),
        uuid: String(uuids.toDatabase(id)),
        us: String(microseconds(flax.timeMs(id))),
      }
    })
    const wrong = await database.query(
      `SELECT id FROM jsonb_to_recordset($1::jsonb) AS one(id text, bytes bytea, uuid uuid, us bigint)
        WHERE NOT (snoflax.flax_encode(bytes) = id AND snoflax.flax_encode(uuid) = id AND snoflax.flax_decode(id) = bytes
          AND snoflax.flax_to_uuid(bytes) = uuid AND snoflax.flax_to_uuid(id) = uuid AND snoflax.flax_from_uuid(uuid) = bytes
          AND (SELECT bool_and(text = 'order_2_' || id) FROM (VALUES (snoflax.flax_encode(id, 'order_2')),
            (snoflax.flax_encode(bytes, 'order_2')), (snoflax.flax_encode(uuid, 'order_2'))) AS made(text))
          AND snoflax.flax_decode('order_2_' || id, 'order_2') = bytes
          AND snoflax.flax_is_valid('order_2_' || id) AND snoflax.flax_time('order_2_' || id) = snoflax.flax_time(id)
          AND snoflax.flax_is_valid(id) AND snoflax.flax_is_valid(bytes) AND snoflax.flax_is_valid(uuid)
          AND ${['id', 'bytes', 'uuid'].map((form) => `${usOf(`snoflax.flax_time(${form})`)} = us`).join(' AND ')})`,
      [JSON.stringify(input)],
    )
    expect(wrong.slice(0, 10)).toEqual([])
  })

  test("ranges are those of core, also with ends outside the family's times", async () => {
    const random = new Random(SEED + 1)
    const input = Array.from({ length: COUNT / 5 }, () => {
      const id = flax.encode(random.bytes(flax.byteLength))
      const us = microseconds(flax.timeMs(id))
      const end = () =>
        random.pick([
          us + random.bigint(-2000n, 2000n),
          us + random.bigint(-(10n ** 16n), 10n ** 16n),
          Infinity,
          -Infinity,
        ])
      const [from, until] = [end(), end()]
      const bound = typeof from === 'bigint' && from / 1000n < flax.lastMs ? Number(from / 1000n) : 0
      return {
        id,
        uuid: String(uuids.toDatabase(id)),
        from: timestamptz(from),
        until: timestamptz(until),
        within: from <= us && us < until,
        at: timestamptz(BigInt(bound) * 1000n),
        bound: flax.lowerBound(bound),
      }
    })
    const wrong = await database.query(
      `SELECT one.* FROM jsonb_to_recordset($1::jsonb)
         AS one(id text, uuid uuid, "from" timestamptz, until timestamptz, within boolean, at timestamptz, bound text)
        WHERE snoflax.flax_between(id, "from", until) <> within OR snoflax.flax_between(uuid, "from", until) <> within
          OR snoflax.flax_between(snoflax.flax_decode(id), "from", until) <> within
          OR snoflax.flax_lower_bound_text(at) <> bound OR snoflax.flax_lower_bound(at) <> snoflax.flax_decode(bound)
          OR snoflax.flax_lower_bound_uuid(at) <> snoflax.flax_to_uuid(bound)`,
      [JSON.stringify(input)],
    )
    expect(wrong.slice(0, 10)).toEqual([])
  })

  test.each([
    ["flax_decode('Kpcan0M1FakODT4')", '"Kpcan0M1FakODT4" is not 16 characters'],
    ["flax_decode('Kpcan0M1FakODT4é')", '"Kpcan0M1FakODT4é" is not 16 characters'],
    ["flax_time('Kpcan0M1FakODT4.')", '"Kpcan0M1FakODT4." is not 16 characters'],
    ["flax_encode('\\x00'::bytea)", 'a flax has 12 bytes, not 1'],
    ["flax_time('\\x00'::bytea)", 'a flax has 12 bytes, not 1'],
    ["flax_encode('00000000-0000-0000-0000-000000000000'::uuid)", 'are not the 16 characters'],
    ["flax_lower_bound('2050-01-01Z')", 'after the last time'],
  ])('%s is refused, also for a column', async (call, reason) => {
    const refused = { code: '22P02', message: expect.stringContaining(reason) }
    await expect(database.query(`SELECT snoflax.${call}`)).rejects.toMatchObject(refused)
    const [, name, literal, cast = ''] = /^(\w+)\((.*?)(::\w+)?\)$/.exec(call) as unknown as string[]
    const type = cast || (name === 'flax_lower_bound' ? '::timestamptz' : '::text')
    const column = `SELECT snoflax.${name}(value) FROM (VALUES (${literal}${type})) AS one(value)`
    await expect(database.query(column)).rejects.toMatchObject(refused)
  })

  test.each([
    ["encode(flax_generate(), 'Cus')", 'a prefix must have 1 to 63 of a-z, 0-9 and _'],
    ["decode('cus__Kpcan0M1FakODT4k', 'cus_')", 'a prefix must have 1 to 63 of a-z, 0-9 and _'],
    ["decode('inv_Kpcan0M1FakODT4k', 'cus')", 'an id must begin with "cus_", not "inv_Kpcan0M1FakODT4k"'],
    ["decode('cusKpcan0M1FakODT4k', 'cus')", 'an id must begin with "cus_"'],
    ["decode('cus_Kpcan0M1FakODT4', 'cus')", 'is not 16 characters'],
    ["encode('\\x00'::bytea, 'cus')", 'a flax has 12 bytes, not 1'],
  ])('flax_%s is refused', async (call, reason) => {
    const sql = `SELECT snoflax.flax_${call.replace('flax_', 'snoflax.flax_')}`
    await expect(database.query(sql)).rejects.toMatchObject({
      code: '22P02',
      message: expect.stringContaining(reason),
    })
  })

  test('NULL returns NULL', async () => {
    const rows = await database.query(
      `SELECT snoflax.flax_decode(NULL) AS a, snoflax.flax_time(NULL::uuid) AS b, snoflax.flax_encode(NULL::bytea) AS c,
         snoflax.flax_lower_bound_uuid(NULL) AS d, snoflax.flax_between(NULL::uuid, 'now', 'now') AS e,
         snoflax.flax_encode(snoflax.flax_generate(), NULL) AS f, snoflax.flax_decode(NULL, 'a') AS g`,
    )
    expect(rows).toEqual([{ a: null, b: null, c: null, d: null, e: null, f: null, g: null }])
  })

  test('new ids are different and of now, and a range of them uses the index', async () => {
    await database.query(
      'CREATE TABLE made (id uuid PRIMARY KEY DEFAULT snoflax.flax_generate_uuid(), n integer)',
    )
    await database.query('INSERT INTO made (n) SELECT generate_series(1, 2000)')
    await database.query('ANALYZE made')
    const recent = `SELECT id FROM made WHERE snoflax.flax_between(id, now() - interval '1 hour', 'infinity')`
    expect(await database.query(recent)).toHaveLength(2000)
    const rows = await database.query(
      `SELECT count(DISTINCT id)::integer AS all, min(snoflax.flax_time(id)) > now() - interval '1 hour' AS late
         FROM (SELECT snoflax.flax_generate() AS id FROM generate_series(1, 1000)
           UNION ALL SELECT snoflax.flax_decode(snoflax.flax_generate_text()) FROM generate_series(1, 1000)) AS one`,
    )
    expect(rows).toEqual([{ all: 2000, late: true }])
    const nodes = await planOf(
      async (sql) => ({ rows: await database.query(sql) }),
      `SELECT id FROM made WHERE snoflax.flax_between(id, '2026-01-01Z', '2026-01-02Z')`,
    )
    expect(nodes.map((node) => node['Index Name'])).toContain('made_pkey')
  })
})
