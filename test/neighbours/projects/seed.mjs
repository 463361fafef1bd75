import assert from 'node:assert/strict'
import { flax, sno } from '@snoflax/core'
import * as ours from '@snoflax/drizzle/sqlite-core'
import Database from 'better-sqlite3'
import { sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import * as theirs from 'drizzle-orm/sqlite-core'
import { seed } from 'drizzle-seed'
import { statementsOf } from './exercise.mjs'

const people = theirs.sqliteTable('people', {
  id: ours.snoId({ storage: 'binary' }).primaryKey(),
  bossId: ours.snoId.ref('boss_id').references(() => people.id),
  traceId: ours.flaxId.plain('trace_id'),
  name: theirs.text('name').notNull(),
})
const db = drizzle({ client: new Database(':memory:') })
for (const statement of statementsOf({ people })) db.run(sql.raw(statement))
await seed(db, { people }, { count: 25, seed: 3 }).refine((functions) => ({
  people: { columns: ours.seedIds(people, functions) },
}))
const rows = await db.select().from(people)
assert.equal(rows.length, 25)
for (const { id, bossId, traceId } of rows) {
  assert.ok(sno.is(id) && flax.is(traceId) && rows.some((row) => row.id === bossId))
}
console.log('stored, found and refused an id')
