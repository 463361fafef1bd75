import { flax, prefixed } from '@snoflax/core'
import { idColumn, idPlugin } from '@snoflax/kysely'
import { databases, type OpenDatabase } from '@snoflax/test'
import { Kysely, sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { dialectFor, PGliteDialect } from './contract/session.js'

// After a conflict: which row keeps its key, and what is returned, beside keys that the application makes by hand.

// biome-ignore lint/suspicious/noExplicitAny: tables don't matter here
type Any = any
interface World {
  readonly db: Kysely<Any>
  /** A row of an insert: ours has no id. */
  row(values: object): Any
}
type Outcome = 'the stored row keeps its key' | 'the row has a new key' | 'refused'

const customerId = prefixed(flax, 'cus')
const conflict = (build: (one: Any) => Any) => (rows: Any) => rows.onConflict(build)

/** By form: the databases, what becomes of the key, and the builder. */
const FORMS: Readonly<
  Record<string, readonly [databases: string, outcome: Outcome, form: (insert: Any) => Any]>
> = {
  'doUpdateSet() of fields': [
    'sqlite postgres',
    'the stored row keeps its key',
    conflict((one) => one.column('email').doUpdateSet({ name: 'new' })),
  ],
  'doUpdateSet() of excluded': [
    'sqlite postgres',
    'the stored row keeps its key',
    conflict((one) => one.column('email').doUpdateSet((eb: Any) => ({ name: eb.ref('excluded.name') }))),
  ],
  'doUpdateSet() of the excluded key': [
    'sqlite postgres',
    'the row has a new key',
    conflict((one) => one.column('email').doUpdateSet((eb: Any) => ({ id: eb.ref('excluded.id') }))),
  ],
  'doUpdateSet() with a condition': [
    'sqlite postgres',
    'the stored row keeps its key',
    conflict((one) =>
      one.column('email').doUpdateSet({ name: 'new' }).where('customers.name', '=', 'nobody'),
    ),
  ],
  'doNothing()': [
    'sqlite postgres',
    'the stored row keeps its key',
    conflict((one) => one.column('email').doNothing()),
  ],
  'orReplace()': ['sqlite', 'the row has a new key', (insert) => insert.orReplace()],
  'orIgnore()': ['sqlite', 'the stored row keeps its key', (insert) => insert.orIgnore()],
  'onDuplicateKeyUpdate()': [
    'mysql',
    'the stored row keeps its key',
    (insert) => insert.onDuplicateKeyUpdate({ name: 'new' }),
  ],
  'ignore()': ['mysql', 'the stored row keeps its key', (insert) => insert.ignore()],
  'no clause': ['sqlite postgres mysql', 'refused', (insert) => insert],
}

describe.each(databases.filter(({ name }) => name !== 'pglite' || PGliteDialect))('$name', (kind) => {
  const dialect = kind.name === 'pglite' ? 'postgres' : kind.name

  async function openWorld(database: OpenDatabase, isOurs: boolean): Promise<World> {
    const tables = { customers: { id: idColumn(customerId) } }
    const ids = idPlugin({ database: dialect as 'sqlite', tables })
    const db = new Kysely<Any>({ dialect: dialectFor(database), plugins: isOurs ? [ids] : [] })
    const type = ids.columnType('customers.id')
    await sql`create table customers (id ${type} primary key not null, email varchar(40) unique, name varchar(40))`.execute(
      db,
    )
    return { db, row: (values) => (isOurs ? values : { id: customerId.generate(), ...values }) }
  }

  const forms = Object.entries(FORMS).filter(([, [of]]) => of.split(' ').includes(dialect))
  test.each(forms)('%s', async (_, [, outcome, form]) => {
    const seen: unknown[] = []
    for (const isOurs of [true, false]) {
      const database = await kind.open()
      const { db, row } = await openWorld(database, isOurs)
      await db
        .insertInto('customers')
        .values(row({ email: 'a', name: 'old' }))
        .execute()
      const all = db.selectFrom('customers').selectAll().orderBy('email')
      const [before] = await all.execute()
      const rows = [row({ email: 'a', name: 'new' }), row({ email: 'b', name: 'new' })]
      const insert = form(db.insertInto('customers').values(rows))
      const returned = await (dialect === 'mysql' ? insert : insert.returningAll())
        .execute()
        .catch(() => 'refused')
      const after = await all.execute()
      expect(after.every(({ id }) => customerId.is(id))).toBe(true)
      const kept = after[0]?.['id'] === before?.['id']
      const became =
        returned === 'refused' ? returned : kept ? 'the stored row keeps its key' : 'the row has a new key'
      expect(became).toBe(outcome)
      const named = ({ id, ...others }: Any) => ({
        ...others,
        key: after.findIndex((one) => one['id'] === id),
      })
      seen.push([after.map(named), dialect === 'mysql' || returned === 'refused' ? [] : returned.map(named)])
      await database.close()
    }
    expect(seen[0]).toEqual(seen[1])
  })
})
