import { quoteMysqlName } from '@snoflax/core/adapter'
import {
  drift,
  install,
  installedVersion,
  installStatements,
  mysqlLeases,
  uninstall,
  VERSION,
} from '@snoflax/mysql-sql'
import { granted, type MysqlDatabase, mysql, request } from '@snoflax/test'
import { type Connection, createConnection } from 'mysql2/promise'
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
       UNION ALL SELECT routine_name FROM information_schema.routines WHERE routine_schema = ?
       ORDER BY 1`,
      [schema, schema],
    )

  test('creates its own database, can be repeated, and is removed by uninstall', async () => {
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

  test('keeps other tables beside it, and restores settings of the session', async () => {
    await database.query(`CREATE DATABASE ${schema}`)
    await database.query(`CREATE TABLE ${schema}.mine (n int)`)
    const connection = await createConnection(database.url)
    try {
      await connection.query("SET sql_mode = 'ANSI,NO_BACKSLASH_ESCAPES', sql_safe_updates = 1, NAMES latin1")
      const settings =
        'SELECT @@sql_mode AS mode, @@sql_safe_updates AS safe, @@collation_connection AS collation'
      const [before] = await connection.query(settings)
      await install(connection, { schema })
      await uninstall(connection, { schema })
      expect((await connection.query(settings))[0]).toEqual(before)
    } finally {
      await connection.end()
    }
    expect(await objects()).toEqual([{ name: 'mine' }])
  })

  test('waits for another one in progress', async () => {
    const results = await Promise.all(Array.from({ length: 4 }, () => install(database.pool, { schema })))
    const previous = results.map(({ previousVersion }) => previousVersion)
    expect(previous.filter((version) => version === undefined)).toHaveLength(1)
  })

  test('is undone if it fails; a failed upgrade continues when it is run again', async () => {
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
    const held = await granted(leases.acquire(request('a')))
    const client = { query: (text: string) => database.pool.query(text), getConnection: failing(9) }
    await expect(install(client, { schema })).rejects.toThrow('the connection is lost')
    expect(await installedVersion(database.pool, { schema })).toBeUndefined()
    expect(await install(database.pool, { schema })).toEqual({ version: VERSION, previousVersion: undefined })
    expect(await leases.renew(held.token, 30_000, 0)).toBeDefined()
  })

  test('refuses to replace a newer one, odd names, and to be removed while in use', async () => {
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
    await mysqlLeases(database.pool, { schema }).acquire(request('a', { numbers: { min: 1, max: 1 } }))
    await expect(uninstall(database.pool, { schema })).rejects.toThrow(/number 1 of sno is leased to a/)
  })

  test('allows accounts to call only what they were granted', async () => {
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
      await expect(connection.query(`SELECT ${schema}.uid_decode('no')`)).rejects.toThrow(
        /'no' has 2 characters/,
      )
      expect(
        await mysqlLeases(connection, { schema }).acquire(request('a', { numbers: { min: 1, max: 1 } })),
      ).toMatchObject({ number: 1 })
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

  /** An account of this test with a connection, which both end with the work. */
  async function as<Result>(
    name: string,
    setUp: (account: string) => readonly string[],
    work: (connection: Connection, account: string) => Promise<Result>,
  ): Promise<Result> {
    const user = `${schema.slice(-12)}_${name}`
    const account = `'${user}'@'%'`
    await database.query(`CREATE USER ${account}`)
    for (const statement of setUp(account)) await database.query(statement)
    const url = new URL(database.url)
    url.username = user
    url.pathname = ''
    const connection = await createConnection(url.href)
    try {
      return await work(connection, account)
    } finally {
      await connection.end()
      await database.query(`DROP USER IF EXISTS ${account}`)
    }
  }

  test('needs rights of its own, as roles do not count for leases in MariaDB', async () => {
    const role = quoteMysqlName(`a role\`s_${schema.slice(-12)}`)
    const setUp = (account: string) => [
      `CREATE ROLE ${role}`,
      `GRANT ALL ON ${schema}.* TO ${role}`,
      `GRANT ${role} TO ${account}`,
      `SET DEFAULT ROLE ${role} ${database.label.startsWith('MariaDB') ? 'FOR' : 'TO'} ${account}`,
    ]
    try {
      await as('inst', setUp, async (connection, account) => {
        const grant = `GRANT SELECT, INSERT, UPDATE, EXECUTE, TRIGGER ON ${schema}.* TO ${account}`
        if (database.label.startsWith('MariaDB')) {
          await expect(install(connection, { schema })).rejects.toThrow(grant)
          expect(await database.query('SHOW DATABASES LIKE ?', [schema])).toEqual([])
          await database.query(grant)
        }
        await install(connection, { schema })
        await database.query(`CALL ${schema}.lease_adopt('sno')`)
        const store = mysqlLeases(database.pool, { schema })
        const lease = await granted(store.acquire(request('a')))
        expect(await store.renew(lease.token, 9000, 0)).toBeDefined()
        await store.release(lease.token, lease.startMs)
      })
    } finally {
      await database.query(`DROP ROLE ${role}`)
    }
  })

  test('goes on for another account that installs again, when the first one was dropped', async () => {
    const setUp = (account: string) => [`GRANT ALL ON ${schema}.* TO ${account}`]
    const store = mysqlLeases(database.pool, { schema })
    const asked = { numbers: { min: 1, max: 1 } }
    const lease = await as('inst', setUp, async (connection, account) => {
      await install(connection, { schema })
      await database.query(`CALL ${schema}.lease_adopt('sno')`)
      const first = await granted(store.acquire(request('a', { ...asked, shards: 2 })))
      await database.query(`DROP USER ${account}`)
      return first
    })
    await expect(store.renew(lease.token, 9000, 0)).rejects.toMatchObject({ errno: 1449 })
    await install(database.pool, { schema })
    expect((await store.renew(lease.token, 9000, 0))?.startMs).toBe(lease.startMs)
    // A number in other shards, and without them.
    await database.query(`CALL ${schema}.lease_reset('sno', 1, 1)`)
    expect(await store.acquire(request('b', asked))).toMatchObject({ number: 1, shard: 0 })
    expect(await database.query(`SELECT holder, shard, shards FROM ${schema}.leases`)).toEqual([
      { holder: 'b', shard: 0, shards: 1 },
    ])
  })

  test('has a view of leases through which nobody can lock them', async () => {
    await install(database.pool, { schema })
    await database.query(`CALL ${schema}.lease_adopt('sno')`)
    const store = mysqlLeases(database.pool, { schema })
    const lease = await granted(store.acquire(request('a')))
    const setUp = (account: string) => [`GRANT SELECT ON ${schema}.leases TO ${account}`]
    const attempt = async (connection: Connection, locking: string) => {
      await connection.query('START TRANSACTION')
      const [rows] = await connection.query(`SELECT holder, state FROM ${schema}.leases ${locking}`)
      expect(rows).toEqual([{ holder: 'a', state: 'held' }])
      const other = await database.pool.getConnection()
      await other.query('SET innodb_lock_wait_timeout = 1')
      await other.query(`CALL ${schema}.lease_renew(?, 9000, NULL)`, [lease.token])
      other.destroy()
      await connection.query('ROLLBACK')
    }
    const own = await createConnection(database.url)
    await as('app', setUp, async (connection) => {
      for (const locking of ['FOR UPDATE', 'LOCK IN SHARE MODE', 'WHERE number = 1 FOR UPDATE']) {
        await attempt(own, locking)
        const granted = attempt(connection, locking)
        if (database.label.startsWith('MariaDB') || locking === 'LOCK IN SHARE MODE') await granted
        else await expect(granted).rejects.toThrow('SELECT with locking clause command denied')
      }
    })
    await own.end()
  })

  test('reports what has changed since', async () => {
    await expect(drift(database.pool, { schema })).rejects.toThrow(/nothing is installed/)
    await install(database.pool, { schema })
    await database.query(`CREATE TABLE ${schema}.mine (n int)`)
    expect(await drift(database.pool, { schema })).toEqual([])
    for (const statement of [
      `DROP FUNCTION ${schema}.flax_time`,
      `CREATE FUNCTION ${schema}.flax_time(id longblob) RETURNS datetime(3) DETERMINISTIC NO SQL RETURN now(3)`,
      `DROP FUNCTION ${schema}.sno_encode`,
      `ALTER PROCEDURE ${schema}.lease_acquire SQL SECURITY INVOKER`,
      `CREATE OR REPLACE VIEW ${schema}.leases AS SELECT 1 AS one`,
      `ALTER TABLE ${schema}._lease MODIFY used_until_ms int`,
      `ALTER TABLE ${schema}._lease ADD note text`,
      `CREATE TRIGGER ${schema}.audit AFTER UPDATE ON ${schema}._lease FOR EACH ROW SET @n = 1`,
      `UPDATE ${schema}._lease_family SET last_number = 9 WHERE family = 'sno'`,
    ]) {
      await database.query(statement)
    }
    const [tables, rest] = [
      [
        { object: 'column _lease.used_until_ms', change: 'altered' },
        { object: 'row sno of _lease_family', change: 'altered' },
        { object: 'column _lease.note', change: 'added' },
        { object: 'trigger _lease.audit', change: 'added' },
      ],
      [
        { object: 'function flax_time', change: 'altered' },
        { object: 'function sno_encode', change: 'missing' },
        { object: 'procedure lease_acquire', change: 'altered' },
        { object: 'view leases', change: 'altered' },
      ],
    ] as const
    const sorted = async () =>
      (await drift(database.pool, { schema })).map(({ object, change }) => `${object} ${change}`).sort()
    const words = (list: readonly { object: string; change: string }[]) =>
      list.map(({ object, change }) => `${object} ${change}`)
    expect(await sorted()).toEqual([...words(tables), ...words(rest)].sort())
    await install(database.pool, { schema })
    expect(await sorted()).toEqual(words(tables).sort())
    await database.query(`DROP TABLE ${schema}._lease`)
    expect(await sorted()).toContain('table _lease missing')
    expect((await sorted()).join()).not.toContain('column _lease.')
    await database.query(`UPDATE ${schema}._manifest SET server = 'another'`)
    expect(await sorted()).toEqual(['row sno of _lease_family altered', 'table _lease missing'])

    await database.query(`CREATE FUNCTION ${schema}.older() RETURNS int NO SQL RETURN 1`)
    await database.query(`INSERT INTO ${schema}._manifest VALUES ('function older', sha2(1, 256), '')`)
    await install(database.pool, { schema })
    await database.query(`DROP TABLE ${schema}.mine`)
    await uninstall(database.pool, { schema })
    expect(await database.query('SHOW DATABASES LIKE ?', [schema])).toEqual([])
  })

  test('can be run statement by statement, as a migration', async () => {
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

test('MySQL drops a routine before creating it, MariaDB replaces it', () => {
  const [mysqlText, mariadbText] = (['mysql', 'mariadb'] as const).map((server) =>
    installStatements(server).join('\n'),
  )
  expect(mysqlText).toMatch(
    /DROP FUNCTION IF EXISTS snoflax\.flax_encode\nCREATE FUNCTION snoflax\.flax_encode/,
  )
  expect(mysqlText).not.toMatch(/OR REPLACE (FUNCTION|PROCEDURE)/)
  expect(mariadbText).toMatch(/CREATE OR REPLACE FUNCTION snoflax\.flax_encode/)
})
