// What many writers ask of one database: `node proof/scale.js` prints what docs/leases.md says of it, from a simulation of
// holders that acquire and renew as packages/leases/src does. With a connection string, `node proof/scale.js
// postgres://…` measures what a PostgreSQL with the functions of pg-sql carries out: renewals a second over 1 to 64
// connections, and acquires a second while 100 and 10,000 numbers are leased. The costs below are such measurements.
const TTL_MS = 30_000
/** Renewals a second, measured: see docs/leases.md. */
const CAPACITY = 1200
const SLOW = 350
/** Acquires of a family run one by one. Measured at 100 and at 10,000 leased numbers: see docs/leases.md. */
const ACQUIRE_MS = 2.9
const ACQUIRE_MS_PER_LEASE = 0.0004

/** The same in each run. @param {number} seed */
function randomOf(seed) {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** Events by their time. */
class Queue {
  /** @type {[atMs: number, writer: number, isAnswer: boolean][]} */
  heap = []

  /** @param {number} atMs @param {number} writer @param {boolean} isAnswer */
  push(atMs, writer, isAnswer) {
    const { heap } = this
    let at = heap.push([atMs, writer, isAnswer]) - 1
    for (; at > 0; ) {
      const parent = (at - 1) >> 1
      if ((heap[parent]?.[0] ?? 0) <= atMs) break
      this.swap(at, parent)
      at = parent
    }
  }

  pop() {
    const { heap } = this
    this.swap(0, heap.length - 1)
    const first = heap.pop()
    for (let at = 0; ; ) {
      const [left, right] = [2 * at + 1, 2 * at + 2]
      const least = [at, left, right].reduce((a, b) =>
        (heap[b]?.[0] ?? Infinity) < (heap[a]?.[0] ?? Infinity) ? b : a,
      )
      if (least === at) return first
      this.swap(at, least)
      at = least
    }
  }

  /** @param {number} a @param {number} b */
  swap(a, b) {
    const { heap } = this
    const [one, other] = [heap[a], heap[b]]
    if (one && other) [heap[a], heap[b]] = [other, one]
  }
}

/**
 * @param {object} run
 * @param {number} run.writers
 * @param {number} [run.capacity] renewals a second
 * @param {number} [run.cutMs] for how long the database is out of reach
 * @param {number} [run.ttlMs]
 */
function simulate({ writers, capacity = CAPACITY, cutMs = 0, ttlMs = TTL_MS }) {
  const random = randomOf(42)
  const [patienceMs, cutAtMs, endMs] = [ttlMs / 3, 2 * ttlMs, 6 * ttlMs + cutMs]
  const untilMs = new Float64Array(writers).fill(ttlMs)
  const failures = new Uint8Array(writers)
  const queue = new Queue()
  const jittered = (/** @type {number} */ ms) => ms * (0.8 + random() / 5)
  for (let writer = 0; writer < writers; writer++) queue.push(random() * patienceMs, writer, false)
  const perSecond = new Uint32Array(Math.ceil(endMs / 1000) + 1)
  let freeMs = 0
  let [stoppedForMs, mostStopped, backMs] = [0, 0, 0]

  for (let event = queue.pop(); event !== undefined && event[0] < endMs; event = queue.pop()) {
    const [nowMs, writer, isAnswer] = event
    const answered = () => {
      if (nowMs > (untilMs[writer] ?? 0)) {
        stoppedForMs += nowMs - (untilMs[writer] ?? 0)
        mostStopped++
        backMs = Math.max(backMs, nowMs - cutAtMs - cutMs)
      }
      failures[writer] = 0
      untilMs[writer] = nowMs + ttlMs
      queue.push(nowMs + jittered(patienceMs), writer, false)
    }
    const failed = (/** @type {number} */ atMs) => {
      const many = (failures[writer] ?? 0) + 1
      failures[writer] = many
      queue.push(atMs + jittered(Math.min(patienceMs, (ttlMs / 12) * 2 ** (many - 1))), writer, false)
    }
    if (isAnswer) answered()
    else if (nowMs >= cutAtMs && nowMs < cutAtMs + cutMs)
      failed(nowMs + Math.min(patienceMs, cutAtMs + cutMs - nowMs))
    else {
      perSecond[Math.floor(nowMs / 1000)] = (perSecond[Math.floor(nowMs / 1000)] ?? 0) + 1
      // The database works off what it is asked for, whether anybody still waits or not.
      freeMs = Math.max(freeMs, nowMs) + 1000 / capacity
      if (freeMs - nowMs > patienceMs) failed(nowMs + patienceMs)
      else queue.push(freeMs, writer, true)
    }
  }
  // Those that wait to this day.
  for (const until of untilMs) if (until < endMs) mostStopped++
  const quiet = perSecond.slice(10, cutAtMs / 1000)
  return {
    asked: quiet.reduce((sum, count) => sum + count, 0) / quiet.length,
    most: perSecond.reduce((most, count) => Math.max(most, count), 0),
    stopped: Math.min(mostStopped / writers, 1),
    stoppedS: mostStopped === 0 ? 0 : stoppedForMs / mostStopped / 1000,
    backS: backMs / 1000,
  }
}

/**
 * All processes ask for a lease at once, wait for 10 s and a third of a lease as leasePartition() does, and are started
 * again a second later if they had no answer. Those that have a lease renew it meanwhile.
 *
 * @param {number} processes
 * @param {number} ttlMs
 */
function start(processes, ttlMs) {
  const random = randomOf(42)
  const [patienceMs, periodMs, mostMs] = [10_000 + ttlMs / 3, ttlMs / 3, 600_000]
  const queue = new Queue()
  for (let process = 0; process < processes; process++) queue.push(random() * 1000, process, false)
  let [freeMs, leased, held, again, lastMs] = [0, 0, 0, 0, 0]
  for (let event = queue.pop(); event !== undefined && event[0] < mostMs; event = queue.pop()) {
    const [nowMs, process, isAnswer] = event
    if (isAnswer) {
      held++
      lastMs = nowMs
      continue
    }
    const renewals = 1 - held / (0.9 * (periodMs / 1000)) / CAPACITY
    freeMs =
      Math.max(freeMs, nowMs) + (ACQUIRE_MS + ACQUIRE_MS_PER_LEASE * leased++) / Math.max(renewals, 0.01)
    if (freeMs - nowMs <= patienceMs) queue.push(freeMs, process, true)
    else {
      again++
      queue.push(nowMs + patienceMs + 1000, process, false)
    }
  }
  return { seconds: held < processes ? Infinity : lastMs / 1000, again }
}

/** @param {string} url */
async function measure(url) {
  const { createRequire } = await import('node:module')
  const require = createRequire(new URL('../packages/pg-sql/package.json', import.meta.url))
  const { Pool } = require('pg')
  const { sno } = require('@snoflax/core')
  const { install, postgresLeases } = require('./cjs/index.js')
  const REQUEST = { family: 'sno', epochMs: sno.layout.epochMs, shards: 1, ttlMs: TTL_MS, holder: 'scale' }
  const one = new Pool({ connectionString: url, max: 1 })
  await install(one, { families: ['sno'] })
  await one.end()
  for (const connections of [1, 4, 16, 64]) {
    const pool = new Pool({ connectionString: url, max: connections })
    const renewals = await renewalsIn(postgresLeases(pool), 5000)
    console.log(`${connections} connections: ${Math.round(renewals / 5)} renewals a second`)
    await pool.end()
  }
  const pool = new Pool({ connectionString: url, max: 16 })
  for (const leased of [100, 10_000]) {
    const acquires = await acquiresAfter(pool, leased)
    console.log(`${leased} leased: ${Math.round(acquires)} acquires a second`)
  }
  await pool.end()

  /** The acquires a second of 16 connections. @param {import('pg').Pool} pool @param {number} leased */
  async function acquiresAfter(pool, leased) {
    const store = postgresLeases(pool)
    const request = { ...REQUEST, numbers: { min: 1, max: 65_535 } }
    const take = async (/** @type {number} */ count) => {
      let left = count
      await Promise.all(
        Array.from({ length: 16 }, async () => {
          while (left-- > 0) await store.acquire(request)
        }),
      )
    }
    const { rows } = await pool.query('SELECT count(*)::int AS count FROM snoflax.leases')
    await take(leased - rows[0].count)
    const beganMs = performance.now()
    await take(200)
    return 200_000 / (performance.now() - beganMs)
  }

  /** Of 64 leases. @param {ReturnType<typeof postgresLeases>} store @param {number} ms */
  async function renewalsIn(store, ms) {
    const tokens = []
    for (let number = 1; number <= 64; number++) {
      const grant = await store.acquire({ ...REQUEST, numbers: { min: number, max: number } })
      if ('token' in grant) tokens.push(grant.token)
    }
    let renewals = 0
    const endsMs = performance.now() + ms
    const renewing = tokens.map(async (token) => {
      for (; performance.now() < endsMs; renewals++) await store.renew(token, TTL_MS, 0)
    })
    await Promise.all(renewing)
    for (const token of tokens) await store.release(token, 0)
    return renewals
  }
}

const [url] = process.argv.slice(2)
if (url !== undefined) await measure(url)
else {
  const whole = (/** @type {number} */ n) => Math.round(n).toLocaleString('en')
  const asking = [100, 1000, 10_000, 65_536].map((writers) => {
    const { asked, most } = simulate({ writers, capacity: Infinity })
    return [whole(writers), whole(asked), whole(most)]
  })
  const saturating = /** @type {const} */ ([
    [1000, 30_000, SLOW],
    [10_000, 30_000, SLOW],
    [10_000, 120_000, SLOW],
    [65_536, 600_000, SLOW],
    [10_000, 30_000, CAPACITY],
    [10_000, 60_000, CAPACITY],
    [65_536, 120_000, CAPACITY],
    [65_536, 300_000, CAPACITY],
  ]).map(([writers, ttlMs, capacity]) => {
    const { stopped } = simulate({ writers, ttlMs, capacity })
    return [
      whole(writers),
      `${ttlMs / 1000} s`,
      `${whole(capacity)} a second`,
      stopped === 0 ? 'none' : 'many',
    ]
  })
  const starting = /** @type {const} */ ([
    [100, 30_000],
    [1000, 30_000],
    [10_000, 30_000],
    [10_000, 120_000],
  ]).map(([processes, ttlMs]) => {
    const { seconds, again } = start(processes, ttlMs)
    return [
      whole(processes),
      `${ttlMs / 1000} s`,
      seconds < Infinity ? `${whole(seconds)} s` : 'not in 10 minutes',
      again === 0 ? 'none' : whole(again),
    ]
  })
  const cut = [5000, 15_000, 25_000, 60_000, 300_000].map((cutMs) => {
    const { stopped, stoppedS, backS } = simulate({ writers: 10_000, cutMs })
    return [
      `${cutMs / 1000} s`,
      stopped < 0.005 ? 'none' : stopped > 0.995 ? 'all' : `${whole(stopped * 100)} %`,
      stopped < 0.005 ? '' : `${whole(stoppedS)} s`,
      backS === 0 ? 'at once' : `${whole(backS)} s`,
    ]
  })
  for (const [head, rows] of /** @type {const} */ ([
    ['| writers | renewals a second, mean | in the worst second |\n| --- | --- | --- |\n', asking],
    [
      '| writers | lease | renewals that the database can do | writers that refuse ids at times |\n| --- | --- | --- | --- |\n',
      saturating,
    ],
    [
      '| processes | lease | all have one after | attempts that gave up |\n| --- | --- | --- | --- |\n',
      starting,
    ],
    [
      '| cut off for | writers that refuse ids | for, on average | all are back after |\n| --- | --- | --- | --- |\n',
      cut,
    ],
  ])) {
    const table = rows
      .map((row) => `| ${row.join(' | ')} |\n`)
      .join('')
      .replaceAll('|  |', '| |')
    console.log(`${head}${table}`)
  }
}
