import { type IdTables, idColumn, idPlugin } from '@snoflax/kysely'
import { type Keyed, type MatrixAdapter, type Program, storageDatabase } from '@snoflax/test/contract'
import { Kysely, sql } from 'kysely'
import { dialectFor } from './session.js'

// biome-ignore lint/suspicious/noExplicitAny: the tables' types differ by mode
type Db = Kysely<any>

interface Session {
  readonly db: Db
  /** Rows to insert. With plain keys the application generates the key: with ids, the plugin. */
  person(email: string, more?: object): object
  post(title: string, author_id: string, more?: object): object
  readonly isMysql: boolean
  readonly isSqlite: boolean
}

type Programs = Readonly<Record<string, Program<Session>>>

const writes: Programs = {
  nothing: async () => {},
  'insert a row': ({ db, person }) => db.insertInto('people').values(person('eve@x.org')).execute(),
  'insert rows': ({ db, person }) =>
    db
      .insertInto('people')
      .values([person('eve@x.org'), person('fay@x.org', { name: 'F' })])
      .execute(),
  'insert no rows': ({ db }) => db.insertInto('people').values([]).execute(),
  'insert a row with a key': ({ db, person }, key) =>
    db
      .insertInto('people')
      .values(person('eve@x.org', { id: key(31) }))
      .execute(),
  'insert rows with and without a key': ({ db, person }, key) =>
    db
      .insertInto('people')
      .values([person('eve@x.org'), person('fay@x.org', { id: key(31) })])
      .execute(),
  'insert a row that refers': ({ db, post }, key) =>
    db
      .insertInto('posts')
      .values(post('New', key(2)))
      .execute(),
  'insert a row that refers to none': ({ db, post }, key) =>
    db
      .insertInto('posts')
      .values(post('New', key(9)))
      .execute(),
  'insert a row with null': ({ db, person }) =>
    db
      .insertInto('people')
      .values(person('eve@x.org', { boss_id: null }))
      .execute(),
  'insert a key that is there': ({ db, person }, key) =>
    db
      .insertInto('people')
      .values(person('eve@x.org', { id: key(1) }))
      .execute(),
  'insert returning': ({ db, person, isMysql }) => {
    const insert = db.insertInto('people').values([person('eve@x.org'), person('fay@x.org')])
    return (isMysql ? insert : insert.returningAll()).execute()
  },
  'insert from a query': ({ db }, key) =>
    db
      .insertInto('posts_tags')
      .columns(['post_id', 'tag_id'])
      .expression(db.selectFrom('tags').select([sql.val(key(12)).as('post_id'), 'id as tag_id']))
      .execute(),
  'insert a subquery': ({ db, post }) =>
    db
      .insertInto('posts')
      .values(post('New', db.selectFrom('people').select('id').where('name', '=', 'Cy') as never))
      .execute(),
  'insert, or do nothing': ({ db, person, isMysql }) => {
    const insert = db.insertInto('people').values([person('ada@x.org'), person('eve@x.org')])
    return (isMysql ? insert.ignore() : insert.onConflict((on) => on.column('email').doNothing())).execute()
  },
  'insert, or update': ({ db, person, isMysql }) => {
    const insert = db.insertInto('people').values(person('ada@x.org', { name: 'New' }))
    return (
      isMysql
        ? insert.onDuplicateKeyUpdate({ name: 'New' })
        : insert.onConflict((on) =>
            on.column('email').doUpdateSet((eb) => ({ name: eb.ref('excluded.name') })),
          )
    ).execute()
  },
  'insert, or update to the inserted key': ({ db, person, isMysql }) =>
    isMysql
      ? Promise.resolve()
      : db
          .insertInto('people')
          .values(person('dee@x.org'))
          .onConflict((on) => on.column('email').doUpdateSet((eb) => ({ id: eb.ref('excluded.id') })))
          .returningAll()
          .execute(),
  'insert, or update where': ({ db, person, isMysql }) =>
    isMysql
      ? Promise.resolve()
      : db
          .insertInto('people')
          .values(person('bob@x.org'))
          .onConflict((on) =>
            on.column('email').doUpdateSet({ name: 'New' }).where('people.name', '=', 'Eve'),
          )
          .returningAll()
          .execute(),
  'insert or replace': ({ db, person, isSqlite }) =>
    isSqlite
      ? db.insertInto('people').orReplace().values(person('dee@x.org')).returningAll().execute()
      : Promise.resolve(),
  'insert or ignore': ({ db, person, isSqlite }) =>
    isSqlite
      ? db
          .insertInto('people')
          .orIgnore()
          .values([person('bob@x.org'), person('eve@x.org')])
          .returningAll()
          .execute()
      : Promise.resolve(),
  'insert, or update a reference': ({ db, person, isMysql }, key) => {
    const insert = db.insertInto('people').values(person('bob@x.org'))
    const update = { boss_id: key(3) }
    return (
      isMysql
        ? insert.onDuplicateKeyUpdate(update)
        : insert.onConflict((on) => on.column('email').doUpdateSet(update))
    ).execute()
  },
  'replace a row': ({ db, person, isMysql }, key) => {
    const row = person('bob@x.org', { id: key(3) })
    return isMysql ? db.replaceInto('people').values(row).execute() : Promise.resolve()
  },
  'link rows': ({ db }, key) =>
    db
      .insertInto('posts_tags')
      .values({ post_id: key(14), tag_id: key(23) })
      .execute(),
  'link rows twice': ({ db }, key) =>
    db
      .insertInto('posts_tags')
      .values({ post_id: key(11), tag_id: key(21) })
      .execute(),
  'update by key': ({ db }, key) =>
    db.updateTable('people').set({ name: 'New' }).where('id', '=', key(2)).execute(),
  'update by keys': ({ db }, key) =>
    db
      .updateTable('people')
      .set({ name: 'New' })
      .where('id', 'in', [key(1), key(9)])
      .execute(),
  'update by no keys': ({ db }) =>
    db.updateTable('people').set({ name: 'New' }).where('id', 'in', []).execute(),
  'update a reference': ({ db }, key) =>
    db
      .updateTable('people')
      .set({ boss_id: key(4) })
      .where('id', '=', key(3))
      .execute(),
  'update a reference to null': ({ db }, key) =>
    db.updateTable('people').set({ boss_id: null }).where('id', '=', key(4)).execute(),
  'update a key': ({ db }, key) =>
    db
      .updateTable('tags')
      .set({ id: key(51) })
      .where('id', '=', key(23))
      .execute(),
  'update from a subquery': ({ db }, key) =>
    db
      .updateTable('posts')
      .set((eb) => ({ author_id: eb.selectFrom('people').select('id').where('name', '=', 'Cy') }))
      .where('id', '=', key(11))
      .execute(),
  'update by a case': ({ db }, key) =>
    db
      .updateTable('posts')
      .set((eb) => ({ likes: eb.case().when('author_id', '=', key(1)).then(10).else(20).end() }))
      .execute(),
  'update returning': ({ db, isMysql }, key) => {
    const update = db.updateTable('people').set({ name: 'New' }).where('boss_id', '=', key(1))
    return (isMysql ? update : update.returning(['id', 'boss_id'])).execute()
  },
  'delete by key': ({ db }, key) => db.deleteFrom('people').where('id', '=', key(3)).execute(),
  'delete and cascade': ({ db }, key) => db.deleteFrom('people').where('id', '=', key(4)).execute(),
  'delete by keys': ({ db }, key) =>
    db
      .deleteFrom('tags')
      .where('id', 'in', [key(21), key(22)])
      .execute(),
  'delete by no keys': ({ db }) => db.deleteFrom('tags').where('id', 'in', []).execute(),
  'delete by another key than': ({ db }, key) => db.deleteFrom('tags').where('id', '!=', key(21)).execute(),
  'delete by a subquery': ({ db }, key) =>
    db
      .deleteFrom('posts_tags')
      .where('post_id', 'in', db.selectFrom('posts').select('id').where('author_id', '=', key(1)))
      .execute(),
  'delete a row that others refer to': ({ db }, key) =>
    db.deleteFrom('people').where('id', '=', key(1)).execute(),
  'a transaction': ({ db, person, post }, key) =>
    db.transaction().execute(async (on) => {
      await on
        .insertInto('people')
        .values(person('eve@x.org', { id: key(32) }))
        .execute()
      return on
        .insertInto('posts')
        .values(post('New', key(32)))
        .execute()
    }),
  'a transaction that is rolled back': ({ db, person }) =>
    db.transaction().execute(async (on) => {
      await on.insertInto('people').values(person('eve@x.org')).execute()
      throw new RangeError('rolled back')
    }),
  'a CTE that inserts': ({ db, person, isMysql }) =>
    isMysql
      ? Promise.resolve()
      : db.insertInto('people').values(person('eve@x.org')).returning('name').execute(),
  'raw SQL': async ({ db }, key) =>
    (await sql`update people set name = ${'New'} where id = ${key(2)}`.execute(db)).numAffectedRows,
  'raw SQL with a list': async ({ db }, key) =>
    (await sql`delete from tags where id in (${sql.join([key(21), key(23)])})`.execute(db)).numAffectedRows,
}

