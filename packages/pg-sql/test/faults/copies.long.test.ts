import type { PostgresDatabase, PostgresServer } from '@snoflax/test'
import { connectTo, postgres, startServer, urlTo } from '@snoflax/test'
import type { Client } from 'pg'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Generator } from './generators.js'
import { generators, installGenerators, numbered } from './generators.js'
import { MadeIds } from './made-ids.js'

test('a dump restored on another server generates no ids before its number is set', async () => {
  const original = await postgres.open()
  const server = await startServer()
  try {
    await installGenerators(original)
    for (const { generate } of generators) await original.query(`SELECT ${generate}`)
    const restored = await server.database()
    await installGenerators(restored)
    // The row is all that tells the servers apart.
    const columns = 'number, database, system'
    for (const row of await original.query(`SELECT family, ${columns} FROM snoflax._generator`)) {
      await restored.query(
        `UPDATE snoflax._generator SET (${columns}) = ($2::bigint,
           (SELECT oid FROM pg_database WHERE datname = current_database()), $3::bigint) WHERE family = $1`,
        [row['family'], row['number'], row['system']],
      )
    }
    for (const { generate, number } of numbered) {
      await expect(restored.query(`SELECT ${generate}`)).rejects.toMatchObject({ code: '55000' })
      await restored.query(number(9) as string)
      await restored.query(`SELECT ${generate}`)
    }
  } finally {
    await server.stop()
    await original.close()
  }
})

describe('a standby that lagged when its primary died', () => {
  let primary: PostgresServer
  let database: PostgresDatabase
  beforeEach(async () => {
    primary = await startServer()
    database = await primary.database()
    await installGenerators(database)
  })
  afterEach(() => primary.stop())

  const START_MS = 1_793_491_200_000
  // A sequence, as scripted-clock.ts has it, would come to the standby with the state; a function comes first.
  const setClock = (client: Client, ms: number) =>
    client.query(
      `CREATE OR REPLACE FUNCTION snoflax._clock_us() RETURNS bigint LANGUAGE sql VOLATILE PARALLEL SAFE RETURN ${ms}::bigint * 1000`,
    )
  const makeAll = async (made: ReadonlyMap<Generator, MadeIds>, client: Client) => {
    for (const [{ generate }, ids] of made) {
      await ids.addFrom(() =>
        client.query<{ id: string }>(`SELECT ${generate} AS id FROM generate_series(1, 500)`),
      )
    }
  }
  const nothing = () => new Map(generators.map((generator) => [generator, new MadeIds()]))

  test('repeats none of the ids that it had not received', async () => {
    const made = nothing()
    const standby = await primary.standby()
    try {
      const onPrimary = await database.connect()
      await setClock(onPrimary, START_MS)
      await makeAll(made, onPrimary)
      // The clock steps back, so that the state is ahead of it: what was made last looks like the future.
      await setClock(onPrimary, START_MS - 9000)
      await makeAll(made, onPrimary)
      await standby.caughtUp()
      const onStandby = await connectTo(urlTo(standby.url, { database: database.name }))
      await expect(onStandby.query('SELECT snoflax.sno_generate()')).rejects.toMatchObject({ code: '25006' })
      await standby.disconnect()
      for (let i = 0; i < 20; i++) await makeAll(made, onPrimary)
      await primary.kill9()

      await standby.promote()
      await setClock(onStandby, START_MS - 8900)
      for (let i = 0; i < 3; i++) await makeAll(made, onStandby)
      const { rows } = await onStandby.query('SELECT snoflax.sno_time(snoflax.sno_generate()) AS at')
      expect(rows[0].at.getTime()).toBe(START_MS - 8900 + 10_000)

      await setClock(onStandby, START_MS + 3_600_000)
      await makeAll(made, onStandby)
      const later = await onStandby.query('SELECT snoflax.sno_time(snoflax.sno_generate()) AS at')
      expect(later.rows[0].at.getTime()).toBe(START_MS + 3_600_000)
      await onStandby.end()
      for (const ids of made.values()) {
        ids.expectNoRepeat()
        ids.expectOrder()
        expect(ids.count).toBe(13_000)
      }
    } finally {
      await standby.stop()
    }
  })

  test.each([2500, 2000])(
    'checks its timeline first, even if its state is of this unit: %i ids',
    async (count) => {
      const made = nothing()
      const standby = await primary.standby()
      try {
        const onPrimary = await database.connect()
        await setClock(onPrimary, START_MS)
        // Of the smaller count it hears of none.
        if (count === 2500) await makeAll(made, onPrimary)
        await standby.caughtUp()
        // One session lives through the promotion.
        const early = await connectTo(urlTo(standby.url, { database: database.name }))
        await expect(early.query('SELECT snoflax.sno_generate()')).rejects.toMatchObject({ code: '25006' })
        await standby.disconnect()
        await makeAll(made, onPrimary)
        await primary.kill9()

        await standby.promote()
        const late = await connectTo(urlTo(standby.url, { database: database.name }))
        for (const session of [late, early, late]) await makeAll(made, session)
        await early.end()
        await late.end()
        for (const ids of made.values()) {
          ids.expectNoRepeat()
          ids.expectOrder()
          expect(ids.count).toBe(count)
        }
      } finally {
        await standby.stop()
      }
    },
  )
})
