import { randomUUID } from 'node:crypto'
import { IdError, type IdFamily, prefixed, typeid, ulid, uuid7 } from '@snoflax/core'
import type { OpenDatabase } from '@snoflax/test'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Checks } from './checks.js'
import { anyMoment, attempt, ceilMs } from './cross-checks.js'
import { openInstalled, type servers } from './installed.js'
import { timestamptz, usOf } from './moments.js'
import { CASES, Random, SEED } from './random.js'

const COUNT = CASES / 4

interface Kind {
  readonly name: string
  readonly family: IdFamily & { generateAt(timeMs: number): string }
  /** The id of what the database gives, a uuid or a text. */
  id(passed: string): string
  uuidOf(id: string): string
}

const user = typeid('user')
const isUuid = (text: string) => text.length === 36
const KINDS = [
  { name: 'uuid7', family: uuid7, id: uuid7.parse, uuidOf: (id: string) => id },
  {
    name: 'ulid',
    family: ulid,
    id: (passed: string) => (isUuid(passed) ? ulid.fromUuid(passed) : ulid.parse(passed)),
    uuidOf: ulid.toUuid,
  },
  {
    name: 'typeid',
    family: user.base,
    id: (passed: string) =>
      isUuid(passed)
        ? user.withoutPrefix(user.fromUuid(passed))
        : user.base.parse(passed.startsWith('user_') ? passed.slice(5) : passed),
    uuidOf: (id: string) => user.toUuid(user.withPrefix(user.base.parse(id))),
  },
] as unknown as readonly Kind[]

