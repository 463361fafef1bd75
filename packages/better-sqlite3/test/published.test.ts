import { readFileSync } from 'node:fs'
import { registerSnoflax } from '@snoflax/better-sqlite3'
import { flake, sno } from '@snoflax/core'
import { uid } from '@snoflax/families'
import Database from 'better-sqlite3'
import { afterAll, expect, test } from 'vitest'
import { FAMILIES } from './families.js'

const node = uid.generator({ node: 'orders@10.0.0.7' })
const db = registerSnoflax(new Database(':memory:'), {
  families: FAMILIES.map(({ family }) => family),
  generators: {
    sno: sno.generator({ partition: 7 }),
    flake: flake.generator({ datacenter: 1, worker: 2 }),
    uid: node,
    uidLocal: node.local,
  },
})
afterAll(() => {
  db.close()
})

const lines = (path: string): string[] =>
  readFileSync(new URL(path, import.meta.url), 'utf8')
    .trim()
    .split('\n')

const OURS = /^(flax|sno|flake|uid_local|uid)_(.*)/
const DETERMINISTIC = 0x800

interface Published {
  readonly name: string
  /** The number of arguments, and whether it may stand in an index. */
  readonly kind: string
}

const functions: readonly Published[] = [
  ...db
    .prepare<[], { name: string; narg: number; flags: number }>('SELECT * FROM pragma_function_list')
    .all()
    .map(({ name, narg, flags }) => ({
      name,
      kind: `(${narg}) ${flags & DETERMINISTIC ? 'deterministic' : 'volatile'}`,
    })),
  ...db
    .prepare<[], string>('SELECT name FROM pragma_module_list')
    .pluck()
    .all()
    .map((name) => ({ name, kind: ' table' })),
].filter(({ name }) => OURS.test(name))

/** Each kind of function, with the families that have it. */
function published(): string[] {
  const families = new Map<string, string[]>()
  for (const { name, kind } of functions) {
    const [, family = '', own = ''] = OURS.exec(name) ?? []
    families.set(own + kind, [...(families.get(own + kind) ?? []), family])
  }
  return [...families].map(([kind, its]) => `${kind}: ${its.sort().join(' ')}`).sort()
}

// Schemas of users depend on them: add, but never take away or change.
test('the functions are those of published.txt', () => {
  expect(published()).toEqual(lines('published.txt'))
})

/** What pg-sql has and we have not, and why. */
const ONLY_POSTGRES: readonly [RegExp, string][] = [
  [/_set_(?:partition|worker|node)$/, 'generators are given to registerSnoflax'],
  [/_partman_/, 'pg_partman is of PostgreSQL'],
  [
    /_(?:generate|generate_at|lower_bound|upper_bound)_uuid8?$/,
    'SQLite has no uuid type, so no column needs them',
  ],
  [/_between(?:_uuid8)?$/, 'SQLite inlines no function, so an index serves the two bounds only'],
  [/_time_(?:binary|text|uuid8?|bigint)$/, 'one function reads every storage; nothing asks for one of each'],
]

/** What we have and pg-sql has not, and why. */
const ONLY_SQLITE: readonly [RegExp, string][] = [
  [/_ms(?:_|$)/, 'SQLite has no type for moments, and Unix milliseconds are common in its columns'],
  [
    /_generate_at(?:_text|_bigint)?$/,
    'generators are those of TypeScript, and make ids of other moments in every family',
  ],
]

test('the names are those of pg-sql, except for listed differences', () => {
  const names = lines('../../pg-sql/test/published.txt').filter((line) => OURS.test(line))
  const theirs = new Set(names.map((line) => line.replace(/\W.*/, '')))
  const ours = new Set(functions.map(({ name }) => name))
  const without = (names: Set<string>, others: Set<string>, meant: readonly [RegExp, string][]) =>
    [...names].filter((name) => !others.has(name) && !meant.some(([pattern]) => pattern.test(name)))
  expect(theirs.size).toBeGreaterThan(80)
  expect(without(theirs, ours, ONLY_POSTGRES)).toEqual([])
  expect(without(ours, theirs, ONLY_SQLITE)).toEqual([])
})
