import { flake, flax, type IdFamily, sno } from '@snoflax/core'
import { uid } from '@snoflax/families'
import { beforeAll, expect, test } from 'vitest'
import { inProcess, inWorker, requireBuilt } from './programs.js'

const COUNT = 200_000

beforeAll(requireBuilt)

test.each([
  ['flax', flax, true],
  ['flaxMonotonic', flax, false],
  ['sno', sno, false],
  ['snoShard', sno, false],
  ['flake', flake, false],
  ['uid', uid, false],
  ['uidFromLocal', uid, false],
] as const)(
  'two processes and two worker threads never generate the same id: %s',
  async (kind, family: IdFamily, isUnordered) => {
    const run = [inProcess, inProcess, inWorker, inWorker]
    const outputs = await Promise.all(
      run.map((start, number) => start('make-ids', { kind, number, count: COUNT })),
    )

    const all = new Set<string>()
    for (const output of outputs) {
      const ids = output.split('\n')
      expect(ids).toHaveLength(COUNT)
      for (const id of ids) all.add(id)
      expect(family.is(ids[0])).toBe(true)
      const disorder = ids.findIndex(
        (id, i) => i > 0 && family.compare(ids[i - 1] as never, id as never) >= 0,
      )
      if (isUnordered) expect(disorder).toBeGreaterThan(0)
      else expect(disorder).toBe(-1)
    }
    expect(all.size).toBe(run.length * COUNT)
  },
)

test('all 65,536 default partitions of a process differ, and the next generator is refused', async () => {
  const runs = await Promise.all([1, 2, 3].map(() => inProcess('default-partitions')))
  const results = runs.map((output) => JSON.parse(output))
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
  expect(new Set(results.map(({ first }) => first)).size).toBeGreaterThan(1)
})
