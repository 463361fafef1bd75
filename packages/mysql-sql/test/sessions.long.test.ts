import { randomUUID } from 'node:crypto'
import { sno } from '@snoflax/core'
import { drift, install, installedVersion, mysqlLeases, uninstall, VERSION } from '@snoflax/mysql-sql'
import { granted, type MysqlDatabase, mysql, randomFrom, request } from '@snoflax/test'
import { type Connection, createConnection } from 'mysql2/promise'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SETTINGS, sessionState } from './sessions.js'

describe.runIf(mysql.selected())('a session', () => {
  let database: MysqlDatabase
  let isMariadb: boolean
  beforeAll(async () => {
    database = await mysql.open()
    isMariadb = database.label.startsWith('MariaDB')
    await install(database.pool, { schema: database.name })
    for (const family of ['sno', 'flake']) await database.query(`CALL lease_adopt('${family}')`)
  })
  afterAll(() => database?.close())

  const stateOf = (connection: Connection) => sessionState(connection, isMariadb)

  /** A session under a setting; undefined if this server has none of the name. */
  async function under(setting: string): Promise<Connection | undefined> {
    const connection = await createConnection(database.url)
    try {
      await connection.query(`SET SESSION ${setting}`)
      return connection
    } catch (error) {
      await connection.end()
      const { errno } = error as { errno?: number }
      // Unknown names and values, and what only the server or its start has.
      if ([1193, 1231, 1229, 1232, 1238, 1064, 1115, 1273, 1651, 4114].includes(errno as number))
        return undefined
      throw error
    }
  }

  const CALLS: readonly (readonly [string, RegExp | undefined])[] = [
    [
      'SELECT flax_encode(flax_generate()), uuid7_is_valid(uuid7_encode(uuid7_generate())), sno_time(sno_generate(9, 0)) LIMIT 1',
      undefined,
    ],
    ["SELECT flax_decode('no') LIMIT 1", /has 2 characters/],
    ["CALL lease_set_max_ttl('flake', 20000)", undefined],
    ["CALL lease_set_max_ttl('flake', 1)", /ttl_ms 1 is not from/],
    ["CALL lease_confirm_max_ttl('flake')", undefined],
    ["CALL lease_adopt('flake')", undefined],
    ["CALL lease_adopt('x')", /has no numbers to lease/],
    ["CALL lease_reset('flake', 0, 9)", undefined],
    ["CALL lease_reset('flake', 9, 0)", /first_number 9 is not from/],
    ['SELECT count(*) AS n FROM leases LIMIT 1', undefined],
  ]

  test.each(SETTINGS)(
    'with %s is what it was after each call, which does what it does without',
    async (setting) => {
      const connection = await under(setting)
      if (connection === undefined) return
      try {
        const before = await stateOf(connection)
        const store = mysqlLeases(connection, { schema: database.name })
        const asked = request('a', { numbers: { min: 1, max: 9 }, shards: 2 })
        const lease = await granted(store.acquire(asked))
        expect(await stateOf(connection)).toEqual(before)
        expect(Math.abs(lease.untilMs - asked.ttlMs - Date.now())).toBeLessThan(5000)
        expect((await store.renew(lease.token, 20_000, lease.startMs))?.startMs).toBe(lease.startMs)
        expect(await stateOf(connection)).toEqual(before)
        const full = Array.from({ length: 18 }, () => store.acquire({ ...asked, holder: 'b' }))
        expect((await Promise.all(full)).filter((one) => 'token' in one)).toHaveLength(17)
        expect(await stateOf(connection)).toEqual(before)
        await expect(store.renew(lease.token, 1, 0)).rejects.toThrow('ttl_ms 1 is not from')
        await expect(store.acquire(request('a', { family: 'x' as 'sno' }))).rejects.toThrow('has no numbers')
        expect(await stateOf(connection)).toEqual(before)
        await store.release(lease.token, lease.startMs)
        expect(await stateOf(connection)).toEqual(before)
        for (const [call, refusal] of CALLS) {
          // These are the caller's own statements: their clock, and what they read, are the session's.
          if (call.startsWith('SELECT') && /timestamp =|max_join_size/.test(setting)) continue
          if (refusal === undefined) await connection.query(call)
          else await expect(connection.query(call)).rejects.toThrow(refusal)
          if (call.startsWith('CALL')) expect(await stateOf(connection), call).toEqual(before)
        }
      } finally {
        await connection.end().catch(() => {})
        await database.query("CALL lease_reset('sno', 1, 9)")
      }
    },
  )

  // Each statement that creates a routine, ours or any other, sets this one back.
  const kept = SETTINGS.filter((setting) => !setting.startsWith('collation_database'))
  test.each(kept)('with %s is what it was after an installation', async (setting) => {
    const connection = await under(setting)
    if (connection === undefined) return
    const schema = `${database.name}_ids`
    try {
      const before = await stateOf(connection)
      await install(connection, { schema })
      expect(await stateOf(connection)).toEqual(before)
      expect(await installedVersion(connection, { schema })).toBe(VERSION)
      expect(await drift(connection, { schema })).toEqual([])
      expect(await drift(database.pool, { schema })).toEqual([])
      await uninstall(connection, { schema })
      expect(await stateOf(connection)).toEqual(before)
    } finally {
      await connection.end().catch(() => {})
      await database.query(`DROP DATABASE IF EXISTS ${schema}`)
    }
  })

  test('that is killed at any moment has neither locks nor a transaction, and its settings', async () => {
    const random = randomFrom(1)
    const killer = await createConnection(database.url)
    const epoch = sno.layout.epochMs
    let killed = 0
    for (let n = 0; killed < 200 && n < 5000; n++) {
      const setting = SETTINGS[n % SETTINGS.length] as string
      if (setting.startsWith('autocommit') || setting.startsWith('completion_type')) continue
      const connection = await under(setting)
      if (connection === undefined) continue
      const before = await stateOf(connection)
      const token = randomUUID()
      const calls = [
        `CALL lease_acquire('${token}', 'sno', 'a', 9000, 0, 999, 4, ${epoch})`,
        `CALL lease_renew('${token}', 9000, 0)`,
        `CALL lease_release('${token}', NULL)`,
        "CALL lease_adopt('sno')",
        "CALL lease_reset('sno', 0, 999)",
        "CALL lease_set_max_ttl('sno', 20000)",
      ]
      for (const call of calls) {
        const [outcome] = await Promise.all([
          connection.query(call).then(
            () => undefined,
            (error: { errno?: number }) => error.errno,
          ),
          (async () => {
            await new Promise((resolve) => setTimeout(resolve, random(12)))
            await killer.query(`KILL QUERY ${connection.threadId}`)
          })(),
        ])
        if (outcome === 1317) killed++
        // The kill may have come after the call.
        await connection.query('DO 0').catch(() => {})
        expect(await stateOf(connection), `${setting}, ${call}`).toEqual(before)
      }
      await connection.end()
      if (n % SETTINGS.length === 0) await database.query("CALL lease_reset('sno', 0, 999)")
    }
    await killer.end()
    console.log(`killed ${killed} calls`)
    expect(killed).toBeGreaterThanOrEqual(200)
  })
})
