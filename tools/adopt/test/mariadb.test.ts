import { obstaclesOf, planAdoption, type TableOptions } from '@snoflax/adopt'
import { flake, flax, type IdFamily, storageFor } from '@snoflax/core'
import { type MysqlDatabase, mysql } from '@snoflax/test'
import { afterEach, describe, expect, test } from 'vitest'
import { chinookTables, KEY_KINDS, makers, picture } from './chinook.js'
import { openShop } from './mariadb-chinook.js'
import { carryOut, finished, plan, shapeOf, switchOver } from './moves.js'

let database: MysqlDatabase
afterEach(() => database.close())

const orders: TableOptions = {
  table: 'orders',
  createdAt: 'at',
  generator: (clock) => flax.generator({ monotonic: true, clock }),
}

const SHOP = [
  'CREATE TABLE orders (id int unsigned AUTO_INCREMENT PRIMARY KEY, at datetime(3) NOT NULL)',
  'CREATE TABLE line (order_id int unsigned NOT NULL REFERENCES orders (id), n int)',
  "INSERT INTO orders (at) SELECT '2021-01-01' + INTERVAL seq HOUR FROM seq_1_to_20",
  'INSERT INTO line SELECT seq, seq FROM seq_1_to_20',
]

/** What is in the way, as statements and the table's options, and the message. */
type Refusal = [sql: string, message: RegExp, options?: Partial<TableOptions>]
const REFUSALS: Refusal[] = [
  [
    'CREATE TRIGGER touched BEFORE INSERT ON line FOR EACH ROW SET NEW.n = 1',
    /^line: trigger touched would stay with the old table; drop it, and create it again/,
  ],
  [
    'ALTER TABLE line ADD CONSTRAINT few CHECK (order_id < 1000)',
    /^line\.order_id: CONSTRAINT `few` CHECK .* uses it and cannot be copied/,
  ],
  [
    'ALTER TABLE orders ADD COLUMN twice int AS (id * 2) VIRTUAL',
    /^orders\.id: `twice` .* uses it and cannot be copied/,
  ],
  [
    'ALTER TABLE line ALTER COLUMN order_id SET DEFAULT 1',
    /^line\.order_id: the column is defined as .*DEFAULT 1; a check, default or expression/,
  ],
  [
    'CREATE VIEW recent AS SELECT * FROM orders AS o WHERE o.id > 1000',
    /^view recent: it uses .*`id` otherwise than selecting it/,
  ],
  [
    'CREATE EVENT swept ON SCHEDULE EVERY 1 DAY DISABLE DO DELETE FROM orders WHERE id > 1000',
    /^event swept: it mentions orders, which has new keys/,
  ],
  [
    'CREATE VIEW shown AS SELECT order_id FROM line; CREATE PROCEDURE clear() DELETE FROM shown WHERE order_id IN (1, 2)',
    /^procedure clear: it mentions shown, which has new keys/,
  ],
  [
    'ALTER TABLE orders ADD COLUMN code int UNIQUE; CREATE TABLE coded (code int REFERENCES orders (code))',
    /^\S+\.coded: foreign key coded_ibfk_1 would stay with the old table orders; drop it/,
  ],
  [
    'CREATE TABLE parted (id int PRIMARY KEY, at datetime) PARTITION BY HASH (id) PARTITIONS 2',
    /^parted: the table is partitioned/,
    { table: 'parted' },
  ],
  [
    'CREATE TABLE kept (id int PRIMARY KEY, at datetime) WITH SYSTEM VERSIONING',
    /^kept: the table is system-versioned, and its history would be lost/,
    { table: 'kept' },
  ],
  [
    'CREATE TABLE quick (id int PRIMARY KEY, at datetime) ENGINE = Aria',
    /^quick: the table's engine is Aria/,
    { table: 'quick' },
  ],
  ['CREATE VIEW shown AS SELECT * FROM orders', /^shown: it is not a table/, { table: 'shown' }],
  ['', /^orders: default is not supported for MariaDB/, { default: 'uuid()' }],
  [
    'SET STATEMENT foreign_key_checks = 0 FOR INSERT INTO line VALUES (77, 1)',
    /^line\.order_id: the value 77 references no row of orders; correct it first/,
  ],
  [
    'ALTER TABLE orders MODIFY at datetime(3) NULL; UPDATE orders SET at = NULL WHERE id = 3',
    /^orders\.id 3: the row has no time/,
  ],
  [
    '',
    /^orders\.at: the server does not know the time zone Middle\/Earth/,
    { createdAt: { column: 'at', timeZone: 'Middle/Earth' } },
  ],
  ['ALTER TABLE orders MODIFY at varchar(30)', /^orders\.at: a column of type varchar contains no time/],
  [
    'CREATE TABLE pair (a int, b int, at datetime, PRIMARY KEY (a, b))',
    /^pair: the primary key is composite/,
    { table: 'pair' },
  ],
  [
    'CREATE TABLE named (id varchar(40) PRIMARY KEY, at datetime, KEY (id(5)))',
    /^named\.id: KEY `id` \(`id`\(5\)\) uses it and cannot be copied/,
    { table: 'named' },
  ],
]

