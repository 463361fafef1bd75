import { markOf, readComparisons } from '@snoflax/core/adapter'
import { expect, test } from 'vitest'

// `npm run fuzz` found that reading was cubic in their number; its watch over time keeps it from coming back.
test.each(['(a ~ (b ', 'x in (?, (', 'case when a = (', '? and ? = (? like '])(
  'hundreds of open brackets are read: %s',
  (piece) => {
    const { comparisons } = readComparisons(piece.repeat(300), 'sqlite')
    expect(comparisons.length).toBeGreaterThanOrEqual(300)
  },
)

test('calls in calls take the square of their number at most, and thousands of brackets are refused', () => {
  const { comparisons } = readComparisons(`${'coalesce(a, '.repeat(600)}${markOf(0)}`, 'postgres')
  expect(comparisons.filter(({ rows }) => rows.flat(2).some(({ chunk }) => chunk === 0))).toHaveLength(600)
  for (const open of ['[', '(', 'lower(', 'a like (b || [', 'case when a = (']) {
    expect(() => readComparisons(open.repeat(5000), 'postgres')).toThrow(
      'the SQL has brackets in brackets, 700 deep, which is too deep to tell what it compares; split the statement',
    )
  }
})

test('a pattern inside a pattern has the chunks of both levels', () => {
  const { comparisons } = readComparisons('a like (b like (c))', 'postgres')
  expect(comparisons.map(({ pattern }) => pattern)).toEqual(['like', 'like'])
})

test('what is only compared inside a pattern is no part of it, so that deep brackets take linear time', () => {
  const { comparisons } = readComparisons(
    `${markOf(0)} like (case when ${markOf(1)} = ${markOf(2)} then ${markOf(3)} end || lower(${markOf(4)}))`,
    'postgres',
  )
  const { rows } = comparisons.find(({ pattern }) => pattern === 'like') ?? {}
  expect(rows?.[1]?.flat().map(({ chunk }) => chunk)).toEqual([3, 4])

  const deep = readComparisons('a ~ (b, '.repeat(400), 'postgres').comparisons
  expect(deep.reduce((sum, { rows: [, right = []] }) => sum + right.length, 0)).toBeLessThanOrEqual(800)
})

test.each([
  ['select max(id) as last from t', [{ name: 'last', column: 'id' }]],
  [
    `select ${markOf(3)} "as", coalesce(a, ${markOf(4)}) as "x y" from t`,
    [
      { name: 'x y', column: 'a' },
      { name: 'x y', chunk: 4 },
    ],
  ],
  [
    'with c as (select id as one from t) select count(id) as n, cast(id as text), id::text as t from c',
    [{ name: 'one', column: 'id' }],
  ],
])('what %s gives another name', (sql, aliases) => {
  expect(readComparisons(sql, 'postgres').aliases).toEqual(aliases)
})
