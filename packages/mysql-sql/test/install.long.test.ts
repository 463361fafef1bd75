import type { LeaseGrant } from '@snoflax/leases'
import { type Client, install, installedVersion, mysqlLeases, uninstall } from '@snoflax/mysql-sql'
import { granted, type MysqlDatabase, mysql, randomFrom, request } from '@snoflax/test'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

const RUNS = Number(process.env['SNOFLAX_UNINSTALLS'] ?? 40)

describe.runIf(mysql.selected())('an uninstallation', () => {
  let database: MysqlDatabase
  let schema: string
  beforeEach(async () => {
    database = await mysql.open()
    schema = `${database.name}_ids`
  })
  afterEach(async () => {
    await database.query(`DROP DATABASE IF EXISTS ${schema}`)
    await database.close()
  })

  /** The pool, with work before each statement. */
  const before = (work: (text: string) => Promise<unknown> | undefined): Client => ({
    query: (text) => database.pool.query(text),
    getConnection: async () => {
      const connection = await database.pool.getConnection()
      return {
        release: () => connection.release(),
        destroy: () => connection.destroy(),
        query: async (text) => {
          await work(text)
          return connection.query(text)
        },
      }
    },
  })
  const acquire = (holder: string) =>
    granted(
      mysqlLeases(database.pool, { schema }).acquire(request(holder, { numbers: { min: 1, max: 999 } })),
    )
  const open = async () => {
    await install(database.pool, { schema })
    await database.query(`CALL ${schema}.lease_adopt('sno')`)
    await database.query(`UPDATE ${schema}._lease_family SET floor_ms = 0`)
  }

  test.each([
    ['', false],
    [', and before each of its statements', true],
  ])(
    'drops no lease that is granted beside it%s, and one that refuses changes nothing',
    async (_, hooked) => {
      const random = randomFrom(1)
      const seen = { removed: 0, refused: 0 }
      for (let n = 0; n < RUNS; n++) {
        await open()
        const leases: LeaseGrant[] = []
        let isOver = false
        const get = (holder: string) =>
          acquire(holder).then(
            (lease) => leases.push(lease),
            () => {},
          )
        const workers = ['a', 'b', 'c'].map(async (holder) => {
          await new Promise((resolve) => setTimeout(resolve, random(150)))
          while (!isOver) await get(holder)
        })
        const after = random(60)
        let statements = 0
        const client = hooked
          ? before(() => (statements++ >= after ? get('hook') : undefined))
          : database.pool
        const message = await uninstall(client, { schema }).then(
          () => undefined,
          (error: Error) => error.message,
        )
        isOver = true
        await Promise.all(workers)
        if (message === undefined) {
          expect(leases).toEqual([])
          seen.removed++
        } else {
          expect(message).toMatch(/is leased to/)
          const [lease] = leases as [LeaseGrant]
          const renewed = await mysqlLeases(database.pool, { schema }).renew(lease.token, 9000, lease.startMs)
          expect(renewed?.startMs).toBe(lease.startMs)
          seen.refused++
        }
        await database.query(`DROP DATABASE IF EXISTS ${schema}`)
      }
      console.log(`uninstall beside acquires: ${JSON.stringify(seen)}`)
      expect(seen.removed).toBeGreaterThan(0)
      expect(seen.refused).toBeGreaterThan(0)
    },
  )

  test('that is interrupted at any statement leaves all at work, or is finished by the next one', async () => {
    const seen = { works: 0, finished: 0, installed: 0 }
    for (let at = 1; ; at++) {
      await open()
      const early = await acquire('early')
      await mysqlLeases(database.pool, { schema }).release(early.token, early.startMs + 1)
      let count = 0
      let isGone = false
      // A connection that is lost answers nothing any more.
      const client = before(() => {
        isGone ||= ++count === at
        return isGone ? Promise.reject(new Error('the connection is lost')) : undefined
      })
      const isInterrupted = await uninstall(client, { schema }).then(
        () => false,
        () => true,
      )
      if (!isInterrupted) break
      const lease = await acquire('later').catch(() => undefined)
      if (lease !== undefined) {
        expect(await installedVersion(database.pool, { schema })).toBeDefined()
        await mysqlLeases(database.pool, { schema }).release(lease.token, lease.startMs + 1)
        seen.works++
      }
      const isLeft = (await database.query('SHOW DATABASES LIKE ?', [schema])).length > 0
      if (isLeft && at % 2 === 0) {
        // What is left is also a start for another installation, whose windows begin later.
        await install(database.pool, { schema })
        await database.query(`CALL ${schema}.lease_adopt('sno')`)
        const next = await acquire('next')
        expect(next.startMs).toBeGreaterThan(early.startMs)
        await mysqlLeases(database.pool, { schema }).release(next.token, next.startMs)
        await database.query(`UPDATE ${schema}._lease SET reserved_until_ms = 0`)
        seen.installed++
      }
      if (isLeft) {
        await uninstall(database.pool, { schema })
        seen.finished++
      }
      expect(await database.query('SHOW DATABASES LIKE ?', [schema])).toEqual([])
    }
    console.log(`uninstall interrupted: ${JSON.stringify(seen)}`)
    expect(seen.works).toBeGreaterThan(3)
    expect(seen.finished).toBeGreaterThan(50)
  })

  test('and an installation after it grant no window that meets an earlier one', async () => {
    await open()
    const early = await acquire('a')
    await mysqlLeases(database.pool, { schema }).release(early.token, Date.now())
    const [row] = await database.query(`SELECT max(reserved_until_ms) AS until FROM ${schema}._lease`)
    await uninstall(database.pool, { schema })
    await install(database.pool, { schema })
    // As on a server that is durable.
    await database.query(`UPDATE ${schema}._lease_family SET durability = ${schema}._lease_durability()`)
    expect((await acquire('b')).startMs).toBeGreaterThanOrEqual(Number(row?.['until']))
  })
})