const reads: Programs = {
  'all people': ({ db }) => db.selectFrom('people').selectAll().orderBy('id').execute(),
  'all posts': ({ db }) => db.selectFrom('posts').selectAll().orderBy('id').execute(),
  'all tags': ({ db }) => db.selectFrom('tags').selectAll().orderBy('id').execute(),
  'all links': ({ db }) =>
    db.selectFrom('posts_tags').selectAll().orderBy('post_id').orderBy('tag_id').execute(),
  'by key': ({ db }, key) => db.selectFrom('people').selectAll().where('id', '=', key(2)).executeTakeFirst(),
  'by a key that no row has': ({ db }, key) =>
    db.selectFrom('people').selectAll().where('id', '=', key(9)).execute(),
  'or an error': ({ db }, key) =>
    db.selectFrom('people').selectAll().where('id', '=', key(9)).executeTakeFirstOrThrow(),
  'by keys': ({ db }, key) =>
    db
      .selectFrom('people')
      .select('name')
      .where('id', 'in', [key(1), key(4), key(9)])
      .orderBy('id')
      .execute(),
  'by no keys': ({ db }) => db.selectFrom('people').selectAll().where('id', 'in', []).execute(),
  'by other keys': ({ db }, key) =>
    db
      .selectFrom('people')
      .select('id')
      .where('id', 'not in', [key(1)])
      .orderBy('id')
      .execute(),
  'by an empty text': ({ db }) => db.selectFrom('people').selectAll().where('id', '=', '').execute(),
  'by a text': ({ db }) => db.selectFrom('people').selectAll().where('id', '=', 'nobody').execute(),
  'by a range': ({ db }, key) =>
    db
      .selectFrom('posts')
      .select('id')
      .where('id', '>', key(11))
      .where('id', '<=', key(13))
      .orderBy('id')
      .execute(),
  between: ({ db }, key) =>
    db
      .selectFrom('posts')
      .select('id')
      .where((eb) => eb.between('id', key(11), key(12)))
      .orderBy('id')
      .execute(),
  'the newest': ({ db }) =>
    db.selectFrom('posts').select(['id', 'title']).orderBy('id', 'desc').limit(1).execute(),
  'a page': ({ db }, key) =>
    db.selectFrom('posts').selectAll().where('id', '>', key(12)).orderBy('id').limit(2).execute(),
  'by a reference': ({ db }, key) =>
    db.selectFrom('posts').select('title').where('author_id', '=', key(1)).orderBy('id').execute(),
  'by no reference': ({ db }) =>
    db.selectFrom('people').select('id').where('boss_id', 'is', null).orderBy('id').execute(),
  or: ({ db }, key) =>
    db
      .selectFrom('people')
      .select('id')
      .where((eb) => eb.or([eb('id', '=', key(1)), eb('boss_id', '=', key(2))]))
      .orderBy('id')
      .execute(),
  not: ({ db }, key) =>
    db
      .selectFrom('people')
      .select('id')
      .where((eb) => eb.not(eb('id', '=', key(1))))
      .orderBy('id')
      .execute(),
  'a join': ({ db }) =>
    db
      .selectFrom('posts')
      .innerJoin('people', 'people.id', 'posts.author_id')
      .select(['posts.id as post', 'people.id as person', 'name'])
      .orderBy('posts.id')
      .execute(),
  'a left join': ({ db }) =>
    db
      .selectFrom('people as p')
      .leftJoin('people as b', 'b.id', 'p.boss_id')
      .select(['p.id', 'b.id as boss'])
      .orderBy('p.id')
      .execute(),
  'a join by key': ({ db }, key) =>
    db
      .selectFrom('people')
      .innerJoin('posts', (on) => on.onRef('posts.author_id', '=', 'people.id').on('posts.id', '=', key(13)))
      .selectAll('people')
      .execute(),
  'many to many': ({ db }, key) =>
    db
      .selectFrom('tags')
      .innerJoin('posts_tags', 'tag_id', 'tags.id')
      .where('post_id', '=', key(11))
      .select(['tags.id', 'label'])
      .orderBy('tags.id')
      .execute(),
  'a subquery': ({ db }, key) =>
    db
      .selectFrom('people')
      .select('name')
      .where('id', 'in', db.selectFrom('posts').select('author_id').where('id', '=', key(13)))
      .execute(),
  exists: ({ db }, key) =>
    db
      .selectFrom('people')
      .select('id')
      .where((eb) =>
        eb.exists(
          eb
            .selectFrom('posts')
            .select('id')
            .whereRef('author_id', '=', 'people.id')
            .where('posts.id', '!=', key(11)),
        ),
      )
      .orderBy('id')
      .execute(),
  'a selected subquery': ({ db }) =>
    db
      .selectFrom('people')
      .select((eb) => [
        'id',
        eb
          .selectFrom('posts')
          .select((of) => of.fn.max('posts.id').as('m'))
          .whereRef('author_id', '=', 'people.id')
          .as('newest'),
      ])
      .orderBy('id')
      .execute(),
  'a CTE': ({ db }, key) =>
    db
      .with('some', (on) => on.selectFrom('posts').selectAll().where('author_id', '=', key(1)))
      .selectFrom('some')
      .select(['id', 'title'])
      .orderBy('id')
      .execute(),
  'a union': ({ db }, key) =>
    db
      .selectFrom('people')
      .select('id')
      .where('id', '=', key(1))
      .union(db.selectFrom('people').select('id').where('id', '=', key(3)))
      .orderBy('id')
      .execute(),
  count: ({ db }, key) =>
    db
      .selectFrom('posts')
      .select((eb) => eb.fn.countAll().as('n'))
      .where('author_id', '=', key(1))
      .execute(),
  'count distinct': ({ db }) =>
    db
      .selectFrom('posts')
      .select((eb) => eb.fn.count('author_id').distinct().as('n'))
      .execute(),
  'group by key': ({ db }) =>
    db
      .selectFrom('posts')
      .select((eb) => ['author_id', eb.fn.countAll().as('n')])
      .groupBy('author_id')
      .orderBy('author_id')
      .execute(),
  having: ({ db }, key) =>
    db
      .selectFrom('posts')
      .select('author_id')
      .groupBy('author_id')
      .having('author_id', '!=', key(2))
      .orderBy('author_id')
      .execute(),
  'min and max': ({ db }) =>
    db
      .selectFrom('posts')
      .select((eb) => [eb.fn.min('id').as('a'), eb.fn.max('id').as('z')])
      .execute(),
  distinct: ({ db }) => db.selectFrom('posts').select('author_id').distinct().orderBy('author_id').execute(),
  coalesce: ({ db }) =>
    db
      .selectFrom('people')
      .select((eb) => eb.fn.coalesce('boss_id', 'id').as('of'))
      .orderBy('id')
      .execute(),
  'a case': ({ db }, key) =>
    db
      .selectFrom('people')
      .select((eb) => ['name', eb.case().when('id', '=', key(1)).then('first').else('other').end().as('is')])
      .orderBy('id')
      .execute(),
  'a tuple': ({ db, isMysql }, key) =>
    db
      .selectFrom('posts_tags')
      .selectAll()
      .where((eb) => eb(eb.refTuple('post_id', 'tag_id'), 'in', [eb.tuple(key(11), key(21))]))
      .execute()
      .then((rows) => [rows, isMysql]),
  stream: async ({ db, isMysql }, key) => {
    if (isMysql) return []
    const rows: unknown[] = []
    for await (const row of db
      .selectFrom('posts')
      .selectAll()
      .where('id', '>=', key(13))
      .orderBy('id')
      .stream())
      rows.push(row)
    return rows
  },
  'raw SQL': async ({ db }, key) =>
    (await sql`select id, name from people where id = ${key(2)}`.execute(db)).rows,
  'raw SQL with a list': async ({ db }, key) =>
    (await sql`select id from people where id in (${sql.join([key(1), key(2)])}) order by id`.execute(db))
      .rows,
  'a value in raw SQL': ({ db }, key) =>
    db
      .selectFrom('people')
      .select('name')
      .where(sql<boolean>`id = ${key(3)}`)
      .execute(),
}

