import { sno } from '@snoflax/core'
import type { LeaseStore } from '@snoflax/leases'
import { leasePartition, postgresLeases } from '@snoflax/pg-sql'
import type { PostgresDatabase } from '@snoflax/test'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { START_MS, testStore } from '../../../../test/leases/store-contract.js'
import { type ScriptedClock, scriptClock } from '../faults/scripted-clock.js'
import { openPostgres } from '../installed.js'
import { acquire, flakeRequest, request, TTL_MS } from './acquire.js'

// The database's clock is scripted: who gets which number, and which window.

let database: PostgresDatabase
let clock: ScriptedClock
let store: LeaseStore
beforeEach(async () => {
  database = await openPostgres()
  clock = await scriptClock(database)
  store = postgresLeases(database.pool)
})
afterEach(() => database.close())

const pass = (ms: number): Promise<void> => clock.move(ms * 1000)
const get = (holder: string, changes = {}) => acquire(database, request(holder, changes))

testStore(() => ({
  store,
  pooled: store,
  setClock: (ms) => clock.set(ms * 1000),
  call: (call) => database.query(`SELECT snoflax.${call}`),
  isHeld: async (token) =>
    (await database.query('SELECT FROM snoflax._lease WHERE token = $1', [token])).length > 0,
  leases: () => database.query('SELECT * FROM snoflax.leases'),
  refusal: (message, code) => ({ code, message: expect.stringMatching(message) }),
}))

test('without options, and with one that does not exist, it says what is missing and what there is', async () => {
  await expect(leasePartition(database.pool, undefined as never)).rejects.toMatchObject({
    name: 'IdError',
    field: 'family',
  })
  await expect((async () => leasePartition(database.pool, null as never))()).rejects.toMatchObject({
    name: 'IdError',
    code: 'INVALID_OPTION',
  })
  const misspelt = { family: sno, numbers: { min: 1, max: 2 }, schemas: 'snoflax' }
  await expect(leasePartition(database.pool, misspelt as never)).rejects.toMatchObject({
    name: 'IdError',
    message: expect.stringMatching(/no option "schemas"; options are family, .*, schema$/),
  })
})

/** The holder prolongs its lease in a transaction, and another one asks for its number before that commits. */
async function expectToStay(token: string, numbers: { min: number; max: number }): Promise<void> {
  await pass(TTL_MS)
  const session = await database.connect()
  await session.query('BEGIN')
  await session.query('SELECT snoflax.lease_renew($1, 10000, NULL)', [token])
  const taking = store.acquire(request('b', { numbers }))
  const waiting = `SELECT FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock' AND query ~ 'lease_acquire'`
  await expect.poll(() => database.query(waiting), { timeout: 30_000 }).toHaveLength(1)
  await session.query('COMMIT')
  expect(await taking).toEqual({ retryMs: 1 })
  expect(await store.renew(token, TTL_MS, START_MS)).toMatchObject({ untilMs: START_MS + 2 * TTL_MS })
}

test('a number renewed while another request is about to take it stays with its holder', async () => {
  const numbers = { min: 1, max: 1 }
  const { token } = await get('a', { numbers })
  await expectToStay(token, numbers)
})

test('a request that waits longer than lock_timeout is repeated', async () => {
  const [session, client] = [await database.connect(), await database.connect()]
  await client.query('SET lock_timeout = 20')
  const failed: unknown[] = []
  const impatient = postgresLeases({
    query: (text, values) =>
      client.query(text, values).catch((error) => {
        failed.push(error.code)
        throw error
      }),
  })
  await session.query("BEGIN; SELECT FROM snoflax._lease_family WHERE family = 'sno' FOR UPDATE")
  const taking = impatient.acquire(request('b'))
  await Promise.race([taking, expect.poll(() => failed, { timeout: 30_000 }).toContain('55P03')])
  await session.query('COMMIT')
  expect(await taking).toMatchObject({ number: 1 })
})

test('shards renewed while another request is about to divide them again stay', async () => {
  const numbers = { min: 7, max: 7 }
  const { token } = await get('a', { numbers, shards: 4 })
  await expectToStay(token, numbers)
})

