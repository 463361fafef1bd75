import { randomUUID } from 'node:crypto'
import { IdError } from '@snoflax/core'
import { typeid, type Ulid, type Uuid7, ulid, uuid7 } from '@snoflax/families'
import { install } from '@snoflax/pg-sql'
import { type OpenDatabase, type PostgresDatabase, postgres } from '@snoflax/test'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openInstalled, openPostgres, servers } from './installed.js'
import { CASES, Random, SEED } from './random.js'

// The functions of uuid7.sql beside TypeScript, over random UUIDs, texts and moments.

const COUNT = Math.min(2000, CASES)
const LAST_MS = 2 ** 48 - 1
/** Dates of PostgreSQL are read by the driver up to here. */
const FAR_MS = Date.UTC(9999, 0)

describe.each(servers)(`$name, SNOFLAX_SEED=${SEED}`, (kind) => {
  let database: OpenDatabase
  const random = new Random(SEED)
  const integer = (from: number, to: number) => Number(random.bigint(BigInt(from), BigInt(to)))
  beforeAll(async () => {
    database = await openInstalled(kind)
  })
  afterAll(() => database.close())

  /** The values of an expression of `input`, a text, for each of the inputs. */
  async function values(expression: string, inputs: readonly string[]): Promise<unknown[]> {
    const rows = await database.query(
      `SELECT (${expression})::text AS value FROM unnest($1::text[]) WITH ORDINALITY AS given(input, n) ORDER BY n`,
      [inputs],
    )
    expect(rows).toHaveLength(inputs.length)
    return rows.map(({ value }) => value)
  }
  const codeOf = (sql: string, ...parameters: unknown[]) =>
    database.query(sql, parameters).then(
      () => undefined,
      (error: { code?: string }) => error.code,
    )
  const bytes = () => Array.from({ length: COUNT }, () => random.bytes(16))

  test('ULIDs of any 128 bits', async () => {
    const ids = [ulid.min, ulid.max, ...bytes().map((one) => ulid.encode(one))]
    const uuids = ids.map((id) => ulid.toUuid(id as Ulid))
    expect(await values('snoflax.ulid_encode(input::uuid)', uuids)).toEqual(ids)
    expect(await values('snoflax.ulid_decode(input)', ids)).toEqual(uuids)
  })

  test('TypeIDs of any 128 bits', async () => {
    const family = typeid('user_account', { uuids: 'any' })
    const ids = [family.min, family.max, ...bytes().map((one) => family.encode(one))]
    const uuids = ids.map((id) => family.toUuid(id))
    expect(await values("snoflax.typeid_encode('user_account', input::uuid)", uuids)).toEqual(ids)
    expect(await values("snoflax.typeid_decode('user_account', input)", ids)).toEqual(uuids)
  })

  test('malformed texts are refused as TypeScript refuses them', async () => {
    const family = typeid('u', { uuids: 'any' })
    const spoilt = (text: string) => {
      const at = integer(0, text.length - 1)
      return text.slice(0, at) + String.fromCharCode(integer(1, 127)) + text.slice(at + 1)
    }
    const texts = [
      ...['', 'u_', '_', 'U_00000000000000000000000000', '8ZZZZZZZZZZZZZZZZZZZZZZZZZ', `${ulid.min}\n`],
      ...bytes()
        .slice(0, 300)
        .flatMap((one) => [spoilt(ulid.encode(one)), spoilt(family.encode(one))]),
      ...bytes()
        .slice(0, 20)
        .flatMap((one) => [ulid.encode(one).slice(1), `u${family.encode(one)}`]),
    ]
    for (const text of texts) {
      const ours = [ulid.is(text), family.is(text)].map((is) => (is ? undefined : '22P02'))
      const theirs = [
        await codeOf('SELECT snoflax.ulid_decode($1)', text),
        await codeOf("SELECT snoflax.typeid_decode('u', $1)", text),
      ]
      expect([text, ...theirs]).toEqual([text, ...ours])
    }
  })

  test('prefixes are those that typeid takes', async () => {
    const isTaken = (prefix: string) => {
      try {
        return typeid(prefix) !== undefined
      } catch (error) {
        return !(error instanceof IdError)
      }
    }
    const prefixes = [
      'a',
      'a_b',
      'a'.repeat(63),
      '',
      'A',
      '_a',
      'a_',
      'a1',
      'ä',
      'a b',
      'a'.repeat(64),
      'a\n',
    ]
    for (const prefix of prefixes) {
      const expected = isTaken(prefix) ? undefined : '22023'
      const uuid = '01890a5d-ac96-774b-bcce-b302099a8057'
      expect([prefix, await codeOf('SELECT snoflax.typeid_encode($1, $2)', prefix, uuid)]).toEqual([
        prefix,
        expected,
      ])
      expect([
        prefix,
        await codeOf('SELECT snoflax.typeid_decode($1, $2)', prefix, `${prefix}_${typeid('a').min.slice(2)}`),
      ]).toEqual([prefix, expected])
    }
  })

  test('times and bounds of UUIDv7', async () => {
    const moments = [0, 1, FAR_MS, ...Array.from({ length: COUNT }, () => integer(0, FAR_MS))]
    const ids = moments.map((timeMs) => uuid7.generateAt(timeMs))
    const ms = '(extract(epoch FROM snoflax.uuid7_time(input::uuid)) * 1000)::bigint'
    expect(await values(ms, ids)).toEqual(moments.map(String))
    const at = moments.map((timeMs) => new Date(timeMs).toISOString())
    const bounds = at.map((text) => uuid7.lowerBound(new Date(text)))
    expect(await values('snoflax.uuid7_lower_bound(input::timestamptz)', at)).toEqual(bounds)
    expect(await values('snoflax.uuid7_partman_encode_uuid(input::timestamptz)', at)).toEqual(bounds)
    expect(
      await values('snoflax.uuid7_partman_decode(input) = snoflax.uuid7_time(input::uuid)', ids),
    ).toEqual(ids.map(() => 'true'))
    expect(
      await values('snoflax.uuid7_is_valid(input::uuid)', [...ids.slice(0, 9), randomUUID(), uuid7.min]),
    ).toEqual([...Array(9).fill('true'), 'false', 'true'])
  })

  test('ends of time, and parts of a millisecond', async () => {
    const bound = async (text: string) =>
      (await values('snoflax.uuid7_lower_bound(input::timestamptz)', [text]))[0]
    expect(await bound('-infinity')).toBe(uuid7.min)
    expect(await bound('1969-12-31T23:59:59.9995Z')).toBe(uuid7.min)
    expect(await bound('1970-01-01T00:00:00.0001Z')).toBe(uuid7.lowerBound(1))
    expect(await bound('10889-08-02T05:31:50.655Z')).toBe(uuid7.lowerBound(LAST_MS))
    for (const late of ['10889-08-02T05:31:50.655001Z', 'infinity']) {
      expect(await codeOf('SELECT snoflax.uuid7_lower_bound($1)', late)).toBe('22008')
      expect(await codeOf('SELECT snoflax.uuid7_generate_at($1)', late.replace('655001', '656'))).toBe(
        '22008',
      )
    }
    expect(await codeOf('SELECT snoflax.uuid7_generate_at($1)', '1969-12-31T23:59:59.999999Z')).toBe('22008')
    expect(await codeOf('SELECT snoflax.uuid7_time($1)', randomUUID())).toBe('22P02')
  })

  test('ranges hold what TypeScript says', async () => {
    for (let i = 0; i < 200; i++) {
      const [a, b, c] = [0, 0, 0].map(() => integer(0, 3000)) as [number, number, number]
      const [from, until] = [Math.min(a, b), Math.max(a, b)]
      const sql = 'SELECT snoflax.uuid7_between($1, $2, $3) AS is'
      const [row] = await database.query(sql, [
        uuid7.generateAt(c),
        new Date(from).toISOString(),
        new Date(until).toISOString(),
      ])
      expect([from, until, c, row?.['is']]).toEqual([from, until, c, c >= from && c < until])
    }
    const open = "SELECT snoflax.uuid7_between($1, '-infinity', 'infinity') AS is"
    expect(await database.query(open, [uuid7.max])).toEqual([{ is: true }])
    const nothing = "SELECT snoflax.uuid7_between($1, 'infinity', 'infinity') AS is"
    expect(await database.query(nothing, [uuid7.max])).toEqual([{ is: false }])
  })

  test('generates ids of now, all different, and of a moment', async () => {
    const rows = await database.query(
      `SELECT snoflax.uuid7_generate()::text AS id, snoflax.uuid7_generate_uuid()::text AS other,
         snoflax.uuid7_generate_at('2026-11-01T00:00:00.123999Z')::text AS past FROM generate_series(1, 1000)`,
    )
    const ids = rows.flatMap(({ id, other }) => [uuid7.parse(id), uuid7.parse(other)])
    expect(new Set(ids).size).toBe(2000)
    for (const id of ids) expect(Math.abs(uuid7.timeMs(id) - Date.now())).toBeLessThan(600_000)
    const past = new Set(rows.map(({ past }) => past as Uuid7))
    expect(past.size).toBe(1000)
    for (const id of past) expect(uuid7.time(id).toISOString()).toBe('2026-11-01T00:00:00.123Z')
  })

  test("is the server's own from version 18 on", async () => {
    const [row] = await database.query(
      `SELECT current_setting('server_version_num')::integer / 10000 AS version,
         pg_get_functiondef('snoflax.uuid7_generate()'::regprocedure) AS definition`,
    )
    expect(/\buuidv7\(\)/.test(String(row?.['definition']))).toBe(Number(row?.['version']) >= 18)
  })
})

