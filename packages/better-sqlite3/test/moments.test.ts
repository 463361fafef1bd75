import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Sql } from './sql.js'

let sql: Sql
beforeAll(async () => {
  sql = await Sql.open()
})
afterAll(() => sql.close())

const FIRST_MS = Date.UTC(2015, 0, 1)
const LAST_MS = Date.UTC(2049, 10, 3)
const spanMs = fc.integer({ min: FIRST_MS, max: LAST_MS })

describe('time', () => {
  test("is written like SQLite's own functions write it, and understood by them", () => {
    const property = fc.property(spanMs, (timeMs) => {
      const id = sql.value('flax_lower_bound_ms_text(?)', timeMs)
      const written = sql.value('flax_time(?)', id)
      expect(written).toBe(sql.value("datetime(? / 1000.0, 'unixepoch', 'subsec')", timeMs))
      expect(sql.value("CAST(round(unixepoch(?, 'subsec') * 1000) AS INTEGER)", written)).toBe(BigInt(timeMs))
      expect(sql.value('flax_lower_bound_text(?)', written)).toBe(id)
    })
    fc.assert(property, { numRuns: 300 })
  })

  test('is a text from year 0 to 9999, and beyond only a number of milliseconds', () => {
    sql.gives('uid_time(uid_lower_bound_ms_text(?))', [253_402_300_799_998], '9999-12-31 23:59:59.998')
    const later = sql.value('uid_lower_bound_ms_text(?)', 253_402_300_801_000)
    sql.refuses('uid_time(?)', [later], 'TIME_OUT_OF_RANGE')
    sql.gives('uid_time_ms(?)', [later], 253_402_300_801_000n)
    expect(() => sql.value('uid_time(?)', later)).toThrow(
      "uid_time(): uid: +010000-01-01T00:00:01.000Z is outside the years 0 to 9999 of SQLite's dates; use the function with _time_ms",
    )
    sql.gives('flake_time(?, ?)', ['0', -62_135_596_800_000], '0001-01-01 00:00:00.000')
  })
})

