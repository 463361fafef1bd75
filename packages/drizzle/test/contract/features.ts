import { createdAfter, createdBefore, createdBetween, find, keyset } from '@snoflax/drizzle/pg-core'
import type { Created, FeatureAdapter } from '@snoflax/test/contract'
import { eq } from 'drizzle-orm'
import { mysqlView } from 'drizzle-orm/mysql-core'
import { pgSchema, pgView } from 'drizzle-orm/pg-core'
import { sqliteView } from 'drizzle-orm/sqlite-core'
import { type Dialect, dialects } from '../dialects.js'

const NO_CLASSES = 'Drizzle has tables, no classes'
const VIEWS = {
  sqlite: sqliteView,
  mysql: mysqlView,
  postgres: pgView,
  pglite: pgView,
} as unknown as Readonly<Record<string, typeof pgView>>
const created = { createdBetween, createdAfter, createdBefore }

// biome-ignore lint/suspicious/noExplicitAny: tables of each form
type Any = any

const adapter: FeatureAdapter = {
  orm: 'Drizzle',
  hasOwnLimit: true,
  hasMismatch: true,
  unchecked: 'notFound',
  absent: {
    'soft-deleted row, whose n is not null': 'Drizzle hides no rows',
    'single-table inheritance, by note': NO_CLASSES,
    'table per type, others being the parent': NO_CLASSES,
    'declared in an abstract class': NO_CLASSES,
    'inside an embedded object': 'Drizzle has no embedded objects',
  },
  async open({ form, family, onMismatch, database }) {
    const { core, table, ids, over } = dialects.find(({ name }) => name === database.kind) as Dialect
    const options = { storage: 'text', ...(onMismatch === 'notFound' && { onMismatch }) } as const
    const id = (name = 'id') => ids.idColumn(name, family, options).notNull()
    const plain = (name = 'id') => ids.idColumn.plain(name, family, options).notNull()
    const [n, note] = [core.integer('n'), core.text('note').notNull()]
    const ofNumber = { n: core.integer('n').notNull(), note }
    const named = form === 'table of a schema' ? (pgSchema('ids').table as unknown as typeof table) : table
    const rowsOf = (columns: object, more?: (of: Any) => readonly Any[]): Any =>
      named('rows', columns as never, more as never)
    const key = () => rowsOf({ id: id().primaryKey(), note })
    const FORMS: Readonly<Record<string, () => Any>> = {
      'key, declared at the table': () =>
        rowsOf({ id: id(), note }, (of) => [core.primaryKey({ columns: [of.id] })]),
      'key of a column with another name': () => rowsOf({ id: id('id_').primaryKey(), note }),
      'part of a composite key': () =>
        rowsOf({ ...ofNumber, id: id() }, (of) => [core.primaryKey({ columns: [of.n, of.id] })]),
      'unique, declared at the column': () => rowsOf({ n: n.primaryKey(), id: plain().unique(), note }),
      'unique, declared at the table': () =>
        rowsOf({ n: n.primaryKey(), id: plain(), note }, (of) => [core.unique('rows_id').on(of.id)]),
      'unique index': () =>
        rowsOf({ n: n.primaryKey(), id: plain(), note }, (of) => [core.uniqueIndex('rows_id').on(of.id)]),
      'part of a unique set': () =>
        rowsOf({ n: n.primaryKey(), id: plain(), note }, (of) => [core.unique('rows_id').on(of.note, of.id)]),
      'generated, beside a numeric key': () => rowsOf({ n: n.primaryKey(), id: id(), note }),
      'neither generated nor unique': () => rowsOf({ n: n.primaryKey(), id: plain(), note }),
    }
    const versions = () =>
      rowsOf({ ...ofNumber, id: id() }, (of) => [core.primaryKey({ columns: [of.id, of.n] })])
    const rows = form.startsWith('key with') ? versions() : (FORMS[form]?.() ?? key())
    const reference = () => ids.idColumn.ref('row_id', () => rows.id).notNull()
    const others: Readonly<Record<string, () => object>> = {
      reference: () => table('others', { n: n.primaryKey(), rowId: reference(), note }),
      'reference that is the key': () => table('others', { n, rowId: reference().primaryKey(), note }),
      'reference in a composite key': () =>
        table('others', { ...ofNumber, rowId: reference() }, (of) => [
          core.primaryKey({ columns: [of.rowId, of.n] }),
        ]),
      'table with a view, others': () =>
        (VIEWS[database.kind] as typeof pgView)('others', { id: plain() as never }).existing(),
      'two models of one table': key,
      'two tables that generate ids of one prefix': () => table('others', { id: id().primaryKey() }),
      'foreign key that generates ids': () =>
        table('others', { n: n.primaryKey(), rowId: id('row_id').references(() => rows.id), note }),
    }
    const schema = { ...(form in others && { others: others[form]?.() }), rows }
    const db: Any = over(database)
    if (form.includes('generate ids') || form.includes('generates ids')) await ids.checkColumns(db, schema)
    const range = ([name, ...times]: Created) => (created[name] as Any)(rows.id, ...times)
    return {
      find: (value) => find(db, schema, value as string) as never,
      page: async ({ take, ...options }) => {
        const { where, orderBy } = keyset(rows.id, options as never)
        return db.select().from(rows).where(where).orderBy(orderBy).limit(take)
      },
      read: async (...times) => db.select().from(rows).where(range(times)),
      remove: async (...times) => db.delete(rows).where(range(times)),
      writes: {
        '`values`': async (id) => db.insert(rows).values({ id, note: 'new' }),
        '`set`': async (id, stored) => db.update(rows).set({ id }).where(eq(rows.id, stored.id)),
        upserts: async (id, stored) => {
          const insert = db.insert(rows).values(stored)
          return database.kind === 'mysql'
            ? insert.onDuplicateKeyUpdate({ set: { id } })
            : insert.onConflictDoUpdate({ target: rows.id, set: { id } })
        },
      },
    }
  },
}

export default adapter
