import { flax, prefixed } from '@snoflax/core'
import type { OpenDatabase } from '@snoflax/test'
import { ne, sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dialects } from './dialects.js'

// After a conflict: which row keeps its key, and what is returned, beside a text() column whose default is made by hand.

// biome-ignore lint/suspicious/noExplicitAny: the dialects' types differ, the calls don't
type Any = any
type Outcome = 'the stored row keeps its key' | 'the row has a new key' | 'refused'
interface World {
  readonly db: Any
  readonly customers: Any
  readonly drafts: Any
  /** The key of the stored row. */
  readonly stored: string
}

const customerId = prefixed(flax, 'cus')
const ROWS = [
  { email: 'a', name: 'new' },
  { email: 'b', name: 'new' },
]
const insert = ({ db, customers }: World, rows: readonly object[] = ROWS) => db.insert(customers).values(rows)
const doUpdate =
  (config: (world: World) => object) =>
  (world: World): Any =>
    insert(world).onConflictDoUpdate({ target: world.customers.email, ...config(world) })
const onDuplicate =
  (set: (world: World) => object) =>
  (world: World): Any =>
    insert(world).onDuplicateKeyUpdate({ set: set(world) })
/** The rows of another table with their keys. Without a condition SQLite reads ON as that of a join. */
const insertDrafts = ({ db, customers, drafts }: World) =>
  db.insert(customers).select(db.select().from(drafts).where(sql`true`))
/** A row with the stored key, and one with a key of its own. */
const withKeys = ({ stored }: World) => [
  { id: stored, email: 'c', name: 'new' },
  { id: customerId.generate(), email: 'b', name: 'new' },
]

/** By form: the databases, what becomes of the key, and the statement. */
const FORMS: Readonly<
  Record<string, readonly [databases: string, outcome: Outcome, form: (world: World) => Any]>
> = {
  'onConflictDoNothing()': [
    'sqlite postgres',
    'the stored row keeps its key',
    (world) => insert(world).onConflictDoNothing(),
  ],
  'onConflictDoNothing() of another column': [
    'sqlite postgres',
    'the stored row keeps its key',
    (world) => insert(world).onConflictDoNothing({ target: world.customers.email }),
  ],
  'onConflictDoNothing() of the key, when another column conflicts': [
    'sqlite postgres',
    'refused',
    (world) => insert(world).onConflictDoNothing({ target: world.customers.id }),
  ],
  'onConflictDoNothing() of the key': [
    'sqlite postgres',
    'the stored row keeps its key',
    (world) => insert(world, withKeys(world)).onConflictDoNothing({ target: world.customers.id }),
  ],
  'onConflictDoUpdate()': [
    'sqlite postgres',
    'the stored row keeps its key',
    doUpdate(() => ({ set: { name: 'set' } })),
  ],
  'onConflictDoUpdate() of excluded': [
    'sqlite postgres',
    'the stored row keeps its key',
    doUpdate(() => ({ set: { name: sql`excluded.name` } })),
  ],
  'onConflictDoUpdate() of the excluded key': [
    'sqlite postgres',
    'the row has a new key',
    doUpdate(() => ({ set: { id: sql`excluded.id` } })),
  ],
  'onConflictDoUpdate() of the key to itself': [
    'sqlite postgres',
    'the stored row keeps its key',
    doUpdate(({ customers }) => ({ set: { id: customers.id, name: 'set' } })),
  ],
  'onConflictDoUpdate() of the key': [
    'sqlite postgres',
    'the row has a new key',
    doUpdate(() => ({ set: { id: customerId.generate() } })),
  ],
  'onConflictDoUpdate() with a condition': [
    'sqlite postgres',
    'the stored row keeps its key',
    doUpdate(({ customers, stored }) => ({
      set: { name: 'set' },
      setWhere: ne(customers.id, stored),
    })),
  ],
  'onConflictDoUpdate() with target key': [
    'sqlite postgres',
    'the stored row keeps its key',
    (world) =>
      insert(world, withKeys(world)).onConflictDoUpdate({
        target: world.customers.id,
        set: { name: sql`excluded.name` },
      }),
  ],
  'onConflictDoUpdate() with target key, when another column conflicts': [
    'sqlite postgres',
    'refused',
    (world) => insert(world).onConflictDoUpdate({ target: world.customers.id, set: { name: 'set' } }),
  ],
  'insert().select(), onConflictDoNothing()': [
    'sqlite postgres',
    'the stored row keeps its key',
    (world) => insertDrafts(world).onConflictDoNothing(),
  ],
  'insert().select(), onConflictDoUpdate()': [
    'sqlite postgres',
    'the row has a new key',
    (world) =>
      insertDrafts(world).onConflictDoUpdate({
        target: world.customers.email,
        set: { id: sql`excluded.id` },
      }),
  ],
  'onDuplicateKeyUpdate()': ['mysql', 'the stored row keeps its key', onDuplicate(() => ({ name: 'set' }))],
  'onDuplicateKeyUpdate() of the key to itself': [
    'mysql',
    'the stored row keeps its key',
    onDuplicate(() => ({ id: sql`id` })),
  ],
  'onDuplicateKeyUpdate() of the inserted key': [
    'mysql',
    'the row has a new key',
    onDuplicate(() => ({ id: sql`values(id)`, name: sql`values(name)` })),
  ],
  'onDuplicateKeyUpdate() of the key': [
    'mysql',
    'the row has a new key',
    onDuplicate(() => ({ id: customerId.generate() })),
  ],
  'onDuplicateKeyUpdate() with the stored key': [
    'mysql',
    'the stored row keeps its key',
    (world) => insert(world, withKeys(world)).onDuplicateKeyUpdate({ set: { name: 'set' } }),
  ],
  'insert().select(), onDuplicateKeyUpdate()': [
    'mysql',
    'the stored row keeps its key',
    (world) => insertDrafts(world).onDuplicateKeyUpdate({ set: { name: 'set' } }),
  ],
  'ignore()': [
    'mysql',
    'the stored row keeps its key',
    ({ db, customers }) => db.insert(customers).ignore().values(ROWS),
  ],
  'no clause': ['sqlite postgres mysql', 'refused', insert],
}

