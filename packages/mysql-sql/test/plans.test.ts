import { flake, flax, type IdFamily, type StorageName, sno, storageFor } from '@snoflax/core'
import { columnSql, install, partitionsSql, type Server, timeSql } from '@snoflax/mysql-sql'
import { type MysqlDatabase, mysql } from '@snoflax/test'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const CASES: readonly (readonly [IdFamily, StorageName, object])[] = [
  [flax, 'binary', {}],
  [flax, 'text', {}],
  [sno, 'binary', { number: 7 }],
  [sno, 'text', { number: 7 }],
  [flake, 'bigint', { number: 7 }],
  [flake, 'binary', { number: 7 }],
]
const [FROM, UNTIL] = [new Date('2026-01-01'), new Date('2027-01-01')]

describe.runIf(mysql.selected())('plans', () => {
  let database: MysqlDatabase
  let server: Server
  beforeAll(async () => {
    database = await mysql.open()
    await install(database.pool, { schema: database.name })
    server = database.label.startsWith('MariaDB') ? 'mariadb' : 'mysql'
  })
  afterAll(() => database?.close())

  /** A table with ids of each hour of the year, in partitions by month. */
  async function filled(family: IdFamily, storage: StorageName, options: object): Promise<string> {
    const name = `${family.name}_${storage}`
    const { definition } = columnSql(family, { server, storage, ...options })
    const months = partitionsSql(family, { storage, from: FROM, until: UNTIL })
    await database.query(
      `CREATE TABLE ${name} (id ${definition} PRIMARY KEY, n int) PARTITION BY RANGE COLUMNS (id) (${months})`,
    )
    const { toDatabase } = storageFor(family, server, { storage })
    const rows = Array.from({ length: 365 * 24 }, (_, hour) => [
      toDatabase(family.lowerBound(new Date(FROM.getTime() + hour * 3_600_000))),
      hour,
    ])
    await database.query(`INSERT INTO ${name} (id, n) VALUES ?`, [rows])
    await database.query(`ANALYZE TABLE ${name}`)
    return name
  }

  /** The bound as a function gives it. */
  const boundOf = (family: IdFamily, storage: StorageName, at: string): string => {
    if (family.name === 'flake') {
      const bound = `flake_lower_bound('${at}', 0)`
      return storage === 'binary' ? `flake_to_binary(${bound})` : bound
    }
    return `${family.name}_lower_bound${storage === 'text' ? '_text' : ''}('${at}')`
  }

  test.each(CASES)(
    '%#: a range is one of the key, and of one partition',
    async (family, storage, options) => {
      const table = await filled(family, storage, options)
      const bounds = ['2026-05-10', '2026-05-11'].map((at) => boundOf(family, storage, at))
      const condition = `id >= ${bounds[0]} AND id < ${bounds[1]}`
      const found = await database.query(
        `SELECT min(n) AS least, max(n) AS most, count(*) AS many FROM ${table} WHERE ${condition}`,
      )
      const first = (Date.UTC(2026, 4, 10) - FROM.getTime()) / 3_600_000
      expect(found.map(({ least, most, many }) => [least, most, many].map(Number))).toEqual([
        [first, first + 23, 24],
      ])
      const { toDatabase } = storageFor(family, server, { storage })
      const { gte, lt } = family.range(new Date('2026-05-10'), new Date('2026-05-11'))
      for (const [where, values] of [
        [condition, []],
        ['id >= ? AND id < ?', [toDatabase(gte), toDatabase(lt)]],
      ] as const) {
        const [plan] = await database.query(
          `EXPLAIN ${server === 'mariadb' ? 'PARTITIONS ' : ''}SELECT * FROM ${table} WHERE ${where}`,
          values,
        )
        expect(plan).toMatchObject({ partitions: 'p202605', type: 'range', key: 'PRIMARY' })
        expect(Number(plan?.['rows'])).toBeLessThan(40)
      }
    },
  )

  test.each(CASES.filter(([, storage]) => storage !== 'text'))(
    '%#: a generated column tells the time',
    async (family, storage, options) => {
      const name = `generated_${family.name}_${storage}`
      const { definition } = columnSql(family, { server, storage, ...options })
      const madeAt = timeSql(family, { column: 'id', storage })
      await database.query(
        `CREATE TABLE ${name} (id ${definition} PRIMARY KEY, n int, made_at datetime(6) AS (${madeAt}) STORED, KEY (made_at))`,
      )
      const { toDatabase } = storageFor(family, server, { storage })
      const ids = Array.from({ length: 1000 }, () =>
        family.encode(crypto.getRandomValues(new Uint8Array(family.byteLength))),
      )
      await database.query(`INSERT INTO ${name} (id, n) VALUES ?`, [ids.map((id, n) => [toDatabase(id), n])])
      const rows = await database.query(
        `SELECT n, timestampdiff(MICROSECOND, '1970-01-01', made_at) DIV 1000 AS ms FROM ${name} ORDER BY n`,
      )
      expect(rows.map(({ ms }) => Number(ms))).toEqual(ids.map((id) => family.timeMs(id)))
    },
  )

  test('refuses what can be neither', () => {
    expect(() => timeSql(flax, { column: 'id', storage: 'text' })).toThrow(/binary or bigint, not in text/)
    expect(() => partitionsSql(flax, { from: UNTIL, until: FROM })).toThrow(/until is after from/)
    expect(() => partitionsSql(flax, { from: FROM, until: new Date(Number.NaN) })).toThrow(/Date/)
  })
})
