import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import * as core from '@snoflax/core'
import * as ours from '@snoflax/lease-kit'
import * as pgSql from '@snoflax/pg-sql'
import { type PostgresDatabase, postgres } from '@snoflax/test'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { outcomeOf } from '../../../test/snippets/outcome.js'
import { blocksOf } from '../../../test/snippets/page.js'

const README = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
// Below the package, where Node finds what it imports.
const folder = new URL('../.vitest/', import.meta.url)

let database: PostgresDatabase
beforeAll(async () => {
  database = await postgres.open()
  await pgSql.install(database.pool, { families: ['sno'] })
})
afterAll(async () => {
  await database.close()
  rmSync(folder, { recursive: true, force: true })
})

test('the examples of README.md run, with the results it states', async () => {
  const { hostname, port, username, password, pathname } = new URL(database.url)
  const [inProcess = '', processes = ''] = blocksOf(README, 'ts')
  const [program = ''] = blocksOf(README, 'js')
  mkdirSync(folder, { recursive: true })
  const account = { user: username, password, database: pathname.slice(1) }
  writeFileSync(
    new URL('hold.js', folder),
    program.replace("user: 'postgres', database: 'postgres'", `...${JSON.stringify(account)}`),
  )
  const here = processes
    .replace("new URL('hold.js', import.meta.url)", `new URL('hold.js', '${folder}')`)
    .replace("'127.0.0.1', port: 5432", `'${hostname}', port: ${port}`)
    .replace('20_000', '3000')
  expect(fileURLToPath(folder)).toContain('lease-kit')
  const modules = { '@snoflax/core': core, '@snoflax/lease-kit': ours, '@snoflax/pg-sql': pgSql }
  for (const code of [inProcess, here]) {
    const { claims, contradictions } = await outcomeOf(code, {
      modules,
      globals: { pool: database.pool, URL },
    })
    expect({ claims, contradictions }).toEqual({ claims: 1, contradictions: [] })
  }
})