describe.each(dialects)('$name', ({ name, open, over, table, core, ids }) => {
  const dialect = name === 'pglite' ? 'postgres' : name
  const { text, varchar }: Any = core
  let database: OpenDatabase
  beforeAll(async () => {
    database = await open()
  })
  afterAll(() => database.close())

  /** Two tables, one with a row, whose keys are plain texts or ids of a storage. */
  async function openWorld(storage: 'plain' | 'text' | 'binary'): Promise<World> {
    const key = () =>
      storage === 'plain'
        ? (dialect === 'mysql' ? varchar('id', { length: 40 }) : text('id')).$defaultFn(() =>
            customerId.generate(),
          )
        : ids.idColumn('id', customerId, { storage })
    const columns = () => ({ id: key().primaryKey(), email: text('email').unique(), name: text('name') })
    const [customers, drafts] = [table('customers', columns()), table('drafts', columns())]
    for (const one of ['customers', 'drafts']) {
      await database.query(`drop table if exists ${one}`)
      await database.query(
        `create table ${one} (id ${customers.id.getSQLType()} primary key not null, email varchar(40) unique, name varchar(40))`,
      )
    }
    const db: Any = over(database)
    await db.insert(customers).values({ email: 'a', name: 'old' })
    await db.insert(drafts).values(ROWS)
    const [{ id: stored }] = await db.select().from(customers)
    return { db, customers, drafts, stored }
  }

  /** What a form does: keys are told by the place of their row. */
  async function outcomeOf(form: (world: World) => Any, storage: 'plain' | 'text' | 'binary') {
    const world = await openWorld(storage)
    const { db, customers, stored } = world
    const statement = form(world)
    // Drizzle counts a row that MySQL updates twice, so its $returningId() throws after it, whatever the keys.
    const returned: Any = await (dialect === 'mysql'
      ? statement.$returningId()
      : statement.returning()
    ).catch((error: Error) => (error instanceof TypeError ? 'TypeError' : 'refused'))
    const rows: Any[] = await db.select().from(customers).orderBy(customers.email)
    expect(rows.every(({ id }) => customerId.is(id))).toBe(true)
    const named = ({ id, ...others }: Any) => ({ ...others, row: rows.findIndex((one) => one.id === id) })
    const kept = rows[0].id === stored ? 'the stored row keeps its key' : 'the row has a new key'
    return {
      became: returned === 'refused' ? returned : kept,
      rows: rows.map(named),
      returned: Array.isArray(returned) ? returned.map(named) : returned,
    }
  }

  const forms = Object.entries(FORMS).filter(([, [of]]) => of.split(' ').includes(dialect))
  test.each(forms)('%s', async (_, [, outcome, form]) => {
    const plain = await outcomeOf(form, 'plain')
    expect(plain.became).toBe(outcome)
    for (const storage of ['text', 'binary'] as const) expect(await outcomeOf(form, storage)).toEqual(plain)
  })
})
