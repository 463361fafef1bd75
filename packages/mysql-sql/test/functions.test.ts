import { flake, flax, IdError, type IdFamily, sno, ulid, uuid7 } from '@snoflax/core'
import { uid, uidLocal } from '@snoflax/families'
import { install } from '@snoflax/mysql-sql'
import { type MysqlDatabase, mysql } from '@snoflax/test'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type FamilyCases, type KnownId, specification } from '../../core/test/sql-cases.js'

const CASES = Number(process.env['SNOFLAX_CASES'] ?? 1500)

interface Vector {
  readonly text?: string
  readonly dec?: string
  readonly texts?: readonly string[]
}

/** The functions of a family on bytes in hex: flake's take numbers. */
interface Calls {
  readonly encode: string
  readonly decode: string
  readonly valid: string
  readonly time: string
  readonly lower: string
  readonly upper?: string
  readonly between: string
}
const callsOf = (name: string, argument = ''): Calls => ({
  encode: `${name}_encode(unhex(?))`,
  decode: `${name}_decode(?)`,
  valid: `${name}_is_valid(?)`,
  time: `${name}_time(unhex(?)${argument})`,
  lower: `${name}_lower_bound(?${argument})`,
  between: `${name}_between(unhex(?), FROM_TIME, UNTIL_TIME${argument})`,
})
const uidCalls = (neighbourhood: number): Calls => ({
  ...callsOf('uid', `, ${neighbourhood}`),
  upper: `uid_upper_bound(?, ${neighbourhood})`,
})
const FLAKE_CALLS: Calls = {
  encode: 'CAST(flake_from_binary(unhex(?)) AS char)',
  decode: 'flake_to_binary(flake_decode(?))',
  valid: 'flake_is_valid(?)',
  time: 'flake_time(flake_from_binary(unhex(?)), 0)',
  lower: 'flake_to_binary(flake_lower_bound(?, 0))',
  between: 'flake_between(flake_from_binary(unhex(?)), FROM_TIME, UNTIL_TIME, 0)',
}

const FAMILIES: readonly (readonly [string, IdFamily, Calls])[] = [
  ['flax', flax, callsOf('flax')],
  ['sno', sno, callsOf('sno')],
  ['flake', flake, FLAKE_CALLS],
  ['uid', uid, uidCalls(8)],
  ['uid of neighbourhood 5', uid.withNeighbourhood(5), uidCalls(5)],
  ['uid of neighbourhood 10', uid.withNeighbourhood(10), uidCalls(10)],
  ['uidLocal', uidLocal, callsOf('uid_local')],
  ['uuid7', uuid7, callsOf('uuid7')],
  ['ulid', ulid, callsOf('ulid')],
]
/** spec/cases has those of the default neighbourhood; spec/vectors has local ids of uid, too. */
const SPECIFIED = FAMILIES.filter(([name]) => !name.includes('of neighbourhood'))
const VECTORS: Readonly<Record<string, string>> = { uidLocal: 'uid' }

/** A moment as DATETIME, if it is one. */
const datetime = (timeMs: number): string => new Date(timeMs).toISOString().slice(0, 23).replace('T', ' ')
const LAST_DATETIME_MS = 253_402_300_799_999
/** Years of four digits, and whole milliseconds. */
const isDatetime = (timeMs: unknown): timeMs is number =>
  Number.isInteger(timeMs) &&
  (timeMs as number) >= -62_135_596_800_000 &&
  (timeMs as number) <= LAST_DATETIME_MS

/** Any bytes are an id, but for the version of a UUID; half of the times are of years that people write. */
function randomBytes({ name, byteLength }: IdFamily): Uint8Array {
  const bytes = crypto.getRandomValues(new Uint8Array(byteLength))
  const late = new DataView(bytes.buffer).getUint16(0)
  if (byteLength >= 12 && late % 2 === 0) new DataView(bytes.buffer).setUint16(0, late % 0x300)
  if (name === 'uuid7') {
    bytes[6] = 0x70 | ((bytes[6] as number) & 15)
    bytes[8] = 0x80 | ((bytes[8] as number) & 63)
  }
  return bytes
}
const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

