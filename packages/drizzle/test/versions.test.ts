import { execFile } from 'node:child_process'
import { cpSync, realpathSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { SQL, Table } from 'drizzle-orm'
import { MySqlDialect, mysqlTable } from 'drizzle-orm/mysql-core'
import { PgDialect, PgInsertBase, pgTable } from 'drizzle-orm/pg-core'
import { SQLiteDialect, sqliteTable } from 'drizzle-orm/sqlite-core'
import { beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'

const at = (file: string) => fileURLToPath(new URL(file, import.meta.url))
const run = promisify(execFile)

type Prototype = Record<string, unknown>

describe('what the package patches or relies on', () => {
  beforeEach(() => {
    vi.resetModules()
  })
  const tables = {
    pg: async () => {
      const { flaxId } = await import('@snoflax/drizzle/pg-core')
      return pgTable('t', { id: flaxId() })
    },
    sqlite: async () => {
      const { flaxId } = await import('@snoflax/drizzle/sqlite-core')
      return sqliteTable('t', { id: flaxId() })
    },
    mysql: async () => {
      const { flaxId } = await import('@snoflax/drizzle/mysql-core')
      return mysqlTable('t', { id: flaxId() })
    },
  }

  test.each<[keyof typeof tables, string, unknown, string]>([
    ['pg', 'Table', Table, 'getSQL'],
    ['pg', 'SQL', SQL, 'buildQueryFromSourceParams'],
    ['pg', 'Insert', PgInsertBase, 'prepare'],
    ['pg', 'PgDialect', PgDialect, 'buildSelection'],
    ['pg', 'PgDialect', PgDialect, 'buildSelectQuery'],
    ['pg', 'PgDialect', PgDialect, 'buildInsertQuery'],
    ['pg', 'PgDialect', PgDialect, 'buildUpdateSet'],
    ['pg', 'PgDialect', PgDialect, 'buildRelationalQueryWithoutPK'],
    ['sqlite', 'SQLiteDialect', SQLiteDialect, 'buildSelection'],
    ['sqlite', 'SQLiteDialect', SQLiteDialect, 'buildRelationalQuery'],
    ['mysql', 'MySqlDialect', MySqlDialect, 'buildSelection'],
    ['mysql', 'MySqlDialect', MySqlDialect, 'buildRelationalQuery'],
    ['mysql', 'MySqlDialect', MySqlDialect, 'buildRelationalQueryWithoutLateralSubqueries'],
  ])('%s: a version without %s.prototype.$3 is refused', async (dialect, name, owner, member) => {
    const prototype = (owner as { prototype: Prototype }).prototype
    const descriptor = Object.getOwnPropertyDescriptor(prototype, member) as PropertyDescriptor
    delete prototype[member]
    try {
      await expect(tables[dialect]()).rejects.toMatchObject({
        name: 'IdError',
        code: 'UNSUPPORTED_VERSION',
        message: expect.stringMatching(
          `^@snoflax/drizzle supports drizzle-orm \\^0\\.45\\.0; .* 0\\.45\\.\\d+ has no ${name}\\.prototype\\.${member}`,
        ),
      })
    } finally {
      Object.defineProperty(prototype, member, descriptor)
    }
    expect((await tables[dialect]()).id.getSQLType()).toBeTypeOf('string')
  })

  test('is not there in the release candidate of Drizzle 1.0', async () => {
    const program = run(process.execPath, ['--import', at('next/register.js'), at('next/program.js')])
    await expect(program).rejects.toMatchObject({
      stderr: expect.stringMatching(
        /IdError: @snoflax\/drizzle supports drizzle-orm \^0\.45\.0; the installed drizzle-orm 1\.0\.0-rc/,
      ),
    })
  })
})

// Drizzle's package has two copies of itself, for import and for require, and a workspace can have several packages.
describe('an application with a copy of Drizzle of its own', () => {
  const elsewhere = at('../.vitest/copies/node_modules/drizzle-orm')
  beforeAll(() => {
    cpSync(realpathSync(at('../node_modules/drizzle-orm')), elsewhere, {
      recursive: true,
      filter: (path) => !/\.map$|\.d\.c?ts$/.test(path),
    })
  })

  test.each([
    ['by require, as the package', ['copies/require.cjs', 'require', 'drizzle-orm']],
    ['by require, beside import', ['copies/require.cjs', 'import', 'drizzle-orm']],
    ['by require, in another folder', ['copies/require.cjs', 'require', elsewhere]],
    ['by require, beside import in another folder', ['copies/require.cjs', 'import', elsewhere]],
    ['by import, in another folder', ['copies/import.mjs', elsewhere]],
  ])('%s', async (_, [program = '', ...given]) => {
    const options = ['--no-warnings', '--enable-source-maps']
    const { stdout } = await run(process.execPath, [...options, at(program), ...given])
    expect(JSON.parse(stdout)).toEqual({
      template: ['Ada'],
      parameter: ['Ada'],
      placeholder: [{ name: 'Bob' }],
      selected: [{ isAda: 1 }, { isAda: 0 }],
      isOrder: true,
      nested: true,
      kept: [{ name: 'Ada' }],
    })
  })

  test.each(['select', 'delete', 'insert', 'update', 'query'])(
    'that opens the database with a copy that no table is defined with: %s is refused',
    async (statement) => {
      const program = run(process.execPath, ['--no-warnings', at('copies/mixed.mjs'), elsewhere, statement])
      await expect(program).rejects.toMatchObject({
        stderr: expect.stringMatching(
          /IdError: sessions\.id: this query is built by another copy of drizzle-orm \(0\.45\.\d+, .*copies.node_modules.*npm ls drizzle-orm/,
        ),
      })
    },
  )

  test('of another version is refused by its version', async () => {
    const next = realpathSync(at('../node_modules/drizzle-orm-next'))
    await expect(
      run(process.execPath, ['--no-warnings', at('copies/import.mjs'), next]),
    ).rejects.toMatchObject({
      stderr: expect.stringMatching(/IdError: .* \^0\.45\.0; the installed drizzle-orm 1\.0\.0-rc/),
    })
  })

  test('out of reach, it is refused when the table is defined', async () => {
    const given = [at('copies/require.cjs'), 'require', elsewhere, 'hidden']
    const program = run(process.execPath, ['--no-warnings', ...given])
    await expect(program).rejects.toMatchObject({
      stderr: expect.stringMatching(
        /IdError: customers: this table is defined by another copy of drizzle-orm \(.*copies.node_modules.*npm ls drizzle-orm/,
      ),
    })
  })
})
