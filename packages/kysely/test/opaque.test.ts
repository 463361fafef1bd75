import { opaque } from '@snoflax/core'
import { idColumn, idPlugin } from '@snoflax/kysely'
import { postgres } from '@snoflax/test'
import Database from 'better-sqlite3'
import { Kysely, PostgresDialect, SqliteDialect } from 'kysely'
import { expect, test } from 'vitest'

let next: unknown
let count = 0
const orgId = opaque('org', {
  pattern: /org_\d{4}/,
  generate: () => (next ?? `org_${String(++count).padStart(4, '0')}`) as string,
})
const keyId = opaque('key', {
  pattern: /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/,
  generate: () => crypto.randomUUID(),
})
const tables = {
  orgs: { id: idColumn(orgId) },
  keys: { id: idColumn(keyId), org_id: idColumn.ref('orgs.id') },
} as const

// biome-ignore lint/suspicious/noExplicitAny: the tables' types don't matter
type Any = any

test.each([
  ['org_1', 'orgs.id: org: generate returned "org_1", which does not match /org_\\d{4}/'],
  [Promise.resolve('org_0001'), 'orgs.id: org: generate returned a promise; return the id itself'],
])('a generated %o is refused with its column, and nothing is written', async (wrong, message) => {
  const database = new Database(':memory:')
  database.exec('create table orgs (id text primary key, name text)')
  const ids = idPlugin({ database: 'sqlite', tables })
  const db = new Kysely<Any>({ dialect: new SqliteDialect({ database }), plugins: [ids] })
  next = wrong
  try {
    const insert = () =>
      db
        .insertInto('orgs')
        .values([{ id: 'org_0001' }, { name: 'new' }])
        .execute()
    await expect(Promise.resolve().then(insert)).rejects.toThrow(message)
    expect(await db.selectFrom('orgs').selectAll().execute()).toEqual([])
  } finally {
    next = undefined
  }
})

test('columns have the types that applications have, and checkColumns takes them', async () => {
  const database = await postgres.open()
  try {
    const ids = idPlugin({ database: 'postgres', tables })
    const db = new Kysely<Any>({ dialect: new PostgresDialect({ pool: database.pool }), plugins: [ids] })
    await db.schema
      .createTable('orgs')
      .addColumn('id', ids.columnType('orgs.id') as Any, (column) => column.primaryKey())
      .execute()
    await db.schema
      .createTable('keys')
      .addColumn('id', ids.columnType('keys.id') as Any, (column) => column.primaryKey())
      .addColumn('org_id', 'text')
      .execute()
    await ids.checkColumns(db)
    const org = (await db.insertInto('orgs').defaultValues().returningAll().executeTakeFirstOrThrow()) as Any
    await db.insertInto('keys').values({ org_id: org.id }).execute()
    expect(await ids.find(db, org.id)).toMatchObject({ model: 'orgs', row: org })
    expect(() => ids.createdAt('orgs.id' as never, org.id as never)).toThrow(
      /^orgs\.id: org: time\(\) needs a family with a time/,
    )
    expect(() =>
      idPlugin({ database: 'postgres', tables: { orgs: { id: idColumn(orgId, { storage: 'binary' }) } } }),
    ).toThrow(/^orgs\.id: org in postgres: cannot use storage binary: opaque ids are texts, without bytes/)
  } finally {
    await database.close()
  }
})
