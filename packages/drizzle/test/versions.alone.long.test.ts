import { execFile } from 'node:child_process'
import { cpSync, realpathSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { QueryPromise, SQL } from 'drizzle-orm'
import * as mysqlCore from 'drizzle-orm/mysql-core'
import * as pgCore from 'drizzle-orm/pg-core'
import * as sqliteCore from 'drizzle-orm/sqlite-core'
import { npmVersion } from 'drizzle-orm/version'
import { beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'

import { isBefore1, VERSION } from './contract/version.js'

const { MySqlDialect, mysqlTable } = mysqlCore
const { PgDialect, pgTable } = pgCore
const { SQLiteDialect, sqliteTable } = sqliteCore
/** The class of inserts: in Drizzle 1.0 that of the drivers that answer promises. */
const inserts = (core: object) => {
  const names = Object.keys(core).filter((name) => /^[A-Za-z]+InsertBase$/.test(name))
  const name = names.find((one) => one.includes('Async')) ?? names[0]
  return (core as Record<string, unknown>)[name as string]
}

const at = (file: string) => fileURLToPath(new URL(file, import.meta.url))
const run = promisify(execFile)

type Prototype = Record<string, unknown>

describe('what the package patches or calls', () => {
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

  const relational = isBefore1
    ? {
        pg: ['buildRelationalQueryWithoutPK'],
        sqlite: ['buildRelationalQuery'],
        mysql: ['buildRelationalQuery', 'buildRelationalQueryWithoutLateralSubqueries'],
      }
    : { pg: [], sqlite: [], mysql: [] }
  // A snapshot of a release candidate calls itself by the candidate's version.
  const installed = isBefore1 ? npmVersion : `${npmVersion}-snapshot (see \`npm ls drizzle-orm\`)`
  const members = (dialect: keyof typeof tables, name: string, owner: unknown, names: readonly string[]) =>
    names.map((member) => [dialect, name, owner, member] as const)

  test.each([
    ...members('pg', 'SQL', SQL, ['buildQueryFromSourceParams']),
    ...members('pg', 'QueryPromise', QueryPromise, ['then']),
    ...members('pg', 'Insert', inserts(pgCore), ['prepare']),
    ...members('sqlite', 'Insert', inserts(sqliteCore), ['prepare']),
    ...members('mysql', 'Insert', inserts(mysqlCore), ['prepare']),
    ...members('pg', 'PgDialect', PgDialect, ['buildUpdateSet', ...relational.pg]),
    ...members('sqlite', 'SQLiteDialect', SQLiteDialect, ['buildUpdateSet', ...relational.sqlite]),
    ...members('mysql', 'MySqlDialect', MySqlDialect, ['buildUpdateSet', ...relational.mysql]),
  ])('%s: a version without %s.prototype.$3 is refused', async (dialect, name, owner, member) => {
    const prototype = (owner as { prototype: Prototype }).prototype
    const descriptor = Object.getOwnPropertyDescriptor(prototype, member) as PropertyDescriptor
    delete prototype[member]
    try {
      await expect(tables[dialect]()).rejects.toMatchObject({
        name: 'IdError',
        code: 'UNSUPPORTED_VERSION',
        message:
          '@snoflax/drizzle supports drizzle-orm ^0.45.0 || 1.0.0-rc.5; the installed drizzle-orm ' +
          `${installed} has no ${name}.prototype.${member}. Install a supported version, or a newer @snoflax/drizzle`,
      })
    } finally {
      Object.defineProperty(prototype, member, descriptor)
    }
    expect((await tables[dialect]()).id.getSQLType()).toBeTypeOf('string')
  })
})

// Drizzle's package has two copies of itself, for import and for require, and a workspace can have several packages.
describe('an application with its own copy of Drizzle', () => {
  const installed = `../node_modules/drizzle-orm${VERSION && `-${VERSION}`}`
  const elsewhere = at(`../.vitest/copies${VERSION}/node_modules/drizzle-orm`)
  const options = ['--no-warnings', '--enable-source-maps', '--import', at('copies/register.js')]
  beforeAll(() => {
    cpSync(realpathSync(at(installed)), elsewhere, {
      recursive: true,
      filter: (path) => !/\.map$|\.d\.c?ts$/.test(path),
    })
  })

  // What a process requires can't be led to another version by its name.
  const required = [
    ['by require, as the package', ['copies/require.cjs', 'require', 'drizzle-orm']],
    ['by require, beside import', ['copies/require.cjs', 'import', 'drizzle-orm']],
    ['by require, in another folder', ['copies/require.cjs', 'require', elsewhere]],
  ] as const
  test.each([
    ...(isBefore1 ? required : []),
    ['by require, beside import in another folder', ['copies/require.cjs', 'import', elsewhere]],
    ['by import, in another folder', ['copies/import.mjs', elsewhere]],
  ] as const)('works %s', async (_, [program, ...given]) => {
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
    'is refused if it opens the database with a copy that defines no table: %s',
    async (statement) => {
      const program = run(process.execPath, [...options, at('copies/mixed.mjs'), elsewhere, statement])
      await expect(program).rejects.toMatchObject({
        stderr: expect.stringMatching(
          /IdError: sessions\.id: this query is built by another copy of drizzle-orm \([01]\.\d.*, .*copies.*npm ls drizzle-orm/,
        ),
      })
    },
  )

  test('is refused if the copy has another version', async () => {
    const other = realpathSync(
      at(isBefore1 ? '../node_modules/drizzle-orm-1.0' : '../node_modules/drizzle-orm'),
    )
    await expect(run(process.execPath, [...options, at('copies/import.mjs'), other])).rejects.toMatchObject({
      stderr: expect.stringMatching(
        isBefore1
          ? /IdError: customers: this table is defined by another copy of drizzle-orm \(1\.0\.0-rc/
          : // Drizzle's own error.
            /TypeError: casingFn is not a function/,
      ),
    })
  })

  test('is refused when a table is defined, if the other copy cannot be patched', async () => {
    const given = [at('copies/require.cjs'), isBefore1 ? 'require' : 'import', elsewhere, 'hidden']
    const program = run(process.execPath, ['--no-warnings', ...given])
    await expect(program).rejects.toMatchObject({
      stderr: expect.stringMatching(
        /IdError: customers: this table is defined by another copy of drizzle-orm \(.*copies[^/]*.node_modules.*npm ls drizzle-orm/,
      ),
    })
  })
})
