import { arrayLiteral } from '@snoflax/core/adapter'
import { expect, test } from 'vitest'

test.each([
  [[1n, null, 'flax'], '{"1",NULL,"flax"}'],
  [[Uint8Array.of(1, 255)], '{"\\\\x01ff"}'],
  [[['a'], ['b']], '{{"a"},{"b"}}'],
  [['say "no"', 'a\\b'], '{"say \\"no\\"","a\\\\b"}'],
  [[], '{}'],
])('%o is written as a PostgreSQL array literal', (values, literal) => {
  expect(arrayLiteral(values)).toBe(literal)
})
