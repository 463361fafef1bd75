import { setTimeout as sleep } from 'node:timers/promises'
import { planAdoption } from '@snoflax/adopt'
import { flax } from '@snoflax/core'
import { type PostgresDatabase, postgres } from '@snoflax/test'
import { expect, test } from 'vitest'

const TABLES = 30
const WRITERS = 10
const ROUNDS = Number(process.env['SNOFLAX_ROUNDS'] ?? 5)

/** In the order of the alphabet a parent comes before its children. */
const tables = Array.from({ length: TABLES }, (_, i) => `t${String(i).padStart(2, '0')}`)
const parentsOf = (i: number): number[] =>
  i === 0 ? [] : [...new Set([Math.floor((i - 1) / 3), Math.floor(i / 2)])].filter((one) => one < i)
const columnsOf = (i: number): string[] => parentsOf(i).map((parent) => `${tables[parent]}_id`)

async function fill({ query }: Pick<PostgresDatabase, 'query'>): Promise<void> {
  for (const [i, table] of tables.entries()) {
    const own = parentsOf(i).map((one) => `${tables[one]}_id integer NOT NULL REFERENCES ${tables[one]}`)
    await query(
      `CREATE TABLE ${table} (${['id serial PRIMARY KEY', 'created_at timestamptz NOT NULL DEFAULT now()', ...own].join(', ')})`,
    )
    const ones = columnsOf(i).map(() => '1')
    await query(
      `INSERT INTO ${table} (${['created_at', ...columnsOf(i)].join(', ')}) SELECT ${['now()', ...ones].join(', ')} FROM generate_series(1, 20)`,
    )
  }
}

/** Inserts rows until the keys are others: into one table, or into one and a table that refers to it. */
async function write(
  database: PostgresDatabase,
  number: number,
  isOver: () => boolean,
  written: number[],
): Promise<void> {
  const client = await database.connect()
  const insert = (i: number) => {
    const columns = columnsOf(i)
    const text =
      columns.length > 0 ? `(${columns.join(', ')}) VALUES (${columns.map(() => 2)})` : 'DEFAULT VALUES'
    return client.query(`INSERT INTO ${tables[i]} ${text}`)
  }
  try {
    for (let n = number; !isOver(); n += 7) {
      if (n % 3 === 0) {
        await client.query('BEGIN')
        await insert(n % 8)
        await insert((n % 8) * 3 + 1)
        await client.query('COMMIT')
      } else await insert(n % TABLES)
      written[number] = (written[number] ?? 0) + 1
      await sleep(number % 4)
    }
  } catch (error) {
    // A key without a default, or of another type: the switch is over.
    if (!isOver()) expect(['23502', '42804', '22P02', '42883']).toContain((error as { code?: string }).code)
  } finally {
    await client.end()
  }
}

test(`${WRITERS} writers on ${TABLES} related tables: the switch gets its locks, and loses no row`, async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const database = await postgres.open({ template: { name: 'related', prepare: fill } })
    let isOver = false
    let writers: Promise<void>[] = []
    const written: number[] = []
    try {
      const adoption = await planAdoption(database.pool, {
        tables: tables.map((table) => ({
          table,
          createdAt: 'created_at',
          generator: (clock) => flax.generator({ monotonic: true, clock }),
        })),
      })
      await adoption.backfill()
      writers = Array.from({ length: WRITERS }, (_, i) => write(database, i, () => isOver, written))
      while (Array.from({ length: WRITERS }, (_, i) => written[i] ?? 0).some((one) => one < 3))
        await sleep(10)
      await adoption.switchKeys()
      isOver = true
      await Promise.all(writers)
      expect((await adoption.verify()).faults).toEqual([])
    } finally {
      isOver = true
      await Promise.allSettled(writers)
      await database.close()
    }
  }
})

test('a table that is not to be had is named, with the statement that holds it', async () => {
  const database = await postgres.open({ template: { name: 'related', prepare: fill } })
  try {
    const [first = ''] = tables
    const adoption = await planAdoption(database.pool, {
      tables: tables.map((table) => ({
        table,
        createdAt: 'created_at',
        generator: (clock) => flax.generator({ monotonic: true, clock }),
      })),
    })
    await adoption.backfill()
    const client = await database.connect()
    await client.query('BEGIN')
    await client.query(`INSERT INTO ${first} DEFAULT VALUES`)
    await expect(adoption.switchKeys({ lockTimeoutMs: 300 })).rejects.toMatchObject({
      code: '55P03',
      message: expect.stringMatching(
        /t00.* can't be locked, in use by session \d+ .*: INSERT INTO t00 DEFAULT VALUES/,
      ),
    })
    await client.end()
  } finally {
    await database.close()
  }
})
