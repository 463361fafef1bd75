import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

/** What the program writes, as a process of its own, which finds the built package as users do. */
async function inProcess(program: string): Promise<unknown> {
  const path = fileURLToPath(new URL(`programs/${program}.js`, import.meta.url))
  return JSON.parse((await promisify(execFile)(process.execPath, [path])).stdout)
}

test('ids are generated even if globalThis is frozen', async () => {
  expect(await inProcess('frozen-globals')).toEqual([true, true, true])
})

test('two copies in one process share sequences, families and errors, and take different partitions', async () => {
  expect(await inProcess('two-copies')).toEqual({
    isAnother: true,
    monotonic: true,
    sno: true,
    partitions: 4,
    error: [true, false, true],
    family: true,
  })
})

test('all 65,536 default partitions of a process differ, and the next generator is refused', async () => {
  const results = await Promise.all([1, 2, 3].map(() => inProcess('default-partitions')))
  for (const result of results) {
    expect(result).toEqual({
      first: expect.any(Number),
      distinct: 65_536,
      ascending: true,
      refusals: ['SEQUENCE_EXHAUSTED', 'SEQUENCE_EXHAUSTED'],
      explicit: true,
    })
  }
  // Where a process starts is random: three alike are one chance in 2^32.
  expect(new Set(results.map((result) => (result as { first: number }).first)).size).toBeGreaterThan(1)
})