describe('times are read as SQLite reads them', () => {
  const offsets = fc
    .tuple(fc.constantFrom('+', '-'), fc.integer({ min: 0, max: 14 }), fc.integer({ min: 0, max: 59 }))
    .map(
      ([sign, hours, minutes]) =>
        `${sign}${String(hours).padStart(2, '0')}:${String(minutes).padStart(2, '0')}`,
    )
  const zones = fc.oneof(
    fc.constantFrom('', 'Z', 'z', ' Z'),
    offsets,
    offsets.map((offset) => ` ${offset}`),
  )
  const forms = fc.constantFrom(16, 19, 20, 21, 22, 23)
  const separators = fc.constantFrom('T', ' ')

  test("in each of SQLite's forms", () => {
    const property = fc.property(spanMs, forms, separators, zones, (timeMs, length, separator, zone) => {
      const written = new Date(timeMs).toISOString().slice(0, length).replace('T', separator)
      const text = (length === 20 ? written.slice(0, 19) : written) + zone
      const unixMs = sql.value("CAST(round(unixepoch(?, 'subsec') * 1000) AS INTEGER)", text)
      expect(unixMs, text).toBeTypeOf('bigint')
      expect(sql.value('flax_lower_bound_text(?)', text), text).toBe(
        sql.value('flax_lower_bound_ms_text(?)', unixMs),
      )
    })
    fc.assert(property, { numRuns: 500 })
  })

  test('a date is its midnight in UTC, also with Z as in PostgreSQL', () => {
    const midnight = sql.value('flax_lower_bound_text(?)', '2026-11-01 00:00:00.000')
    for (const text of ['2026-11-01', '2026-11-01Z', '2026-11-01 Z', '2026-11-01+00:00']) {
      sql.gives('flax_lower_bound_text(?)', [text], midnight as string)
    }
    sql.gives('flax_time(flax_lower_bound(?))', ['2026-11-01+01:00'], '2026-10-31 23:00:00.000')
  })

  test('29 February exists in leap years only', () => {
    sql.gives('flax_time(flax_lower_bound(?))', ['2028-02-29'], '2028-02-29 00:00:00.000')
    sql.refuses('flax_lower_bound(?)', ['2026-02-29'], 'INVALID_TIME')
  })

  test.each([
    '',
    'now',
    '12:00',
    '2026-11',
    '2026-11-1',
    '26-11-01',
    '2026-13-01',
    '2026-11-31',
    '2026-11-01T',
    '2026-11-01 12',
    '2026-11-01 24:00',
    '2026-11-01 12:00:60',
    '2026-11-01 12:00:00.',
    '2026-11-01  12:00',
    '2026-11-01 12:00+15:00',
    '2026-11-01 12:00+01:60',
    ' 2026-11-01',
    '2026-11-01\n',
    '1793491200000',
    '２０２６-11-01',
  ])('refuses %j', (text) => {
    sql.refuses('flax_lower_bound(?)', [text], 'INVALID_TIME')
    sql.refuses('flax_generate_at(?)', [text], 'INVALID_TIME')
  })

  test.each([1_793_491_200_000, 1_793_491_200n, 2_461_000.5, Buffer.from('2026-11-01')])(
    'refuses %s, which could be seconds, milliseconds or days',
    (moment) => {
      sql.refuses('flax_lower_bound(?)', [moment], 'INVALID_TYPE')
      sql.refuses('sno_lower_bound_text(?)', [moment], 'INVALID_TYPE')
      sql.refuses('flax_generate_at(?)', [moment], 'INVALID_TYPE')
    },
  )

  test('refuses text where milliseconds are expected', () => {
    sql.refuses('flax_lower_bound_ms(?)', ['2026-11-01'], 'INVALID_TYPE')
    sql.refuses('flax_lower_bound_ms(?)', ['1793491200000'], 'INVALID_TYPE')
  })
})

test('a bound rounds a part of a millisecond up, generating truncates it', () => {
  sql.gives('flax_time(flax_lower_bound(?))', ['2026-11-01 00:00:00.0000000001'], '2026-11-01 00:00:00.001')
  sql.gives('flax_time(flax_lower_bound(?))', ['2026-11-01 00:00:00.0010000000'], '2026-11-01 00:00:00.001')
  sql.gives('flax_time(flax_generate_at(?))', ['2026-11-01 00:00:00.0019999999'], '2026-11-01 00:00:00.001')
  sql.gives('flax_time(flax_lower_bound_ms(?))', [1_793_491_200_000.5], '2026-11-01 00:00:00.001')
})

test('a range of uid contains all ids of its times and more, so the time is compared again', () => {
  const { connection } = sql.database
  connection.exec('CREATE TABLE made (id TEXT PRIMARY KEY, at INTEGER)')
  const ids = connection.prepare<[number]>(
    `INSERT INTO made SELECT uid_encode(uid_pack(json_object('mega_seconds', 1793, 'seconds', 491200 + n / 10,
       'micro_seconds', (n % 10) * 102400, 'node', (n * 7919) % 1000, 'sequence', 0))), n
       FROM (WITH RECURSIVE c(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM c WHERE n < ?) SELECT n FROM c)`,
  )
  ids.run(4999)
  const range =
    "id >= uid_lower_bound_text('2026-11-01 00:01') AND id < uid_upper_bound_text('2026-11-01 00:02')"
  const exact = "uid_time(id) >= '2026-11-01 00:01' AND uid_time(id) < '2026-11-01 00:02'"
  const count = (where: string) => sql.value(`count(*) FROM made WHERE ${where}`)
  expect(count(exact)).toBe(600n)
  expect(count(`${range} AND ${exact}`)).toBe(600n)
  expect(count(range)).toBeGreaterThan(600n)
})