describe('PostgreSQL', () => {
  let database: PostgresDatabase
  beforeAll(async () => {
    database = await openPostgres()
  })
  afterAll(() => database.close())

  test('finds a range by the index, and prunes partitions', async () => {
    await database.query(`CREATE TABLE days (id uuid PRIMARY KEY) PARTITION BY RANGE (id)`)
    for (const day of [1, 2, 3]) {
      const [from, to] = [day, day + 1].map((n) => uuid7.lowerBound(Date.UTC(2026, 10, n)))
      await database.query(
        `CREATE TABLE day${day} PARTITION OF days FOR VALUES FROM ('${from}') TO ('${to}')`,
      )
    }
    const plan = await database.query(
      "EXPLAIN SELECT * FROM days WHERE snoflax.uuid7_between(id, '2026-11-02Z', '2026-11-03Z')",
    )
    const text = plan.map((row) => row['QUERY PLAN']).join('\n')
    expect(text).toMatch(/day2/)
    expect(text).not.toMatch(/day[13]/)
    expect(text).toMatch(/Index/)
  })

  test('is enough by itself, and goes into another schema', async () => {
    const empty = await postgres.open()
    await install(empty.pool, { schema: 'ids', families: ['uuid7'] })
    const [row] = await empty.query('SELECT ids.ulid_encode(ids.uuid7_generate()) AS id')
    expect(ulid.is(row?.['id'])).toBe(true)
    await empty.close()
  })
})
