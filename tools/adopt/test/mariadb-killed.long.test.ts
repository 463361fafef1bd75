import { setTimeout as sleep } from 'node:timers/promises'
import { type MysqlDatabase, mysql } from '@snoflax/test'
import { afterEach, describe, expect, test } from 'vitest'
import { type KilledTable, killed, tablesOf } from './killing.js'
import { plan } from './moves.js'

let database: MysqlDatabase
afterEach(() => database.close())

const SHOP = [
  'CREATE TABLE account (id int PRIMARY KEY, name varchar(20))',
  `CREATE TABLE orders (id int unsigned AUTO_INCREMENT PRIMARY KEY, at datetime(3) NOT NULL DEFAULT now(3), code varchar(20) UNIQUE,
     parent_id int unsigned REFERENCES orders (id) ON DELETE SET NULL, account_id int REFERENCES account (id) ON DELETE CASCADE)`,
  `CREATE TABLE line (order_id int unsigned NOT NULL REFERENCES orders (id) ON DELETE CASCADE, n int, what varchar(20),
     PRIMARY KEY (order_id, n), CONSTRAINT few CHECK (n < 100))`,
  `CREATE TABLE shipment (order_id int unsigned, n int, at date DEFAULT '2021-01-01',
     CONSTRAINT shipped FOREIGN KEY (order_id, n) REFERENCES line (order_id, n) ON DELETE CASCADE)`,
  "INSERT INTO account SELECT seq, concat('account ', seq) FROM seq_1_to_40",
  "INSERT INTO orders (at, code, parent_id) SELECT '2021-01-01' + INTERVAL seq HOUR, concat('old ', seq), nullif(seq - 1, 0) FROM seq_1_to_200",
  "INSERT INTO line SELECT seq, 1, 'word' FROM seq_1_to_200",
  'INSERT INTO shipment (order_id, n) SELECT seq, 1 FROM seq_1_to_200',
]

const TABLES: KilledTable[] = [{ table: 'orders', createdAt: 'at', partition: 900 }]

const CONTENT = `SELECT o.code, p.code AS parent, a.name, l.n, hex(l.what) AS what, count(s.n) AS shipped
  FROM orders AS o LEFT JOIN orders AS p ON p.id = o.parent_id LEFT JOIN account AS a ON a.id = o.account_id
  LEFT JOIN line AS l ON l.order_id = o.id LEFT JOIN shipment AS s ON s.order_id = l.order_id AND s.n = l.n
 GROUP BY o.id, l.n ORDER BY o.code, l.n`

const LOCK_WAIT_TIMEOUT = 1205
const DEADLOCK = 1213
const NO_DEFAULT = 1364

/** What an application with the old keys has committed, by the codes of its orders. */
class Written {
  readonly accounts = new Map<string, number>()
  readonly parents = new Map<string, string>()
  readonly shouted = new Set<string>()
  readonly gone = new Set<number>()
  refused = 0
  isSwitched = false
}

/** Writes until the keys are ids: then an order has no key. */
async function write({ pool }: MysqlDatabase, isOver: () => boolean): Promise<Written> {
  const connection = await pool.getConnection()
  const written = new Written()
  for (let n = 1; !written.isSwitched && !isOver(); n++) {
    const [code, old, dropped] = [`new ${n}`, 1 + (n % 200), `new ${n - 5}`]
    const account = 1 + (Math.floor(n / 3) % 40)
    const gone = n % 20 === 0 ? 1 + (Math.floor(n / 20) % 40) : 0
    const isKnown = !written.gone.has(account)
    try {
      await connection.query('START TRANSACTION')
      const [made] = await connection.query('INSERT INTO orders (code, account_id) VALUES (?, ?)', [
        code,
        isKnown ? account : null,
      ])
      const { insertId } = made as { insertId: number }
      await connection.query("INSERT INTO line VALUES (?, 1, 'word')", [insertId])
      await connection.query('INSERT INTO shipment (order_id, n) VALUES (?, 1)', [insertId])
      await connection.query('UPDATE orders SET parent_id = ? WHERE id = ?', [insertId, old])
      // Equal by the collation, and another text.
      await connection.query("UPDATE line SET what = 'WORD' WHERE order_id = ?", [old])
      if (n % 3 > 0) await connection.query('DELETE FROM orders WHERE code = ?', [dropped])
      await connection.query('DELETE FROM account WHERE id = ?', [gone])
      await connection.query('COMMIT')
      written.accounts.set(code, isKnown ? account : 0)
      written.parents.set(`old ${old}`, code)
      written.shouted.add(`old ${old}`)
      if (n % 3 > 0) written.accounts.delete(dropped)
      if (gone > 0) written.gone.add(gone)
      for (const [other, own] of written.accounts)
        if (own === gone && gone > 0) written.accounts.delete(other)
    } catch (error) {
      await connection.query('ROLLBACK')
      const { errno, message } = error as { errno: number; message: string }
      if (errno === NO_DEFAULT) written.isSwitched = true
      else if (errno !== LOCK_WAIT_TIMEOUT && errno !== DEADLOCK) throw error
      else if (/snoflax adopt is switching/.test(message)) written.refused++
    }
    await sleep(5)
  }
  connection.release()
  return written
}

