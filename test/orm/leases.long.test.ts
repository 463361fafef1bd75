import { once } from 'node:events'
import { type IdGenerator, type sno, storageFor } from '@snoflax/core'
import type { LeaseOptions } from '@snoflax/leases'
import { install } from '@snoflax/pg-sql'
import { onConnection, type PostgresDatabase, poolTo, postgres } from '@snoflax/test'
import type { NewCustomer } from '@snoflax/test/contract'
import type { Pool } from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { EXPIRED, LEASABLE, type Lease } from '../leasable.js'
import { thisAdapter } from './adapter.js'

// What docs/leases.md says of ORMs: a leased generator is given as any other, and rows that they write have its number
// or are not written.

/** The same database for one more process: its tables are there already. */
const withTables = (database: PostgresDatabase): PostgresDatabase => ({
  ...database,
  query: () => Promise.resolve([]),
})

const customers = (writer: string, count: number): NewCustomer[] =>
  Array.from({ length: count }, (_, index) => ({ email: `${writer}-${index}@example.org`, name: writer }))

const graph = (writer: string) => ({
  email: `${writer}@example.org`,
  name: writer,
  profile: { bio: 'tall' },
  orders: [{ total: 3, lines: [{ position: 1, quantity: 2 }], tags: [{ label: writer }] }],
})

const refusalOf = (write: Promise<unknown>): Promise<unknown> =>
  write.then(
    (written) => expect.fail(`written: ${JSON.stringify(written)}`),
    (error: unknown) => error,
  )

const orm = await thisAdapter()

describe(orm.orm, () => {
  const insert = Object.values(orm.inserts)[0]?.run ?? expect.fail(`${orm.orm} has no way of inserting`)

  describe.each(Object.entries(LEASABLE))('%s', (name, { family, storage: compact, lease, numberOf }) => {
    const generator = { family, generate: () => family.min } as IdGenerator<string>
    const isRefused = orm.refuses?.({ database: 'postgres', family, storage: compact, generator })
    const storage = isRefused ? 'text' : compact
    if (!family.storages.includes(storage)) return test.skip(`${orm.orm} stores no ${name}`)
    const stored = storageFor(family, 'postgres', { storage })
    const opened: { session: unknown; held: Lease }[] = []
    let database: PostgresDatabase

    beforeAll(async () => {
      database = await postgres.open()
      await install(database.pool)
    })
    afterAll(() => database?.close())
    afterEach(async () => {
      for (const { session, held } of opened.splice(0)) {
        await orm.close(session)
        await held.release()
      }
      await database.query('TRUNCATE customers, tags CASCADE')
    })

    /** A process of the application: a lease, and a connection that generates with it. */
    async function open(client: Pool = database.pool, options: Partial<LeaseOptions<typeof sno>> = {}) {
      const held = await lease(client, options)
      const [tables] = await database.query("SELECT to_regclass('customers') AS name")
      const place = tables?.['name'] === null ? database : withTables(database)
      const variant = { database: 'postgres' as const, family, storage, generator: held.generator }
      const session = await orm.open(place, variant)
      opened.push({ session, held })
      return { session, held }
    }

    /** Each row's id, by what tells who wrote it. */
    async function rowsOf(table: string, writer: string): Promise<[id: string, writer: string][]> {
      const rows = await database.query(`SELECT id, ${writer} AS writer FROM ${table}`)
      return rows.map((row) => [stored.fromDatabase(row['id']), String(row['writer'])])
    }

    const numbersIn = async (table: string): Promise<number[]> =>
      (await rowsOf(table, "'any'")).map(([id]) => numberOf(id))

    test('every way of inserting stores the leased number', async () => {
      const { session, held } = await open()
      for (const [path, { run }] of Object.entries(orm.inserts)) await run(session, customers(path, 3))
      const paths = Object.keys(orm.inserts).length
      expect(paths).toBeGreaterThan(3)
      expect(await numbersIn('customers')).toEqual(Array(paths * 3).fill(held.partition))
    })

    test('upserts and related rows store the leased number', async () => {
      const { session, held } = await open()
      for (const [path, { run }] of Object.entries(orm.upserts))
        await run(session, customers(path, 1)[0] as NewCustomer)
      for (const [path, { run }] of Object.entries(orm.graphs)) await run(session, graph(path))
      for (const table of ['customers', 'profiles', 'orders', 'tags']) {
        const numbers = await numbersIn(table)
        expect(numbers.length).toBeGreaterThan(0)
        expect(new Set(numbers)).toEqual(new Set([held.partition]))
      }
    })

    test('two processes repeat no id in one table', async () => {
      const [one, other] = [await open(), await open()]
      expect(one.held.partition).not.toBe(other.held.partition)
      const write = async ({ session, held }: typeof one) => {
        for (const [path, { run }] of Object.entries(orm.inserts))
          await run(session, customers(`${held.partition} ${path}`, 40))
      }
      await Promise.all([write(one), write(other)])

      const rows = await rowsOf('customers', "split_part(email, ' ', 1)")
      expect(rows).toHaveLength(2 * 40 * Object.keys(orm.inserts).length)
      expect(new Set(rows.map(([id]) => id)).size).toBe(rows.length)
      expect(rows.filter(([id, writer]) => String(numberOf(id)) !== writer)).toEqual([])
    })

    test('after release no way of writing stores a row', async () => {
      const { session, held } = await open()
      await insert(session, [{ email: 'early', name: 'before' }])
      await held.release()

      const late = { email: 'late', name: 'after' }
      const refused = async (write: Promise<unknown>) =>
        expect(await refusalOf(write)).toMatchObject({
          ...EXPIRED,
          message: expect.stringContaining('was released'),
        })
      for (const { run } of Object.values(orm.inserts))
        await refused(run(session, [late, { ...late, email: 'later' }]))
      for (const { run } of Object.values(orm.upserts)) await refused(run(session, late))
      for (const { run } of Object.values(orm.graphs)) await refused(run(session, graph('late')))
      expect(await rowsOf('customers', 'name')).toEqual([[expect.any(String), 'before']])
    })

    test('a lease that is lost while the database is down stores no row, then or later', async () => {
      // The leases come through a role of their own, which can be locked out.
      const role = await database.role()
      await install(database.pool, { grantLeases: [role.name] })
      const own = poolTo(role.url)
      const { session, held } = await open(own, { ttlMs: 1000 })
      const number = { min: held.partition, max: held.partition }
      // So short a lease may have run out while the ORM started; then it is being renewed.
      await vi.waitFor(() => insert(session, customers('before', 1)), { timeout: 120_000 })

      await lockOut(database, role.name)
      const successor = await open(database.pool, { numbers: number })
      expect(await refusalOf(insert(session, customers('away', 1)))).toMatchObject(EXPIRED)
      await insert(successor.session, customers('successor', 1))

      const lost = held.signal.aborted || once(held.signal, 'abort')
      await database.query(`ALTER ROLE ${role.name} LOGIN`)
      await lost
      expect(await refusalOf(insert(session, customers('lost', 1)))).toMatchObject({
        ...EXPIRED,
        message: expect.stringContaining('was lost'),
      })
      const writers = (await rowsOf('customers', 'name')).map(([, writer]) => writer)
      expect(writers.sort()).toEqual(['before', 'successor'])
      await own.end()
    })
  })
})

/** As if the database could not be reached any more, for one role. */
async function lockOut({ url }: PostgresDatabase, role: string): Promise<void> {
  await onConnection(url, async (admin) => {
    await admin.query(`ALTER ROLE ${role} NOLOGIN`)
    await admin.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = $1', [role])
  })
}
