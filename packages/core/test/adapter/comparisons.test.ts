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

test('nested calls take quadratic time at most, and thousands of open brackets are refused', () => {
  const { comparisons } = readComparisons(`${'coalesce(a, '.repeat(600)}${markOf(0)}`, 'postgres')
  expect(comparisons.filter(({ rows }) => rows.flat(2).some(({ chunk }) => chunk === 0))).toHaveLength(600)
  for (const open of ['[', '(', 'lower(', 'a like (b || [', 'case when a = (']) {
    expect(() => readComparisons(open.repeat(5000), 'postgres')).toThrow(
      'the SQL nests parentheses 700 deep, too deep to find out what it compares with ids; split the statement',
    )
  }
})

test('a pattern inside a pattern has the chunks of both levels', () => {
  const { comparisons } = readComparisons('a like (b like (c))', 'postgres')
  expect(comparisons.map(({ pattern }) => pattern)).toEqual(['like', 'like'])
})

test('what is only compared inside a pattern is not part of the pattern, so deep brackets take linear time', () => {
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
  ['select max(id) as last from t', ['last id']],
  [`select ${markOf(3)} "as", coalesce(a, ${markOf(4)}) as "x y" from t`, ['as 3', 'x y 4', 'x y a']],
  [
    'with c as (select id as one from t) select count(id) as n, cast(id as text), id::text as t from c',
    ['one id'],
  ],
  ['select max(id) last from t left join unnest(seen) s on true', ['last id', 's seen']],
  [`select 1 from unnest(${markOf(1)}, b) as u (x, y), lateral unnest(c) v(z)`, ['v c', 'x 1', 'y b', 'z c']],
  [
    'with c(x) as not materialized (select id from t), d(y) as materialized (select a from c) select 1',
    ['x id', 'y a'],
  ],
  ['with c(x, y) as (select id as z, coalesce(a, b) from t) select 1 from c', ['x id', 'y a', 'y b', 'z id']],
  [
    'select 1 from (select id from t) as s(x), (select a, b from t) r, (select c from t) u(y)',
    ['s id', 'u c', 'x id', 'y c'],
  ],
  [
    `with c(x, y) as (values (${markOf(0)}, ${markOf(1)}), (a, ${markOf(2)}::text)) select 1`,
    ['x 0', 'x a', 'y 1', 'y 2'],
  ],
  [
    `select 1 from (select ${markOf(0)} as x union all select cast(${markOf(1)} as text)) as w(z)`,
    ['w 0', 'w 1', 'x 0', 'z 0', 'z 1'],
  ],
  ['with c(x) as (with d as (select 1) select a from d), e(y) as (with) select 1', ['x a', 'y with']],
  ['select max(id) over (partition by team), max(id) filter (where true) from t where id in (a, b)', []],
])('the aliases of %s are found', (sql, aliases) => {
  const { aliases: read } = readComparisons(sql, 'postgres')
  expect(read.map(({ name, chunk, column }) => `${name} ${chunk ?? column}`).sort()).toEqual(aliases)
})

test.each([
  `${markOf(0)} = any(seen)`,
  `${markOf(0)} = any(t.seen)`,
  `seen @> array[${markOf(0)}]`,
  `array[1, ${markOf(0)}] <@ seen`,
  `seen && ${markOf(0)}`,
  `seen[1] = ${markOf(0)}`,
  `t.seen[1][2] <> ${markOf(0)}`,
  `update t set seen[1] = ${markOf(0)}`,
  `array_append(seen, ${markOf(0)})`,
  `array_prepend(${markOf(0)}, seen)`,
  `${markOf(0)} in (select unnest(seen) from t)`,
  `${markOf(0)} = any(select seen from t)`,
])('a value beside an array column is compared with the column: %s', (sql) => {
  const { comparisons } = readComparisons(sql, 'postgres')
  const beside = comparisons.filter(({ rows }) => rows.flat(2).some(({ chunk }) => chunk === 0))
  expect(beside.flatMap(({ names }) => names.flat())).toEqual(['seen'])
})