const statementsOf = (sql: string): string[] => sql.split('; ').filter(Boolean)

async function opened(more: readonly string[] = []): Promise<MysqlDatabase> {
  const shop = await mysql.open()
  for (const statement of [...SHOP, ...more]) await shop.query(statement)
  return shop
}

describe.runIf(mysql.selected())('mariadb', () => {
  test.each(KEY_KINDS)(
    'the shop with %s keys is adopted with its rows and schema unchanged',
    async (kind) => {
      database = await openShop(kind)
      const before = await picture(database.query)
      const shape = await shapeOf(database)
      const tables = chinookTables(kind, makers['sno'] as never)
      const adoption = await plan(database, tables)
      expect(await shapeOf(database)).toEqual(shape)
      expect(adoption.sql).toMatch(/-- switchKeys: one RENAME/)
      await adoption.backfill({ batchSize: 300 })
      expect(await picture(database.query)).toEqual(before)
      expect((await adoption.verify()).faults).toEqual([])
      await switchOver(adoption)
      expect(await picture(database.query)).toEqual(before)
      await finished(database, adoption)
      expect(await picture(database.query)).toEqual(before)
      expect(await shapeOf(database)).toEqual(shape)
    },
  )

  test('ids of every storage are in the order of creation', async () => {
    database = await opened()
    const families = [
      { family: flake as IdFamily, storage: 'bigint', generator: makers['flake']?.(1) },
      { family: flax as IdFamily, storage: 'binary', generator: orders.generator },
      { family: flax as IdFamily, storage: 'text', generator: orders.generator },
    ] as const
    for (const { family, storage, generator = orders.generator } of families) {
      await database.query('DROP TABLE IF EXISTS parcel')
      await database.query(
        'CREATE TABLE parcel (id varbinary(20) PRIMARY KEY, at timestamp(6) NULL, KEY (at))',
      )
      await database.query(
        "INSERT INTO parcel SELECT unhex(md5(seq)), '2021-01-01' + INTERVAL seq % 50 MINUTE FROM seq_1_to_100",
      )
      const adoption = await plan(database, [{ ...orders, table: 'parcel', generator, storage }])
      await carryOut(adoption)
      const rows = await database.query(
        "SELECT id, timestampdiff(SECOND, '1970-01-01 00:00:00', convert_tz(at, @@time_zone, '+00:00')) AS s FROM parcel ORDER BY at, legacy_id",
      )
      const { fromDatabase } = storageFor(family, 'mariadb', { storage })
      const ids = rows.map(({ id }) => fromDatabase(id))
      expect([...ids].sort(family.compare)).toEqual(ids)
      for (const [i, id] of ids.entries()) expect(family.timeMs(id)).toBe(Number(rows[i]?.['s']) * 1000)
      await finished(database, adoption)
    }
  })

  test.each<Refusal>(REFUSALS)('refused: %s %s', async (sql, message, options = {}) => {
    database = await opened(statementsOf(sql))
    const shape = await shapeOf(database)
    const error = await plan(database, [{ ...orders, ...options }]).catch((caught: unknown) => caught)
    expect(obstaclesOf(error).map((one) => one.message)).toEqual([expect.stringMatching(message)])
    expect(await shapeOf(database)).toEqual(shape)
  })

  test('the zone UTC needs no time zone tables, as +00:00', async () => {
    database = await mysql.open()
    for (const timeZone of ['UTC', 'utc', '+00:00']) {
      await database.query('DROP TABLE IF EXISTS line, orders')
      for (const statement of SHOP) await database.query(statement)
      const adoption = await plan(database, [
        { ...orders, createdAt: { column: 'at', timeZone }, storage: 'text' },
      ])
      await adoption.backfill()
      await adoption.switchKeys()
      const [first] = await database.query('SELECT id FROM orders ORDER BY legacy_id LIMIT 1')
      expect(flax.timeMs(first?.['id'] as never)).toBe(Date.UTC(2021, 0, 1, 1))
      await finished(database, adoption)
    }
  })

  test('abandon undoes everything before the switch', async () => {
    database = await opened()
    const shape = await shapeOf(database)
    const adoption = await plan(database, [orders])
    await adoption.backfill()
    expect(await shapeOf(database)).not.toEqual(shape)
    await adoption.abandon()
    expect(await shapeOf(database)).toEqual(shape)
    expect(adoption.phase).toBe('planned')
  })

  test('a schema that changed during the backfill is refused at the switch, and inserts still work', async () => {
    database = await opened()
    const adoption = await plan(database, [orders])
    await adoption.backfill()
    await database.query('ALTER TABLE line ADD COLUMN note varchar(10)')
    await expect(adoption.switchKeys()).rejects.toThrow(/schema changed during the backfill/)
    await database.query("INSERT INTO orders (at) VALUES ('2021-01-01')")
    await database.query('ALTER TABLE line DROP COLUMN note')
    await switchOver(adoption)
  })

  test('the switch gives up waiting for a transaction after lockTimeoutMs, and can be run again', async () => {
    database = await opened()
    const adoption = await plan(database, [orders])
    await adoption.backfill()
    const connection = await database.pool.getConnection()
    await connection.query('START TRANSACTION')
    await connection.query("INSERT INTO orders (at) VALUES ('2021-05-05')")
    await expect(adoption.switchKeys({ lockTimeoutMs: 500 })).rejects.toMatchObject({ errno: 1205 })
    await connection.query('COMMIT')
    connection.release()
    await adoption.switchKeys()
    expect(await database.query("SELECT id FROM orders WHERE at = '2021-05-05'")).toHaveLength(1)
  })

  test("a session's settings do not matter, and are restored", async () => {
    database = await opened()
    const connection = await database.pool.getConnection()
    await connection.query(
      'SET sql_quote_show_create = 0, sql_safe_updates = 1, sql_select_limit = 1, max_join_size = 1',
    )
    const settings =
      'SELECT @@sql_quote_show_create, @@sql_safe_updates, @@sql_select_limit, @@sql_big_selects, @@sql_mode'
    const [before] = await connection.query(settings)
    await carryOut(await planAdoption(connection, { tables: [orders] }))
    expect((await connection.query(settings))[0]).toEqual(before)
    connection.destroy()
  })

  test('rows that change after they were copied are not changed by the switch', async () => {
    database = await opened([
      'CREATE TABLE account (id int PRIMARY KEY)',
      'CREATE TABLE note (id int PRIMARY KEY, words varchar(20) UNIQUE, order_id int unsigned REFERENCES orders (id) ON DELETE SET NULL, account_id int REFERENCES account (id) ON DELETE CASCADE)',
      'INSERT INTO account VALUES (1), (2)',
      "INSERT INTO note SELECT seq, concat('Note ', seq), seq, 1 + seq % 2 FROM seq_1_to_20",
    ])
    const adoption = await plan(database, [orders])
    await adoption.backfill()
    for (const statement of [
      "UPDATE note SET words = 'NOTE 2' WHERE id = 2",
      "UPDATE note SET words = 'x' WHERE id = 4",
      "UPDATE note SET words = 'Note 4' WHERE id = 6",
      'DELETE FROM account WHERE id = 2',
      'DELETE FROM line WHERE order_id = 8',
      'DELETE FROM orders WHERE id = 8',
      "INSERT INTO orders VALUES (900, '2020-01-01')",
      "INSERT INTO note VALUES (900, 'Note 6', 900, 1)",
      'UPDATE note SET order_id = 900 WHERE id = 10',
    ])
      await database.query(statement)
    const content = `SELECT n.id, hex(words) AS words, at, account_id FROM note AS n LEFT JOIN orders ON orders.id = order_id ORDER BY n.id`
    const before = await database.query(content)
    expect(before).toHaveLength(11)
    await adoption.switchKeys()
    expect(await database.query(content)).toEqual(before)
    expect((await adoption.verify()).faults).toEqual([])
    await expect(database.query('DELETE FROM account WHERE id = 3')).resolves.toEqual([])
  })

  test('finish names all that uses an old column before anything is dropped', async () => {
    database = await opened(['CREATE TABLE `o``dd` (order_id int unsigned REFERENCES orders (id))'])
    const adoption = await plan(database, [orders])
    await adoption.backfill()
    await adoption.switchKeys()
    await database.query('CREATE VIEW before_that AS SELECT legacy_id FROM orders')
    await database.query('CREATE VIEW odd AS SELECT legacy_order_id FROM `o``dd`')
    await database.query('CREATE TABLE other (legacy_id int)')
    await database.query('CREATE VIEW of_another AS SELECT legacy_id FROM other')
    await database.query(
      'CREATE TRIGGER kept BEFORE UPDATE ON orders FOR EACH ROW SET NEW.legacy_id = OLD.legacy_id',
    )
    await database.query('CREATE INDEX slow ON line (legacy_order_id)')
    const error = await adoption.finish().catch((caught: unknown) => caught)
    expect(obstaclesOf(error).map((one) => one.message)).toEqual([
      expect.stringMatching(/nothing has been dropped: trigger kept uses orders\.legacy_id/),
      expect.stringMatching(/nothing has been dropped: view before_that uses orders\.legacy_id/),
      expect.stringMatching(/nothing has been dropped: index slow uses line\.legacy_order_id/),
      expect.stringMatching(/nothing has been dropped: view odd uses o`dd\.legacy_order_id/),
    ])
    for (const one of ['VIEW before_that, odd', 'TRIGGER kept', 'INDEX slow ON line'])
      await database.query(`DROP ${one}`)
    await finished(database, adoption)
    expect(await database.query("SHOW TABLES LIKE 'snoflax%'")).toEqual([])
  })

  test("a table's comments, checks, indexes and generated columns are kept", async () => {
    database = await opened([
      `CREATE TABLE odd (pair int unsigned NOT NULL COMMENT 'it''s \\\\ one', number int AUTO_INCREMENT UNIQUE, total int DEFAULT 7 CHECK (total > 0),
         twice int AS (total * 2) STORED, words text COLLATE utf8mb4_bin DEFAULT 'x', FULLTEXT KEY (words), KEY both_of (total, pair),
         secret int INVISIBLE DEFAULT 5, CONSTRAINT paired FOREIGN KEY (pair) REFERENCES orders (id) ON UPDATE CASCADE) COMMENT='odd, (one)'`,
      'INSERT INTO odd (pair, total) VALUES (1, 1), (2, 2), (2, 2)',
      'DELETE FROM odd WHERE number = 3',
      'CREATE VIEW seen AS SELECT number, at FROM odd JOIN orders ON orders.id = pair',
    ])
    const before = [
      await shapeOf(database),
      await createOf(database),
      await database.query('SELECT * FROM seen'),
    ]
    const adoption = await plan(database, [orders])
    await adoption.backfill()
    await adoption.switchKeys()
    await finished(database, adoption)
    expect([
      await shapeOf(database),
      await createOf(database),
      await database.query('SELECT * FROM seen'),
    ]).toEqual(before)
    expect(await database.query('SELECT secret, twice FROM odd ORDER BY number')).toEqual([
      { secret: 5, twice: 2 },
      { secret: 5, twice: 4 },
    ])
  })
})

/** But for the type that changes. */
async function createOf({ query }: MysqlDatabase): Promise<string> {
  const [row] = await query('SHOW CREATE TABLE odd')
  return String(row?.['Create Table']).replace(/(`pair`) .*? (NOT NULL)/, '$1 $2')
}
