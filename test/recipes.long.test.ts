import { mkdirSync, readFileSync } from 'node:fs'
import * as core from '@snoflax/core'
import { columnFor, flax, prefixed, uuid7 } from '@snoflax/core'
import { mysql, type OpenDatabase, postgres } from '@snoflax/test'
import Database from 'better-sqlite3'
import { describe, expect, test } from 'vitest'
import { modulesOf } from './docstrings/programs.js'
import { outcomeOf } from './snippets/outcome.js'
import { blocksOf, section } from './snippets/page.js'
import { run } from './snippets/run.js'
import { typeErrors } from './snippets/type-errors.js'
import { at } from './workspace.js'

// The programs of docs/recipes.md, on the databases that they name.

const PAGE = readFileSync(at('docs/recipes.md'), 'utf8')
const FOLDER = at('test/.vitest/recipes')

interface Recipe {
  readonly library: string
  readonly open?: () => Promise<OpenDatabase & { readonly url: string }>
  /** Why this run can't try it. */
  readonly lacking?: string
}

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
const hasSqlite = major > 22 || (major === 22 && minor >= 13)

const RECIPES: readonly Recipe[] = [
  ...['Sequelize', 'Knex', 'Objection', 'postgres.js'].map((library) => ({ library, open: postgres.open })),
  {
    library: 'mysql2',
    open: mysql.open,
    ...(!mysql.selected() && { lacking: 'SNOFLAX_MYSQL_URL is not set' }),
  },
  {
    library: 'node:sqlite',
    ...(!hasSqlite && { lacking: `Node ${process.version} has no node:sqlite without a flag` }),
  },
]

const programOf = (library: string) => blocksOf(section(PAGE, library), 'ts')[0] as string

const modules = modulesOf(
  FOLDER,
  RECIPES.filter(({ lacking }) => lacking === undefined).map(({ library }) => programOf(library)),
)

test('the page has a program for each library', () => {
  const headings = [...PAGE.matchAll(/^## (.*)$/gm)].map(([, heading]) => heading)
  expect(headings).toEqual([...RECIPES.map(({ library }) => library), 'Payload'])
})

// It brings 136 packages.
test('the code of Payload is of the program that test:platforms runs', () => {
  const program = readFileSync(at('test/platforms/projects/payload/main.mjs'), 'utf8')
  const [code = ''] = blocksOf(section(PAGE, 'Payload'), 'js')
  expect(code).not.toBe('')
  expect(program).toContain(code)
})

// The types of Node 20 have no node:sqlite.
test('the programs compile', () => {
  mkdirSync(FOLDER, { recursive: true })
  const programs = RECIPES.filter(({ library }) => library !== 'node:sqlite').map(({ library }) => [
    `${FOLDER}/${library}.ts`,
    programOf(library),
  ])
  expect(typeErrors(new Map(programs as [string, string][]))).toEqual([])
})

test('the first block gives what its comments tell', async () => {
  const [code = ''] = blocksOf(PAGE, 'ts')
  const outcome = await outcomeOf(code, { modules: { '@snoflax/core': core } })
  expect(outcome.contradictions).toEqual([])
  expect(outcome.claims).toBeGreaterThanOrEqual(3)
  expect(typeErrors(new Map([[`${FOLDER}/block.ts`, code]]))).toEqual([])
})

test('the check refuses in SQLite what is no id, and passes NULL', () => {
  const column = columnFor(prefixed(flax, 'cus'), 'sqlite')
  const db = new Database(':memory:')
  db.exec(`CREATE TABLE t ("the id" ${column.type} CHECK (${column.check('"the id"')}))`)
  const insert = db.prepare('INSERT INTO t VALUES (?)')
  for (const right of [column.generate(), null]) insert.run(right)
  for (const wrong of ['cus_', flax.generate(), Buffer.from(column.generate()), 'x'.repeat(20)]) {
    expect(() => insert.run(wrong)).toThrow('CHECK constraint failed')
  }
})

test('UUIDv7 is stored as text, or as the uuid of PostgreSQL, whose type is the check', () => {
  expect(columnFor(uuid7, 'sqlite').check('id')).toBe(
    "(id IS NULL OR typeof(id) = 'text') AND length(id) = 36",
  )
  expect(columnFor(uuid7, 'postgres')).toMatchObject({ type: 'uuid' })
  expect(columnFor(uuid7, 'postgres').check('id')).toBe('true')
})

describe.each(RECIPES)('$library', ({ library, open, lacking }) => {
  test(lacking === undefined ? 'gives what its comments tell' : `skipped: ${lacking}`, async (context) => {
    if (lacking !== undefined) return context.skip(lacking)
    const program = programOf(library)
    const database = await open?.()
    try {
      const told = await run(program, {
        modules: await modules,
        globals: { process: { env: { DATABASE_URL: database?.url } } },
      })
      expect(told.length).toBeGreaterThanOrEqual(2)
      for (const { comment, value } of told) {
        if (comment.startsWith("'cus_")) expect(value).toMatch(/^cus_[\w-]{16}$/)
        else if (/^\d/.test(comment)) expect(value).toBe(Number(comment))
      }
    } finally {
      await database?.close()
    }
  })
})
