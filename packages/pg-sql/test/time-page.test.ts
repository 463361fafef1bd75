import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { openPostgres } from './installed.js'

test.each([
  ['docs/postgresql-time.md', 4],
  ['docs/uuidv7-time.md', 1],
] as const)('the statements of %s run, and each plan is the one shown', async (page, shown) => {
  const text = readFileSync(new URL(`../../../${page}`, import.meta.url), 'utf8')
  const database = await openPostgres()
  const client = await database.connect()
  await client.query("SET timezone = 'UTC'")
  const blocks = [...text.matchAll(/^```(sql|text)\n([\s\S]*?)^```/gm)].map(([, kind, code]) => ({
    kind,
    code: code as string,
  }))
  let explained = ''
  let plans = 0
  for (const { kind, code } of blocks) {
    if (kind === 'text') {
      expect(code).toBe(explained)
      plans++
    } else {
      const { rows } = await client.query(code)
      explained = code.startsWith('EXPLAIN') ? rows.map((row) => `${row['QUERY PLAN']}\n`).join('') : ''
    }
  }
  expect(plans).toBe(shown)
  await client.end()
  await database.close()
})
