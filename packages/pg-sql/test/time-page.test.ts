import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { openPostgres } from './installed.js'

const PAGE = readFileSync(new URL('../../../docs/postgresql-time.md', import.meta.url), 'utf8')

test('the statements of docs/postgresql-time.md run, and each plan is the one shown', async () => {
  const database = await openPostgres()
  const client = await database.connect()
  await client.query("SET timezone = 'UTC'")
  const blocks = [...PAGE.matchAll(/^```(sql|text)\n([\s\S]*?)^```/gm)].map(([, kind, code]) => ({
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
  expect(plans).toBe(7)
  await client.end()
  await database.close()
})
