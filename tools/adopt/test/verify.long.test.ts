import type { TableOptions } from '@snoflax/adopt'
import { sno } from '@snoflax/core'
import { type PostgresDatabase, postgres } from '@snoflax/test'
import { afterEach, describe, expect, test } from 'vitest'
import { chinookTables, type Maker, makers } from './chinook.js'
import { type Opened, plan } from './moves.js'
import { fillShop, openShop as openPostgres } from './postgres-chinook.js'
import { openShop as openSqlite } from './sqlite-chinook.js'

let database: Opened
afterEach(() => database.close())

const tables = chinookTables('serial', makers['sno'] as Maker).map((one) => ({
  ...one,
  storage: 'text' as const,
}))

async function move(shop: Opened): Promise<void> {
  const adoption = await plan(shop, tables)
  await adoption.backfill()
  await adoption.switchKeys()
}

/** Shops that have moved; PostgreSQL's are copies of one. */
const openMoved = {
  postgres: () => postgres.open({ template: { name: 'chinook_moved', prepare: fillAndMove } }),
  sqlite: async () => {
    const shop = await openSqlite('serial')
    await move(shop)
    return shop
  },
}

async function fillAndMove(shop: PostgresDatabase): Promise<void> {
  await fillShop(shop.query, 'serial')
  await move(shop)
}

const idOf = (legacyId: number) => `(SELECT id FROM before WHERE legacy_id = ${legacyId})`
const SWAP = [
  'CREATE TABLE before AS SELECT id, legacy_id FROM invoice',
  "UPDATE invoice SET id = 'parked' WHERE legacy_id = 5",
  `UPDATE invoice SET id = ${idOf(5)} WHERE legacy_id = 300`,
  `UPDATE invoice SET id = ${idOf(300)} WHERE legacy_id = 5`,
]

/** Damage after the switch, done with foreign keys and unique keys out of force, and what it is told as. */
const DAMAGE: [name: string, sql: string[], fault: RegExp][] = [
  ['two ids swapped', SWAP, /invoice\.id: \d rows out of the order of creation/],
  [
    'a foreign key to another row',
    ['UPDATE invoice_line SET track_id = (SELECT id FROM track WHERE legacy_id = 9) WHERE legacy_id = 1'],
    /invoice_line\.track_id: 1 row whose old and new values/,
  ],
  [
    'a foreign key lost',
    ['UPDATE customer SET support_rep_id = NULL WHERE legacy_id = 3'],
    /customer\.support_rep_id: 1 row whose/,
  ],
  [
    'a text that is not an id',
    ["UPDATE playlist SET id = 'no id of anything' WHERE legacy_id = 12"],
    /playlist\.id 12: sno: an id has 16 characters/,
  ],
]

describe.each([
  ['postgres', openPostgres],
  ['sqlite', openSqlite],
] as const)('%s', (kind, open) => {
  test.each(DAMAGE)('verify finds %s', async (_name, sql, fault) => {
    database = await openMoved[kind]()
    const adoption = await plan(database, tables)
    if (database.kind === 'sqlite') await database.query('PRAGMA foreign_keys = OFF')
    else await loosen(database)
    for (const statement of sql) await database.query(statement)
    const { faults } = await adoption.verify()
    expect(faults.find((one) => fault.test(one)) ?? faults).toMatch(fault)
  })

  test('verify finds an id lost before the switch', async () => {
    database = await open('serial')
    const adoption = await plan(database, tables)
    await adoption.backfill()
    await database.query(
      database.kind === 'sqlite'
        ? 'UPDATE snoflax_adoption_map_5 SET id = NULL WHERE key = 100'
        : 'UPDATE track SET snoflax_new_id = NULL WHERE id = 100',
    )
    expect((await adoption.verify()).faults).toContainEqual(
      expect.stringMatching(/track\.id: 1 row without an id/),
    )
  })

  test('verify reports an id of another time as drift', async () => {
    database = await open('serial')
    const adoption = await plan(database, [tables.find(({ table }) => table === 'artist') as TableOptions])
    await adoption.backfill()
    await adoption.switchKeys()
    expect((await adoption.verify()).tables[0]?.maxDriftMs).toBeLessThanOrEqual(4)
    if (database.kind === 'sqlite') await database.query('PRAGMA foreign_keys = OFF')
    else await loosen(database)
    const later = sno.generator({ partition: 1, clock: () => Date.UTC(2031, 0) }).generate()
    await database.query(`UPDATE artist SET id = '${later}' WHERE legacy_id = 60`)
    const { tables: verified } = await adoption.verify()
    expect(verified[0]?.maxDriftMs).toBeGreaterThan(365 * 24 * 3_600_000)
  })
})

test.each([
  ['missing', []],
  [
    'not validated',
    ['ALTER TABLE track ADD CONSTRAINT track_album FOREIGN KEY (album_id) REFERENCES album NOT VALID'],
  ],
])('postgres: verify finds a foreign key that is %s', async (_, statements) => {
  database = await openMoved.postgres()
  const adoption = await plan(database, tables)
  for (const statement of ['ALTER TABLE track DROP CONSTRAINT track_album', ...statements]) {
    await database.query(statement)
  }
  expect((await adoption.verify()).faults).toEqual([
    'public.track: foreign key track_album is missing or not validated; run switchKeys() again, or create it',
  ])
})

async function loosen({ query }: Opened): Promise<void> {
  const rows = await query(
    `SELECT format('ALTER TABLE %s DROP CONSTRAINT %I CASCADE', conrelid::regclass, conname) AS sql FROM pg_constraint
      WHERE connamespace = 'public'::regnamespace AND contype IN ('f', 'p') ORDER BY contype`,
  )
  for (const { sql } of rows) await query(sql as string)
}
