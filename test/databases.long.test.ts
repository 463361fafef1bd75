import { describe, expect, test } from 'vitest'
import type { OpenDatabase } from './databases.js'
import { databases, mysql, pglite, postgres, sharedPostgres } from './databases.js'

test('all databases except MySQL are always selected', () => {
  const names = databases.map((kind) => kind.name)
  expect(names).toEqual(['sqlite', 'pglite', 'postgres', ...(mysql.selected() ? ['mysql'] : [])])
})

test('a PGlite that was closed is empty when it is opened again, without roles and settings', async () => {
  const database = await pglite.open()
  for (const sql of ['CREATE SCHEMA "of it"', 'CREATE TABLE "of it".note (id integer)', 'SET TimeZone = 3']) {
    await database.query(sql)
  }
  await database.close()
  const next = await pglite.open()
  await database.close()
  expect(await next.query("SELECT FROM pg_class WHERE relname = 'note'")).toEqual([])
  expect(await next.query("SELECT FROM pg_namespace WHERE nspname = 'of it'")).toEqual([])
  expect(await next.query('SHOW TimeZone')).not.toEqual([{ TimeZone: '<+03>-03' }])

  await next.query('CREATE ROLE reader')
  await next.close()
  const last = await pglite.open()
  expect(await last.query("SELECT FROM pg_roles WHERE rolname = 'reader'")).toEqual([])
  await last.query('DROP EXTENSION plpgsql')
  await last.close()
  const whole = await pglite.open()
  expect(await whole.query('SELECT extname FROM pg_extension')).toEqual([{ extname: 'plpgsql' }])
  await whole.close()
})

describe('PostgreSQL', () => {
  test('sorts text by language by default', async () => {
    const place = sharedPostgres()
    const order = async (collation?: string) => {
      const database = await postgres.open(collation === undefined ? {} : { collation })
      try {
        const [row] = await database.query(
          "SELECT string_agg(one, '' ORDER BY one) AS all FROM unnest(string_to_array('b,B,a,_,ä,z', ',')) one",
        )
        return row?.['all']
      } finally {
        await database.close()
      }
    }
    expect(await order('C')).toBe('B_abzä')
    if (place.version < 15) {
      await expect(order('sv')).rejects.toThrow('begins with 15')
    } else {
      expect(await order()).toBe('_aäbBz')
      expect(await order('sv')).toBe('_abBzä')
    }
  })

  test('reports the error of a template that cannot be prepared, and prepares it again the next time', async () => {
    let tries = 0
    const template = {
      name: 'second_try',
      prepare: async (database: OpenDatabase) => {
        await database.query('CREATE TABLE note (id integer)')
        tries += 1
        if (tries === 1) throw new Error('not yet')
      },
    }
    await expect(postgres.open({ template })).rejects.toThrow('not yet')
    const opened = await Promise.all([postgres.open({ template }), postgres.open({ template })])
    try {
      for (const database of opened) expect(await database.query('SELECT * FROM note')).toEqual([])
      expect(tries).toBe(2)
    } finally {
      await Promise.all(opened.map((database) => database.close()))
    }
  })
})