describe.runIf(mysql.selected())('functions', () => {
  let database: MysqlDatabase
  beforeAll(async () => {
    database = await mysql.open()
    await install(database.pool, { schema: database.name })
  })
  afterAll(() => database?.close())

  /** All at once: each row of a column, through an expression. */
  async function each(expressions: readonly string[], inputs: readonly string[]): Promise<unknown[][]> {
    const found: unknown[][] = []
    for (let from = 0; from < inputs.length; from += 1000) {
      const some = inputs.slice(from, from + 1000)
      const rows = some.map((_, n) => `SELECT ${n === 0 ? '? AS v, 0 AS n' : `?, ${n}`}`)
      const values = expressions.map((one, i) => `${one.replace('?', 'v')} AS c${i}`).join(', ')
      // The order of a union is not promised.
      const sql = `SELECT ${values} FROM (${rows.join(' UNION ALL ')}) t ORDER BY n`
      for (const row of await database.query(sql, some)) found.push(Object.values(row))
    }
    return found
  }

  const checkKnown = async (family: IdFamily, calls: Calls, known: readonly KnownId[]): Promise<void> => {
    const hexes = known.map(({ hex }) => hex)
    const texts = await each([calls.encode], hexes)
    expect(texts.map(([text]) => text)).toEqual(known.map(({ text }) => text))
    const back = await each(
      [`lower(hex(${calls.decode}))`, calls.valid],
      known.map(({ text }) => text),
    )
    expect(back.map(([hex]) => hex)).toEqual(hexes)
    expect(back.every(([, valid]) => Number(valid) === 1)).toBe(true)

    const timed = known.map((one) => ({ ...one, timeMs: family.timeMs(one.text) }))
    const inside = timed.filter(({ timeMs }) => isDatetime(timeMs))
    const outside = timed.filter(({ timeMs }) => !isDatetime(timeMs))
    const [from, until] = ['2015-06-01', '2035-06-01'].map((day) => new Date(day).getTime()) as [
      number,
      number,
    ]
    const between = calls.between
      .replace('FROM_TIME', `'${datetime(from)}'`)
      .replace('UNTIL_TIME', `'${datetime(until)}'`)
    const milliseconds = `timestampdiff(MICROSECOND, '1970-01-01', ${calls.time}) DIV 1000`
    const rows = await each(
      [milliseconds, between],
      inside.map(({ hex }) => hex),
    )
    expect(rows.map(([ms, selected]) => [Number(ms), Number(selected) === 1])).toEqual(
      inside.map(({ timeMs }) => [timeMs, from <= timeMs && timeMs < until]),
    )
    for (const { hex } of outside.slice(0, 5)) await refuses(calls.time, hex, /outside the years 1 to 9999/)
  }

  test.each(FAMILIES)(
    '%s: random ids are converted by TypeScript and SQL alike',
    async (_, family, calls) => {
      await checkKnown(
        family,
        calls,
        Array.from({ length: CASES }, () => {
          const bytes = randomBytes(family)
          return { text: family.encode(bytes), hex: hexOf(bytes) }
        }),
      )
    },
  )

  test.each(SPECIFIED)('%s: vectors and cases of the specification hold', async (name, family, calls) => {
    const { valid } = specification(`cases/${name}`) as FamilyCases
    const { vectors } = specification(`vectors/${VECTORS[name] ?? name}`) as { vectors: readonly Vector[] }
    const texts = vectors
      .flatMap(({ text, dec, texts: many }) => [text ?? dec ?? '', ...(many ?? [])])
      .filter((text) => family.is(text))
    expect(texts.length).toBeGreaterThan(name === 'uuid7' ? 0 : 4)
    const known = [...new Set(texts)].map((text) => ({ text, hex: hexOf(family.decode(text)) }))
    await checkKnown(family, calls, [...valid, ...known])
  })

  test.each(FAMILIES)(
    '%s: bounds of random times are those of TypeScript',
    async (_, family, { lower, upper }) => {
      const lastMs = Math.min(family.lastMs, LAST_DATETIME_MS)
      const moments = Array.from({ length: CASES / 4 }, (__, i) =>
        // Around the beginnings of a uid's windows, too.
        i % 4 === 0
          ? Math.floor(Math.random() * 2e6) * 1_024_000 + Math.floor(Math.random() * 5) - 2
          : Math.floor(Math.random() * lastMs * 1.01 - 1e10),
      ).filter((timeMs) => timeMs <= lastMs)
      const asked = moments.map(datetime)
      const rows = await each(
        [lower, ...(upper ? [upper] : [])].map((call) => `lower(hex(${call}))`),
        asked,
      )
      const bounds = [family.lowerBound, ...(upper ? [family.upperBound] : [])]
      expect(rows).toEqual(
        moments.map((timeMs) => bounds.map((bound) => hexOf(family.decode(bound(timeMs))))),
      )

      const call = `hex(${lower.replace('?', 'date_add(?, INTERVAL 1 MICROSECOND)')}) AS hex`
      const [row] = await database.query(`SELECT ${call}`, ['2026-11-22 12:00:00'])
      const next = family.lowerBound(new Date(Date.UTC(2026, 10, 22, 12, 0, 0, 1)))
      expect(String(row?.['hex']).toLowerCase()).toBe(hexOf(family.decode(next)))
    },
  )

  test.each(SPECIFIED)(
    '%s: bounds of the specification hold',
    async (name, family, { lower, upper = lower }) => {
      const { lowerBound, upperBound } = specification(`cases/${name}`) as FamilyCases
      for (const [call, known] of [
        [lower, lowerBound],
        [upper, upperBound],
      ] as const) {
        const bounds = known.filter(({ timeMs }) => isDatetime(timeMs))
        const rows = await each(
          [`lower(hex(${call}))`],
          bounds.map(({ timeMs }) => datetime(Number(timeMs))),
        )
        expect(rows.map(([hex]) => hex)).toEqual(bounds.map(({ hex }) => hex))
      }
      if (family.lastMs < LAST_DATETIME_MS)
        await refuses(lower, datetime(family.lastMs + 5), /after the last time/)
      for (const odd of ['0000-00-00', '2026-00-01', '2026-13-01', '2026-02-30', 'nonsense', '']) {
        await expect(database.query(`SELECT ${lower}`, [odd])).rejects.toMatchObject({
          sqlState: expect.stringMatching(/^(45000|22007)$/),
        })
      }
    },
  )

  const refuses = async (call: string, value: unknown, message = /./): Promise<void> => {
    const asked = database.query(`SELECT ${call}`, [value])
    await expect(asked, `${call} of ${JSON.stringify(value)}`).rejects.toMatchObject({
      sqlState: '45000',
      message,
    })
  }

  const refusedBy = (work: () => unknown): boolean => {
    try {
      work()
      return false
    } catch (error) {
      if (error instanceof IdError) return true
      throw error
    }
  }

  test.each(SPECIFIED)('%s: refuses what TypeScript refuses', async (name, family, calls) => {
    const { invalid } = specification(`cases/${name}`) as FamilyCases
    let checked = 0
    for (const { operation, input } of invalid) {
      if (operation === 'decode' && typeof input === 'string') await refuses(calls.decode, input, /_decode: /)
      else if (operation === 'encode') await refuses(calls.encode, input, /_(encode|from_binary): 0x/)
      else if (operation === 'lowerBound' && isDatetime(input)) await refuses(calls.lower, datetime(input))
      else continue
      checked++
    }
    expect(checked).toBeGreaterThan(10)

    const foreign = [...' \t\n-+/=.~!@%\\\'"\u0001\u007f\u0080éßЖ中🙂２']
    const pick = <Item>(from: readonly Item[]): Item => from[Math.floor(Math.random() * from.length)] as Item
    const texts = Array.from({ length: CASES / 4 }, () => {
      const id = family.encode(randomBytes(family))
      const at = Math.floor(Math.random() * (id.length + 1))
      const [head, tail] = [id.slice(0, at), id.slice(at)]
      return pick([
        () => head + pick(foreign) + tail.slice(1),
        () => head + pick(foreign) + tail,
        () => head,
        () => id.toUpperCase(),
        () => `0${id}`,
        () => id + head,
        () => head + String.fromCharCode(33 + Math.floor(Math.random() * 94)) + tail.slice(1),
      ])()
    })
    const malformed = texts.filter((text) => refusedBy(() => family.decode(text)))
    const rows = await each([calls.valid], texts)
    expect(rows.map(([valid]) => Number(valid) === 1)).toEqual(texts.map((text) => !malformed.includes(text)))
    for (const text of malformed.slice(0, 50)) await refuses(calls.decode, text)
    expect(malformed.length).toBeGreaterThan(CASES / 20)
  })

  test('NULL returns NULL', async () => {
    const calls = FAMILIES.flatMap(([, , { between, ...one }]) => [
      ...Object.values(one),
      between.replace('FROM_TIME', 'now()').replace('UNTIL_TIME', 'now()'),
    ])
    const texts = ['flax', 'sno', 'uid_local', 'uuid7', 'ulid'].map((name) => `${name}_lower_bound_text(?)`)
    const arguments_ = [
      'uid_time(repeat("0", 12), ?)',
      'uid_lower_bound("2026-11-22", ?)',
      'flake_time(1, ?)',
    ]
    for (const call of [
      ...calls,
      ...texts,
      ...arguments_,
      'uid_lower_bound_text(?, 8)',
      'uid_upper_bound(?, 8)',
    ]) {
      expect(await database.query(`SELECT ${call} AS answer`, [null])).toEqual([{ answer: null }])
    }
  })

  const generated = async (call: string, family: IdFamily, many: number): Promise<string[]> => {
    const rows = await database.query(
      `SELECT hex(${call}) AS id FROM information_schema.collations a, information_schema.collations b LIMIT ${many}`,
    )
    return rows.map(({ id }) =>
      family.encode(Buffer.from(String(id).padStart(2 * family.byteLength, '0'), 'hex')),
    )
  }

  test.each([
    ['flax_generate()', flax, {}],
    ['uuid7_generate()', uuid7, { version: 7, variant: 2 }],
    ['ulid_generate()', ulid, {}],
    ['sno_generate(700, 9)', sno, { partition: 700, meta: 9 }],
    ['flake_generate(700, 0)', flake, { datacenter: 21, worker: 28 }],
    [
      'flake_generate(700, 1420070400000)',
      flake.withEpoch(1_420_070_400_000),
      { datacenter: 21, worker: 28 },
    ],
    ['uid_generate(4000000000, 8)', uid, { node: 4_000_000_000 }],
    ['uid_generate(5, 10)', uid.withNeighbourhood(10), { node: 5 }],
    ['uid_local_generate()', uidLocal, {}],
  ] as const)('%s generates different ids of now', async (call, family: IdFamily, fields) => {
    const before = Date.now() - 60_000
    const ids = await generated(call, family, 1000)
    expect(new Set(ids).size).toBe(1000)
    for (const id of ids) {
      expect(family.timeMs(id)).toBeGreaterThan(before)
      expect(family.timeMs(id)).toBeLessThan(Date.now() + 60_000)
      expect(family.unpack(id)).toMatchObject(family.name === 'uuid7' ? {} : fields)
    }
  })

  test.each([
    ['flax', flax, '2014-12-31 23:59:59'],
    ['uuid7', uuid7, '1969-12-31 23:59:59'],
    ['ulid', ulid, '1969-12-31 23:59:59'],
  ] as const)('%s_generate_at generates an id of another time', async (name, family: IdFamily, early) => {
    const [id = ''] = await generated(`${name}_generate_at('2026-11-22 12:00:00.0019')`, family, 1)
    expect(family.time(id)).toEqual(new Date('2026-11-22T12:00:00.001Z'))
    await refuses(`${name}_generate_at(?)`, early, /before the first time/)
  })

  test.each([
    ['sno_generate(?, 0)', 65_536, /'65536' is not a valid partition, which is from 0 to 65535/],
    ['sno_generate(1, ?)', 256, /'256' is not a valid metabyte/],
    ['flake_generate(?, 0)', -1, /'-1' is not a valid id/],
    ['flake_generate(1, ?)', 4_102_444_800_000, /is not a valid time of this clock/],
    ['uid_generate(?, 8)', 4_294_967_296, /is not a valid node/],
    ['uid_generate(1, ?)', 11, /'11' is not a valid neighbourhood, which is from 5 to 10/],
    ['uid_time(repeat("0", 12), ?)', 4, /'4' is not a valid neighbourhood/],
    ['uid_lower_bound("2026-11-22", ?)', 4, /'4' is not a valid neighbourhood/],
    [
      'uuid7_time(unhex(?))',
      '919108f752d143209bacf847db4148a8',
      /uuid7_time: 0x9191.* is not a UUID of version 7/,
    ],
    ['flax_time(unhex(?))', 'ffff', /has 2 characters/],
  ] as const)('%s of %s is refused', (call, value, message) => refuses(call, String(value), message))

  test('a message is no longer than MySQL allows', async () => {
    const quotes = "'".repeat(500)
    for (const [, , { decode, encode }] of FAMILIES) {
      for (const [call, value] of [
        [decode, quotes],
        [encode, 'ff'.repeat(400)],
      ] as const) {
        await expect(database.query(`SELECT ${call}`, [value])).rejects.toMatchObject({
          sqlState: '45000',
          sqlMessage: expect.stringMatching(/^.{20,128}$/),
        })
      }
    }
  })
})
