import { existsSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { OpenDatabase } from './databases.js'
import { databases, mysql, onConnection, pglite, postgres, sharedPostgres, sqlite } from './databases.js'

describe.each(databases)('$name', (kind) => {
  let database: OpenDatabase
  beforeAll(async () => {
    database = await kind.open()
  })
  afterAll(() => database.close())

  test('stores and returns rows', async () => {
    await database.query('CREATE TABLE note (id integer PRIMARY KEY, words varchar(20))')
    await database.query("INSERT INTO note VALUES (1, 'one'), (2, 'two')")
    const condition = kind.name === 'sqlite' || kind.name === 'mysql' ? '?' : '$1'
    expect(await database.query(`SELECT words FROM note WHERE id > ${condition}`, [1])).toEqual([
      { words: 'two' },
    ])
  })

  test('rejects the promise if the database refuses', async () => {
    await expect(database.query('SELECT words FROM nowhere')).rejects.toThrow(/nowhere/)
  })

  test('states its version', () => {
    expect(database.label).toMatch(/^(SQLite 3|PGlite, PostgreSQL 18|PostgreSQL 1[4-9]|MariaDB \d|MySQL \d)/)
  })

  test('opens another one that is empty', async () => {
    const another = await kind.open()
    try {
      await another.query('CREATE TABLE note (id integer)')
      expect(await another.query('SELECT * FROM note')).toEqual([])
    } finally {
      await another.close()
    }
  })
})

test('all databases except MySQL are always selected', () => {
  const names = databases.map((kind) => kind.name)
  expect(names).toEqual(['sqlite', 'pglite', 'postgres', ...(mysql.selected() ? ['mysql'] : [])])
})

describe('a closed database no longer exists', () => {
  test('SQLite', async () => {
    const database = await sqlite.open()
    await database.query('CREATE TABLE note (id integer)')
    expect(existsSync(database.file)).toBe(true)
    await database.close()
    expect(existsSync(database.file)).toBe(false)
  })

  test('PGlite', async () => {
    const database = await pglite.open()
    await database.close()
    await expect(database.query('SELECT 1')).rejects.toThrow(/closed/)
  })

  test('PGlite, and the next one is empty and has none of its settings', async () => {
    const database = await pglite.open()
    for (const sql of [
      'CREATE SCHEMA "of it"',
      'CREATE TABLE "of it".note (id integer)',
      'SET TimeZone = 3',
    ]) {
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

  test.runIf(mysql.selected())('MySQL', async () => {
    const [one, other] = [await mysql.open(), await mysql.open()]
    const there = () =>
      other.query('SELECT schema_name AS name FROM information_schema.schemata WHERE schema_name = ?', [
        one.name,
      ])
    expect(await there()).toEqual([{ name: one.name }])
    await one.close()
    await one.close()
    expect(await there()).toEqual([])
    await other.close()
  })

  test('PostgreSQL, with its sessions and roles', async () => {
    const database = await postgres.open()
    const session = await database.connect()
    const role = await database.role()
    await session.query(`CREATE TABLE note (id integer); GRANT SELECT ON note TO ${role.name}`)
    const there = () =>
      onConnection(sharedPostgres().url, async (client) => {
        const { rows } = await client.query(
          `SELECT datname AS name FROM pg_database WHERE datname = $1
           UNION SELECT rolname FROM pg_roles WHERE rolname = $2`,
          [database.name, role.name],
        )
        return rows.length
      })
    expect(await there()).toBe(2)
    await database.close()
    await database.close()
    expect(await there()).toBe(0)
  })
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

  test('creates roles that may log in and nothing else', async () => {
    const database = await postgres.open()
    try {
      await database.query('CREATE TABLE note (id integer)')
      const { name, url } = await database.role()
      await onConnection(url, async (client) => {
        expect((await client.query('SELECT current_user AS name')).rows).toEqual([{ name }])
        await expect(client.query('SELECT * FROM note')).rejects.toThrow(/permission denied/)
        await expect(client.query('CREATE DATABASE another')).rejects.toThrow(/permission denied/)
      })
    } finally {
      await database.close()
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

  test('refuses a template name that cannot be a database name', async () => {
    const template = { name: 'x; DROP', prepare: async () => {} }
    await expect(postgres.open({ template })).rejects.toThrow('no name for a template')
  })
})
