import { beforeAll, expect, test } from 'vitest'
import { inProcess, requireBuilt } from './programs.js'

beforeAll(requireBuilt)

test('ids are generated even if globalThis is frozen', async () => {
  expect(JSON.parse(await inProcess('frozen-globals'))).toEqual([true, true, true])
})

test('two copies in one process share sequences, families and errors, and take different partitions', async () => {
  expect(JSON.parse(await inProcess('two-copies'))).toEqual({
    isAnother: true,
    monotonic: true,
    sno: true,
    partitions: 4,
    error: [true, false, true],
    family: true,
  })
})
