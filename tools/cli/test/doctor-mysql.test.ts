import { flake, flax, sno } from '@snoflax/core'
import { twitter } from '@snoflax/families'
import { install, installStatements, VERSION } from '@snoflax/mysql-sql'
import { type MysqlDatabase, mysql } from '@snoflax/test'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { doctor, told } from './reports.js'
import { cli } from './running.js'

describe.runIf(mysql.selected())('MySQL or MariaDB', () => {
  let database: MysqlDatabase
  beforeEach(async () => {
    database = await mysql.open()
  })
  afterEach(() => database.close())

  const ASCII = 'CHARACTER SET utf8mb4 COLLATE utf8mb4_bin'

  async function run(script: string): Promise<void> {
    for (const statement of script.split(';\n')) await database.query(statement)
  }

  async function fill(): Promise<void> {
    await run(`CREATE TABLE customer (id CHAR(16) ${ASCII} PRIMARY KEY, name VARCHAR(16) DEFAULT 'x');
CREATE TABLE orders (id BIGINT UNSIGNED PRIMARY KEY, customer_id CHAR(16) ${ASCII}, FOREIGN KEY (customer_id) REFERENCES customer (id));
CREATE TABLE line (id BINARY(10) PRIMARY KEY, order_id BIGINT UNSIGNED, n INT)`)
    const orders = flake.generator({ worker: 1 })
    for (let n = 0; n < 20; n++) {
      const [customer, order] = [flax.generate(), orders.generate()]
      await database.query('INSERT INTO customer (id) VALUES (?)', [customer])
      await database.query('INSERT INTO orders VALUES (?, ?)', [order, customer])
      await database.query('INSERT INTO line VALUES (?, ?, ?)', [
        Buffer.from(sno.decode(sno.generate())),
        order,
        n,
      ])
    }
  }

  test('columns that the account may not read are named, and the others examined', async () => {
    await fill()
    const account = database.name.slice(-12)
    await run(`CREATE USER '${account}'@'%';
GRANT SELECT ON ${database.name}.orders TO '${account}'@'%';
GRANT INSERT ON ${database.name}.line TO '${account}'@'%';
GRANT SELECT (name), INSERT ON ${database.name}.customer TO '${account}'@'%'`)
    const url = new URL(database.url)
    url.username = account
    try {
      const report = await doctor(url.href)
      expect(report.findings).toEqual([])
      expect(report.columns.map(({ place }) => place)).toEqual(['orders.id', 'orders.customer_id'])
      const hidden = 'not examined, since this account lacks SELECT: customer.id, line'
      const unlisted = 'not examined, not listed by the server: tables without rights for this account'
      expect(report.notes).toEqual([unlisted, hidden])
    } finally {
      await database.query(`DROP USER '${account}'@'%'`)
    }
  })

  test('a healthy database has no findings, and each column of ids is found', async () => {
    await fill()
    const report = await doctor(database.url)
    expect(report.findings).toEqual([])
    expect(
      report.columns.map(({ place, family, storage, rowsRead }) => [place, family, storage, rowsRead]),
    ).toEqual([
      ['customer.id', 'flax', 'text', 20],
      ['line.id', 'sno', 'binary', 20],
      ['line.order_id', 'flake', 'bigint', 20],
      ['orders.id', 'flake', 'bigint', 20],
      ['orders.customer_id', 'flax', 'text', 20],
    ])
  })

  test('a cure of a collation keeps comment, default and check, and truncates nothing in any sql_mode', async () => {
    await run(
      `CREATE TABLE a (id VARCHAR(40) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci NOT NULL DEFAULT 'it''s, x' COMMENT 'the key, of ''a''' CHECK (id <> ''), UNIQUE (id))`,
    )
    for (let n = 0; n < 20; n++) await database.query('INSERT INTO a VALUES (?)', [flax.generate()])
    await database.query("INSERT INTO a VALUES ('a text that is longer than an id')")
    const { findings } = await doctor(database.url)
    const statements = findings.find(({ check }) => check === 'collation')?.cure.sql?.split(';\n') ?? []
    const session = await database.pool.getConnection()
    const cureAll = async () => {
      for (const statement of statements) await session.query(statement)
    }
    try {
      await session.query("SET sql_mode = ''")
      await expect(cureAll()).rejects.toThrow(/too long/)
      await session.query("DELETE FROM a WHERE id LIKE 'a text%'")
      await cureAll()
    } finally {
      session.destroy()
    }
    const [created] = await database.query('SHOW CREATE TABLE a')
    expect(created?.['Create Table']).toMatch(
      /`id` char\(16\) .*utf8mb4_bin NOT NULL DEFAULT 'it''s, x' COMMENT 'the key, of ''a'''/,
    )
    expect(created?.['Create Table']).toContain('CHECK')
  })

  test('snowflakes of 63 bits in a signed BIGINT are no finding', async () => {
    await run('CREATE TABLE tweet (id BIGINT PRIMARY KEY)')
    for (let n = 0; n < 20; n++)
      await database.query('INSERT INTO tweet VALUES (?)', [twitter.lowerBound(Date.now() - n * 1000)])
    const { columns, findings } = await doctor(database.url, '--column', 'tweet.id=twitter')
    expect([columns.length, findings]).toEqual([1, []])
  })

  test('--full reads more rows than one page', async () => {
    await run(
      `CREATE TABLE a (id CHAR(16) ${ASCII} PRIMARY KEY);\nCREATE TABLE b (id BINARY(12) PRIMARY KEY)`,
    )
    const ids = Array.from({ length: 12_000 }, () => flax.generate())
    await database.query('INSERT INTO a VALUES ?', [ids.map((id) => [id])])
    await database.query('INSERT INTO b VALUES ?', [ids.map((id) => [Buffer.from(flax.decode(id))])])
    const report = await doctor(database.url, '--full')
    expect(report.columns.map(({ rowsRead }) => rowsRead)).toEqual([12_000, 12_000])
    expect(report.findings).toMatchObject([
      { check: 'duplicate', message: expect.stringContaining(': 10000; ') },
    ])
  })

  test('what has changed since mysql-sql was installed is found', async () => {
    const schema = `${database.name}_ids`
    const [server, client] = database.label.startsWith('MariaDB')
      ? ['mariadb', 'mariadb']
      : ['mysql', 'mysql']
    try {
      await fill()
      expect((await doctor(database.url, '--schema', schema)).installed).toBeNull()
      await install(database.pool, { schema })
      const healthy = await doctor(database.url, '--schema', schema)
      expect(healthy).toMatchObject({ installed: `mysql-sql ${VERSION}`, findings: [], notes: [] })
      await run(`DROP FUNCTION ${schema}.flax_time;
CREATE FUNCTION ${schema}.flax_time(id longblob) RETURNS datetime(3) DETERMINISTIC NO SQL RETURN now(3);
DROP FUNCTION ${schema}.sno_encode;
ALTER TABLE ${schema}._lease MODIFY used_until_ms int;
ALTER TABLE ${schema}._lease ADD note text;
CREATE TRIGGER ${schema}.audit AFTER UPDATE ON ${schema}._lease FOR EACH ROW SET @n = 1`)
      const report = await doctor(database.url, '--schema', schema)
      const drifted = [
        `function ${schema}.flax_time`,
        `function ${schema}.sno_encode`,
        `column ${schema}._lease.used_until_ms`,
        `column ${schema}._lease.note`,
        `trigger ${schema}._lease.audit`,
      ]
      expect(told(report).sort()).toEqual(drifted.map((place) => `drift ${place}`).sort())
      expect(told(await doctor(database.url, '--schema', schema, '--skip', 'drift'))).toEqual([])
      for (const { where, cure } of report.findings) {
        if (where.startsWith('function '))
          expect(cure.shell).toBe(
            `npx snoflax sql --dialect ${server} --schema ${schema} | ${client} -h HOST -u USER -p`,
          )
        if (cure.sql !== undefined) await run(cure.sql)
      }
      const { out } = await cli(['sql', '--dialect', server as string, '--schema', schema])
      expect(out.split('\n//\n')).toHaveLength(installStatements(server as 'mysql', { schema }).length + 1)
      const session = await database.pool.getConnection()
      for (const statement of out.split('\n//\n').slice(0, -1))
        await session.query(statement.replace('DELIMITER //\n', ''))
      session.release()
      expect(told(await doctor(database.url, '--schema', schema)).sort()).toEqual([
        `drift column ${schema}._lease.note`,
        `drift column ${schema}._lease.used_until_ms`,
      ])
      await run(`DROP TABLE ${schema}._manifest`)
      const { findings, notes } = await doctor(database.url, '--schema', schema)
      expect({ findings, notes }).toEqual({
        findings: [expect.objectContaining({ check: 'drift', where: `table ${schema}._manifest` })],
        notes: [],
      })
    } finally {
      await run(`DROP DATABASE IF EXISTS ${schema}`)
    }
  })
})
