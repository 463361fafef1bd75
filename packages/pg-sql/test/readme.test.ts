import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import * as ours from '@snoflax/pg-sql'
import { uninstall } from '@snoflax/pg-sql'
import { type PostgresDatabase, postgres } from '@snoflax/test'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { blocksOf } from '../../../test/snippets/page.js'
import { run } from '../../../test/snippets/run.js'
import { openPostgres } from './installed.js'

const at = (path: string) => new URL(`../${path}`, import.meta.url)
const README = readFileSync(at('README.md'), 'utf8')

const opened: PostgresDatabase[] = []
let database: PostgresDatabase
beforeEach(async () => {
  database = await openPostgres()
  opened.push(database)
})
afterEach(async () => {
  await Promise.all(opened.splice(0).map((one) => one.close()))
})

test('the statements of the README run, in order', async () => {
  const scripts = blocksOf(README, 'sql')
  expect(scripts.length).toBeGreaterThanOrEqual(3)
  for (const script of scripts) await database.query(script)
  expect(await database.query('SELECT snoflax.sno_meta(id) AS meta FROM event')).toEqual([{ meta: 3 }])
})

const PAGES = [
  README,
  ...['start/postgresql', 'postgresql-time'].map((name) => readFileSync(at(`../../docs/${name}.md`), 'utf8')),
]

test('PostgreSQL gives back each default as the pages spell it', async () => {
  const expressions = new Set(
    PAGES.join('\n').match(
      /\('\w+_'::text \|\| snoflax\.\w+\(\)\)|(?<=DEFAULT )snoflax\.\w+\(.*?\)|snoflax\.typeid_generate\(.*?\)/g,
    ),
  )
  expect([...expressions]).toEqual(
    expect.arrayContaining([
      "('cus_'::text || snoflax.flax_generate_text())",
      "snoflax.typeid_generate('user'::text)",
      'snoflax.sno_generate_text(3)',
    ]),
  )
  for (const expression of expressions) {
    await database.query(`CREATE TABLE spelled AS SELECT ${expression} AS id LIMIT 0`)
    await database.query(`ALTER TABLE spelled ALTER id SET DEFAULT ${expression}`)
    const input = await database.query(
      "SELECT pg_get_expr(adbin, adrelid) AS expression FROM pg_attrdef WHERE adrelid = 'spelled'::regclass",
    )
    expect(input).toEqual([{ expression }])
    await database.query('DROP TABLE spelled')
  }
})

test('the program of the README runs', async () => {
  const [installing] = blocksOf(README, 'ts') as [string]
  const { name } = await database.role()
  const surroundings = { modules: { '@snoflax/pg-sql': ours }, globals: { pool: database.pool } }
  await run(installing, surroundings)
  const [options = ''] = /\{ families.*? \}/.exec(installing) ?? []
  const withOptions = `pool, ${options.replace("'app'", `'${name}'`)})`
  await run(installing.replace('pool)', withOptions), surroundings)
})

/** What the page's command hands to psql. */
function handedToPsql(): string {
  const [, command = ''] =
    /^npx snoflax (.*) \| psql -1 -v ON_ERROR_STOP=1 "\$DATABASE_URL"$/m.exec(README) ?? []
  const bin = fileURLToPath(at('../../tools/cli/bin/snoflax.js'))
  return execFileSync(process.execPath, [bin, ...command.split(' ')], { encoding: 'utf8' })
}

test('the SQL for psql installs a family, returns its version, and can be uninstalled', async () => {
  const empty = await postgres.open()
  opened.push(empty)
  await empty.query(handedToPsql())
  expect(await ours.installedVersion(empty.pool)).toBeDefined()
  const sql =
    "SELECT snoflax.flax_is_valid(snoflax.flax_generate_text()) AS valid, to_regprocedure('snoflax.sno_generate(integer)') AS sno"
  expect(await empty.query(sql)).toEqual([{ valid: true, sno: null }])
  await uninstall(empty.pool)
})

test('each function that the README names exists', async () => {
  const named = [
    ...README.matchAll(/`((?:flax|sno|flake|uid|uuid7|ulid|typeid)_(?!local`)[a-z0-9_]+)(?:\([a-z, ]*\))?`/g),
  ].map(([, name]) => name)
  const rows = await database.query(
    `SELECT name FROM unnest($1::text[]) AS name WHERE NOT EXISTS (
       SELECT FROM pg_proc WHERE pronamespace = 'snoflax'::regnamespace AND proname = name
       UNION ALL SELECT FROM pg_type WHERE typnamespace = 'snoflax'::regnamespace AND typname = name)`,
    [named],
  )
  expect(rows).toEqual([])
})
