import { beforeAll, expect, test } from 'vitest'
import { inProcess, requireBuilt } from './programs.js'

beforeAll(requireBuilt)

test('where globalThis is frozen, ids are made all the same', async () => {
  expect(JSON.parse(await inProcess('frozen-globals'))).toEqual([true, true, true])
})

test('two copies in one process: one sequence, partitions apart, errors and families alike', async () => {
  expect(JSON.parse(await inProcess('two-copies'))).toEqual({
    isAnother: true,
    monotonic: true,
    sno: true,
    partitions: 4,
    error: [true, false, true],
    family: true,
  })
})
