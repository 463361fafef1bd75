import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { PostgresDatabase, PostgresServer } from './databases.js'
import { connectTo, onConnection, startServer, urlTo, wantedVersion } from './databases.js'

const alive = (pid: number | undefined) => {
  try {
    return pid !== undefined && process.kill(pid, 0)
  } catch {
    return false
  }
}

describe('a private server', () => {
  let server: PostgresServer
  let database: PostgresDatabase
  beforeAll(async () => {
    server = await startServer()
    database = await server.database()
    await database.query('CREATE TABLE note (id integer)')
  })
  afterAll(() => server.stop())

  const notesOn = (other: { url: string }) =>
    onConnection(urlTo(other.url, { database: database.name }), async (client) => {
      const { rows } = await client.query<{ id: number }>('SELECT id FROM note ORDER BY id')
      return rows.map((row) => row.id)
    })
  const systemOf = async (other: PostgresServer) =>
    onConnection(other.url, async (client) => {
      const { rows } = await client.query(
        'SELECT system_identifier, pg_is_in_recovery() FROM pg_control_system()',
      )
      return rows[0]
    })

  test('has the version of the run', async () => {
    const [row] = await database.query("SELECT current_setting('server_version_num')::int / 10000 AS version")
    expect(row).toEqual({ version: wantedVersion() })
  })

  test('keeps what was committed when it is killed, loses the rest, and continues at the same address', async () => {
    await database.query('DELETE FROM note')
    const [open, working] = [await database.connect(), await database.connect()]
    await open.query('BEGIN; INSERT INTO note VALUES (99)')
    const work = expect(
      working.query('SELECT count(*) FROM generate_series(1, 1e12::bigint)'),
    ).rejects.toThrow()
    await database.query('INSERT INTO note VALUES (1)')

    const pid = server.pid()
    expect(alive(pid)).toBe(true)
    await server.kill9()
    expect(alive(pid)).toBe(false)
    expect(server.pid()).toBeUndefined()
    await work
    await expect(connectTo(server.url)).rejects.toThrow(/ECONNREFUSED/)

    await server.restart()
    expect(await database.query('SELECT id FROM note')).toEqual([{ id: 1 }])
    expect(server.log()).toContain('database system was not properly shut down')
  })

  test('does not flush by default', async () => {
    expect(await database.query('SHOW fsync')).toEqual([{ fsync: 'off' }])
  })

  test('can be restarted with changed settings', async () => {
    const pid = server.pid()
    await server.restart({ max_connections: 50 })
    expect(server.pid()).not.toBe(pid)
    expect(await database.query('SHOW max_connections')).toEqual([{ max_connections: '50' }])
  })

  test('can be copied while it runs, and the copy is independent', async () => {
    await database.query('DELETE FROM note')
    const writing = await database.connect()
    let last = 0
    let stopped = false
    const writer = (async () => {
      while (!stopped) await writing.query('INSERT INTO note VALUES ($1)', [++last])
    })()
    const before = last
    const copy = await server.copy()
    stopped = true
    await writer
    try {
      const copied = await notesOn(copy)
      expect(copied).toEqual(copied.map((_, index) => index + 1))
      expect(copied.length).toBeGreaterThanOrEqual(before)
      expect(await systemOf(copy)).toEqual({ ...(await systemOf(server)), pg_is_in_recovery: false })
      await onConnection(urlTo(copy.url, { database: database.name }), (client) =>
        client.query('DELETE FROM note'),
      )
      expect(await notesOn(server)).toHaveLength(last)
    } finally {
      await copy.stop()
    }
  })

  test('can have a standby that follows, lags when cut off, and takes over', async () => {
    await database.query('DELETE FROM note')
    const standby = await server.standby()
    try {
      await database.query('INSERT INTO note VALUES (1)')
      await standby.caughtUp()
      expect(await notesOn(standby)).toEqual([1])
      const [there, here] = [await systemOf(standby), await systemOf(server)]
      expect(there).toEqual({ ...here, pg_is_in_recovery: true })

      await standby.disconnect()
      await database.query('INSERT INTO note VALUES (2)')
      await server.kill9()
      await standby.promote()
      expect(await notesOn(standby)).toEqual([1])
      await onConnection(urlTo(standby.url, { database: database.name }), (client) =>
        client.query('INSERT INTO note VALUES (3)'),
      )
      await server.restart()
      expect(await notesOn(server)).toEqual([1, 2])
      expect(await notesOn(standby)).toEqual([1, 3])
    } finally {
      await standby.stop()
    }
  })

  test('is deleted with its data when it is stopped, killed or not', async () => {
    const another = await startServer()
    await another.kill9()
    const flushing = await startServer({ settings: { fsync: 'on' } })
    const settings = await onConnection(flushing.url, (client) => client.query('SHOW fsync'))
    expect(settings.rows).toEqual([{ fsync: 'on' }])
    for (const stopped of [another, flushing]) {
      const pid = stopped.pid()
      expect(existsSync(stopped.directory)).toBe(true)
      await stopped.stop()
      await stopped.stop()
      expect(alive(pid)).toBe(false)
      expect(existsSync(dirname(stopped.directory))).toBe(false)
    }
  })

  test('reports why it did not start, and leaves nothing behind', async () => {
    await expect(startServer({ settings: { shared_buffers: 'plenty' } })).rejects.toThrow(
      /did not start[\s\S]*shared_buffers.*plenty/,
    )
  })
})
