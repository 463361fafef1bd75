import { registerSnoflax } from '@snoflax/better-sqlite3'
import { type FlakeId, flake, flax, sno } from '@snoflax/core'
import { uid } from '@snoflax/families'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ENDINGS, FAMILIES, storagesOf } from './families.js'
import { Sql } from './sql.js'

const node = uid.generator({ node: 'orders@10.0.0.7' })
const GENERATORS = {
  sno: sno.generator({ partition: 7, meta: 4 }),
  flake: flake.generator({ datacenter: 1, worker: 2 }),
  uid: node,
  uidLocal: node.local,
}

let sql: Sql
beforeEach(async () => {
  sql = await Sql.open({ generators: GENERATORS })
})
afterEach(() => sql.close())

const TYPES: Record<string, string> = { '': 'blob', _text: 'text', _bigint: 'integer' }

describe.each(FAMILIES)('$prefix', ({ prefix, family }) => {
  test.each(storagesOf(family).map((storage) => ENDINGS[storage] as string))(
    'generate%s() returns an id of now, of the type of the storage',
    (ending) => {
      sql.gives(`typeof(${prefix}_generate${ending}())`, [], TYPES[ending] as string)
      const before = Date.now()
      const made = sql.value(`${prefix}_generate${ending}()`) as string | bigint
      const timeMs = Number(sql.value(`${prefix}_time_ms(?)`, made))
      // The units of a family last up to 4 ms.
      expect(timeMs).toBeGreaterThan(before - 5)
      expect(timeMs).toBeLessThanOrEqual(Date.now())
      sql.gives(`${prefix}_is_valid(?)`, [made], 1n)
    },
  )

  test('generate_many(n) returns n different ids, in order if the family generates them in order', () => {
    const { connection } = sql.database
    const many = connection.prepare<[number], Buffer>(`SELECT id FROM ${prefix}_generate_many(?)`)
    const made = many.pluck().all(10_000)
    const hex = made.map((bytes) => bytes.toString('hex'))
    expect(new Set(hex).size).toBe(10_000)
    expect(made.every((bytes) => bytes.length === family.byteLength)).toBe(true)
    if (prefix !== 'flax') expect([...hex].sort()).toEqual(hex)
    expect(connection.prepare(`SELECT id FROM ${prefix}_generate_many(0)`).all()).toEqual([])
    expect(connection.prepare(`SELECT id FROM ${prefix}_generate_many(NULL)`).all()).toEqual([])
    expect(connection.prepare(`SELECT id FROM ${prefix}_generate_many(3) LIMIT 2`).all()).toHaveLength(2)
  })
})

test.each([
  ['-1', 'FIELD_OUT_OF_RANGE', '-1'],
  ['1.5', 'FIELD_OUT_OF_RANGE', '1.5'],
  ['9e999', 'FIELD_OUT_OF_RANGE', 'Infinity'],
  ['9007199254740992', 'FIELD_OUT_OF_RANGE', '9007199254740992'],
  ["'3'", 'INVALID_TYPE', 'text'],
  ["x'03'", 'INVALID_TYPE', 'a blob'],
  ['', 'INVALID_TYPE', 'left out'],
])('generate_many(%s) is refused', (n, code, shown) => {
  const message = `sno_generate_many(): sno: n must be an integer, 0 or more, not ${shown}`
  expect(() => sql.database.connection.prepare(`SELECT id FROM sno_generate_many(${n})`).all()).toThrow(
    expect.objectContaining({ code, family: 'sno', field: 'n', message }),
  )
})

describe('generators passed', () => {
  test('generate the ids', () => {
    sql.gives("sno_unpack(sno_generate()) ->> 'partition'", [], 7n)
    sql.gives('flake_unpack(flake_generate()) ->> ?', ['datacenter'], 1n)
    sql.gives('flake_unpack(flake_generate_bigint()) ->> ?', ['worker'], 2n)
    sql.gives("(uid_unpack(uid_generate_text()) ->> 'node') = uid_fingerprint('orders@10.0.0.7')", [], 1n)
  })

  test('are shared by SQL and TypeScript, which never repeat an id', () => {
    const ids = Array.from({ length: 2000 }, (_, n) =>
      n % 2 ? GENERATORS.flake.generate() : (sql.value('flake_encode(flake_generate())') as string),
    )
    expect(new Set(ids).size).toBe(2000)
    expect([...ids].sort((a, b) => flake.compare(a as FlakeId, b as FlakeId))).toEqual(ids)
  })

  test('of flake with another epoch are accepted with their family', () => {
    const epoch = Date.UTC(2025, 0, 1)
    const later = flake.withEpoch(epoch)
    const database = registerSnoflax(new Database(':memory:'), {
      families: [later],
      generators: { flake: later.generator({ datacenter: 3, worker: 4 }) },
    })
    const [time, number] = database
      .prepare('SELECT flake_time_ms(id), flake_encode(id) FROM flake_generate_many(1)')
      .raw()
      .get() as [number, string]
    expect(Math.abs(time - Date.now())).toBeLessThan(5000)
    expect(flake.timeMs(flake.parse(number))).toBeLessThan(Date.now() - epoch + 5000)
    database.close()
  })
})

