import { readFileSync } from 'node:fs'
import { flake, flax, IdError, type IdFamily, sno } from '@snoflax/core'
import { install } from '@snoflax/mysql-sql'
import { type MysqlDatabase, mysql } from '@snoflax/test'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const CASES = Number(process.env['SNOFLAX_CASES'] ?? 10_000)

interface Known {
  readonly text: string
  readonly hex: string
  readonly timeMs?: number
}
interface Bound extends Known {
  readonly timeMs: number
}
interface Invalid {
  readonly operation: string
  readonly input: unknown
}
interface Cases {
  readonly valid: readonly Known[]
  readonly invalid: readonly Invalid[]
  readonly lowerBound: readonly Bound[]
  readonly upperBound: readonly Bound[]
}

const specification = (path: string) =>
  JSON.parse(readFileSync(new URL(`../../../spec/${path}.json`, import.meta.url), 'utf8'))

const FAMILIES: readonly IdFamily[] = [flax, sno, flake]

/** A moment as DATETIME, if it is one. */
const datetime = (timeMs: number): string => new Date(timeMs).toISOString().slice(0, 23).replace('T', ' ')
/** Years of four digits, and whole milliseconds. */
const isDatetime = (timeMs: unknown): timeMs is number =>
  Number.isInteger(timeMs) &&
  (timeMs as number) >= -62_135_596_800_000 &&
  (timeMs as number) < 253_402_300_800_000

