import { flax } from '@snoflax/core'
import { flaxId } from '@snoflax/drizzle/mysql-core'
import { mysql } from '@snoflax/test'
import { asc } from 'drizzle-orm'
import { int, mysqlTable } from 'drizzle-orm/mysql-core'
import { drizzle } from 'drizzle-orm/mysql2'
import { expect, test } from 'vitest'
import { mysqlStatements } from './generated-sql.js'

test.runIf(mysql.selected())("default: 'database': the server generates flax ids", async () => {
  const database = await mysql.open()
  try {
    for (const storage of ['binary', 'text'] as const) {
      const id = flaxId({ default: 'database', storage })
      const made = mysqlTable(`made_${storage}`, { id: id.primaryKey(), n: int() })
      for (const statement of await mysqlStatements({ made })) await database.query(statement)
      const db = drizzle(database.pool)
      await db.insert(made).values([{ n: 1 }, { n: 2, id: flax.min }])
      const rows = await db.select().from(made).orderBy(asc(made.n))
      expect(rows).toEqual([
        { n: 1, id: expect.stringMatching(flax.pattern) },
        { n: 2, id: flax.min },
      ])
    }
  } finally {
    await database.close()
  }
})
