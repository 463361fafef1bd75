import {
  install,
  installedVersion,
  installStatements,
  mysqlLeases,
  uninstall,
  VERSION,
} from '@snoflax/mysql-sql'
import { type MysqlDatabase, mysql } from '@snoflax/test'
import { createConnection } from 'mysql2/promise'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

describe.runIf(mysql.selected())('an installation', () => {
  let database: MysqlDatabase
  let schema: string
  beforeEach(async () => {
    database = await mysql.open()
    schema = `${database.name}_ids`
  })
  afterEach(async () => {
    await database.query(`DROP DATABASE IF EXISTS ${schema}`)
    await database.close()
  })

  const objects = async () =>
    database.query(
      `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = ?
       UNION ALL SELECT routine_name FROM information_schema.routines WHERE routine_schema = ?`,
      [schema, schema],
    )

  test('in a database of its own, again, and removed', async () => {
    expect(await installedVersion(database.pool, { schema })).toBeUndefined()
    expect(await install(database.pool, { schema })).toEqual({ version: VERSION, previousVersion: undefined })
    const made = await objects()
    expect(made.length).toBeGreaterThan(20)
    const [row] = await database.query(`SELECT ${schema}.flax_time('0RdKJcxqVBiAiQr0') AS time`)
    expect(row?.['time']).toEqual(expect.any(Date))
    expect(await install(database.pool, { schema })).toEqual({ version: VERSION, previousVersion: VERSION })
    expect(await objects()).toEqual(made)
    expect(await installedVersion(database.pool, { schema })).toBe(VERSION)
    await uninstall(database.pool, { schema })
    expect(await database.query('SHOW DATABASES LIKE ?', [schema])).toEqual([])
    await expect(uninstall(database.pool, { schema })).rejects.toThrow(/nothing is installed/)
  })

  test('beside tables of others, which it leaves alone, and settings of the session, which it restores', async () => {
    await database.query(`CREATE DATABASE ${schema}`)
    await database.query(`CREATE TABLE ${schema}.mine (n int)`)
    const connection = await createConnection(database.url)
    try {
      await connection.query("SET sql_mode = 'ANSI,NO_BACKSLASH_ESCAPES', NAMES latin1")
      const settings = 'SELECT @@sql_mode AS mode, @@collation_connection AS collation'
      const [before] = await connection.query(settings)
      await install(connection, { schema })
      await uninstall(connection, { schema })
      expect((await connection.query(settings))[0]).toEqual(before)
    } finally {
      await connection.end()
    }
    expect(await objects()).toEqual([{ name: 'mine' }])
  })

  test('one at a time', async () => {
    const results = await Promise.all(Array.from({ length: 4 }, () => install(database.pool, { schema })))
    const previous = results.map(({ previousVersion }) => previousVersion)
    expect(previous.filter((version) => version === undefined)).toHaveLength(1)
  })

  test('that fails is taken back; an upgrade that fails goes on when it is run again', async () => {
    const failing = (at: number) => {
      let count = 0
      return async () => {
        const connection = await database.pool.getConnection()
        return {
          release: () => connection.release(),
          query: (text: string) => {
            if (/^CREATE/.test(text) && ++count === at) throw new Error('the connection is lost')
            return connection.query(text)
          },
        }
      }
    }
    for (const at of [2, 5, 20]) {
      const client = { query: (text: string) => database.pool.query(text), getConnection: failing(at) }
      await expect(install(client, { schema })).rejects.toThrow('the connection is lost')
      expect(await database.query('SHOW DATABASES LIKE ?', [schema])).toEqual([])
    }
    await install(database.pool, { schema })
    const leases = mysqlLeases(database.pool, { schema })
    await database.query(`CALL ${schema}.lease_adopt('sno')`)
    const request = {
      family: 'sno',
      epochMs: 0,
      numbers: { min: 1, max: 1 },
      shards: 1,
      ttlMs: 30_000,
      holder: 'a',
    }
    const held = await leases.acquire(request)
    const client = { query: (text: string) => database.pool.query(text), getConnection: failing(9) }
    await expect(install(client, { schema })).rejects.toThrow('the connection is lost')
    expect(await installedVersion(database.pool, { schema })).toBeUndefined()
    expect(await install(database.pool, { schema })).toEqual({ version: VERSION, previousVersion: undefined })
    expect(await leases.renew((held as { token: string }).token, 30_000, 0)).toBeDefined()
  })

  test('refuses a newer one, odd names, and to go while something uses it', async () => {
    await install(database.pool, { schema })
    await database.query(`UPDATE ${schema}._installation SET version = '99.0.0'`)
    await expect(install(database.pool, { schema })).rejects.toThrow(/version 99.0.0 is installed .* newer/)
    for (const odd of ['a b', 'Ids', 'select', '`x`']) {
      await expect(install(database.pool, { schema: odd })).rejects.toMatchObject({ code: 'INVALID_OPTION' })
    }
    expect(() => installStatements('mariadb', { grantTo: ["a'b"] })).toThrow(
      /an account must be name or name@host/,
    )
    await database.query(
      `CREATE VIEW ${database.name}.times AS SELECT ${schema}.flax_time('0RdKJcxqVBiAiQr0') AS t`,
    )
    await expect(uninstall(database.pool, { schema })).rejects.toThrow(
      new RegExp(`is used by view ${database.name}.times`),
    )
    await database.query(`DROP VIEW ${database.name}.times`)
    await database.query(`CALL ${schema}.lease_adopt('sno')`)
    const request = {
      family: 'sno',
      epochMs: 0,
      numbers: { min: 1, max: 1 },
      shards: 1,
      ttlMs: 30_000,
      holder: 'a',
    }
    await mysqlLeases(database.pool, { schema }).acquire(request)
    await expect(uninstall(database.pool, { schema })).rejects.toThrow(/number 1 of sno is leased to a/)
  })

  test('accounts call what they were granted, and nothing else', async () => {
    const account = `${schema.slice(-12)}@%`
    await database.query(`CREATE USER '${schema.slice(-12)}'@'%'`)
    await install(database.pool, { schema, grantTo: [account], grantLeases: [account] })
    await database.query(`CALL ${schema}.lease_adopt('sno')`)
    const url = new URL(database.url)
    url.username = schema.slice(-12)
    url.pathname = ''
    const connection = await createConnection(url.href)
    try {
      const [rows] = await connection.query(`SELECT ${schema}.flax_encode(${schema}.flax_generate()) AS id`)
      expect(rows).toEqual([{ id: expect.stringMatching(/^[-\w]{16}$/) }])
      const request = {
        family: 'sno',
        epochMs: 0,
        numbers: { min: 1, max: 1 },
        shards: 1,
        ttlMs: 30_000,
        holder: 'a',
      }
      expect(await mysqlLeases(connection, { schema }).acquire(request)).toMatchObject({ number: 1 })
      for (const refused of [`CALL ${schema}.lease_adopt('sno')`, `SELECT * FROM ${schema}._lease`]) {
        await expect(connection.query(refused)).rejects.toMatchObject({
          errno: expect.toSatisfy((n) => [1142, 1370].includes(n as number)),
        })
      }
    } finally {
      await connection.end()
      await database.query(`DROP USER '${schema.slice(-12)}'@'%'`)
    }
  })

  test('statement by statement, as a migration', async () => {
    const server = database.label.startsWith('MariaDB') ? 'mariadb' : 'mysql'
    const connection = await createConnection(database.url)
    try {
      for (const statement of installStatements(server, { schema })) await connection.query(statement)
    } finally {
      await connection.end()
    }
    expect(await installedVersion(database.pool, { schema })).toBe(VERSION)
  })
})

test('MySQL drops a routine before it creates it, which MariaDB replaces', () => {
  const [mysqlText, mariadbText] = (['mysql', 'mariadb'] as const).map((server) =>
    installStatements(server).join('\n'),
  )
  expect(mysqlText).toMatch(
    /DROP FUNCTION IF EXISTS snoflax\.flax_encode\nCREATE FUNCTION snoflax\.flax_encode/,
  )
  expect(mysqlText).not.toMatch(/OR REPLACE (FUNCTION|PROCEDURE)/)
  expect(mariadbText).toMatch(/CREATE OR REPLACE FUNCTION snoflax\.flax_encode/)
})