test('an id used twice in a query is one id if it is materialized, and two if not', () => {
  const { connection } = sql.database
  connection.exec('CREATE TABLE t (n); INSERT INTO t VALUES (1), (2)')
  const same = (how: string): unknown[] =>
    connection
      .prepare(`WITH made AS ${how} (SELECT n, flax_generate_text() AS id FROM t) SELECT id = id FROM made`)
      .pluck()
      .all()
  expect(same('MATERIALIZED')).toEqual([1, 1])
  expect(same('NOT MATERIALIZED')).toEqual([0, 0])
})

describe('without a generator', () => {
  const bare = registerSnoflax(new Database(':memory:'), { families: FAMILIES.map(({ family }) => family) })

  test('flax and sno have a default', () => {
    const { flax: a, sno: b } = bare
      .prepare('SELECT flax_generate_text() AS flax, sno_generate_text() AS sno')
      .get() as Record<string, string>
    expect(flax.is(a)).toBe(true)
    expect(sno.unpack(sno.parse(b)).partition).toBe(sno.unpack(sno.generate()).partition)
  })

  const needing = FAMILIES.filter(({ family }) => !('generate' in family))

  test.each(needing)('$prefix is refused with an example of what to pass', ({ prefix }) => {
    for (const run of [`SELECT ${prefix}_generate()`, `SELECT id FROM ${prefix}_generate_many(1)`]) {
      expect(() => bare.prepare(run).all()).toThrow(
        expect.objectContaining({
          name: 'IdError',
          code: 'GENERATOR_REQUIRED',
          message: expect.stringMatching(/\{ generators: \{ \w+: [\w.()]+\.generator\(.*\) \} \}/),
        }),
      )
    }
  })
})

describe('the metabyte of sno', () => {
  test("is the argument, or else the generator's", () => {
    sql.gives('sno_meta(sno_generate())', [], 4n)
    sql.gives('sno_meta(sno_generate(9))', [], 9n)
    sql.gives('sno_meta(sno_generate_text(?))', [255], 255n)
    sql.gives('sno_meta(id) FROM sno_generate_many(1, 5)', [], 5n)
    sql.gives('sno_meta(id) FROM sno_generate_many(1)', [], 4n)
    sql.gives('sno_meta(sno_with_meta(sno_generate(), 200))', [], 200n)
  })

  test('must be a byte', () => {
    for (const meta of [-1, 256, 1.5]) {
      sql.refuses('sno_generate(?)', [meta], 'FIELD_OUT_OF_RANGE')
      sql.refuses('sno_generate_text(?)', [meta], 'FIELD_OUT_OF_RANGE')
      sql.refuses('sno_with_meta(sno_generate(), ?)', [meta], 'FIELD_OUT_OF_RANGE')
    }
    sql.refuses('sno_generate(?)', ['9'], 'INVALID_TYPE')
    sql.refuses('id FROM sno_generate_many(1, 256)', [], 'FIELD_OUT_OF_RANGE')
  })

  test('makes the id NULL if it is NULL', () => {
    sql.gives('sno_generate(NULL)', [], null)
    sql.gives('sno_generate_text(NULL)', [], null)
    sql.gives('count(*) FROM sno_generate_many(3, NULL)', [], 0n)
  })
})

describe('generate_at', () => {
  test('generates ids of another time', () => {
    sql.gives("flax_time(flax_generate_at('2026-11-01 12:30:00.250'))", [], '2026-11-01 12:30:00.250')
    sql.gives("flax_generate_at('2026-11-01') = flax_generate_at('2026-11-01')", [], 0n)
    for (const call of ['flax_generate_at(?)', 'flake_generate_at(?)', 'uid_local_generate_at_bigint(?)'])
      sql.refuses(call, ['0001-01-01'], 'TIME_OUT_OF_RANGE')
  })

  test('of sno uses the backfill shard of its generator', () => {
    sql.gives("sno_unpack(sno_generate_at('2020-01-01', 3)) ->> 'meta'", [], 3n)
    sql.gives("sno_time(sno_generate_at('2020-01-01'))", [], '2020-01-01 00:00:00.000')
    sql.gives("sno_generate_at('2020-01-01') < sno_generate_at('2020-01-01')", [], 1n)
    const bounded = sno.generator({ partition: 7, sequenceMin: 0, sequenceMax: 999 })
    registerSnoflax(sql.database.connection, { families: [sno], generators: { sno: bounded } })
    sql.refuses("sno_generate_at('2020-01-01')", [], 'INVALID_OPTION')
  })

  test('is refused if the generator has no generateAt, even if an earlier one had it', () => {
    const { family, generate, batch } = sno.generator({ partition: 7 })
    const leased = { family, generate, batch }
    registerSnoflax(sql.database.connection, { families: [sno], generators: { sno: leased } })
    sql.refuses("sno_generate_at('2020-01-01')", [], 'INVALID_OPTION')
  })

  test('exists for the families whose generator has generateAt', () => {
    const names = sql.database.connection
      .prepare("SELECT DISTINCT name FROM pragma_function_list WHERE name LIKE '%generate_at' ORDER BY name")
      .pluck()
      .all()
    expect(names).toEqual([
      'flake_generate_at',
      'flax_generate_at',
      'sno_generate_at',
      'uid_generate_at',
      'uid_local_generate_at',
    ])
    sql.gives("flax_time(flax_generate_at_text('2020-01-01'))", [], '2020-01-01 00:00:00.000')
  })
})