describe.runIf(mysql.selected())('functions', () => {
  let database: MysqlDatabase
  beforeAll(async () => {
    database = await mysql.open()
    await install(database.pool, { schema: database.name })
  })
  afterAll(() => database?.close())

  /** The functions of a family on bytes in hex: flake's take numbers. */
  const callsOf = ({ name }: IdFamily) =>
    name === 'flake'
      ? {
          encode: 'CAST(flake_from_binary(unhex(?)) AS char)',
          decode: 'flake_to_binary(flake_decode(?))',
          time: 'flake_time(flake_from_binary(unhex(?)), 0)',
          bound: 'flake_to_binary(flake_lower_bound(?, 0))',
        }
      : {
          encode: `${name}_encode(unhex(?))`,
          decode: `${name}_decode(?)`,
          time: `${name}_time(unhex(?))`,
          bound: `${name}_lower_bound(?)`,
        }

  /** All at once: each row of a column, through an expression. */
  async function each(expressions: readonly string[], inputs: readonly string[]): Promise<unknown[][]> {
    const found: unknown[][] = []
    for (let from = 0; from < inputs.length; from += 1000) {
      const some = inputs.slice(from, from + 1000)
      const rows = some.map(() => 'SELECT ? AS v').join(' UNION ALL ')
      const values = expressions.map((one, i) => `${one.replace('?', 'v')} AS c${i}`).join(', ')
      // The order of a union is not promised.
      const numbered = rows.split(' UNION ALL ').map((one, n) => one.replace('v', `v, ${n} AS n`))
      const sql = `SELECT ${values} FROM (${numbered.join(' UNION ALL ')}) t ORDER BY n`
      for (const row of await database.query(sql, some)) found.push(Object.values(row))
    }
    return found
  }

  const checkKnown = async (family: IdFamily, known: readonly Known[]): Promise<void> => {
    const calls = callsOf(family)
    const milliseconds = `timestampdiff(MICROSECOND, '1970-01-01', ${calls.time}) DIV 1000`
    const hexes = known.map(({ hex }) => hex)
    const rows = await each([calls.encode, milliseconds], hexes)
    expect(rows.map(([text]) => text)).toEqual(known.map(({ text }) => text))
    expect(rows.map(([, ms]) => Number(ms))).toEqual(known.map(({ text }) => family.timeMs(text)))
    const texts = known.map(({ text }) => text)
    const back = await each([`lower(hex(${calls.decode}))`, `${family.name}_is_valid(?)`], texts)
    expect(back.map(([hex]) => hex)).toEqual(hexes)
    expect(back.every(([, valid]) => Number(valid) === 1)).toBe(true)
  }

  test.each(FAMILIES)('$name: random ids, from TypeScript to SQL and back', async (family) => {
    const random = () => crypto.getRandomValues(new Uint8Array(family.byteLength))
    await checkKnown(
      family,
      Array.from({ length: CASES }, () => {
        const bytes = random()
        return { text: family.encode(bytes), hex: Buffer.from(bytes).toString('hex') }
      }),
    )
  })

  test.each(FAMILIES)('$name: vectors and cases of the specification', async (family) => {
    const { valid } = specification(`cases/${family.name}`) as Cases
    const { vectors } = specification(`vectors/${family.name}`) as { vectors: (Known & { dec?: string })[] }
    const whole = vectors
      .map(({ text, dec, hex }) => ({ text: text ?? dec ?? '', hex: hex?.toLowerCase() ?? '' }))
      .filter(({ text, hex }) => family.is(text) && Buffer.from(family.decode(text)).toString('hex') === hex)
    expect(whole.length).toBeGreaterThan(20)
    await checkKnown(family, [...valid, ...whole])
  })

  test.each(FAMILIES)('$name: bounds of the specification, and of random moments', async (family) => {
    const { lowerBound, upperBound } = specification(`cases/${family.name}`) as Cases
    const known = [...lowerBound, ...upperBound].filter(({ timeMs }) => isDatetime(timeMs))
    const lastMs = Math.min(family.lastMs, 253_402_300_799_999)
    const moments = Array.from({ length: CASES / 4 }, () => Math.floor(Math.random() * lastMs * 1.01 - 1e10))
    const inside = moments.filter((timeMs) => timeMs <= lastMs)
    const asked = [...known.map(({ timeMs }) => timeMs), ...inside]
    const expected = [
      ...known.map(({ hex }) => hex),
      ...inside.map((timeMs) => Buffer.from(family.decode(family.lowerBound(timeMs))).toString('hex')),
    ]
    const rows = await each([`lower(hex(${callsOf(family).bound}))`], asked.map(datetime))
    expect(rows.map(([hex]) => hex)).toEqual(expected)
    if (family.lastMs < 253_402_300_799_999) {
      await refuses(callsOf(family).bound, datetime(family.lastMs + 5), /after the last moment/)
      const [row] = await database.query(
        `SELECT hex(${callsOf(family).bound.replace('?', 'date_add(?, INTERVAL 1 MICROSECOND)')}) AS hex`,
        ['2026-11-22 12:00:00'],
      )
      const next = family.lowerBound(new Date(Date.UTC(2026, 10, 22, 12, 0, 0, 1)))
      expect(String(row?.['hex']).toLowerCase()).toBe(Buffer.from(family.decode(next)).toString('hex'))
    }
  })

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

  test.each(FAMILIES)('$name: refuses what TypeScript refuses', async (family) => {
    const { invalid } = specification(`cases/${family.name}`) as Cases
    const calls = callsOf(family)
    let checked = 0
    for (const { operation, input } of invalid) {
      if (operation === 'decode' && typeof input === 'string') await refuses(calls.decode, input, /_decode: /)
      else if (operation === 'encode') await refuses(calls.encode, input, /has \d+ bytes/)
      else if (operation === 'lowerBound' && isDatetime(input)) await refuses(calls.bound, datetime(input))
      else continue
      checked++
    }
    expect(checked).toBeGreaterThan(20)

    const foreign = [...' \t\n-+/=.~!@%\\\'"\u0001\u007f\u0080éßЖ中🙂２']
    const pick = <Item>(from: readonly Item[]): Item => from[Math.floor(Math.random() * from.length)] as Item
    const texts = Array.from({ length: CASES / 4 }, () => {
      const id = family.encode(crypto.getRandomValues(new Uint8Array(family.byteLength)))
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
    const rows = await each([`${family.name}_is_valid(?)`], texts)
    expect(rows.map(([valid]) => Number(valid) === 1)).toEqual(texts.map((text) => !malformed.includes(text)))
    for (const text of malformed.slice(0, 200)) await refuses(calls.decode, text)
    expect(malformed.length).toBeGreaterThan(CASES / 20)
  })

  test('NULL in, NULL out', async () => {
    const calls = FAMILIES.flatMap((family) => Object.values(callsOf(family)))
    for (const call of [
      ...calls,
      'flax_lower_bound_text(?)',
      'sno_lower_bound_text(?)',
      'flax_is_valid(?)',
    ]) {
      expect(await database.query(`SELECT ${call} AS answer`, [null])).toEqual([{ answer: null }])
    }
  })

  test('flax is generated, of now and of another moment', async () => {
    const rows = await database.query(
      'SELECT flax_generate() AS id FROM information_schema.collations LIMIT 100',
    )
    const ids = rows.map(({ id }) => flax.encode(id as Buffer))
    expect(new Set(ids).size).toBe(100)
    for (const id of ids) expect(Math.abs(flax.timeMs(id) - Date.now())).toBeLessThan(60_000)
    const [row] = await database.query("SELECT flax_generate_at('2026-11-22 12:00:00.0019') AS id")
    expect(flax.time(flax.encode(row?.['id'] as Buffer))).toEqual(new Date('2026-11-22T12:00:00.001Z'))
    await refuses('flax_generate_at(?)', '2014-12-31 23:59:59', /before 2015/)
  })
})
