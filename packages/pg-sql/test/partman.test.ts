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
  test('the decoder reads bounds of partitions as text', async () => {
    const rows = await database.query(
      `SELECT count(*)::integer AS all,
         bool_and(snoflax.${name}_partman_decode(key::text) = at) AS back
       FROM (SELECT at, snoflax.${name}_lower_bound_${storage}(at) AS key
         FROM generate_series(timestamptz '2020-01-01Z', '2030-01-01Z', '1 day') AS at) AS one`,
    )
    expect(rows).toEqual([{ all: 3654, back: true }])
  })
})

test.each(FAMILIES)('$name: malformed keys are refused', async ({ name }) => {
  for (const key of ['', 'x', '!'.repeat(16), '00000000-0000-0000-0000-000000000000']) {
    const decoding = database.query(`SELECT snoflax.${name}_partman_decode('${key}')`)
    await expect(decoding).rejects.toMatchObject({ code: '22P02' })
  }
})