/** The functions of uuid7.sql beside TypeScript, over random UUIDs, texts and moments, on these servers. */
export const uuid7Checks = (kinds: typeof servers): void =>
  describe.each(kinds)(`$name, SNOFLAX_SEED=${SEED}`, (kind) => {
    let database: OpenDatabase
    const random = new Random(SEED)
    const integer = (from: number, to: number) => Number(random.bigint(BigInt(from), BigInt(to)))
    beforeAll(async () => {
      database = await openInstalled(kind)
    })
    afterAll(() => database.close())

    async function check(count: number, add: (checks: Checks) => void): Promise<void> {
      const checks = new Checks()
      for (let n = 0; n < count; n++) add(checks)
      expect((await checks.failures(database)).slice(0, 20)).toEqual([])
    }
    /** Gives what the work does, or is refused if it throws. */
    function agrees(checks: Checks, call: string, input: string, work: () => string, code = '22P02'): void {
      const value = attempt(work)
      if (value instanceof IdError) checks.refuses(call, input, code)
      else checks.gives(call, input, value)
    }

    const spoilt = (text: string): string => {
      const at = integer(0, text.length - 1)
      return random.pick([
        text.slice(0, at) + String.fromCharCode(integer(1, 127)) + text.slice(at + 1),
        text.slice(1),
        `u${text}`,
        `${text}\n`,
        `${text}0`,
        text.toUpperCase(),
        text.toLowerCase(),
        random.pick(['', '_', 'x']),
      ])
    }

    test('ULIDs and TypeIDs with any 128 bits, and malformed texts', async () => {
      const any = typeid('user_account', { uuids: 'any' })
      await check(COUNT, (checks) => {
        const bytes = random.bytes(16)
        for (const [family, encode, decode] of [
          [ulid, 'ulid_encode($1::uuid)', 'ulid_decode($1)'],
          [any, "typeid_encode($1::uuid, 'user_account')", "typeid_decode($1, 'user_account')"],
        ] as const) {
          const toUuid = (text: string) => family.toUuid(family.parse(text) as never)
          const id = family.encode(bytes)
          checks.gives(`snoflax.${encode}`, toUuid(id), id)
          for (const text of [id, spoilt(id)]) agrees(checks, `snoflax.${decode}`, text, () => toUuid(text))
        }
      })
    })

    test('prefixes are accepted exactly if typeid accepts them', async () => {
      const uuid = '01890a5d-ac96-774b-bcce-b302099a8057'
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
      await check(1, (checks) => {
        for (const prefix of prefixes) {
          const encode = `snoflax.typeid_encode('${uuid}'::uuid, $1)`
          agrees(checks, encode, prefix, () => typeid(prefix).fromUuid(uuid), '22023')
          const decode = `snoflax.typeid_decode($1 || '_${typeid('a').fromUuid(uuid).slice(2)}', $1)`
          agrees(checks, decode, prefix, () => typeid(prefix) && uuid, '22023')
        }
      })
    })

    describe.each(KINDS)('$name', ({ name, family, id, uuidOf }) => {
      const call = (verb: string, passed: string) => `snoflax.${name}_${verb}(${passed})`

      test('times, bounds and ranges are those of TypeScript, also with prefixes', async () => {
        const ofPrefix = (name === 'typeid' ? user : prefixed(family, 'c_1')) as unknown as typeof user
        const prefix = `'${name === 'typeid' ? 'user' : 'c_1'}'`
        await check(COUNT, (checks) => {
          const timeMs = random.chance(20) ? family.lastMs : integer(family.firstMs, family.lastMs)
          const us = BigInt(timeMs) * 1000n
          const text = family.generateAt(timeMs)
          const behind = ofPrefix.withPrefix(text as never)
          checks.gives(usOf(call('time', '$1::uuid')), uuidOf(text), String(us))
          checks.gives(usOf(call('time', '$1')), text, String(us))
          checks.gives(usOf(call('time', '$1')), behind, String(us))
          const other = spoilt(behind)
          checks.gives(call('is_valid', `$1, ${prefix}`), other, String(ofPrefix.is(other)))
          if (name !== 'typeid') {
            checks.gives(call('encode', `$1::uuid, ${prefix}`), uuidOf(text), behind)
            for (const one of [behind, text, other, `d${behind}`]) {
              const decode = call('decode', `$1, ${prefix}`)
              agrees(checks, decode, one, () => uuidOf(ofPrefix.withoutPrefix(ofPrefix.parse(one))))
            }
          }

          const at = anyMoment(family, random)
          const bound = (of: (bound: string) => string) => () => of(family.lowerBound(ceilMs(at)))
          agrees(checks, call('lower_bound', '$1::timestamptz'), timestamptz(at), bound(uuidOf), '22008')
          const boundOfPrefix = call('lower_bound_text', `$1::timestamptz, ${prefix}`)
          const withPrefix = bound((one) => ofPrefix.withPrefix(one as never))
          agrees(checks, boundOfPrefix, timestamptz(at), withPrefix, '22008')

          const end = () => (random.chance(2) ? us + random.bigint(-2000n, 2000n) : anyMoment(family, random))
          const [from, until] = [end(), end()]
          const isBetween = String(from <= us && us < until)
          const ends = "split_part($1, '|', 2)::timestamptz, split_part($1, '|', 3)::timestamptz"
          const passed = (value: string) => [value, timestamptz(from), timestamptz(until)].join('|')
          const value = "split_part($1, '|', 1)"
          checks.gives(call('between', `${value}::uuid, ${ends}`), passed(uuidOf(text)), isBetween)
          if (name !== 'typeid') checks.gives(call('between', `${value}, ${ends}`), passed(text), isBetween)
          checks.gives(call('between', `${value}, ${ends}, ${prefix}`), passed(behind), isBetween)
        })
      })

      test('generates different ids of now, and ids of a given time', async () => {
        const user = name === 'typeid' ? "'user'" : ''
        const past = (at: string) =>
          call('generate_at', [`timestamptz '${at}'`, user].filter(Boolean).join(', '))
        const rows = await database.query(
          `SELECT ${call('generate', user)}::text AS one, ${call('generate_uuid', '')}::text AS uuid,
           ${call('generate_text', '')} AS text, ${past('2026-11-01T00:00:00.123999Z')}::text AS past
           FROM generate_series(1, 1000)`,
        )
        const ids = rows.flatMap(({ one, uuid, text }) =>
          [one, uuid, text].map((passed) => id(String(passed))),
        )
        expect(new Set(ids).size).toBe(3000)
        for (const one of ids) expect(Math.abs(family.timeMs(one) - Date.now())).toBeLessThan(600_000)
        expect(rows.every(({ text }) => family.is(text))).toBe(true)
        const old = new Set(rows.map(({ past }) => id(String(past))))
        expect(old.size).toBe(1000)
        for (const one of old) expect(family.time(one).toISOString()).toBe('2026-11-01T00:00:00.123Z')
        await database.query(`SELECT ${past('10889-08-02T05:31:50.655999Z')}`)
        for (const at of ['10889-08-02T05:31:50.656Z', 'infinity', '1969-12-31T23:59:59.999999Z']) {
          await expect(database.query(`SELECT ${past(at)}`), at).rejects.toMatchObject({ code: '22008' })
        }
      })

      test('refuses ids without a time', () =>
        check(1, (checks) => {
          if (name !== 'ulid') checks.refuses(call('time', '$1::uuid'), randomUUID(), '22P02')
          for (const text of ['', 'x', `${family.min}\n`, `${family.min}0`])
            checks.refuses(call('time', '$1'), text, '22P02')
        }))
    })

    test('each random bit of ULIDs is random', async () => {
      const made = await database.query(
        "SELECT encode(uuid_send(snoflax.ulid_generate()), 'hex') AS hex FROM generate_series(1, 300)",
      )
      const bits = made.map(({ hex }) => BigInt(`0x${String(hex).slice(12)}`))
      const all = 2n ** 80n - 1n
      expect(bits.reduce((seen, one) => seen | one, 0n)).toBe(all)
      expect(bits.reduce((always, one) => always & one, all)).toBe(0n)
    })

    test('validity, and keys of pg_partman, are right', () =>
      check(1, (checks) => {
        const uuids = [uuid7.generate(), uuid7.min, randomUUID(), uuid7.generate().toUpperCase()]
        for (const id of uuids) checks.gives('snoflax.uuid7_is_valid($1)', id, String(uuid7.is(id)))
        for (const id of uuids.slice(0, 3))
          checks.gives('snoflax.uuid7_is_valid($1::uuid)', id, String(uuid7.is(id)))
        const ulids = [ulid.generate(), ulid.max, ulid.generate().toLowerCase(), `8${ulid.min.slice(1)}`]
        for (const id of ulids) checks.gives('snoflax.ulid_is_valid($1)', id, String(ulid.is(id)))
        for (const name of ['uuid7_lower_bound', 'ulid_lower_bound', 'ulid_lower_bound_text'])
          for (const day of ['1970-01-02', '1971-02-05', '2024-10-04']) {
            const decode = `snoflax.${name.replace(/lower_bound.*/, 'partman_decode')}`
            checks.gives(
              `${decode}(snoflax.${name}($1::timestamptz)::text) = $1::timestamptz`,
              `${day}Z`,
              'true',
            )
          }
        checks.refuses('snoflax.ulid_partman_decode($1)', 'x', '22P02')
        checks.refuses("snoflax.uuid7_encode($1::uuid, 'c')", randomUUID(), '22P02')
        checks.refuses("snoflax.uuid7_decode($1, 'C')", `C_${uuid7.min}`, '22023')
      }))

    test("uuid7_generate uses the server's uuidv7() from version 18 on", async () => {
      const [row] = await database.query(
        `SELECT current_setting('server_version_num')::integer / 10000 AS version,
         pg_get_functiondef('snoflax.uuid7_generate()'::regprocedure) AS definition`,
      )
      expect(/\buuidv7\(\)/.test(String(row?.['definition']))).toBe(Number(row?.['version']) >= 18)
    })
  })
