import type { OpenDatabase } from '@snoflax/test'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { LEFT_OUT_OF_SQL } from '../../core/test/recorded-vectors.js'
import { VECTOR_FILES, type VectorFile, vectorsOf } from '../../core/test/vectors.js'
import { Checks } from './checks.js'
import { openInstalled, servers } from './installed.js'
import { VECTOR_CHECKS } from './vector-checks.js'

describe.each(servers)('$name', (kind) => {
  let database: OpenDatabase
  beforeAll(async () => {
    database = await openInstalled(kind)
  })
  afterAll(() => database.close())

  test.each(Object.keys(VECTOR_CHECKS))('the vectors of %s hold', async (name) => {
    const [file, vectorKind] = name.split(' ') as [VectorFile, string]
    const vectors = vectorsOf(file).filter((vector) => vector.kind === vectorKind)
    expect(vectors).not.toEqual([])
    const checks = new Checks()
    for (const vector of vectors) VECTOR_CHECKS[name]?.(checks, vector as never)
    expect(checks.size).toBeGreaterThanOrEqual(vectors.length)
    expect(await checks.failures(database)).toEqual([])
  })
})

test('every kind of every file is checked or listed as left out', () => {
  const recorded = VECTOR_FILES.flatMap((file) => vectorsOf(file).map((vector) => `${file} ${vector.kind}`))
  expect([...Object.keys(VECTOR_CHECKS), ...Object.keys(LEFT_OUT_OF_SQL)].sort()).toEqual(
    [...new Set(recorded)].sort(),
  )
})
