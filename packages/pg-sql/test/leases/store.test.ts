import { flake } from '@snoflax/core'
import type { LeaseStore } from '@snoflax/core/leases'
import { postgresLeases } from '@snoflax/pg-sql'
import type { PostgresDatabase } from '@snoflax/test'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type ScriptedClock, START_US, scriptClock } from '../faults/scripted-clock.js'
import { openPostgres } from '../installed.js'
import { acquire, flakeRequest, request, TTL_MS } from './acquire.js'

// The database's clock is scripted: who gets which number, and which window.

const START_MS = START_US / 1000

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

describe('numbers', () => {
  test('never used are granted first, in order; all in use are refused until the first may be free', async () => {
    expect(await get('a')).toMatchObject({
      number: 1,
      shard: 0,
      startMs: START_MS - TTL_MS,
      untilMs: START_MS + TTL_MS,
    })
    await pass(1000)
    expect(await get('b')).toMatchObject({ number: 2 })
    await pass(1000)
    expect(await store.acquire(request('c'))).toEqual({ retryMs: TTL_MS - 2000 })
    expect(await store.acquire(request('c', { numbers: { min: 2, max: 2 } }))).toEqual({
      retryMs: TTL_MS - 1000,
    })
    // Those of other families do not count.
    expect(await acquire(database, flakeRequest('c'))).toMatchObject({ number: 1 })
  })

  test('that were left out are granted once the last one was used', async () => {
    await get('a', { numbers: { min: 2, max: 2 } })
    const numbers = { min: 1, max: 4 }
    expect(await get('b', { numbers })).toMatchObject({ number: 3 })
    expect(await get('c', { numbers })).toMatchObject({ number: 4 })
    expect(await get('d', { numbers })).toMatchObject({ number: 1 })
  })

  test('least recently used come next', async () => {
    const [a, b] = [await get('a'), await get('b')]
    await pass(5000)
    await store.release(a.token, START_MS + 4000)
    await store.release(b.token, START_MS + 3000)
    expect(await get('c')).toMatchObject({ number: 2 })
    expect(await get('d')).toMatchObject({ number: 1 })
  })

  test('are granted to concurrent requests, one to each', async () => {
    const many = Array.from({ length: 60 }, (_, i) => get(`holder ${i}`, { numbers: { min: 100, max: 159 } }))
    const numbers = (await Promise.all(many)).map(({ number }) => number).sort((a, b) => a - b)
    expect(numbers).toEqual(Array.from({ length: 60 }, (_, i) => 100 + i))
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

describe('shards', () => {
  const quarters = { numbers: { min: 7, max: 8 }, shards: 4 }

  test('of one number are granted before the next number', async () => {
    const given = []
    for (const holder of ['a', 'b', 'c', 'd', 'e']) given.push(await get(holder, quarters))
    expect(given.map(({ number, shard }) => [number, shard])).toEqual([
      [7, 0],
      [7, 1],
      [7, 2],
      [7, 3],
      [8, 0],
    ])
  })

  test('are divided again when all of a number are free, after the last of their windows', async () => {
    const [a, b] = [await get('a', quarters), await get('b', quarters)]
    const halves = { ...quarters, shards: 2, numbers: { min: 7, max: 7 } }
    await pass(3000)
    await store.renew(b.token, TTL_MS, START_MS)
    await pass(TTL_MS - 2000)
    // One has run out, the other goes on.
    expect(await store.acquire(request('c', halves))).toEqual({ retryMs: 2000 })
    expect(await get('c', { ...halves, numbers: { min: 7, max: 8 } })).toMatchObject({ number: 8 })
    await pass(2000)
    const c = await get('c', halves)
    expect(c).toMatchObject({ number: 7, shard: 0, startMs: START_MS + 3000 + TTL_MS })
    expect(await get('d', halves)).toMatchObject({ number: 7, shard: 1, startMs: c.startMs })
    for (const { token } of [a, b]) expect(await store.renew(token, TTL_MS, START_MS)).toBe(undefined)
  })

  test('renewed while another request is about to divide them again stay', async () => {
    const numbers = { min: 7, max: 7 }
    const { token } = await get('a', { ...quarters, numbers })
    await expectToStay(token, numbers)
  })

  test('are refused for flake', async () => {
    const asked = { ...flakeRequest('a'), shards: 2 }
    await expect(store.acquire(asked)).rejects.toMatchObject({ code: '22003' })
  })
})

test('a number keeps its epoch, since the same time has other bits with another one', async () => {
  const other = flake.withEpoch(Date.UTC(2020, 0, 1))
  const { token } = await acquire(database, flakeRequest('a'))
  await store.release(token, START_MS)
  await pass(60_000)
  const numbers = { min: 1, max: 1 }
  expect(await store.acquire({ ...flakeRequest('b', other), numbers })).toEqual({ retryMs: undefined })
  expect(await acquire(database, flakeRequest('b', other))).toMatchObject({ number: 2 })
  expect(await acquire(database, { ...flakeRequest('c'), numbers })).toMatchObject({ number: 1 })
})

describe('lease_reset', () => {
  const reset = (min: number, max: number) =>
    database.query("SELECT snoflax.lease_reset('flake', $1, $2) AS numbers", [min, max])

  test('frees numbers leased for another epoch, after the end of their windows', async () => {
    const wrong = flake.withEpoch(Date.UTC(2020, 0, 1))
    const numbers = { min: 1, max: 3 }
    const held = []
    for (const holder of ['a', 'b', 'c']) {
      held.push(await acquire(database, { ...flakeRequest(holder, wrong), numbers }))
    }
    await pass(TTL_MS)
    const asked = { ...flakeRequest('right'), numbers }
    expect(await store.acquire(asked)).toEqual({ retryMs: undefined })
    expect(await reset(1, 2)).toEqual([{ numbers: 2 }])
    expect(await acquire(database, asked)).toMatchObject({ number: 1, startMs: START_MS + TTL_MS })
    expect(await store.renew(held[1]?.token as string, TTL_MS, START_MS)).toBe(undefined)
    expect(await store.renew(held[2]?.token as string, TTL_MS, START_MS)).toMatchObject({
      startMs: held[2]?.startMs,
    })
  })

  test('frees numbers that are in use, but only after the end of their windows', async () => {
    const held = await acquire(database, { ...flakeRequest('a'), numbers: { min: 1, max: 1 } })
    await database.query('SELECT snoflax.flake_set_worker(0, 2)')
    expect(await reset(0, 1023)).toEqual([{ numbers: 1 }])
    expect(await store.renew(held.token, TTL_MS, START_MS)).toBe(undefined)
    expect(await acquire(database, { ...flakeRequest('b'), numbers: { min: 1, max: 1 } })).toMatchObject({
      startMs: held.untilMs,
    })
    const own = await database.query("SELECT state FROM snoflax.lease_of('flake', 2)")
    expect(own).toEqual([{ state: 'database' }])
  })

  test.each([
    [0, 1024, '22003'],
    [-1, 5, '22003'],
    [5, 4, '22003'],
    [null, 4, '22023'],
  ])('refuses %s to %s', async (min, max, code) => {
    await expect(reset(min as number, max)).rejects.toMatchObject({ code })
  })
})

describe('windows', () => {
  test("are extended by renewals, from the database's clock, and never shortened if that moves back", async () => {
    const { token, startMs } = await get('a')
    await pass(4000)
    const untilMs = START_MS + 4000 + TTL_MS
    expect(await store.renew(token, TTL_MS, START_MS)).toEqual({ startMs, untilMs })
    await pass(-3_600_000)
    expect(await store.renew(token, TTL_MS, START_MS)).toEqual({ startMs, untilMs })
    // After the window has ended too, if nobody else has the number.
    await pass(7_200_000)
    expect(await store.renew(token, TTL_MS, START_MS)).toEqual({ startMs, untilMs: untilMs + 3_600_000 })
  })

  test('begin after that of a holder that did not return', async () => {
    const numbers = { min: 1, max: 1 }
    const { token } = await get('a', { numbers })
    await pass(4000)
    await store.renew(token, TTL_MS, START_MS)
    await pass(TTL_MS - 1)
    expect(await store.acquire(request('b', { numbers }))).toEqual({ retryMs: 1 })
    await pass(1)
    expect(await get('b', { numbers })).toMatchObject({ startMs: START_MS + 4000 + TTL_MS })
    // The first one wakes up.
    expect(await store.renew(token, TTL_MS, START_MS)).toBe(undefined)
    await store.release(token, START_MS)
    expect(await database.query('SELECT holder, state FROM snoflax.leases')).toEqual([
      { holder: 'b', state: 'held' },
    ])
  })

  test('begin after a release where ids ended', async () => {
    const numbers = { min: 1, max: 1 }
    const { token } = await get('a', { numbers })
    await store.release(token, START_MS + 504)
    await store.release(token, START_MS)
    expect(await store.renew(token, TTL_MS, START_MS)).toBe(undefined)
    expect(await get('b', { numbers })).toMatchObject({ startMs: START_MS + 504, untilMs: START_MS + TTL_MS })
  })

  test('are neither cut below what was used nor extended by a release', async () => {
    const numbers = { min: 1, max: 1 }
    const a = await get('a', { numbers })
    await store.renew(a.token, TTL_MS, START_MS + 2000)
    await store.release(a.token, START_MS - 3_600_000)
    const b = await get('b', { numbers })
    expect(b).toMatchObject({ startMs: START_MS + 2000 })
    await store.release(b.token, START_MS + 3_600_000)
    expect(await get('c', { numbers })).toMatchObject({ startMs: b.untilMs })
  })

  test("never overlap, however the database's clock is set", async () => {
    const numbers = { min: 1, max: 1 }
    let usedUntilMs = 0
    for (const stepMs of [60_000, -1000, 20_000, -86_400_000, 86_400_000, -60_000, 5000, 86_400_000]) {
      await pass(stepMs)
      const answer = await store.acquire(request('a', { numbers }))
      if (!('token' in answer)) continue
      expect(answer.startMs).toBeGreaterThanOrEqual(usedUntilMs)
      usedUntilMs = answer.untilMs
    }
    expect(usedUntilMs).toBeGreaterThan(START_MS + 86_400_000)
  })
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

describe('refuses', () => {
  test.each([
    ['a lease that is too long', { ttlMs: 30_001 }, '22003', /ttl_ms 30001 is not from 100 to 30000/],
    ['a lease that is too short', { ttlMs: 99 }, '22003', /ttl_ms 99/],
    ['numbers that the family has not', { numbers: { min: 1, max: 65_536 } }, '22003', /last_number 65536/],
    ['no numbers', { numbers: { min: 2, max: 1 } }, '22003', /first_number 2/],
    ['too many shards', { shards: 1025 }, '22003', /shards 1025/],
    ['no shards', { shards: 0 }, '22003', /shards 0/],
    ['a holder without a name', { holder: '' }, '22023', /holder is missing/],
    ['a family without numbers', { family: 'flax' }, '22023', /"flax" has no numbers to lease/],
  ])('%s', async (_, changes, code, message) => {
    const error = await store.acquire(request('a', changes)).catch((refusal: unknown) => refusal)
    expect(error).toMatchObject({ code, message: expect.stringMatching(message) })
    expect(await database.query('SELECT * FROM snoflax.leases')).toEqual([])
  })

  test('NULL arguments', async () => {
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

  test('longer leases until the owner allows them in two steps', async () => {
    const [set, confirm] = [
      "SELECT snoflax.lease_set_max_ttl('sno', 60000)",
      "SELECT snoflax.lease_confirm_max_ttl('sno')",
    ]
    const once = [`${set}; ${confirm}`, `BEGIN; SAVEPOINT a; ${set}; RELEASE a; ${confirm}; COMMIT`]
    for (const sql of once) await expect(database.query(sql)).rejects.toMatchObject({ code: '55000' })
    await database.query(set)
    await expect(get('a', { ttlMs: 60_000 })).rejects.toMatchObject({ code: '22003' })
    await database.query(confirm)
    expect(await get('a', { ttlMs: 60_000 })).toMatchObject({ untilMs: START_MS + 60_000 })
    await database.query("SELECT snoflax.lease_set_max_ttl('sno', 1000)")
    await expect(get('a', { ttlMs: 1001 })).rejects.toMatchObject({ code: '22003' })
    const asked = { ...flakeRequest('b'), ttlMs: 60_000 }
    await expect(store.acquire(asked)).rejects.toMatchObject({ hint: expect.stringContaining("'flake'") })
    await expect(database.query("SELECT snoflax.lease_set_max_ttl('sno', 0)")).rejects.toMatchObject({
      code: '22003',
    })
    await expect(database.query("SELECT snoflax.lease_set_max_ttl('flax', 1000)")).rejects.toMatchObject({
      code: '22023',
    })
  })
})
