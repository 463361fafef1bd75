import { connect, createServer, type Server, type Socket } from 'node:net'
import { install, mysqlLeases } from '@snoflax/mysql-sql'
import { type MysqlDatabase, mysql, request } from '@snoflax/test'
import { createPool, type Pool } from 'mysql2/promise'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

// A wire between program and server that is cut when the server has answered, before the program hears of it.

describe.runIf(mysql.selected())('a lost answer', () => {
  let database: MysqlDatabase
  let wire: Server
  let pool: Pool
  let cuts: number
  beforeEach(async () => {
    database = await mysql.open()
    await install(database.pool, { schema: database.name })
    await database.query("CALL lease_adopt('sno')")
    cuts = 0
    const { hostname, port } = new URL(database.url)
    wire = createServer((program: Socket) => {
      const server = connect(Number(port || 3306), hostname)
      let isAsked = false
      program.on('data', (data) => {
        isAsked = data.includes('lease_')
        server.write(data)
      })
      server.on('data', (data) => {
        if (isAsked && cuts > 0) {
          cuts--
          program.destroy()
          server.destroy()
        } else program.write(data)
      })
      for (const socket of [program, server]) {
        socket.on('error', () => {})
        socket.on('close', () => [program, server].forEach((one) => void one.destroy()))
      }
    })
    await new Promise<void>((resolve) => wire.listen(0, '127.0.0.1', resolve))
    const url = new URL(database.url)
    url.hostname = '127.0.0.1'
    url.port = String((wire.address() as { port: number }).port)
    pool = createPool({ uri: url.href })
    return async () => {
      await pool.end()
      wire.close()
    }
  })
  afterEach(() => database?.close())

  test('is repeated, and costs no second number', async () => {
    const store = mysqlLeases(pool, { schema: database.name })
    for (let n = 1; n <= 3; n++) {
      cuts = n
      const lease = await store.acquire(request(`${n}`, { numbers: { min: 1, max: 9 } }))
      expect([lease, cuts]).toEqual([expect.objectContaining({ number: n }), 0])
      cuts = n
      const { token, startMs } = lease as { token: string; startMs: number }
      expect(await store.renew(token, 9000, startMs)).toMatchObject({ startMs })
    }
    expect(await database.query("SELECT count(*) AS held FROM leases WHERE state = 'held'")).toEqual([
      { held: expect.toSatisfy((held) => Number(held) === 3) },
    ])
    cuts = 1
    const [first] = await database.query('SELECT token FROM _lease WHERE number = 1')
    await store.release(first?.['token'] as string, Date.now())
    expect(await database.query("SELECT number FROM leases WHERE state = 'free'")).toEqual([{ number: 1 }])
  })
})
