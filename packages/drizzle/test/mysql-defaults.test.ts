import { flax } from '@snoflax/core'
import { flaxId, snoId } from '@snoflax/drizzle/mysql-core'
import { type MysqlDatabase, mysql } from '@snoflax/test'
import { eq } from 'drizzle-orm'
import { int, mysqlTable } from 'drizzle-orm/mysql-core'
import { drizzle } from 'drizzle-orm/mysql2'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { mysqlStatements } from './generated-sql.js'

describe.runIf(mysql.selected())("default: 'database'", () => {
  let database: MysqlDatabase
  beforeAll(async () => {
    database = await mysql.open()
  })
  afterAll(() => database?.close())

  test.each(['binary', 'text'] as const)('the server generates flax ids as %s', async (storage) => {
    const made = mysqlTable(`made_${storage}`, {
      id: flaxId({ default: 'database', storage }).primaryKey(),
      n: int(),
    })
    for (const statement of await mysqlStatements({ made })) await database.query(statement)
    const db = drizzle(database.pool)
    await db.insert(made).values([{ n: 1 }, { n: 2, id: flax.min }])
    const [row] = await db.select().from(made).where(eq(made.n, 1))
    expect(flax.is(row?.id)).toBe(true)
    expect(await db.select().from(made).where(eq(made.id, flax.min))).toEqual([{ id: flax.min, n: 2 }])
  })
})

test('is refused for sno, which needs a partition', () => {
  expect(() => mysqlTable('t', { id: snoId({ default: 'database' }) })).toThrow(
    /t\.id: sno: ids that mysql generate/,
  )
})
