import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { LEFT_OUT_OF_SQL } from '../../core/test/recorded-vectors.js'
import { VECTOR_FILES, vectorsOf } from '../../core/test/vectors.js'
import { Sql } from './sql.js'
import { VECTOR_CHECKS } from './vector-checks.js'

let sql: Sql
beforeAll(async () => {
  sql = await Sql.open()
})
afterAll(() => sql.close())

describe.each(VECTOR_FILES)('vectors of %s', (file) => {
  const kinds = Object.keys(VECTOR_CHECKS).filter((name) => name.startsWith(`${file} `))

  test.each(kinds)('%s', (name) => {
    const vectors = vectorsOf(file).filter(({ kind }) => `${file} ${kind}` === name)
    expect(vectors).not.toEqual([])
    for (const vector of vectors) {
      expect.hasAssertions()
      VECTOR_CHECKS[name]?.(sql, vector as never)
    }
  })
})

test('every kind of every file is checked or listed as left out', () => {
  const recorded = VECTOR_FILES.flatMap((file) => vectorsOf(file).map(({ kind }) => `${file} ${kind}`))
  expect([...Object.keys(VECTOR_CHECKS), ...Object.keys(LEFT_OUT_OF_SQL)].sort()).toEqual(
    [...new Set(recorded)].sort(),
  )
})
