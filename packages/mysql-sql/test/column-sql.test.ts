import {
  flake,
  flax,
  type IdFamily,
  prefixed,
  type StorageName,
  sno,
  storageFor,
  uidLocal,
} from '@snoflax/core'
import { columnSql, type Server } from '@snoflax/mysql-sql'
import { type MysqlDatabase, mysql } from '@snoflax/test'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const NUMBER = 700
const META = 9

const CASES: readonly (readonly [IdFamily, StorageName, object])[] = [
  [flax, 'binary', {}],
  [flax, 'text', {}],
  [sno, 'binary', { number: NUMBER, meta: META }],
  [sno, 'text', { number: NUMBER, meta: META }],
  [flake, 'bigint', { number: NUMBER }],
  [flake, 'binary', { number: NUMBER }],
  [flake.withEpoch(1_420_070_400_000), 'bigint', { number: NUMBER }],
]

describe.runIf(mysql.selected())('ids by a default', () => {
  let database: MysqlDatabase
  let server: Server
  let table = 0
  beforeAll(async () => {
    database = await mysql.open()
    server = database.label.startsWith('MariaDB') ? 'mariadb' : 'mysql'
  })
  afterAll(() => database?.close())

  const create = async (family: IdFamily, storage: StorageName, options: object): Promise<string> => {
    const name = `t${++table}`
    const { definition } = columnSql(family, { server, storage, ...options })
    await database.query(`CREATE TABLE ${name} (id ${definition} PRIMARY KEY, n int)`)
    return name
  }

  test.each(CASES)(
    '%#: of one statement for many rows, and of many statements',
    async (family, storage, options) => {
      const name = await create(family, storage, options)
      const { fromDatabase } = storageFor(family, server, { storage })
      const before = Date.now() - family.layout.unitMs
      await database.query(`INSERT INTO ${name} (n) SELECT 0 FROM ${rows(10_000)}`)
      for (let n = 1; n <= 20; n++) await database.query(`INSERT INTO ${name} (n) VALUES (${n}), (${n})`)
      const after = Date.now()
      const stored = await database.query(`SELECT id, n FROM ${name} ORDER BY id`)
      const ids = stored.map(({ id }) => fromDatabase(id))
      expect(new Set(ids).size).toBe(10_040)
      const times = ids.map((id) => family.timeMs(id as string))
      expect(Math.min(...times)).toBeGreaterThanOrEqual(before)
      expect(Math.max(...times)).toBeLessThanOrEqual(after)
      if ('number' in options) {
        const fields = ids.map((id) => family.unpack(id as string) as Record<string, number>)
        for (const { partition, datacenter = 0, worker, meta = META } of fields) {
          expect([partition ?? datacenter * 32 + (worker as number), meta]).toEqual([NUMBER, META])
        }
      } else {
        // Each of the random bits is one about as often as not: 10 standard deviations.
        const ones = Array<number>(56).fill(0)
        for (const id of ids) {
          const bytes = family.decode(id as string).subarray(5)
          for (let bit = 0; bit < 56; bit++)
            ones[bit] = (ones[bit] as number) + (((bytes[bit >> 3] as number) >> (bit & 7)) & 1)
        }
        for (const count of ones) expect(Math.abs(count - 5020)).toBeLessThan(500)
      }
    },
  )

  test.each(CASES)(
    '%#: MariaDB gives back the same words, so that who compares schemas finds no change',
    async (...one) => {
      const name = await create(...one)
      const [row] = await database.query(
        'SELECT column_default AS word FROM information_schema.columns WHERE table_schema = ? AND table_name = ? AND column_name = ?',
        [database.name, name, 'id'],
      )
      const [family, storage, options] = one
      const { default: expression } = columnSql(family, { server, storage, ...options })
      if (server === 'mariadb') expect(row?.['word']).toBe(expression)
    },
  )

  test.each(['+00:00', '+13:00', '-09:30'])(
    'in a session of time zone %s, and of other modes',
    async (zone) => {
      const connection = await database.pool.getConnection()
      try {
        const modes = 'ANSI,NO_BACKSLASH_ESCAPES,NO_UNSIGNED_SUBTRACTION'
        for (const [family, storage, options] of CASES) {
          const name = await create(family, storage, options)
          await connection.query(`SET time_zone = '${zone}', sql_mode = '${modes}'`)
          await connection.query(`INSERT INTO ${name} (n) VALUES (1)`)
          await connection.query('SET NAMES latin1')
          await connection.query(`INSERT INTO ${name} (n) VALUES (1)`)
          await connection.query('SET NAMES utf8mb4 COLLATE utf8mb4_turkish_ci')
          await connection.query(
            "SET sql_mode = 'ANSI,NO_BACKSLASH_ESCAPES,HIGH_NOT_PRECEDENCE,PIPES_AS_CONCAT'",
          )
          await connection.query(`CREATE TABLE ${name}_copy LIKE ${name}`)
          await connection.query(`INSERT INTO ${name}_copy (n) VALUES (1)`)
          const { fromDatabase } = storageFor(family, server, { storage })
          for (const from of [name, `${name}_copy`]) {
            for (const { id } of await database.query(`SELECT id FROM ${from}`)) {
              expect(Math.abs(family.timeMs(fromDatabase(id) as string) - Date.now())).toBeLessThan(60_000)
            }
          }
        }
      } finally {
        connection.destroy()
      }
    },
  )

  test('a clock outside the span of the family makes no id', async () => {
    const connection = await database.pool.getConnection()
    try {
      const name = await create(flax, 'binary', {})
      await connection.query("SET timestamp = unix_timestamp('2014-12-30')")
      await expect(connection.query(`INSERT INTO ${name} (n) VALUES (1)`)).rejects.toMatchObject({
        code: 'ER_BAD_NULL_ERROR',
      })
    } finally {
      connection.destroy()
    }
  })

  test('a table that has ids already', async () => {
    const { default: expression, type } = columnSql(flax, { server, storage: 'text' })
    await database.query(`CREATE TABLE older (id ${type} PRIMARY KEY, n int)`)
    await database.query(`ALTER TABLE older ALTER COLUMN id SET DEFAULT ${expression}`)
    await database.query('INSERT INTO older (n) VALUES (1)')
    const [row] = await database.query('SELECT id FROM older')
    expect(flax.is(row?.['id'])).toBe(true)
  })
})

