import { readFileSync } from 'node:fs'
import { registerSnoflax } from '@snoflax/better-sqlite3'
import { flax, prefixed } from '@snoflax/core'
import { install as installInMysql, uninstall } from '@snoflax/mysql-sql'
import { install } from '@snoflax/pg-sql'
import { mysql, type OpenDatabase, pglite, sqlite } from '@snoflax/test'
import { describe, expect, test } from 'vitest'
import { modulesOf } from './docstrings/programs.js'
import { outcomeOf } from './snippets/outcome.js'
import { blocksOf } from './snippets/page.js'
import { at } from './workspace.js'

const PAGE = readFileSync(at('docs/client-ids.md'), 'utf8')
const [program = ''] = blocksOf(PAGE, 'ts')
const [onPostgres = '', onMysql = '', onSqlite = ''] = blocksOf(PAGE, 'sql')
const modules = modulesOf(at('test/.vitest/client-ids'), [program])

test('the program of docs/client-ids.md does what its comments tell', async () => {
  const { claims, contradictions } = await outcomeOf(program, { modules: await modules })
  expect(contradictions).toEqual([])
  expect(claims).toBe(7)
})

describe('its trigger takes ids of these days, and refuses others', () => {
  const noteId = prefixed(flax, 'note')
  const day = 86_400_000
  async function check(database: OpenDatabase): Promise<void> {
    const insert = (ms: number) =>
      database.query(`INSERT INTO notes VALUES ('${noteId.generateAt(Date.now() + ms)}')`)
    for (const ms of [0, -6.9 * day, 290_000]) await insert(ms)
    for (const ms of [-7.1 * day, 400_000, 5000 * day])
      await expect(insert(ms)).rejects.toThrow(/is not of these days/)
  }

  test('PostgreSQL', async () => {
    const database = await pglite.open()
    await install(database.connection)
    await database.query('CREATE TABLE notes (id text COLLATE "C" PRIMARY KEY)')
    await database.connection.exec(onPostgres)
    await check(database)
    await database.close()
  })

  test.runIf(mysql.selected())('MySQL or MariaDB', async () => {
    const database = await mysql.open()
    const schema = `${new URL(database.url).pathname.slice(1)}_snoflax`
    await installInMysql(database.pool, { schema })
    await database.query('CREATE TABLE notes (id VARCHAR(21) COLLATE utf8mb4_bin PRIMARY KEY)')
    await database.query(onMysql.replace('snoflax.', `${schema}.`))
    await check(database)
    await database.query('DROP TRIGGER check_new_note')
    await uninstall(database.pool, { schema })
    await database.close()
  })

  test('SQLite', async () => {
    const database = await sqlite.open()
    registerSnoflax(database.connection)
    await database.query('CREATE TABLE notes (id TEXT PRIMARY KEY)')
    database.connection.exec(onSqlite)
    await check(database)
    await database.close()
  })
})