/** The rows of `CONTENT` that there have to be. */
function expected({ accounts, parents, shouted }: Written): unknown[] {
  const old = Array.from({ length: 200 }, (_, i) => `old ${i + 1}`)
  const parentOf = (code: string, i: number): string | null => {
    const parent = parents.get(code) ?? (i === 0 ? null : `old ${i}`)
    return parent === null || parent.startsWith('old') || accounts.has(parent) ? parent : null
  }
  const hex = (text: string): string => Buffer.from(text).toString('hex').toUpperCase()
  return [
    ...old.map((code, i) => ({
      code,
      parent: parentOf(code, i),
      name: null,
      n: 1,
      what: hex(shouted.has(code) ? 'WORD' : 'word'),
      shipped: 1,
    })),
    ...[...accounts].map(([code, account]) => ({
      code,
      parent: null,
      name: account > 0 ? `account ${account}` : null,
      n: 1,
      what: hex('word'),
      shipped: 1,
    })),
  ]
}

const sorted = (rows: readonly unknown[]): string[] => rows.map((row) => JSON.stringify(row)).sort()

/** Where the switch is killed. */
const SWITCH = [
  /^CREATE OR REPLACE TRIGGER .*fence_2_insert/,
  /^CREATE OR REPLACE TRIGGER .*fence_4_delete/,
  /^INSERT INTO snoflax_adoption_map_1 /,
  /^UPDATE snoflax_adoption_map_1 /,
  /^DELETE s FROM snoflax_adoption_new_2/,
  /^INSERT INTO snoflax_adoption_new_2/,
  /^CREATE OR REPLACE TABLE snoflax_adoption_switched/,
  /ALTER TABLE snoflax_adoption_new_3 ADD CONSTRAINT/,
  /^RENAME TABLE/,
  /^RENAME TABLE/,
  /DROP TABLE IF EXISTS snoflax_adoption_old_1/,
  /ALTER TABLE "orders" DROP FOREIGN KEY/,
  /^DROP TRIGGER IF EXISTS snoflax_adoption_fence_4_delete/,
]

/** The application sees the old tables or the new ones, all of them. */
async function agrees({ query }: MysqlDatabase): Promise<void> {
  const types = await query(
    `SELECT DISTINCT data_type AS type FROM information_schema.columns WHERE table_schema = database()
      AND concat(table_name, '.', column_name) IN ('orders.id', 'orders.parent_id', 'line.order_id', 'shipment.order_id')`,
  )
  expect(types).toHaveLength(1)
}

describe.runIf(mysql.selected())('mariadb', () => {
  test('killed in each step while another session writes, the adoption continues and loses nothing', async () => {
    database = await mysql.open()
    for (const statement of SHOP) await database.query(statement)
    let isOpen = true
    const writer = write(database, () => !isOpen)
    const reached: string[] = []
    for (const batches of [1, 4, 12]) reached.push(await killed(database, 'backfill', TABLES, batches))
    expect(new Set(reached).size).toBeGreaterThan(1)
    expect(await killed(database, 'backfill', TABLES, 10_000)).toBe('through')

    for (const [i, place] of SWITCH.entries()) {
      expect(await killed(database, 'switchKeys', TABLES, place, i % 2 === 1)).toMatch(place)
      await agrees(database)
    }
    expect(await killed(database, 'switchKeys', TABLES, 10_000)).toBe('through')
    const written = await writer
    isOpen = false
    expect(written.accounts.size).toBeGreaterThan(20)
    expect(written.refused).toBeGreaterThan(0)
    const content = await database.query(CONTENT)
    expect(sorted(content.map((row) => ({ ...row, shipped: Number(row['shipped']) })))).toEqual(
      sorted(expected(written)),
    )
    const adoption = await plan(database, tablesOf(TABLES))
    expect(adoption.phase).toBe('switched')
    expect((await adoption.verify()).faults).toEqual([])
    for (const statements of [1, 3, 5]) await killed(database, 'finish', TABLES, statements)
    expect(await killed(database, 'finish', TABLES, 10_000)).toBe('through')
    expect(await database.query(CONTENT)).toEqual(content)
  })
})
