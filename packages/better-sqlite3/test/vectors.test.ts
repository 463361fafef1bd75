import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { LEFT_OUT_OF_SQL } from '../../core/test/recorded-vectors.js'
import { specification } from './specification.js'
import { Sql } from './sql.js'
import { VECTOR_CHECKS } from './vector-checks.js'

interface Vector {
  readonly v: string
  readonly kind: string
}

const FILES = ['flax', 'sno', 'flake', 'uid']

const vectorsOf = (file: string): Vector[] => specification<{ vectors: Vector[] }>(`vectors/${file}`).vectors

let sql: Sql
beforeAll(async () => {
  sql = await Sql.open()
})
afterAll(() => sql.close())

describe.each(FILES)('vectors of %s', (file) => {
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
  const recorded = FILES.flatMap((file) => vectorsOf(file).map(({ kind }) => `${file} ${kind}`))
  expect([...Object.keys(VECTOR_CHECKS), ...Object.keys(LEFT_OUT_OF_SQL)].sort()).toEqual(
    [...new Set(recorded)].sort(),
  )
})
