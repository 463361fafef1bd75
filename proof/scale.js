// What many writers ask of one database: `node proof/scale.js` writes the tables into docs/leases.md, from a simulation of
// holders that renew as packages/core/src/leases/renewal.ts does. With a connection string, `node proof/scale.js
// postgres://…` measures how many renewals a second a PostgreSQL with the functions of pg-sql carries out over 1 to 64
// connections, which is the simulation's `capacity`.
import { readFileSync, writeFileSync } from 'node:fs'

const TTL_MS = 30_000
/** Renewals a second of a database with a quick disk: assumed. */
const CAPACITY = 2000
/** Measured: see docs/leases.md. */
const SLOW = 350

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

/** @param {string} url */
async function measure(url) {
  const { createRequire } = await import('node:module')
  const require = createRequire(new URL('../packages/pg-sql/package.json', import.meta.url))
  const { Pool } = require('pg')
  const { sno } = require('@snoflax/core')
  const { install, postgresLeases } = require('./cjs/index.js')
  const one = new Pool({ connectionString: url, max: 1 })
  await install(one, { families: ['sno'] })
  await one.end()
  for (const connections of [1, 4, 16, 64]) {
    const pool = new Pool({ connectionString: url, max: connections })
    const renewals = await renewalsIn(postgresLeases(pool), 5000)
    console.log(`${connections} connections: ${Math.round(renewals / 5)} renewals a second`)
    await pool.end()
  }

  /** Of 64 leases. @param {ReturnType<typeof postgresLeases>} store @param {number} ms */
  async function renewalsIn(store, ms) {
    const request = { family: 'sno', epochMs: sno.layout.epochMs, shards: 1, ttlMs: TTL_MS, holder: 'scale' }
    const tokens = []
    for (let number = 1; number <= 64; number++) {
      const grant = await store.acquire({ ...request, numbers: { min: number, max: number } })
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
    [65_536, 30_000, CAPACITY],
    [65_536, 120_000, CAPACITY],
  ]).map(([writers, ttlMs, capacity]) => {
    const { stopped } = simulate({ writers, ttlMs, capacity })
    return [
      whole(writers),
      `${ttlMs / 1000} s`,
      `${whole(capacity)} a second`,
      stopped === 0 ? 'none' : 'many',
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
  const page = new URL('../docs/leases.md', import.meta.url)
  let text = readFileSync(page, 'utf8')
  for (const [head, rows] of /** @type {const} */ ([
    ['| writers | renewals a second, mean | in the worst second |\n| --- | --- | --- |\n', asking],
    [
      '| writers | lease | renewals that the database can do | writers that refuse ids at times |\n| --- | --- | --- | --- |\n',
      saturating,
    ],
    [
      '| cut off for | writers that refuse ids | for, on average | all are back after |\n| --- | --- | --- | --- |\n',
      cut,
    ],
  ])) {
    const [before, after] = text.split(head)
    if (after === undefined) throw new Error(`docs/leases.md has no table ${head}`)
    const table = rows
      .map((row) => `| ${row.join(' | ')} |\n`)
      .join('')
      .replaceAll('|  |', '| |')
    text = `${before}${head}${table}${after.replace(/^(?:\|.*\n)*/, '')}`
  }
  writeFileSync(page, text)
}
