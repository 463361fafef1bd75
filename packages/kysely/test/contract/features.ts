import { idColumn, idPlugin } from '@snoflax/kysely'
import { type Created, type FeatureAdapter, storageDatabase } from '@snoflax/test/contract'
import { Kysely } from 'kysely'
import { dialectFor } from './session.js'

const NO_KEYS = "Kysely's plugin knows keys only as columns that generate ids"
const NO_MODELS = 'Kysely has no models'

const adapter: FeatureAdapter = {
  orm: 'Kysely',
  absent: {
    'key, declared at the table': 'one form of declaration',
    'unique, declared at the column': NO_KEYS,
    'unique, declared at the table': NO_KEYS,
    'unique index': NO_KEYS,
    'part of a unique set': NO_KEYS,
    'reference that is the key': NO_KEYS,
    'reference in a composite key': NO_KEYS,
    'key of a column with another name': NO_MODELS,
    'two models of one table': NO_MODELS,
    'soft-deleted row, whose n is not null': NO_MODELS,
    'single-table inheritance, by note': NO_MODELS,
    'table per type, others being the parent': NO_MODELS,
    'declared in an abstract class': NO_MODELS,
    'inside an embedded object': NO_MODELS,
    'foreign key that generates ids': 'its plugin knows no foreign keys but references',
  },
  async open({ form, family, database }) {
    const id = idColumn(family, { storage: 'text' })
    const plain = idColumn.plain(family, { storage: 'text' })
    const rows = form === 'table of a schema' ? 'ids.rows' : 'rows'
    const others = {
      reference: { row_id: idColumn.ref('rows.id') },
      'table with a view, others': { id: plain },
      'two tables that generate ids of one prefix': { id },
    }
    const ids = idPlugin({
      database: storageDatabase(database.kind),
      tables: {
        ...(form in others && { others: others[form as keyof typeof others] }),
        [rows]: form === 'neither generated nor unique' ? { id: plain } : { id },
      },
    })
    // biome-ignore lint/suspicious/noExplicitAny: tables of each form
    const db = new Kysely<any>({ dialect: dialectFor(database), plugins: [ids] })
    const path = `${rows}.id` as never
    const range = ([name, ...times]: Created) => (ids[name] as (...args: unknown[]) => never)(path, ...times)
    return {
      find: (value) => ids.find(db, value as string),
      page: async (page) =>
        db
          .selectFrom(rows)
          .selectAll()
          .$call(ids.keyset(path, page as never))
          .execute(),
      read: (...created) => db.selectFrom(rows).selectAll().where(range(created)).execute(),
      remove: (...created) => db.deleteFrom(rows).where(range(created)).execute(),
      writes: {
        '`values`': (id) => db.insertInto(rows).values({ id, note: 'new' }).execute(),
        '`set`': (id, stored) => db.updateTable(rows).set({ id }).where('id', '=', stored.id).execute(),
        upserts: (id, stored) => {
          const insert = db.insertInto(rows).values({ ...stored })
          return database.kind === 'mysql'
            ? insert.onDuplicateKeyUpdate({ id }).execute()
            : insert.onConflict((on) => on.column('id').doUpdateSet({ id })).execute()
        },
      },
    }
  },
}

export default adapter
