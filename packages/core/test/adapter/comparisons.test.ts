import { readComparisons } from '@snoflax/core/adapter'
import { expect, test } from 'vitest'

// `npm run fuzz` found that reading was cubic in their number; its watch over time keeps it from coming back.
test.each(['(a ~ (b ', 'x in (?, (', 'case when a = (', '? and ? = (? like '])(
  'hundreds of open brackets are read: %s',
  (piece) => {
    const { comparisons } = readComparisons(piece.repeat(300), 'sqlite')
    expect(comparisons.length).toBeGreaterThanOrEqual(300)
  },
)

test('a pattern inside a pattern has the chunks of both levels', () => {
  const { comparisons } = readComparisons('a like (b like (c))', 'postgres')
  expect(comparisons.map(({ pattern }) => pattern)).toEqual(['like', 'like'])
})
