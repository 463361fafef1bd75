import type { PostgresDatabase } from '@snoflax/test'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openPostgres } from './installed.js'
import { Random, SEED } from './random.js'
import { TWINS } from './twins.js'

// The same functions once more, written for plainness instead of speed: what they agree on is unlikely to be wrong.

const COUNT = 10_000

let database: PostgresDatabase
beforeAll(async () => {
  database = await openPostgres()
  await database.query(TWINS)
})
afterAll(() => database.close())

async function disagreements(given: readonly string[], type: string, pairs: readonly string[]) {
  const rows = await database.query(
    `SELECT input, ${pairs.map((pair, n) => `(${pair})::text AS "${n}"`).join(', ')}
       FROM unnest($1::text[]) AS value, LATERAL (SELECT value::${type} AS input OFFSET 0) AS one
      WHERE ${pairs
        .slice(1)
        .map((pair) => `(${pair}) IS DISTINCT FROM (${pairs[0]})`)
        .join(' OR ')} LIMIT 10`,
    [given],
  )
  return rows
}

const LENGTHS = { flax: 12, sno: 10, flake: 8, uid: 12, uid_local: 8 }

const FUNCTIONS = Object.entries(LENGTHS).flatMap(([family, bytes]) =>
  ['encode', 'decode', 'time', 'to_uuid8'].map((name) => ({ family, bytes, name })),
)

test.each(FUNCTIONS)(`${COUNT} × $family $name, SNOFLAX_SEED=${SEED}`, async ({ family, bytes, name }) => {
  const random = new Random(SEED)
  const ids = Array.from({ length: COUNT }, () => `\\x${Buffer.from(random.bytes(bytes)).toString('hex')}`)
  const argument = name === 'decode' ? `snoflax.${family}_encode(input)` : 'input'
  const pairs = [`snoflax.${family}_${name}(${argument})`, `twin.${family}_${name}(${argument})`]
  expect(await disagreements(ids, 'bytea', pairs)).toEqual([])
})

test.each(Object.keys(LENGTHS))(`${COUNT} × %s lower_bound, SNOFLAX_SEED=${SEED}`, async (family) => {
  const random = new Random(SEED)
  const moments = Array.from({ length: COUNT }, () => {
    const seconds = random.bigint(-60_000_000_000n, 2_500_000_000n)
    return `${seconds}.${String(random.below(1_000_000)).padStart(6, '0')}`
  })
  // Days and seconds apart, as a double would round the microseconds of both.
  const at = `(timestamptz '1970-01-01Z' + make_interval(
    days => div(input::numeric, 86400)::integer, secs => (input::numeric % 86400)::float8))`
  const pairs = [`snoflax.${family}_lower_bound(${at})`, `twin.${family}_lower_bound(${at})`]
  expect(await disagreements(moments, 'text', pairs)).toEqual([])
})
