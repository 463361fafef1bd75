import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { TableOptions } from '@snoflax/adopt'
import { flax } from '@snoflax/core'
import { mysql, postgres, type SqliteDatabase, sqlite } from '@snoflax/test'
import { createConnection } from 'mysql2/promise'
import { afterEach, describe, expect, test } from 'vitest'
import { type Opened, plan } from './moves.js'

type Kind = 'postgres' | 'mysql' | 'sqlite'
const KINDS = { postgres, mysql, sqlite }
const kinds = (['postgres', 'mysql', 'sqlite'] as const).filter((kind) => KINDS[kind].selected())

/** How long they write before each step besides what it takes. */
const SECONDS = Number(process.env['SNOFLAX_SECONDS'] ?? 0)

const opened: Opened[] = []
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close()
})

const TABLES = ['customers', 'orders', 'products'] as const
const tables: TableOptions[] = TABLES.map((table) => ({
  table,
  createdAt: 'at',
  generator: (clock) => flax.generator({ monotonic: true, clock }),
}))

const KEY = {
  postgres: 'serial PRIMARY KEY',
  mysql: 'int AUTO_INCREMENT PRIMARY KEY',
  sqlite: 'INTEGER PRIMARY KEY',
}
const TIME = {
  postgres: 'timestamptz(3) NOT NULL DEFAULT now()',
  mysql: 'datetime(3) NOT NULL DEFAULT current_timestamp(3)',
  sqlite: "TEXT NOT NULL DEFAULT (strftime('%Y-%m-%d %H:%M:%f', 'now'))",
}

const WRITER = fileURLToPath(new URL('sqlite-writer.js', import.meta.url))

type Query = (sql: string) => Promise<{ id: number }[]>

/** A session of its own, with what its transactions say. */
async function session(database: Opened, kind: Kind): Promise<{ query: Query; end(): Promise<void> }> {
  if (database.kind === 'postgres') {
    const client = await database.connect()
    client.on('error', () => {})
    return { query: async (sql) => (await client.query(sql)).rows, end: () => client.end() }
  }
  if (database.kind !== 'mysql') throw new Error(kind)
  const connection = await createConnection(database.url)
  return {
    query: async (sql) => (await connection.query(sql))[0] as unknown as { id: number }[],
    end: () => connection.end(),
  }
}

describe.each(kinds)('%s', (kind) => {
  test('ten sessions that write all the time lose nothing, and one attempt with blockForMs switches', async () => {
    const database = (await KINDS[kind].open()) as Opened
    opened.push(database)
    for (const sql of [
      `CREATE TABLE customers (id ${KEY[kind]}, tag varchar(40) NOT NULL, at ${TIME[kind]})`,
      `CREATE TABLE products (id ${KEY[kind]}, tag varchar(40) NOT NULL, at ${TIME[kind]})`,
      `CREATE TABLE orders (id ${KEY[kind]}, tag varchar(40) NOT NULL, customer_id integer NOT NULL, at ${TIME[kind]}, FOREIGN KEY (customer_id) REFERENCES customers (id))`,
      `CREATE TABLE order_lines (n ${KEY[kind]}, tag varchar(40) NOT NULL, order_id integer NOT NULL, product_id integer, FOREIGN KEY (order_id) REFERENCES orders (id), FOREIGN KEY (product_id) REFERENCES products (id))`,
      "INSERT INTO products (tag) VALUES ('p1'), ('p2'), ('p3')",
    ])
      await database.query(sql)

    const committed = new Set<string>()
    let isOver = false
    const errors: string[] = []
    const insert = async (query: Query, table: string, columns: string, values: string): Promise<number> => {
      const returning = kind === 'postgres' ? ' RETURNING id' : ''
      const result = await query(`INSERT INTO ${table} (${columns}) VALUES (${values})${returning}`)
      return kind === 'postgres'
        ? (result[0]?.id as number)
        : (result as unknown as { insertId: number }).insertId
    }
    /** Its transactions block the process that runs them, so each writer has its own. */
    const sqliteWriter = async (number: number): Promise<void> => {
      const child = spawn(process.execPath, [WRITER, (database as SqliteDatabase).file, String(number)])
      child.stderr.on('data', (text) => errors.push(String(text)))
      createInterface(child.stdout).on('line', (line) => {
        if (!line.startsWith('!')) committed.add(line)
        else if (adoption.phase !== 'switched') errors.push(line)
      })
      const closed = new Promise((resolve) => child.on('close', resolve))
      while (!isOver && child.exitCode === null) await sleep(20)
      child.kill()
      await closed
    }
    const writer = async (number: number): Promise<void> => {
      if (kind === 'sqlite') return sqliteWriter(number)
      const { query, end } = await session(database, kind)
      for (let n = 0; !isOver; n++) {
        const tag = `w${number}-${n}`
        try {
          await query('BEGIN')
          const customer = await insert(query, 'customers', 'tag', `'${tag}'`)
          const order = await insert(query, 'orders', 'tag, customer_id', `'${tag}', ${customer}`)
          await query(
            `INSERT INTO order_lines (tag, order_id, product_id) VALUES ('${tag}', ${order}, ${1 + (n % 3)}), ('${tag}', ${order}, NULL)`,
          )
          await query(`UPDATE products SET tag = tag WHERE id = ${1 + (n % 3)}`)
          await query('COMMIT')
          committed.add(tag)
        } catch (error) {
          await query('ROLLBACK').catch(() => {})
          const { code, errno, message } = error as { code?: string; errno?: number; message: string }
          // It waited for the switch, or the server chose it of two that waited for each other.
          if (['40P01', '55P03'].includes(code ?? '') || [1205, 1213].includes(errno ?? 0)) continue
          errors.push(message)
          if (adoption.phase === 'switched' || isOver) break
        }
        await sleep(3)
      }
      await end()
    }

    const adoption = await plan(database, tables)
    let writing = 10
    const writers = Array.from({ length: writing }, (_, i) => writer(i).finally(() => writing--))
    await expect.poll(() => committed.size, { timeout: 60_000 }).toBeGreaterThan(50)
    await sleep(SECONDS * 1000)
    await adoption.backfill({ batchSize: 200 })
    await sleep(SECONDS * 1000)
    const { faults, tables: verified } = await adoption.verify()
    expect(faults).toEqual([])
    expect(verified.every(({ waiting }) => waiting >= 0)).toBe(true)
    const atSwitch = committed.size
    expect({ writing, errors }).toEqual({ writing: 10, errors: [] })
    await adoption.switchKeys({ blockForMs: 20_000 })
    isOver = true
    await Promise.all(writers)
    expect(committed.size).toBeGreaterThanOrEqual(atSwitch)
    expect((await adoption.verify()).faults).toEqual([])
    const rows = await database.query(
      `SELECT l.tag, o.tag AS order_tag, c.tag AS customer_tag FROM order_lines AS l JOIN orders AS o ON o.id = l.order_id JOIN customers AS c ON c.id = o.customer_id`,
    )
    const stray = rows.filter((row) => row['tag'] !== row['order_tag'] || row['tag'] !== row['customer_tag'])
    expect(stray).toEqual([])
    const tags = new Set(rows.map((row) => row['tag']))
    expect([...committed].filter((tag) => !tags.has(tag))).toEqual([])
    await adoption.finish()
  }, 600_000)
})