const adapter: MatrixAdapter<Session> = {
  orm: 'Kysely',
  refusesCompact: true,
  storages: {
    sqlite: ['text'],
    postgres: ['text'],
    mysql: ['text'],
  },
  async open(database, { ids, plainKey }, log) {
    const idOf = (table: Keyed) => ids && idColumn(ids.of[table], { storage: ids.storage })
    const tables = {
      people: { id: idOf('people'), boss_id: idColumn.ref('people.id') },
      posts: { id: idOf('posts'), author_id: idColumn.ref('people.id') },
      tags: { id: idOf('tags') },
      posts_tags: { post_id: idColumn.ref('posts.id'), tag_id: idColumn.ref('tags.id') },
    }
    const plugins = ids
      ? [idPlugin({ database: storageDatabase(database.kind), tables: tables as IdTables })]
      : []
    const dialect = dialectFor(database)
    const db: Db = new Kysely({ dialect, plugins, log: ({ query }) => log('statement', query.sql) })
    // The plugin adds the key behind the columns that are given.
    const keyed = (row: object) => (ids || 'id' in row ? row : { ...row, id: plainKey() })
    return {
      db,
      person: (email, more) => keyed({ email, name: 'New', ...more }),
      post: (title, author_id, more) => keyed({ title, likes: 0, author_id, ...more }),
      isMysql: database.kind === 'mysql',
      isSqlite: database.kind === 'sqlite',
    }
  },
  close: async () => {},
  writes,
  reads,
}

export default adapter
