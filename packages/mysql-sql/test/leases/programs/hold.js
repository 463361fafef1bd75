// Leases partitions, makes snos with them and writes these down, again and again, as a process of its own whose clock is
// off and steps. With { checked: false } its generator is one that doesn't ask the lease: the fault that must be seen.
import { closeSync, openSync, writeSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { IdError, sno } from '@snoflax/core'
import { leasePartition } from '@snoflax/mysql-sql'
import { createPool } from 'mysql2/promise'

const { name, url, file, checked, numbers, ttlMs, skewMs } = JSON.parse(process.argv[2])

const [BATCHES, IDS_A_BATCH] = [8, 60]
const between = (from, to) => from + Math.random() * (to - from)

let stepMs = 0
const offMs = between(-skewMs, skewMs)
const clock = () => Date.now() + offMs + stepMs
setInterval(() => {
  stepMs = between(-skewMs, skewMs)
}, 1700).unref()

const database = createPool({ uri: url, connectionLimit: 2, connectTimeout: 2000 })
const out = openSync(file, 'a')

// Whatever becomes of the test.
setTimeout(() => process.exit(1), 1_200_000).unref()

let stopping = false
process.on('SIGTERM', () => {
  stopping = true
})

const lease = () =>
  leasePartition(database, { family: sno, numbers, ttlMs, holder: name, waitMs: 2000, clock })

const still = new Int32Array(new SharedArrayBuffer(4))

/** Some batches, as work that leaves no room for renewals; none where the generator has no ids for this moment. */
function make(generator) {
  for (let i = 0; i < BATCHES; i++) {
    try {
      writeSync(out, `${generator.batch(IDS_A_BATCH).join('\n')}\n`)
    } catch (error) {
      if (!(error instanceof IdError)) throw error
    }
    Atomics.wait(still, 0, 0, 3)
  }
}

/** A generator that the lease doesn't hold back, but knows of. */
function unchecked({ partition, generator }) {
  const free = sno.generator({ partition, sequenceMin: 0, sequenceMax: 0xffff, clock })
  const tell = () => {
    try {
      generator.generate()
    } catch {}
  }
  return {
    batch(count) {
      tell()
      return free.batch(count)
    },
  }
}

/** None was free, or the server is away or just starting. */
const isPassing = ({ code, fatal }) =>
  code === 'LEASE_UNAVAILABLE' ||
  fatal === true ||
  /^(E[A-Z]+|PROTOCOL_|ER_SERVER_SHUTDOWN|ER_CON_COUNT)/.test(code)

while (!stopping) {
  try {
    const held = await lease()
    const generator = checked ? held.generator : unchecked(held)
    const untilMs = performance.now() + between(500, 6000)
    while (!stopping && !held.signal.aborted && performance.now() < untilMs) {
      make(generator)
      await sleep(1)
    }
    await held.release()
  } catch (error) {
    if (!isPassing(error)) throw error
    await sleep(between(50, 300))
  }
}
closeSync(out)
await database.end().catch(() => {})
