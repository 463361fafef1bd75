import { install, mysqlLeases, uninstall } from '@snoflax/mysql-sql'
import { granted, type MysqlDatabase, mysql, request } from '@snoflax/test'
import { createConnection } from 'mysql2/promise'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sessionState } from './sessions.js'

describe.runIf(mysql.selected())('a session', () => {
  let database: MysqlDatabase
  beforeAll(async () => {
    database = await mysql.open()
    await install(database.pool, { schema: database.name })
    await database.query("CALL lease_adopt('sno')")
  })
  afterAll(() => database?.close())

  // Each of many alone: see sessions.long.test.ts.
  test.each([
    `sql_mode = '', group_concat_max_len = 20, max_join_size = 1, time_zone = '+05:30', sql_safe_updates = 1, sql_select_limit = 0`,
    `sql_mode = 'ANSI,NO_BACKSLASH_ESCAPES', autocommit = 0, timestamp = 1, sql_buffer_result = 1, div_precision_increment = 0,
       collation_connection = utf16_bin, completion_type = 'CHAIN', max_error_count = 0`,
  ])('with %s is what it was after leases and an installation', async (settings) => {
    const isMariadb = database.label.startsWith('MariaDB')
    const connection = await createConnection(database.url)
    try {
      await connection.query(`SET SESSION ${settings}`)
      const before = await sessionState(connection, isMariadb)
      const store = mysqlLeases(connection, { schema: database.name })
      const lease = await granted(store.acquire(request('a')))
      expect(await store.renew(lease.token, 9000, lease.startMs)).toBeDefined()
      await expect(store.renew(lease.token, 1, 0)).rejects.toThrow('ttl_ms 1 is not from')
      await store.release(lease.token, lease.startMs)
      expect(await sessionState(connection, isMariadb)).toEqual(before)
      await install(connection, { schema: `${database.name}_ids` })
      await uninstall(connection, { schema: `${database.name}_ids` })
      expect(await sessionState(connection, isMariadb)).toEqual(before)
    } finally {
      await connection.end()
    }
  })
})