describe('refuses', () => {
  const messageOf = (work: () => unknown): string => {
    try {
      return String(work())
    } catch (error) {
      return (error as Error).message
    }
  }

  test.each([
    [
      'a family without such a default',
      () => columnSql(uidLocal, { server: 'mysql' }),
      /uidLocal: .* no built-in DEFAULT/,
    ],
    [
      'a number that is missing',
      () => columnSql(sno, { server: 'mysql' }),
      /sno: ids that mysql generates need their own partition or worker/,
    ],
    [
      'a number that does not fit',
      () => columnSql(flake, { server: 'mysql', number: 1024 }),
      /number .* 1023/,
    ],
    ['a metabyte of flax', () => columnSql(flax, { server: 'mysql', meta: 1 }), /meta/],
    [
      'a metabyte that does not fit',
      () => columnSql(sno, { server: 'mysql', number: 1, meta: 256 }),
      /meta .*255/,
    ],
    [
      'a prefix that is stored',
      () => columnSql(prefixed(flax, 'cus', { stored: 'prefixed' }), { server: 'mysql' }),
      /without a prefix/,
    ],
    ['storage uuid', () => columnSql(flax, { server: 'mariadb', storage: 'uuid' }), /uuid/],
  ])('%s', (_, work, message) => {
    expect(messageOf(work)).toMatch(message)
  })
})

/** So many rows. */
function rows(count: number): string {
  const digits =
    '(SELECT 0 d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 ' +
    'UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9)'
  const tables = Array.from(String(count - 1), (_, i) => `${digits} d${i}`)
  const value = tables.map((_, i) => `d${i}.d * ${10 ** i}`).join(' + ')
  return `(SELECT ${value} AS n FROM ${tables.join(', ')}) numbers WHERE n < ${count}`
}
