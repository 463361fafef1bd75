import { readFileSync } from 'node:fs'
import * as core from '@snoflax/core'
import * as ours from '@snoflax/mysql-sql'
import { type MysqlDatabase, mysql } from '@snoflax/test'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { blocksOf } from '../../../test/snippets/page.js'
import { run } from '../../../test/snippets/run.js'

const README = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
describe.runIf(mysql.selected())('README.md', () => {
  let database: MysqlDatabase
  beforeAll(async () => {
    database = await mysql.open()
  })
  afterAll(() => database?.close())

  /** Runs code of the page, in a schema of the test's own. */
  async function runHere(code: string): Promise<void> {
    const here = code
      .replace('install(pool)', `install(pool, { schema: '${database.name}' })`)
      .replace('max: 64 }', `max: 64 }, schema: '${database.name}'`)
      .replaceAll(
        "server: 'mariadb'",
        `server: '${database.label.startsWith('MariaDB') ? 'mariadb' : 'mysql'}'`,
      )
    const modules = { '@snoflax/core': core, '@snoflax/mysql-sql': ours }
    await run(here, { modules, globals: { pool: database.pool, ...core, ...ours } })
  }

  test('the examples run', async () => {
    const [defaults, installing, partitions, leasing] = blocksOf(README, 'ts') as [
      string,
      string,
      string,
      string,
    ]
    expect(blocksOf(README, 'ts')).toHaveLength(4)
    await runHere(defaults)
    await runHere(installing)
    const connection = await database.pool.getConnection()
    const [set, select] = (blocksOf(README, 'sql')[0] as string)
      .replaceAll('snoflax.', `${database.name}.`)
      .split(';\n')
    await connection.query(set as string)
    expect((await connection.query(select as string))[0]).toHaveLength(1)
    connection.release()
    await runHere(partitions)
    const inDecember = Buffer.from(core.flax.decode(core.flax.generateAt(Date.UTC(2026, 11, 1))))
    await database.query('INSERT INTO log (id) VALUES (?)', [inDecember])
    const [row] = await database.query('SELECT created_at FROM log')
    expect(row?.['created_at']).toEqual(expect.any(Date))
    for (const family of ['sno', 'flake'])
      await database.query(`CALL ${database.name}.lease_adopt('${family}')`)
    await runHere(leasing)
    for (const line of (blocksOf(README, 'sql')[1] as string).split('\n')) {
      const [statement = ''] = line.replaceAll('snoflax.', `${database.name}.`).split(';')
      if (statement !== '') await database.query(statement)
    }
  })
})
