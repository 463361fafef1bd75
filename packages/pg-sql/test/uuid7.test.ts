import { randomUUID } from 'node:crypto'
import { IdError, type IdFamily, prefixed } from '@snoflax/core'
import { typeid, type Ulid, ulid, uuid7 } from '@snoflax/families'
import { install } from '@snoflax/pg-sql'
import { type OpenDatabase, type PostgresDatabase, postgres } from '@snoflax/test'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openInstalled, openPostgres, servers } from './installed.js'
import { CASES, Random, SEED } from './random.js'

// The functions of uuid7.sql beside TypeScript, over random UUIDs, texts and moments.

const COUNT = CASES / 5
const LAST_MS = 2 ** 48 - 1

interface Kind {
  readonly name: string
  readonly family: IdFamily & { generateAt(timeMs: number): string }
  /** The id of what the database gives, a uuid or a text. */
  id(given: string): string
  uuidOf(id: string): string
}

const user = typeid('user')
const isUuid = (text: string) => text.length === 36
const KINDS = [
  { name: 'uuid7', family: uuid7, id: uuid7.parse, uuidOf: (id: string) => id },
  {
    name: 'ulid',
    family: ulid,
    id: (given: string) => (isUuid(given) ? ulid.fromUuid(given) : ulid.parse(given)),
    uuidOf: ulid.toUuid,
  },
  {
    name: 'typeid',
    family: user.base,
    id: (given: string) =>
      isUuid(given)
        ? user.withoutPrefix(user.fromUuid(given))
        : user.base.parse(given.startsWith('user_') ? given.slice(5) : given),
    uuidOf: (id: string) => user.toUuid(user.withPrefix(user.base.parse(id))),
  },
] as unknown as readonly Kind[]

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

  test('ULIDs with any 128 bits', async () => {
    const ids = [ulid.min, ulid.max, ...bytes().map((one) => ulid.encode(one))]
    const uuids = ids.map((id) => ulid.toUuid(id as Ulid))
    expect(await values('snoflax.ulid_encode(input::uuid)', uuids)).toEqual(ids)
    expect(await values('snoflax.ulid_decode(input)', ids)).toEqual(uuids)
  })

  test('TypeIDs with any 128 bits', async () => {
    const family = typeid('user_account', { uuids: 'any' })
    const ids = [family.min, family.max, ...bytes().map((one) => family.encode(one))]
    const uuids = ids.map((id) => family.toUuid(id))
    expect(await values("snoflax.typeid_encode('user_account', input::uuid)", uuids)).toEqual(ids)
    expect(await values("snoflax.typeid_decode('user_account', input)", ids)).toEqual(uuids)
  })

  test('malformed texts are refused as in TypeScript', async () => {
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
    await database.query(`CREATE FUNCTION refusal(call text, given text) RETURNS text LANGUAGE plpgsql AS $$
      BEGIN EXECUTE call USING given; RETURN NULL; EXCEPTION WHEN OTHERS THEN RETURN SQLSTATE; END $$`)
    for (const [call, one] of [
      ['ulid_decode($1)', ulid],
      ["typeid_decode('u', $1)", family],
    ] as const) {
      const theirs = await values(`refusal($call$SELECT snoflax.${call}$call$, input)`, texts)
      const ours = texts.map((text) => (one.is(text) ? null : '22P02'))
      expect(texts.map((text, i) => [text, theirs[i]])).toEqual(texts.map((text, i) => [text, ours[i]]))
    }
  })

  test('prefixes are accepted exactly if typeid accepts them', async () => {
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

  describe.each(KINDS)('$name', ({ name, family, id, uuidOf }) => {
    const call = (verb: string, given = '$1') => `SELECT snoflax.${name}_${verb}(${given})`
    const uuidAt = (timeMs: number) => uuidOf(family.generateAt(timeMs))
    const boundAt = (timeMs: number) => uuidOf(family.lowerBound(timeMs))

    test('times and bounds are those of TypeScript', async () => {
      const moments = [0, 1, FAR_MS, ...Array.from({ length: COUNT }, () => integer(0, FAR_MS))]
      const ids = moments.map((timeMs) => family.generateAt(timeMs))
      const ms = (given: string) => `(extract(epoch FROM snoflax.${name}_time(${given})) * 1000)::bigint`
      expect(await values(ms('input::uuid'), ids.map(uuidOf))).toEqual(moments.map(String))
      expect(await values(ms('input'), ids)).toEqual(moments.map(String))
      const at = moments.map((timeMs) => new Date(timeMs).toISOString())
      const bounds = moments.map(boundAt)
      expect(await values(`snoflax.${name}_lower_bound(input::timestamptz)`, at)).toEqual(bounds)
    })

    test('the first and last times, and parts of a millisecond, are those of TypeScript', async () => {
      const bound = async (text: string) =>
        (await values(`snoflax.${name}_lower_bound(input::timestamptz)`, [text]))[0]
      expect(await bound('-infinity')).toBe(boundAt(0))
      expect(await bound('1969-12-31T23:59:59.9995Z')).toBe(boundAt(0))
      expect(await bound('1970-01-01T00:00:00.0001Z')).toBe(boundAt(1))
      expect(await bound('10889-08-02T05:31:50.655Z')).toBe(boundAt(LAST_MS))
      const generateAt = call('generate_at', name === 'typeid' ? "'user', $1" : '$1')
      for (const late of ['10889-08-02T05:31:50.655001Z', 'infinity']) {
        expect(await codeOf(call('lower_bound'), late)).toBe('22008')
        expect(await codeOf(generateAt, late.replace('655001', '656'))).toBe('22008')
      }
      expect(await codeOf(generateAt, '1969-12-31T23:59:59.999999Z')).toBe('22008')
    })

    test('ranges contain what TypeScript says', async () => {
      const spans = Array.from({ length: 200 }, () => [0, 0, 0].map(() => integer(0, 3000)).sort())
      const rows = await database.query(
        `SELECT snoflax.${name}_between(id, from_time, until_time) AS is FROM unnest($1::uuid[], $2::timestamptz[],
           $3::timestamptz[]) WITH ORDINALITY AS given(id, from_time, until_time, n) ORDER BY n`,
        [
          spans.map(([a, b, c], i) => uuidAt([a, b, c][i % 3] as number)),
          spans.map(([, b]) => new Date(Math.min(b as number, 1500)).toISOString()),
          spans.map(([, b]) => new Date(Math.max(b as number, 1500)).toISOString()),
        ],
      )
      const expected = spans.map(([a, b, c], i) => {
        const timeMs = [a, b, c][i % 3] as number
        return timeMs >= Math.min(b as number, 1500) && timeMs < Math.max(b as number, 1500)
      })
      expect(rows.map(({ is }) => is)).toEqual(expected)
      expect(new Set(expected).size).toBe(2)
      const late = uuidAt(LAST_MS)
      const ask = `SELECT snoflax.${name}_between($1, $2, 'infinity') AS is`
      expect(await database.query(ask, [late, '-infinity'])).toEqual([{ is: true }])
      expect(await database.query(ask, [late, 'infinity'])).toEqual([{ is: false }])
    })

    test('generates different ids of now, and ids of a given time', async () => {
      const at = "'2026-11-01T00:00:00.123999Z'"
      const past = name === 'typeid' ? `typeid_generate_at('user', ${at})` : `${name}_generate_at(${at})`
      const rows = await database.query(
        `SELECT snoflax.${name}_generate${name === 'typeid' ? "('user')" : '()'}::text AS one,
           snoflax.${name}_generate_uuid()::text AS uuid, snoflax.${name}_generate_text() AS text,
           snoflax.${past}::text AS past FROM generate_series(1, 1000)`,
      )
      const ids = rows.flatMap(({ one, uuid, text }) => [one, uuid, text].map((given) => id(String(given))))
      expect(new Set(ids).size).toBe(3000)
      for (const one of ids) expect(Math.abs(family.timeMs(one) - Date.now())).toBeLessThan(600_000)
      expect(rows.every(({ text }) => family.is(text))).toBe(true)
      const old = new Set(rows.map(({ past }) => id(String(past))))
      expect(old.size).toBe(1000)
      for (const one of old) expect(family.time(one).toISOString()).toBe('2026-11-01T00:00:00.123Z')
    })

    test('refuses ids without a time', async () => {
      expect(await codeOf(call('time', '$1::uuid'), randomUUID())).toBe(name === 'ulid' ? undefined : '22P02')
      for (const text of ['', 'x', `${family.min}\n`, `${family.min}0`]) {
        expect([text, await codeOf(call('time', '$1::text'), text)]).toEqual([text, '22P02'])
      }
    })
  })

  test('each random bit of ULIDs is random', async () => {
    const made = await values('encode(uuid_send(snoflax.ulid_generate()), $$hex$$)', Array(300).fill(''))
    const bits = made.map((hex) => BigInt(`0x${String(hex).slice(12)}`))
    const all = 2n ** 80n - 1n
    expect(bits.reduce((seen, one) => seen | one, 0n)).toBe(all)
    expect(bits.reduce((always, one) => always & one, all)).toBe(0n)
  })

  test('validity, and keys of pg_partman, are right', async () => {
    const ids = [uuid7.generate(), uuid7.min, randomUUID(), uuid7.generate().toUpperCase()]
    const valid = ['true', 'true', 'false', 'false']
    expect(await values('snoflax.uuid7_is_valid(input)', ids)).toEqual(valid)
    expect(await values('snoflax.uuid7_is_valid(input::uuid)', ids.slice(0, 3))).toEqual(valid.slice(0, 3))
    const ulids = [ulid.generate(), ulid.max, ulid.generate().toLowerCase(), `8${ulid.min.slice(1)}`]
    expect(await values('snoflax.ulid_is_valid(input)', ulids)).toEqual(valid)
    const days = [1, 400, 20_000].map((day) => new Date(day * 86_400_000).toISOString())
    for (const [encode, decode] of [
      ['uuid7_partman_encode_uuid', 'uuid7_partman_decode'],
      ['ulid_partman_encode_uuid', 'ulid_partman_decode'],
      ['ulid_partman_encode_text', 'ulid_partman_decode'],
    ]) {
      const back = `snoflax.${decode}(snoflax.${encode}(input::timestamptz)::text) = input::timestamptz`
      expect([encode, ...(await values(back, days))]).toEqual([encode, 'true', 'true', 'true'])
    }
    expect(await codeOf("SELECT snoflax.ulid_partman_decode('x')")).toBe('22P02')
  })

  test('ULIDs in text columns are found by time', async () => {
    await database.query('CREATE TABLE notes (id text COLLATE "C" PRIMARY KEY)')
    const ids = [1, 2, 3, 4].map((day) => ulid.generateAt(Date.UTC(2026, 10, day)))
    await database.query('INSERT INTO notes SELECT unnest($1::text[])', [[...ids, ulid.max]])
    const found = async (from: string, until: string) =>
      (
        await database.query('SELECT id FROM notes WHERE snoflax.ulid_between(id, $1, $2) ORDER BY id', [
          from,
          until,
        ])
      ).map(({ id }) => id)
    expect(await found('2026-11-02Z', '2026-11-04Z')).toEqual(ids.slice(1, 3))
    expect(await found('2026-11-04Z', 'infinity')).toEqual([ids[3], ulid.max])
    expect(await values('snoflax.ulid_lower_bound_text(input::timestamptz)', ['2026-11-02Z'])).toEqual([
      ulid.lowerBound(new Date('2026-11-02')),
    ])
  })

  test('UUIDv7 and ULIDs can have prefixes', async () => {
    for (const [name, base, uuidOf] of [
      ['uuid7', uuid7, (id: string) => id],
      ['ulid', ulid, (id: string) => ulid.toUuid(ulid.parse(id))],
    ] as const) {
      const family = prefixed(base as IdFamily, 'c_1')
      const bare = Array.from({ length: 100 }, () => base.generateAt(integer(0, FAR_MS)))
      const ids = bare.map((id) => family.withPrefix(id))
      const uuids = bare.map(uuidOf)
      expect(await values(`snoflax.${name}_prefixed_encode('c_1', input::uuid)`, uuids)).toEqual(ids)
      expect(await values(`snoflax.${name}_prefixed_decode('c_1', input)`, ids)).toEqual(uuids)
      const decode = `SELECT snoflax.${name}_prefixed_decode($1, $2)`
      for (const text of [bare[0], `d_1_${bare[0]}`, `c_1_${bare[0]}x`, 'c_1_', '']) {
        expect([text, await codeOf(decode, 'c_1', text)]).toEqual([text, '22P02'])
      }
      expect(await codeOf(decode, 'C', ids[0])).toBe('22023')
    }
    expect(await codeOf("SELECT snoflax.uuid7_prefixed_encode('c', $1)", randomUUID())).toBe('22P02')
    expect(await codeOf("SELECT snoflax.uuid7_prefixed_decode('c', $1)", `c_${randomUUID()}`)).toBe('22P02')
  })

  test("uuid7_generate uses the server's uuidv7() from version 18 on", async () => {
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

  test.each([
    ['uuid7', 'uuid', 'uuid'],
    ['ulid', 'uuid', 'uuid'],
    ['ulid', 'text', 'text COLLATE "C"'],
    ['typeid', 'uuid', 'uuid'],
  ])('%s in %s: a range uses the index, and prunes partitions', async (name, storage, type) => {
    const table = `${name}_${storage}_days`
    await database.query(`CREATE TABLE ${table} (id ${type} PRIMARY KEY) PARTITION BY RANGE (id)`)
    const partitions = await database.query(
      "SELECT snoflax.partition_ddl($1::regclass, $2, $3, '2026-11-01Z', '2026-11-04Z', '1 day') AS ddl",
      [table, name, storage],
    )
    // A uuid's with the statistics of the key.
    expect(partitions).toHaveLength(storage === 'uuid' ? 6 : 3)
    for (const { ddl } of partitions) await database.query(String(ddl))
    const plan = await database.query(
      `EXPLAIN SELECT * FROM ${table} WHERE snoflax.${name}_between(id, '2026-11-02Z', '2026-11-03Z')`,
    )
    const text = plan.map((row) => row['QUERY PLAN']).join('\n')
    expect(text).toContain(`${table}_2026_11_02`)
    expect(text).not.toMatch(/2026_11_0[13]/)
    expect(text).toMatch(/Index/)
  })

  test.each([
    ['uuid7', 'binary'],
    ['uuid7', 'text'],
    ['typeid', 'text'],
  ])('partition_ddl refuses %s in %s', async (name, storage) => {
    const call = `SELECT snoflax.partition_ddl('pg_class', $1, $2, '2026-11-01Z', '2026-11-04Z', '1 day')`
    await expect(database.query(call, [name, storage])).rejects.toMatchObject({
      code: '22023',
      message: `partition_ddl: no family "${name}" with storage "${storage}"`,
    })
  })

  test('the families can be installed alone, and in another schema', async () => {
    const empty = await postgres.open()
    await install(empty.pool, { schema: 'ids', families: ['uuid7'] })
    const [row] = await empty.query('SELECT ids.ulid_encode(ids.uuid7_generate()) AS id')
    expect(ulid.is(row?.['id'])).toBe(true)
    await empty.close()
  })
})
