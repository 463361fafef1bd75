import { flake, flax, type IdFamily, type StorageName, sno, storageFor, ulid, uuid7 } from '@snoflax/core'
import { uid, uidLocal } from '@snoflax/families'
import { columnSql, install, partitionsSql, type Server, timeSql } from '@snoflax/mysql-sql'
import { type MysqlDatabase, mysql } from '@snoflax/test'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const CASES: readonly (readonly [IdFamily, StorageName])[] = [
  [flax, 'binary'],
  [flax, 'text'],
  [sno, 'binary'],
  [sno, 'text'],
  [flake, 'bigint'],
  [flake, 'binary'],
  [uid, 'binary'],
  [uid, 'text'],
  [uidLocal, 'binary'],
  [uuid7, 'binary'],
  [uuid7, 'text'],
  [ulid, 'binary'],
  [ulid, 'text'],
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

  const hourly = (family: IdFamily): string[] =>
    Array.from({ length: 365 * 24 }, (_, hour) =>
      family.lowerBound(new Date(FROM.getTime() + hour * 3_600_000)),
    )

  /** A table with ids of each hour of the year, in partitions by month. */
  async function filled(family: IdFamily, storage: StorageName): Promise<string> {
    const name = `${family.name}_${storage}`
    const { column, toDatabase } = storageFor(family, server, { storage })
    const months = partitionsSql(family, { storage, from: FROM, until: UNTIL })
    await database.query(
      `CREATE TABLE ${name} (id ${column.sql} PRIMARY KEY, n int) PARTITION BY RANGE COLUMNS (id) (${months})`,
    )
    const rows = hourly(family).map((id, hour) => [toDatabase(id), hour])
    await database.query(`INSERT INTO ${name} (id, n) VALUES ?`, [rows])
    await database.query(`ANALYZE TABLE ${name}`)
    return name
  }

  /** The bound as a function gives it: the lower one, and the upper one of uid. */
  const boundOf = (family: IdFamily, storage: StorageName, at: string, end: 'lower' | 'upper'): string => {
    if (family === flake) {
      const bound = `flake_lower_bound('${at}', 0)`
      return storage === 'binary' ? `flake_to_binary(${bound})` : bound
    }
    if (family === uid) {
      const bound = `uid_${end}_bound('${at}', 8)`
      return storage === 'text' ? `uid_encode(${bound})` : bound
    }
    const name = family === uidLocal ? 'uid_local' : family.name
    return `${name}_lower_bound${storage === 'text' ? '_text' : ''}('${at}')`
  }

  test.each(CASES)(
    '%#: a range of times is a range of the key, in one partition',
    async (family, storage) => {
      const table = await filled(family, storage)
      const { toDatabase } = storageFor(family, server, { storage })
      const { gte, lt } = family.range(new Date('2026-05-10'), new Date('2026-05-11'))
      const wanted = hourly(family).filter(
        (id) => family.compare(gte, id) <= 0 && family.compare(id, lt as string) < 0,
      )
      const from = boundOf(family, storage, '2026-05-10', 'lower')
      const until = boundOf(family, storage, '2026-05-11', 'upper')
      const connection = await database.pool.getConnection()
      try {
        await connection.query(`SET @from = ${from}, @until = ${until}`)
        for (const [where, values, isPlanned] of [
          // MySQL calls stored functions when it runs a plan, too late to choose one.
          [`id >= ${from} AND id < ${until}`, [], server === 'mariadb'],
          ['id >= @from AND id < @until', [], true],
          ['id >= ? AND id < ?', [toDatabase(gte), toDatabase(lt)], true],
        ] as const) {
          const [counted] = await connection.query(`SELECT count(*) AS many FROM ${table} WHERE ${where}`, [
            ...values,
          ])
          expect((counted as { many: unknown }[]).map(({ many }) => Number(many))).toEqual([wanted.length])
          const explain = `EXPLAIN ${server === 'mariadb' ? 'PARTITIONS' : 'FORMAT=TRADITIONAL'}`
          const [plans] = await connection.query(`${explain} SELECT * FROM ${table} WHERE ${where}`, [
            ...values,
          ])
          const [plan] = plans as Record<string, unknown>[]
          if (isPlanned) {
            expect(plan).toMatchObject({ partitions: 'p202605', type: 'range', key: 'PRIMARY' })
            expect(Number(plan?.['rows'])).toBeLessThan(40)
          } else expect(plan).toMatchObject({ type: 'ALL' })
        }
      } finally {
        connection.release()
      }
    },
  )

  test.each([
    [flax, 'binary', {}],
    [sno, 'binary', { number: 7 }],
    [flake, 'bigint', { number: 7 }],
    [flake, 'binary', { number: 7 }],
    [ulid, 'binary', {}],
  ] as const)(
    '%#: a generated column contains the time',
    async (family: IdFamily, storage: StorageName, options: object) => {
      const name = `generated_${family.name}_${storage}`
      const { definition } = columnSql(family, { server, storage, ...options })
      const createdAt = timeSql(family, { column: 'id', storage })
      await database.query(
        `CREATE TABLE ${name} (id ${definition} PRIMARY KEY, n int, created_at datetime(6) AS (${createdAt}) STORED, KEY (created_at))`,
      )
      const { toDatabase } = storageFor(family, server, { storage })
      const ids = Array.from({ length: 1000 }, () =>
        family.encode(crypto.getRandomValues(new Uint8Array(family.byteLength))),
      ).filter((id) => family.timeMs(id) <= Date.UTC(9999, 11, 31))
      await database.query(`INSERT INTO ${name} (id, n) VALUES ?`, [ids.map((id, n) => [toDatabase(id), n])])
      const rows = await database.query(
        `SELECT n, timestampdiff(MICROSECOND, '1970-01-01', created_at) DIV 1000 AS ms FROM ${name} ORDER BY n`,
      )
      expect(rows.map(({ ms }) => Number(ms))).toEqual(ids.map((id) => family.timeMs(id)))
    },
  )

  test('timeSql refuses a text column, partitionsSql a reversed range and an invalid Date', () => {
    expect(() => timeSql(flax, { column: 'id', storage: 'text' })).toThrow(/binary or bigint, not in text/)
    expect(() => partitionsSql(flax, { from: UNTIL, until: FROM })).toThrow(/until must be after from/)
    expect(() => partitionsSql(flax, { from: FROM, until: new Date(Number.NaN) })).toThrow(/Date/)
  })
})
