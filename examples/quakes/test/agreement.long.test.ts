import { install } from '@snoflax/pg-sql'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Agreement, agreeAll } from '#quakes/agreement'
import { loadQuakes } from '#quakes/data'
import { quakeIds } from '#quakes/ids'
import { openPglite, type PgliteEngine } from '#quakes/pglite'
import { QuakeTable } from '#quakes/quake-table'
import { Stopwatch } from '#quakes/stopwatch'
import { storagesOf } from '#quakes/storages'
import { keyQuakes } from '#quakes/survey'

const quakes = loadQuakes().slice(0, 50)
const families = quakeIds(quakes).map((ids) => keyQuakes(ids, quakes))
const moments = quakes.map(({ timeMs }) => timeMs)

let pglite: PgliteEngine
const tables: QuakeTable[] = []

beforeAll(async () => {
  pglite = await openPglite()
  await install(pglite.postgres)
  for (const { ids, rows } of families) {
    const storage = storagesOf(ids.family, pglite).allowed.find(({ name }) => name === 'binary')
    if (storage === undefined) throw new Error(`${ids.family.name} cannot be stored as bytes`)
    const table = new QuakeTable(pglite, storage)
    await table.fill(rows)
    tables.push(table)
  }
})
afterAll(() => pglite.close())

beforeEach(async () => {
  for (const { storage } of tables)
    await pglite.run(`DROP TABLE IF EXISTS made_${storage.family.name}_binary`)
})

const agreeOn = (names: readonly string[]): Promise<Agreement[]> =>
  agreeAll(
    pglite,
    tables.filter(({ storage }) => names.includes(storage.family.name)).map((table) => ({ table })),
    families,
    moments,
    new Stopwatch(),
    () => {},
  )

/** Which checks fail, after something was replaced for a moment. */
async function failuresWith(family: string, sql: string): Promise<(string | undefined)[]> {
  await pglite.run(sql)
  try {
    const [agreement] = await agreeOn([family])
    return agreement?.checks.map(({ failure }) => failure) ?? []
  } finally {
    await install(pglite.postgres)
  }
}

const replaced = (declaration: string, language: string, body: string): string =>
  `CREATE OR REPLACE FUNCTION snoflax.${declaration} LANGUAGE ${language} AS $$${body}$$`

describe('agreement of TypeScript and SQL', () => {
  it('holds for every family that the database generates', async () => {
    const agreements = await agreeOn(families.map(({ ids }) => ids.family.name))
    const names = ['flax', 'sno', 'flake', 'uid', 'uidLocal']
    expect(agreements.map(({ storage }) => storage.family.name)).toEqual(names)
    expect(agreements.flatMap(({ checks }) => checks.map(({ failure }) => failure))).toEqual(
      Array.from({ length: 25 }, () => undefined),
    )
  })

  it('fails if SQL returns another time', async () => {
    const failures = await failuresWith(
      'flax',
      replaced('flax_time(id bytea) RETURNS timestamptz', 'sql', "SELECT timestamptz '2026-01-01Z'"),
    )
    expect(failures).toEqual([
      undefined,
      undefined,
      expect.stringContaining('number 1 is 1767225600000 in SQL'),
      undefined,
      expect.stringContaining('50 rows instead of 50; missing'),
    ])
  })

  it('fails if SQL returns other bounds', async () => {
    const failures = await failuresWith(
      'sno',
      replaced(
        'sno_lower_bound(at timestamptz) RETURNS bytea',
        'sql',
        "SELECT '\\x00000000000000000001'::bytea",
      ),
    )
    expect(failures.map((failure) => failure !== undefined)).toEqual([false, false, false, true, false])
    expect(failures[3]).toMatch(/^number 1 is \S+ in SQL and \S+ in TypeScript$/)
  })

  it("fails if generated ids do not contain this database's number", async () => {
    const failures = await failuresWith(
      'flake',
      replaced(
        'flake_generate() RETURNS bytea',
        'sql',
        'SELECT int8send(snoflax.flake_generate_bigint() # 4096)',
      ),
    )
    expect(failures.map((failure) => failure !== undefined)).toEqual([true, false, false, false, false])
    expect(failures[0]).toMatch(/^\d+ is not of this moment and this database$/)
  })

  it('fails if generated ids are not of now', async () => {
    const failures = await failuresWith(
      'flax',
      replaced('flax_generate() RETURNS bytea', 'sql', "SELECT snoflax.flax_generate_at('2018-02-06Z')"),
    )
    expect(failures.map((failure) => failure !== undefined)).toEqual([true, false, false, false, false])
  })

  it('fails if SQL returns another text of the same bytes', async () => {
    const failures = await failuresWith(
      'uid',
      replaced('uid_encode(id bytea) RETURNS text', 'sql', "SELECT '0000000000000000'::text"),
    )
    expect(failures.map((failure) => failure !== undefined)).toEqual([false, true, false, false, true])
  })
})
