import { isAscii, isUtf8 } from 'node:buffer'
import { flake, flax, sno, uuid7 } from '@snoflax/core'
import { twitter } from '@snoflax/families'
import { install, installStatements, VERSION } from '@snoflax/mysql-sql'
import { type MysqlDatabase, mysql } from '@snoflax/test'
import { createConnection } from 'mysql2/promise'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { doctor, type Finding, newIds, told } from './reports.js'
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

  /** The planted fault is all that is found, and its cure mends it. */
  async function findsAndCures(
    expected: readonly string[],
    ...options: string[]
  ): Promise<readonly Finding[]> {
    const report = await doctor(database.url, ...options)
    expect(told(report)).toEqual(expected)
    // In one session, for its settings.
    const session = await database.pool.getConnection()
    for (const { cure } of report.findings) {
      for (const statement of (cure.sql as string).split(';\n')) await session.query(statement)
    }
    session.release()
    expect((await doctor(database.url, ...options)).findings).toEqual([])
    return report.findings
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
      const unseen =
        'triggers were not examined: this account was not granted TRIGGER, without which the server shows none'
      expect(report.notes).toEqual([hidden, unseen])
      for (const target of ['*', 'orders']) {
        await database.query(`GRANT TRIGGER ON ${database.name}.${target} TO '${account}'@'%'`)
        expect((await doctor(url.href)).notes).toEqual([hidden])
        await database.query(`REVOKE TRIGGER ON ${database.name}.${target} FROM '${account}'@'%'`)
      }
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

  test('collations that ignore case are cured at both ends of a foreign key', async () => {
    const type = 'VARCHAR(191) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci NOT NULL'
    await run(`CREATE TABLE a (id ${type} PRIMARY KEY);
CREATE TABLE b (id INT PRIMARY KEY AUTO_INCREMENT, a_id ${type} DEFAULT 'x', FOREIGN KEY (a_id) REFERENCES a (id))`)
    for (let n = 0; n < 20; n++) {
      const id = flax.generate()
      await database.query('INSERT INTO a VALUES (?)', [id])
      await database.query('INSERT INTO b (a_id) VALUES (?)', [id])
    }
    await findsAndCures(['collation a.id', 'collation b.a_id'])
    const [column] = await database.query(
      `SELECT column_type AS type, is_nullable AS nullable, column_default AS fallback FROM information_schema.columns
        WHERE table_schema = database() AND column_name = 'a_id'`,
    )
    expect(column).toMatchObject({
      type: 'char(16)',
      nullable: 'NO',
      fallback: expect.stringMatching(/^'?x'?$/),
    })
  })

  test('types that pad, are signed, too short, or store numbers as text are found and cured', async () => {
    await run(`CREATE TABLE a (id BINARY(16) PRIMARY KEY);
CREATE TABLE b (id BIGINT PRIMARY KEY);
CREATE TABLE c (id VARCHAR(15) ${ASCII} PRIMARY KEY);
CREATE TABLE d (id VARCHAR(20) ${ASCII} PRIMARY KEY);
CREATE TABLE e (id DATE PRIMARY KEY)`)
    const flakes = flake.generator({ worker: 1 })
    for (let n = 0; n < 10; n++) {
      await database.query('INSERT INTO b VALUES (?)', [flakes.generate()])
      await database.query('INSERT INTO d VALUES (?)', [flakes.generate()])
    }
    const findings = await findsAndCures(
      ['type a.id', 'type b.id', 'type c.id', 'type d.id', 'type e.id'],
      ...['--column', 'a.id=flax', '--column', 'c.id=sno', '--column', 'e.id=flax'],
    )
    expect(findings.map(({ severity }) => severity)).toEqual(['error', 'warning', 'error', 'error', 'error'])
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

  test('faults are found and cured in sessions whose sql_mode quotes differently and pads', async () => {
    const account = database.name.slice(-12)
    const modes = 'ANSI_QUOTES,NO_BACKSLASH_ESCAPES,PAD_CHAR_TO_FULL_LENGTH'
    await run(`CREATE TABLE a (id VARCHAR(40) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci NOT NULL COMMENT 'a \\\\ b', PRIMARY KEY (id));
CREATE TABLE b (id BINARY(12) PRIMARY KEY) PARTITION BY RANGE COLUMNS (id) (PARTITION p0 VALUES LESS THAN (X'${Buffer.from(flax.decode(flax.lowerBound(Date.now() + 3_600_000))).toString('hex')}'));
CREATE TABLE c (id INT PRIMARY KEY, note CHAR(20) ${ASCII});
CREATE USER '${account}'@'%';
GRANT ALL ON ${database.name}.* TO '${account}'@'%'`)
    for (let n = 0; n < 20; n++) {
      await database.query('INSERT INTO a VALUES (?)', [flax.generate()])
      await database.query('INSERT INTO b VALUES (?)', [Buffer.from(flax.decode(flax.generate()))])
      await database.query('INSERT INTO c VALUES (?, ?)', [n, flax.generate()])
    }
    const url = new URL(database.url)
    url.username = account
    await database.query(
      `SET GLOBAL init_connect = "SET sql_mode = IF(current_user() LIKE '${account}@%', '${modes}', @@sql_mode)"`,
    )
    const session = await createConnection(url.href)
    try {
      const [[mode]] = (await session.query('SELECT @@sql_mode AS mode')) as unknown as [{ mode: string }[]]
      expect(mode?.mode).toContain('PAD_CHAR_TO_FULL_LENGTH')
      const { columns, findings } = await doctor(url.href, '--column', 'c.note=flax')
      expect(columns.map(({ place }) => place)).toEqual(['a.id', 'b.id', 'c.note'])
      expect(told({ findings } as never)).toEqual(['collation a.id', 'partition b.id'])
      for (const statement of findings[0]?.cure.sql?.split(';\n') ?? []) await session.query(statement)
      expect(told(await doctor(url.href, '--column', 'c.note=flax'))).toEqual(['partition b.id'])
      expect((await database.query('SHOW CREATE TABLE a'))[0]?.['Create Table']).toContain(
        "COMMENT 'a \\\\ b'",
      )
    } finally {
      await session.end()
      await database.query("SET GLOBAL init_connect = ''")
      await database.query(`DROP USER '${account}'@'%'`)
    }
  })

  test('a partition that ends soon is found even if its bound is valid UTF-8', async () => {
    const boundAt = (at: number) => Buffer.from(flax.decode(flax.lowerBound(at)))
    let at = Date.now() + 3_600_000
    while (!isUtf8(boundAt(at)) || isAscii(boundAt(at))) at += 1000
    await run(`CREATE TABLE a (id BINARY(12) PRIMARY KEY) PARTITION BY RANGE COLUMNS (id) (
      PARTITION p0 VALUES LESS THAN (X'${boundAt(at).toString('hex')}'))`)
    const rows = Array.from({ length: 10 }, () => [Buffer.from(flax.decode(flax.generate()))])
    await database.query('INSERT INTO a VALUES ?', [rows])
    expect(told(await doctor(database.url))).toEqual(['partition a.id'])
  })

  test('snowflakes of 63 bits in a signed BIGINT are no finding', async () => {
    await run('CREATE TABLE tweet (id BIGINT PRIMARY KEY)')
    for (let n = 0; n < 20; n++)
      await database.query('INSERT INTO tweet VALUES (?)', [twitter.lowerBound(Date.now() - n * 1000)])
    const { columns, findings } = await doctor(database.url, '--column', 'tweet.id=twitter')
    expect([columns.length, findings]).toEqual([1, []])
  })

  test('malformed values, ids from the future and keys of two tables are found', async () => {
    await fill()
    await database.query("INSERT INTO customer (id) VALUES ('short')")
    await database.query('INSERT INTO line (id) VALUES (?)', [
      Buffer.from(sno.decode(sno.generateAt(Date.now() + 1e9))),
    ])
    await database.query("INSERT INTO orders VALUES (?, 'short')", [
      flake.generator({ worker: 2 }).generate(),
    ])
    await findsAndCures(['malformed customer.id', 'future line.id'], ...newIds('customer.id', 'line.id'))
    const joined = 'SELECT orders.id FROM orders JOIN customer ON customer.id = customer_id'
    expect(await database.query(joined)).toHaveLength(21)
    await database.query("INSERT INTO customer (id) VALUES ('short')")
    await database.query('INSERT INTO line (id) VALUES (?)', [
      Buffer.from(sno.decode(sno.generateAt(Date.now() + 1e9))),
    ])
    await run('CREATE TABLE archive (id BINARY(12) PRIMARY KEY)')
    const shared = await database.query("SELECT id FROM customer WHERE id <> 'short' LIMIT 3")
    for (let n = 0; n < 10; n++) {
      const id = (shared[n]?.['id'] as string | undefined) ?? flax.generate()
      await database.query('INSERT INTO archive VALUES (?)', [Buffer.from(flax.decode(id as never))])
    }
    for (const options of [[], ['--full'], ['--sample', '5']]) {
      const found = told(await doctor(database.url, ...options))
      expect(found).toContain('future line.id')
      if (options[0] !== '--sample') {
        expect(found).toEqual(['malformed customer.id', 'future line.id', 'duplicate customer.id'])
      }
    }
  })

  test('a malformed value with quotes is cured, beside a generated column', async () => {
    await fill()
    await run(
      `ALTER TABLE customer ADD COLUMN shown VARCHAR(16) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci AS (id) VIRTUAL`,
    )
    await database.query('INSERT INTO customer (id) VALUES (?)', ["\\' OR 1 -- x"])
    const before = await database.query("SELECT id FROM customer WHERE id NOT LIKE '% OR %' ORDER BY id")
    await findsAndCures(['malformed customer.id'], ...newIds('customer.id'))
    const after = await database.query('SELECT id FROM customer WHERE shown = id ORDER BY id LIMIT 20')
    expect(after).toEqual(before)
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
      { check: 'duplicate', message: expect.stringContaining(': 12000; ') },
    ])
  })

  test("MariaDB's uuid, which reorders the bytes, is cured with every UUIDv7; other values are left to a migration", async () => {
    if (!database.label.startsWith('MariaDB')) return
    const create = `CREATE TABLE a (id UUID PRIMARY KEY);
CREATE TABLE b (n INT PRIMARY KEY, a_id UUID, FOREIGN KEY (a_id) REFERENCES a (id))`
    const insert = async (ids: readonly string[]) => {
      for (const [n, id] of ids.entries()) {
        await database.query('INSERT INTO a VALUES (?)', [id])
        await database.query('INSERT INTO b VALUES (?, ?)', [n, id])
      }
    }
    await run(create)
    const ids = Array.from({ length: 10 }, () => uuid7.generate())
    await insert(ids)
    const [finding] = await findsAndCures(['type a.id', 'type b.a_id'])
    expect(finding?.message).toContain('reorders')
    const rows = await database.query('SELECT id FROM b JOIN a ON id = a_id ORDER BY id')
    expect(rows.map((row) => row['id'])).toEqual([...ids].sort(uuid7.compare))

    await run(`DROP TABLE b;\nDROP TABLE a;\n${create};
CREATE TABLE c (id BINARY(12) PRIMARY KEY)`)
    await insert(Array.from({ length: 10 }, () => Buffer.from(flax.generate()).toString('hex')))
    const { findings } = await doctor(database.url, '--column', 'c.id=flax:text')
    const leaves = 'store its ids as text: write a migration that reads and converts each row'
    expect(findings.map(({ where, cure }) => [where, cure])).toEqual(
      ['a.id', 'b.a_id', 'c.id'].map((where) => [where, { leaves }]),
    )
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
