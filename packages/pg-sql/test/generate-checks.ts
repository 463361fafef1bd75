import { type IdFamily, type StorageName, sno, storageFor } from '@snoflax/core'
import { uid } from '@snoflax/families'
import type { OpenDatabase } from '@snoflax/test'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { FAMILIES, suffix, TYPES } from './families.js'
import { openInstalled, type servers } from './installed.js'

/** What a transaction did before, as a table of one row: flax is generated in another way where it has written. */
const TRANSACTIONS = [
  ['has not written', 'now() AS nothing'],
  ['has written', 'pg_current_xact_id() AS written'],
] as const

const SETUP = `SELECT snoflax.sno_set_partition(40000), snoflax.flake_set_worker(17, 5), snoflax.uid_set_node('here')`

const generators = FAMILIES.flatMap((tested) =>
  tested.family.storages.map((storage) => ({
    ...tested,
    storage,
    label: `${tested.name}_generate${suffix(storage)}`,
  })),
)

/** Tests of all generators, on these servers. */
export const generateChecks = (kinds: typeof servers): void =>
  describe.each(kinds)('$name', (kind) => {
    let database: OpenDatabase
    beforeAll(async () => {
      database = await openInstalled(kind)
      await database.query(SETUP)
    })
    afterAll(() => database.close())

    async function ids(
      family: IdFamily<string, never>,
      storage: StorageName,
      sql: string,
    ): Promise<string[]> {
      const reader = storageFor(family, 'postgres', { storage })
      const rows = await database.query(sql)
      return rows.map((row) => reader.fromDatabase(row['id']) as string)
    }

    // The server's, which may be on another machine.
    async function clockMs(): Promise<number> {
      const rows = await database.query('SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS ms')
      return rows[0]?.['ms'] as number
    }

    describe.each(generators)('$label', ({ name, family, storage, label }) => {
      const make = (count: number, transaction: string) =>
        ids(
          family as never,
          storage,
          `SELECT snoflax.${label}() AS id FROM ${transaction}, generate_series(1, ${count})`,
        )

      test.each(TRANSACTIONS)(
        'generates different ids of now that core reads, in a transaction that %s',
        async (_, transaction) => {
          const before = await clockMs()
          const made = await make(500, transaction)
          const after = await clockMs()
          expect(new Set(made).size).toBe(500)
          for (const id of made) {
            expect(family.is(id)).toBe(true)
            // A unit before, since times are cut, and as far ahead as 500 ids in one unit may bring a clock.
            expect(family.timeMs(id)).toBeGreaterThanOrEqual(before - 8)
            expect(family.timeMs(id)).toBeLessThanOrEqual(after + 100)
          }
          if (name !== 'flax') expect([...made].sort(family.compare)).toEqual(made)
        },
      )

      test('can be the default of a column', async () => {
        const table = label.replace('generate', 'defaults')
        await database.query(
          `CREATE TABLE ${table} (id snoflax.${name}_${storage} PRIMARY KEY DEFAULT snoflax.${label}(), n integer)`,
        )
        const sql = `INSERT INTO ${table} (n) SELECT generate_series(1, 20) RETURNING id::${TYPES[storage]}`
        const made = await ids(family as never, storage, sql)
        expect(new Set(made).size).toBe(20)
      })
    })

    test('sno_generate_uuid and _text contain the same fields as sno_generate', async () => {
      const own = await openInstalled(kind)
      await own.query(SETUP)
      await own.query('SELECT snoflax.sno_generate()')
      for (const ending of ['_uuid', '_text'])
        for (const [first, meta] of [
          [0, 0x55],
          [21844, 0xaa],
          [43690, 0xff],
          [65494, 1],
        ] as const) {
          // So far ahead of the clock each id takes two numbers, and the unit lasts.
          const rows = await own.query(
            `WITH moved AS (SELECT snoflax._clock_us() / 4000 - 315576000000 + 1250 AS unit), set AS MATERIALIZED (
             SELECT unit, setval('snoflax.sno_state', (unit << 24) | ${first}) FROM moved)
           SELECT unit * 4 + ${sno.layout.epochMs} AS ms, row_to_json(snoflax.sno_unpack(snoflax.sno_generate${ending}(${meta}))) AS made
             FROM set, generate_series(1, 20)`,
          )
          expect(rows.map(({ made }) => made)).toEqual(
            rows.map(({ ms }, n) => ({
              time_ms: Number(ms),
              tick_tock: 0,
              meta,
              partition: 40000,
              sequence: first + 2 * (n + 1),
            })),
          )
        }
      await own.close()
    })

    test.each(FAMILIES)('$name is generated in batches', async ({ name, family }) => {
      const call = (n: number | string) => `SELECT id FROM snoflax.${name}_generate_many(${n}) AS id`
      const made = await ids(family as never, 'binary', call(3000))
      expect(new Set(made).size).toBe(3000)
      if (name !== 'flax') expect([...made].sort(family.compare)).toEqual(made)
      expect(await ids(family as never, 'binary', call(0))).toEqual([])
      expect(await ids(family as never, 'binary', call('NULL'))).toEqual([])
      await expect(database.query(call(-1))).rejects.toMatchObject({ code: '22023' })
    })

    test('flake, sno and uid contain the number that was set', async () => {
      const rows = await database.query(`SELECT
      row_to_json(snoflax.flake_unpack(snoflax.flake_generate())) AS flake,
      row_to_json(snoflax.sno_unpack(snoflax.sno_generate())) AS sno,
      row_to_json(snoflax.uid_unpack(snoflax.uid_generate())) AS uid`)
      expect(rows[0]).toMatchObject({
        flake: { datacenter: 17, worker: 5 },
        sno: { partition: 40000, meta: 0 },
        uid: { node: uid.fingerprint('here') },
      })
    })

    test.each(['', '_uuid', '_uuid8', '_text'])('sno_generate%s takes a metabyte', async (ending) => {
      for (const meta of [0, 1, 128, 255]) {
        const rows = await database.query(
          `SELECT snoflax.sno_meta(snoflax.sno_generate${ending}(${meta})) AS meta`,
        )
        expect(rows).toEqual([{ meta }])
      }
      for (const meta of [-1, 256, 2 ** 31 - 1]) {
        const refused = database.query(`SELECT snoflax.sno_generate${ending}(${meta})`)
        await expect(refused).rejects.toMatchObject({ code: '22003' })
      }
    })

    test('sno_generate_many takes a metabyte', async () => {
      const made = await ids(sno as never, 'binary', 'SELECT id FROM snoflax.sno_generate_many(10, 9) AS id')
      expect(made.map((id) => sno.unpack(sno.parse(id)).meta)).toEqual(Array(10).fill(9))
    })

    test('flax_generate_at generates an id of that time', async () => {
      const ending = ['', '_uuid', '_uuid8', '_text']
      const times = ending.map((one) => `snoflax.flax_time(snoflax.flax_generate_at${one}(at))`)
      const rows = await database.query(`
        SELECT at::text, ARRAY[${times.join(', ')}]::text[] AS times
          FROM (SELECT timestamptz '2015-01-01Z' + number * interval '3 days 5 hours 0.987654 seconds'
                  FROM generate_series(0, 3900) AS number
                UNION ALL VALUES (timestamptz '2049-11-03 19:53:47.775999Z')) AS moments (at)
         WHERE EXISTS (SELECT FROM unnest(ARRAY[${times.join(', ')}]) AS made
                        WHERE made IS DISTINCT FROM date_trunc('milliseconds', at))`)
      expect(rows).toEqual([])
    })

    describe.each(TRANSACTIONS)('in a transaction that %s', (_, transaction) => {
      test.each(['', '_uuid', '_uuid8', '_text'])(
        'the last 7 bytes of flax_generate%s are random, every bit',
        async (ending) => {
          const rows = await database.query(`SELECT
      bit_or(('x' || encode(random, 'hex'))::bit(56))::text AS some,
      bit_and(('x' || encode(random, 'hex'))::bit(56))::text AS every
      FROM (SELECT (snoflax.flax_unpack(snoflax.flax_generate${ending}())).random FROM ${transaction}, generate_series(1, 200)) AS made`)
          expect(rows).toEqual([{ some: '1'.repeat(56), every: '0'.repeat(56) }])
        },
      )
    })
  })
