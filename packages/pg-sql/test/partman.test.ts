import type { PostgresDatabase } from '@snoflax/test'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { FAMILIES } from './families.js'
import { openPostgres } from './installed.js'

let database: PostgresDatabase
beforeAll(async () => {
  database = await openPostgres()
})
afterAll(() => database.close())

const keys = FAMILIES.flatMap(({ name, family }) =>
  family.storages
    .filter((storage) => storage !== 'binary' && storage !== 'bigint')
    .map((storage) => ({ name, storage })),
)

describe.each(keys)('$name in $storage', ({ name, storage }) => {
  test('the encoder returns the bounds of partitions, and the decoder reads keys as text', async () => {
    const rows = await database.query(
      `SELECT count(*)::integer AS all,
         bool_and(key = snoflax.${name}_lower_bound_${storage}(at)) AS bound,
         bool_and(snoflax.${name}_partman_decode(key::text) = at) AS back
       FROM (SELECT at, snoflax.${name}_partman_encode_${storage}(at) AS key
         FROM generate_series(timestamptz '2020-01-01Z', '2030-01-01Z', '1 day') AS at) AS one`,
    )
    expect(rows).toEqual([{ all: 3654, bound: true, back: true }])
  })

  test('both accept untyped literals and NULL', async () => {
    const sql = `SELECT snoflax.${name}_partman_encode_${storage}('2026-11-01Z') IS NOT NULL AS encoded,
      snoflax.${name}_partman_encode_${storage}(NULL) IS NULL AS nothing,
      snoflax.${name}_partman_decode(NULL) IS NULL AS none`
    expect(await database.query(sql)).toEqual([{ encoded: true, nothing: true, none: true }])
  })
})

test.each(FAMILIES)('$name: malformed keys are refused', async ({ name }) => {
  for (const key of ['', 'x', '!'.repeat(16), '00000000-0000-0000-0000-000000000000']) {
    const decoding = database.query(`SELECT snoflax.${name}_partman_decode('${key}')`)
    await expect(decoding).rejects.toMatchObject({ code: '22P02' })
  }
})
