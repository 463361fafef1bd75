import { flax, prefixed } from '@snoflax/core'
import { mysql, postgres, sqlite } from '@snoflax/test'
import mysql2 from 'mysql2'
import pg from 'pg'
import { expect, test, vi } from 'vitest'
import { cli, json } from './running.js'

const customer = prefixed(flax, 'cus')

test('PostgreSQL: a locked table is unknown', { timeout: 60_000 }, async () => {
  const database = await postgres.open()
  await database.query('CREATE TABLE locked (id text PRIMARY KEY); CREATE TABLE free (id text PRIMARY KEY)')
  const other = await database.pool.connect()
  try {
    await other.query('BEGIN; LOCK TABLE locked')
    const { code, out } = await cli(['find', customer.generate(), database.url])
    expect([code, out]).toEqual([3, expect.stringMatching(/^unknown, .*timeout: locked\.id$/m)])
    expect(out).toContain('asked: free, locked')
  } finally {
    await other.query('ROLLBACK')
    other.release()
    await database.close()
  }
})

const TABLES = 5000

test.each([postgres, mysql, sqlite].filter((kind) => kind.selected()))(
  '$name: 5,000 tables are asked and examined in a few statements',
  { timeout: 600_000 },
  async (kind) => {
    const database = await kind.open()
    const url = String((database as { file?: string }).file ?? (database as { url?: string }).url)
    const type = kind === postgres ? 'text COLLATE "C"' : 'VARCHAR(40)'
    const ids = customer.generator().batch(TABLES)
    for (const [n, id] of ids.entries()) {
      const reference = n === 0 ? '' : `, FOREIGN KEY (other) REFERENCES t${n - 1} (id)`
      const options = kind === mysql ? ' CHARACTER SET ascii COLLATE ascii_bin' : ''
      await database.query(
        `CREATE TABLE t${n} (id ${type} PRIMARY KEY, other ${type}, name ${type}${reference})${options}`,
      )
      await database.query(
        `INSERT INTO t${n} (id, other) VALUES ('${id}', ${n === 0 ? 'NULL' : `'${ids[n - 1]}'`})`,
      )
    }
    const statements = [
      vi.spyOn(pg.Client.prototype, 'query'),
      vi.spyOn(mysql2.Connection.prototype, 'query'),
    ]
    const counted = async (argv: readonly string[]) => {
      for (const one of statements) one.mockClear()
      const ran = await cli(argv)
      return { ...ran, count: Math.max(...statements.map((one) => one.mock.calls.length)) }
    }
    const found = await counted(['find', String(ids[3000]), url, '--json'])
    const { found: rows, asked } = json<{ found: { table: string }[]; asked: string[] }>(found)
    expect([found.code, rows.map(({ table }) => table), asked.length]).toEqual([0, ['t3000'], TABLES])
    // A hundred keys and references a statement.
    expect(found.count).toBeLessThan(150)
    const examined = await counted(['doctor', url, '--json'])
    const { columns, findings } = json<{ columns: object[]; findings: object[] }>(examined)
    expect([findings.length, columns.length]).toEqual([0, 2 * TABLES - 1])
    // Fifty tables, or fifty foreign keys, a statement.
    expect(examined.count).toBeLessThan(250)
    for (const one of statements) one.mockRestore()
    await database.close()
  },
)
