import { storageFor, uuid7 } from '@snoflax/core'
import { expect, onTestFinished, test } from 'vitest'
import type { OpenDatabase } from '../databases.js'
import { storageDatabase } from './variant.js'

/** Tables whose keys `id` are UUIDv7, in an ORM or in a transaction of it. */
export interface Finder {
  insert(table: string, id: string): PromiseLike<unknown>
  find(id: string): PromiseLike<{ readonly model: string; readonly also: readonly object[] } | null>
}

export interface FindSession extends Finder {
  /** Left out where the driver's transactions are synchronous. */
  transaction?(work: (finder: Finder) => Promise<void>): PromiseLike<unknown>
  close?(): PromiseLike<unknown>
}

/** Logs a statement that the ORM runs. */
export type Log = (sql: string, parameters?: readonly unknown[]) => void

const EXPLAIN: Readonly<Record<OpenDatabase['kind'], readonly [explain: string, scan: RegExp]>> = {
  sqlite: ['explain query plan', /SCAN t\d/],
  pglite: ['explain', /Seq Scan on t\d/],
  postgres: ['explain', /Seq Scan on t\d/],
  mysql: ['explain', /"table":"t\d+"[^}]*"type":"(ALL|index)"/],
}
const ROWS = 500

/** Looks an id up in one table, in two and in twelve. */
export function testFind(
  kinds: readonly { readonly name: string; open(): Promise<OpenDatabase> }[],
  open: (database: OpenDatabase, tables: readonly string[], log: Log) => FindSession | Promise<FindSession>,
): void {
  const counts = kinds.flatMap((kind) => [1, 2, 12].map((count) => ({ name: kind.name, kind, count })))
  test.each(counts)('$name: an id that $count tables can have', async ({ kind, count }) => {
    const database = await kind.open()
    onTestFinished(() => database.close())
    const tables = Array.from({ length: count }, (_, at) => `t${at}`)
    const { sql } = storageFor(uuid7, storageDatabase(database.kind)).column
    for (const table of tables) {
      await database.query(`create table ${table} (id ${sql} primary key not null)`)
      const rows = Array.from({ length: ROWS }, () => `('${uuid7.generate()}')`)
      await database.query(`insert into ${table} (id) values ${rows.join(', ')}`)
      await database.query(`analyze ${database.kind === 'mysql' ? 'table ' : ''}${table}`)
    }
    const statements: Parameters<Log>[] = []
    const session = await open(database, tables, (...statement) => statements.push(statement))
    onTestFinished(async () => void (await session.close?.()))
    const found = async (id: string) => {
      statements.length = 0
      const row = await session.find(id)
      return { row, statements: statements.length }
    }
    const [first = '', last = ''] = [tables[0], tables.at(-1)]
    const id = uuid7.generate()

    expect(await found(id)).toEqual({ row: null, statements: 1 })
    const [statement = '', parameters = []] = statements[0] ?? []
    const [explain, scan] = EXPLAIN[database.kind]
    const plan = JSON.stringify(await database.query(`${explain} ${statement}`, parameters))
    expect(plan).not.toMatch(scan)

    await session.insert(last, id)
    const one = { model: last, column: 'id', row: { id } }
    expect(await found(id)).toMatchObject({ row: { ...one, also: [] }, statements: Math.min(count, 2) })
    if (count > 1) {
      await session.insert(first, id)
      const { row, statements } = await found(id)
      expect([row, ...(row?.also ?? [])]).toEqual(
        expect.arrayContaining([
          expect.objectContaining(one),
          expect.objectContaining({ ...one, model: first }),
        ]),
      )
      expect([row?.also.length, statements]).toEqual([1, 3])
    }

    await session.transaction?.(async (transaction) => {
      const own = uuid7.generate()
      await transaction.insert(last, own)
      expect(await transaction.find(own)).toMatchObject({ model: last, row: { id: own } })
    })
  })
}
