import { flake, flax, type IdFamily, prefixed, type StorageName, sno, storageFor } from '@snoflax/core'
import { columnSql, install, type Server } from '@snoflax/mysql-sql'
import { type MysqlDatabase, mysql } from '@snoflax/test'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

// What drivers and defaults of the server could make of an id: query() sends text, execute() prepared statements.

const CASES: readonly (readonly [string, IdFamily, StorageName, object])[] = [
  ['flax as text', prefixed(flax, 'cus'), 'text', {}],
  ['flax as binary', flax, 'binary', {}],
  ['sno as binary', sno, 'binary', { number: 7 }],
  ['flake as bigint', flake, 'bigint', { number: 7 }],
]
const PROTOCOLS = ['query', 'execute'] as const

describe.runIf(mysql.selected())('ids', () => {
  let database: MysqlDatabase
  let server: Server
  beforeAll(async () => {
    database = await mysql.open()
    server = database.label.startsWith('MariaDB') ? 'mariadb' : 'mysql'
    await install(database.pool, { schema: database.name })
  })
  afterAll(() => database?.close())

  const run = async (
    protocol: (typeof PROTOCOLS)[number],
    sql: string,
    values: unknown[] = [],
  ): Promise<Record<string, unknown>[]> => {
    const { pool } = database
    const [rows] = await (protocol === 'query' ? pool.query(sql, values) : pool.execute(sql, values as never))
    return rows as unknown as Record<string, unknown>[]
  }

  test.each(CASES)('%s are the same in both protocols', async (_, family, storage, options) => {
    const { fromDatabase, toDatabase } = storageFor(family, server, { storage })
    const { definition } = columnSql(family, { server, storage, ...options })
    // A prepared statement keeps the type of its parameter when a table is replaced.
    const table = `${family.name}_${storage}`
    await database.query(`CREATE TABLE ${table} (id ${definition} PRIMARY KEY, n int)`)
    await database.query(`INSERT INTO ${table} (n) VALUES (1), (2), (3)`)
    const written = family.max
    await run('execute', `INSERT INTO ${table} (id, n) VALUES (?, 4)`, [toDatabase(written)])
    const [byText = [], byPrepared = []] = await Promise.all(
      PROTOCOLS.map((protocol) => run(protocol, `SELECT id FROM ${table} ORDER BY id`)),
    )
    const ids = byText.map(({ id }) => fromDatabase(id))
    expect(byPrepared.map(({ id }) => fromDatabase(id))).toEqual(ids)
    expect(ids.at(-1)).toBe(written)
    expect(ids.every((id) => family.is(id))).toBe(true)
    for (const protocol of PROTOCOLS) {
      for (const id of ids) {
        const found = await run(protocol, `SELECT id FROM ${table} WHERE id = ?`, [toDatabase(id)])
        expect(
          found.map((row) => fromDatabase(row['id'])),
          protocol,
        ).toEqual([id])
      }
    }
  })

  test("text that differs in case only are two keys, whatever the database's collation", async () => {
    const insensitive = server === 'mysql' ? 'utf8mb4_0900_ai_ci' : 'utf8mb4_general_ci'
    await database.query(`ALTER DATABASE ${database.name} COLLATE ${insensitive}`)
    const { definition } = columnSql(flax, { server })
    await database.query(`CREATE TABLE cased (id ${definition} PRIMARY KEY)`)
    const [one, other] = ['Kpcan0M1FakODT4k', 'Kpcan0M1FakODT4K']
    await database.query('INSERT INTO cased VALUES (?), (?)', [one, other])
    expect(await database.query('SELECT id FROM cased WHERE id = ?', [one])).toEqual([{ id: one }])
    expect(await database.query('SELECT flax_is_valid(?) AS it', [one])).toEqual([{ it: 1 }])
    await database.query('DROP TABLE cased')
  })

  test('times have milliseconds, and rows are grouped by them under ONLY_FULL_GROUP_BY', async () => {
    const times = [Date.UTC(2026, 10, 1, 12, 0, 0, 7), Date.UTC(2026, 10, 1, 12, 0, 0, 993)]
    await database.query(`CREATE TABLE timed (id ${columnSql(flax, { server }).definition} PRIMARY KEY)`)
    for (const time of times) await database.query('INSERT INTO timed VALUES (?)', [flax.generateAt(time)])
    const connection = await database.pool.getConnection()
    try {
      await connection.query("SET SESSION sql_mode = 'ONLY_FULL_GROUP_BY,STRICT_TRANS_TABLES,ANSI_QUOTES'")
      const [grouped] = await connection.query(
        "SELECT date_format(flax_time(id), '%H:%i:%s.%f') AS at, count(*) AS n FROM timed GROUP BY at ORDER BY at",
      )
      expect(grouped).toEqual([
        { at: '12:00:00.007000', n: '1' },
        { at: '12:00:00.993000', n: '1' },
      ])
      const [days] = await connection.query(
        "SELECT date_format(flax_time(id), '%Y-%m-%d') AS day, count(*) AS n FROM timed GROUP BY day",
      )
      expect(days).toEqual([{ day: '2026-11-01', n: '2' }])
    } finally {
      connection.destroy()
      await database.query('DROP TABLE timed')
    }
  })
})
