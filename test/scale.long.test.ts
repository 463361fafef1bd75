import { createHash, randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { flax, sno, uuid7 } from '@snoflax/core'
import { install } from '@snoflax/pg-sql'
import { startServer } from '@snoflax/test'
import { expect, test } from 'vitest'

// The figures of docs/scale.md.

const page = readFileSync(new URL('../docs/scale.md', import.meta.url), 'utf8')

const RANGES = 16
const HOUR_MS = 3_600_000
const START_MS = Date.UTC(2026, 10, 1)
const ROWS = 100_000

/** Ids of three hours, evenly spread. */
function idsOf(create: (clock: () => number) => { generate(): string }): string[] {
  let nowMs = START_MS
  const generator = create(() => nowMs)
  return Array.from({ length: ROWS }, (_, i) => {
    nowMs = START_MS + Math.floor((i * 3 * HOUR_MS) / ROWS)
    return generator.generate()
  })
}

const bucketOf = (id: string) => createHash('md5').update(id).digest().readUInt32BE() % RANGES

/**
 * Ranges that a database has made of the keys of two hours, as large as each other; then the share of the third hour's
 * rows that the busiest one takes, and how many have rows of the third hour.
 */
function spread(ids: readonly string[], keyOf: (id: string) => string, isCutAtBuckets = false) {
  const keys = ids.map(keyOf)
  const later = keys.slice((ROWS * 2) / 3)
  const before = keys.slice(0, (ROWS * 2) / 3).sort()
  const starts = Array.from({ length: RANGES }, (_, i) =>
    isCutAtBuckets ? prefixOf(i) : (before[Math.floor((i * before.length) / RANGES)] as string),
  )
  const counts = new Map<number, number>()
  for (const key of later) {
    const range = Math.max(0, starts.filter((start) => start <= key).length - 1)
    counts.set(range, (counts.get(range) ?? 0) + 1)
  }
  return { busiest: Math.max(...counts.values()) / later.length, touched: counts.size }
}

const prefixOf = (bucket: number) => `${String(bucket).padStart(2, '0')}/`

test('time-ordered keys write to one range, and hashed ones to all', () => {
  const flaxIds = idsOf((clock) => flax.generator({ clock }))
  const kinds: [string, readonly string[], (id: string) => string][] = [
    ['flax', flaxIds, (id) => id],
    ['sno', idsOf((clock) => sno.generator({ partition: 7, clock })), (id) => id],
    ['uuid7', idsOf((clock) => uuid7.generator({ clock })), (id) => id],
    ['hash of a flax and the flax', flaxIds, (id) => prefixOf(bucketOf(id)) + id],
    ['UUIDv4', idsOf(() => ({ generate: () => randomUUID() })), (id) => id],
  ]
  for (const [name, ids, keyOf] of kinds) {
    const { busiest, touched } = spread(ids, keyOf, name.startsWith('hash'))
    const [, stated] = new RegExp(`^\\| ${name} \\| (\\d+) % \\| ${touched} \\|$`, 'm').exec(page) ?? []
    expect(Number(stated), `${name}, in ${touched} ranges`).toBeCloseTo(busiest * 100, -0.3)
  }
})

test('in one PostgreSQL the right edge writes less than random keys do', async () => {
  // Of its own, since the log is that of the whole server.
  const server = await startServer()
  const database = await server.database()
  try {
    await install(database.pool, { families: ['flax'] })
    const written: number[] = []
    for (const [name, id] of [
      ['ordered', 'text COLLATE "C" DEFAULT snoflax.flax_generate_text()'],
      ['random', 'uuid DEFAULT gen_random_uuid()'],
    ]) {
      await database.query(`CREATE TABLE ${name} (id ${id} PRIMARY KEY, n int)`)
      await database.query(`INSERT INTO ${name} (n) SELECT generate_series(1, 300000)`)
      await database.query('CHECKPOINT')
      const [before] = await database.query('SELECT pg_current_wal_insert_lsn() AS at')
      await database.query(`INSERT INTO ${name} (n) SELECT generate_series(1, 20000)`)
      const [{ bytes } = {}] = await database.query(
        'SELECT pg_current_wal_insert_lsn() - $1::pg_lsn AS bytes',
        [before?.['at']],
      )
      written.push(Number(bytes))
    }
    const [ordered = 0, random = 0] = written
    console.log(`WAL of 20,000 rows after a checkpoint: ${ordered} and ${random} bytes`)
    const stated = Number(/(\d+) times as many bytes of WAL/.exec(page)?.[1])
    expect(random / ordered).toBeGreaterThan(stated * 0.6)
    expect(random / ordered).toBeLessThan(stated * 1.6)
  } finally {
    await database.close()
    await server.stop()
  }
})
