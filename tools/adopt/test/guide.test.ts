import { readFileSync } from 'node:fs'
import * as adopt from '@snoflax/adopt'
import * as core from '@snoflax/core'
import { type PostgresDatabase, postgres } from '@snoflax/test'
import { ModuleKind, ScriptTarget, transpileModule } from 'typescript'
import { afterEach, beforeEach, expect, test } from 'vitest'

const snippets = (path: string, language: string): string[] => {
  const page = readFileSync(new URL(path, import.meta.url), 'utf8')
  return [...page.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(
    ([, code]) => code as string,
  )
}

const lines: unknown[][] = []
const console = { log: (...values: unknown[]) => lines.push(values) }

/** Runs the snippets of a page as one program. */
async function run(code: string, pool: unknown): Promise<adopt.Adoption> {
  const modules: Record<string, unknown> = { '@snoflax/adopt': adopt, '@snoflax/core': core }
  const compilerOptions = { module: ModuleKind.CommonJS, target: ScriptTarget.ES2022 }
  const { outputText } = transpileModule(code, { compilerOptions })
  const program = Object.getPrototypeOf(run).constructor(
    'require',
    'exports',
    'pool',
    'console',
    `${outputText}\nreturn adoption`,
  )
  return await program((name: string) => modules[name], {}, pool, console)
}

let database: PostgresDatabase
beforeEach(async () => {
  database = await postgres.open()
  lines.length = 0
  for (const sql of [
    'CREATE TABLE customers (id text PRIMARY KEY)',
    'CREATE TABLE categories (id serial PRIMARY KEY)',
    'CREATE TABLE orders (id serial PRIMARY KEY, customer_id text REFERENCES customers, created_at timestamptz NOT NULL)',
    'CREATE TABLE order_lines (id serial PRIMARY KEY, order_id integer NOT NULL REFERENCES orders)',
    "INSERT INTO customers VALUES ('ckopqwooh000001la8mbi2im9'), ('ckopqwooi000101la8mbi2im9')",
    'INSERT INTO categories SELECT FROM generate_series(1, 30)',
    "INSERT INTO orders (customer_id, created_at) SELECT 'ckopqwooh000001la8mbi2im9', '2022-01-01Z'::timestamptz + n * interval '1 minute' FROM generate_series(1, 1100) AS n",
    'INSERT INTO order_lines (order_id) SELECT 1 + n % 1100 FROM generate_series(1, 3000) AS n',
  ]) {
    await database.query(sql)
  }
})
afterEach(() => database.close())

test('the snippets of the README are a complete adoption', async () => {
  const [code] = snippets('../README.md', 'ts')
  await expect(run(code as string, database.pool)).resolves.toBeDefined()
  expect(lines[0]?.[0]).toMatch(/-- switchKeys/)
  expect(lines.at(-1)).toHaveLength(3)
  const [row] = await database.query('SELECT id FROM orders ORDER BY id LIMIT 1')
  const id = core.sno.parse(row?.['id'])
  expect(core.sno.time(id).toISOString()).toBe('2022-01-01T00:01:00.000Z')
  expect(core.sno.unpack(id)).toMatchObject({ partition: 900 })
})

test('the snippets of the guide are a complete adoption, and old keys can be looked up', async () => {
  const code = snippets('../../../docs/adopting.md', 'ts')
  expect(code.length).toBeGreaterThanOrEqual(4)
  const adoption = await run(code.join('\n'), database.pool)
  expect(lines.some(([line]) => /orders id: 1000 of 1100, round 1/.test(String(line)))).toBe(true)
  const [sql] = snippets('../../../docs/adopting.md', 'sql')
  expect(await database.query(sql as string)).toHaveLength(1)
  await adoption.finish()
})

test('the way back restores the old keys, also of rows inserted since the switch', async () => {
  const generator = (clock: core.Clock) => core.sno.generator({ partition: 900, clock })
  const adoption = await adopt.planAdoption(database.pool, {
    tables: [{ table: 'orders', createdAt: 'created_at', generator }],
  })
  const pairs =
    'SELECT l.id, o.created_at FROM order_lines AS l JOIN orders AS o ON o.id = l.order_id ORDER BY l.id'
  const before = await database.query(pairs)
  const keys = await database.query('SELECT id, created_at FROM orders ORDER BY id')
  await adoption.backfill()
  await adoption.switchKeys()
  const id = core.sno.generator({ partition: 901 }).generate()
  await database.query('INSERT INTO orders (id, created_at) VALUES ($1, now())', [id])
  await database.query('INSERT INTO order_lines (order_id) VALUES ($1)', [id])
  const [, back] = snippets('../../../docs/adopting.md', 'sql')
  const client = await database.connect()
  await client.query(back as string)
  await client.end()
  expect(await database.query('SELECT id, created_at FROM orders ORDER BY id LIMIT 1100')).toEqual(keys)
  expect((await database.query(pairs)).slice(0, -1)).toEqual(before)
  expect(await database.query('SELECT order_id FROM order_lines ORDER BY id DESC LIMIT 1')).toEqual([
    { order_id: 1101 },
  ])
  await database.query('INSERT INTO orders (created_at) VALUES (now())')
  await expect(database.query('INSERT INTO order_lines (order_id) VALUES (5000)')).rejects.toThrow(
    /foreign key/,
  )
})