test("lease_reset returns how many numbers were leased, and leaves the database's own", async () => {
  const reset = (min: number | null, max: number) =>
    database.query("SELECT snoflax.lease_reset('flake', $1, $2) AS numbers", [min, max])
  await acquire(database, { ...flakeRequest('a'), numbers: { min: 1, max: 1 } })
  await database.query('SELECT snoflax.flake_set_worker(0, 2)')
  expect(await reset(0, 1023)).toEqual([{ numbers: 1 }])
  expect(await database.query("SELECT state FROM snoflax.lease_of('flake', 2)")).toEqual([
    { state: 'database' },
  ])
  for (const [min, max] of [
    [0, 1024],
    [-1, 5],
    [5, 4],
  ] as const)
    await expect(reset(min, max)).rejects.toMatchObject({ code: '22003' })
  await expect(reset(null, 4)).rejects.toMatchObject({ code: '22023' })
})

test('the view snoflax.leases shows who holds what', async () => {
  const a = await get('a')
  await get('b')
  await pass(2000)
  await store.renew(a.token, TTL_MS, START_MS + 1500)
  await pass(TTL_MS - 1000)
  const at = (ms: number) => new Date(START_MS + ms)
  const rows = await database.query('SELECT * FROM snoflax.leases ORDER BY number')
  expect(rows).toEqual([
    {
      family: 'sno',
      number: 1,
      shard: 0,
      shards: 1,
      holder: 'a',
      state: 'held',
      acquired_at: at(0),
      renewed_at: at(2000),
      expires_at: at(2000 + TTL_MS),
      starts_at: at(-TTL_MS),
      reserved_until: at(2000 + TTL_MS),
      used_until: at(1500),
    },
    expect.objectContaining({ number: 2, holder: 'b', state: 'expired', used_until: null }),
  ])
  await store.release(a.token, START_MS + 1500)
  expect(await database.query("SELECT state, reserved_until FROM snoflax.lease_of('sno', 1)")).toEqual([
    { state: 'free', reserved_until: at(1500) },
  ])
  expect(await database.query("SELECT * FROM snoflax.lease_of('sno', 9)")).toEqual([])
})

test('refuses NULL arguments', async () => {
  const call = "snoflax.lease_acquire('sno', 'a', 1000, 1, 2, 1, 0)"
  for (const argument of ["'sno'", "'a'", '1000', '1, 2', '2, 1', '1, 0', '0)']) {
    const broken = call.replace(argument, argument.replace(/^'?\w+'?/, 'NULL'))
    await expect(database.query(`SELECT * FROM ${broken}`)).rejects.toMatchObject({
      code: expect.stringMatching(/^22023|22003$/),
    })
  }
  expect(await database.query('SELECT * FROM snoflax.lease_renew(NULL, 1000, NULL)')).toEqual([])
  expect(await database.query('SELECT snoflax.lease_release(NULL, 1) AS done')).toEqual([{ done: false }])
})

test('refuses both steps to a longer lease in one transaction, and limits that cannot be', async () => {
  const [set, confirm] = [
    "SELECT snoflax.lease_set_max_ttl('sno', 60000)",
    "SELECT snoflax.lease_confirm_max_ttl('sno')",
  ]
  const once = [`${set}; ${confirm}`, `BEGIN; SAVEPOINT a; ${set}; RELEASE a; ${confirm}; COMMIT`]
  for (const sql of once) await expect(database.query(sql)).rejects.toMatchObject({ code: '55000' })
  const asked = { ...flakeRequest('b'), ttlMs: 60_000 }
  await expect(store.acquire(asked)).rejects.toMatchObject({ hint: expect.stringContaining("'flake'") })
  const setting = (family: string, ms: number) =>
    database.query('SELECT snoflax.lease_set_max_ttl($1, $2)', [family, ms])
  await expect(setting('sno', 0)).rejects.toMatchObject({ code: '22003' })
  await expect(setting('flax', 1000)).rejects.toMatchObject({ code: '22023' })
})

test('a family whose number is never leased cannot be adopted', async () => {
  await database.query("SELECT snoflax.uid_set_node('here')")
  const adopted = database.query("SELECT snoflax.lease_adopt('uid')")
  await expect(adopted).rejects.toMatchObject({
    code: '22023',
    message: expect.stringContaining('"uid" has no'),
  })
})
