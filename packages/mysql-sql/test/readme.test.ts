import { readFileSync } from 'node:fs'
import * as core from '@snoflax/core'
import * as ours from '@snoflax/mysql-sql'
import { type MysqlDatabase, mysql } from '@snoflax/test'
import { ModuleKind, ScriptTarget, transpileModule } from 'typescript'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const README = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
const blocks = (language: string): string[] =>
  Array.from(
    README.matchAll(new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 'gs')),
    ([, code]) => code as string,
  )

describe.runIf(mysql.selected())('README.md', () => {
  let database: MysqlDatabase
  beforeAll(async () => {
    database = await mysql.open()
  })
  afterAll(() => database?.close())

  /** Runs code of the page, in a schema of the test's own. */
  async function run(code: string): Promise<void> {
    const compilerOptions = { module: ModuleKind.CommonJS, target: ScriptTarget.ES2022 }
    const here = code
      .replace('install(pool)', `install(pool, { schema: '${database.name}' })`)
      .replace('max: 64 }', `max: 64 }, schema: '${database.name}'`)
      .replaceAll(
        "server: 'mariadb'",
        `server: '${database.label.startsWith('MariaDB') ? 'mariadb' : 'mysql'}'`,
      )
    const { outputText } = transpileModule(
      `export async function main(pool) {${here.replaceAll(/^import .*$/gm, '')}}`,
      {
        compilerOptions,
      },
    )
    const exported: { main?: (pool: unknown) => Promise<void> } = {}
    const names = { ...core, ...ours }
    new Function('exports', ...Object.keys(names), outputText)(exported, ...Object.values(names))
    await exported.main?.(database.pool)
  }

  test('the examples run', async () => {
    const [defaults, installing, partitions, leasing] = blocks('ts') as [string, string, string, string]
    expect(blocks('ts')).toHaveLength(4)
    await run(defaults)
    await run(installing)
    const connection = await database.pool.getConnection()
    const [set, select] = (blocks('sql')[0] as string)
      .replaceAll('snoflax.', `${database.name}.`)
      .split(';\n')
    await connection.query(set as string)
    expect((await connection.query(select as string))[0]).toHaveLength(1)
    connection.release()
    await run(partitions)
    const inDecember = Buffer.from(core.flax.decode(core.flax.generateAt(Date.UTC(2026, 11, 1))))
    await database.query('INSERT INTO log (id) VALUES (?)', [inDecember])
    const [row] = await database.query('SELECT made_at FROM log')
    expect(row?.['made_at']).toEqual(expect.any(Date))
    for (const family of ['sno', 'flake'])
      await database.query(`CALL ${database.name}.lease_adopt('${family}')`)
    await run(leasing)
    for (const line of (blocks('sql')[1] as string).split('\n')) {
      const [statement = ''] = line.replaceAll('snoflax.', `${database.name}.`).split(';')
      if (statement !== '') await database.query(statement)
    }
  })
})
