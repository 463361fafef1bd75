import { MikroORM as PostgreSql } from '@mikro-orm/postgresql'
import { MikroORM as Sqlite } from '@mikro-orm/sqlite'
import { type PostgresDatabase, postgres } from '@snoflax/test'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type Any,
  type Em,
  entitiesWith,
  type Ids,
  KIND_NAMES,
  KINDS,
  type Kind,
  OURS,
  PLAIN,
  POST,
  POST2,
  ROWS,
  TAG,
  TAG2,
  type Value,
  WRONG,
} from './entities.js'

const one = ROWS[0]
const three = ROWS[2]

/** Rows 1 and 2 are there; each write gives `value` to one of them, or to row 3. */
type Write = (em: Em, E: Any, value: unknown) => Promise<unknown>
const withValue = (row: object, value: unknown) => (value === undefined ? row : { ...row, value })

const WRITES: Readonly<Record<string, Write>> = {
  'create() and flush()': async (em, E, value) => {
    const created: Any = em.create(E, withValue({ id: three, title: 'c' }, value) as Any)
    await em.flush()
    return created.id
  },
  'create() of two and flush()': async (em, E, value) => {
    em.create(E, { id: WRONG, title: 'd' } as Any)
    em.create(E, withValue({ id: three, title: 'c' }, value) as Any)
    await em.flush()
  },
  'assign() and flush()': async (em, E, value) => {
    const row: Any = await em.findOneOrFail(E, one as Any)
    em.assign(row, withValue({ title: 'x' }, value) as Any)
    await em.flush()
  },
  'assign() of two and flush()': async (em, E, value) => {
    const rows: Any[] = await em.find(E, {}, { orderBy: { id: 'asc' } as Any })
    em.assign(rows[0], withValue({ title: 'x' }, value) as Any)
    em.assign(rows[1], { title: 'y' } as Any)
    await em.flush()
  },
  'insert()': (em, E, value) => em.insert(E, withValue({ id: three, title: 'c' }, value) as Any),
  'insertMany() of one': async (em, E, value) =>
    void (await em.insertMany(E, [withValue({ id: three, title: 'c' }, value)] as Any)),
  'insertMany()': async (em, E, value) =>
    void (await em.insertMany(E, [
      { id: WRONG, title: 'd' },
      withValue({ id: three, title: 'c' }, value),
    ] as Any)),
  'nativeUpdate()': (em, E, value) =>
    em.nativeUpdate(E, { id: one } as Any, withValue({ title: 'x' }, value) as Any),
  'upsert()': async (em, E, value) =>
    ((await em.upsert(E, withValue({ id: one, title: 'x' }, value) as Any)) as Any).id,
  'upsert() of a new row': async (em, E, value) =>
    ((await em.upsert(E, withValue({ id: three, title: 'c' }, value) as Any)) as Any).id,
  'upsertMany()': async (em, E, value) => {
    const rows = [withValue({ id: one, title: 'x' }, value), withValue({ id: three, title: 'c' }, value)]
    return (await em.upsertMany(E, rows as Any)).map((row: Any) => row.id)
  },
  'query builder, insert()': async (em, E, value) =>
    void (await em
      .createQueryBuilder(E)
      .insert(withValue({ id: three, title: 'c' }, value) as Any)
      .execute()),
  'query builder, insert([…])': async (em, E, value) =>
    void (await em
      .createQueryBuilder(E)
      .insert([withValue({ id: three, title: 'c' }, value)] as Any)
      .execute()),
  'query builder, update()': async (em, E, value) =>
    void (await em
      .createQueryBuilder(E)
      .update(withValue({ title: 'x' }, value) as Any)
      .where({ id: one } as Any)
      .execute()),
  'query builder, merge()': async (em, E, value) =>
    void (await em
      .createQueryBuilder(E)
      .insert(withValue({ id: three, title: 'a' }, value) as Any)
      .onConflict('title' as Any)
      .merge(['title'] as Any)
      .execute()),
  'query builder, merge({…})': async (em, E, value) =>
    void (await em
      .createQueryBuilder(E)
      .insert({ id: three, title: 'a' } as Any)
      .onConflict('title' as Any)
      .merge(withValue({ title: 'x' }, value) as Any)
      .execute()),
}

interface Side {
  readonly em: Em
  readonly entities: Any
  readonly statements: string[]
  close(): Promise<unknown>
}

async function open(kind: 'sqlite' | 'postgres', ids: Ids): Promise<Side> {
  const entities = entitiesWith(ids)
  const statements: string[] = []
  const options = {
    entities: Object.values(entities) as Any,
    allowGlobalContext: true,
    onQuery: (sql: string) => {
      statements.push(sql)
      return sql
    },
  }
  const database = kind === 'postgres' ? await postgres.open() : undefined
  const orm = database
    ? await PostgreSql.init({ ...options, clientUrl: (database as PostgresDatabase).url })
    : await Sqlite.init({ ...options, dbName: ':memory:' })
  await orm.schema.create()
  const em = orm.em as unknown as Em
  await em.insertMany(entities.Tag, [
    { id: TAG, code: POST },
    { id: TAG2, code: POST2 },
  ])
  await em.insertMany(entities.Post, [{ id: POST }, { id: POST2 }])
  await em.insert(entities.Line, { tag: TAG, at: 1 })
  await em.insert(entities.Seat, { tag: POST, at: 1 })
  await em.insert(entities.Deep, { line: [TAG, 1], post: POST })
  await em.insert(entities.Group, { id: POST })
  await em.insert(entities.Child, { id: POST })
  for (const at of KIND_NAMES.keys()) {
    await em.insertMany(entities[`E${at}`], [
      { id: ROWS[0], title: 'a' },
      { id: ROWS[1], title: 'b' },
    ])
  }
  const close = async () => {
    await orm.close()
    await database?.close()
  }
  return { em, entities, statements, close }
}

/** What a write does, in a transaction that is rolled back. */
async function outcome({ em: main, entities, statements }: Side, at: number, write: Write, value: Value) {
  const em = main.fork() as Em
  const E = entities[`E${at}`]
  await em.begin()
  try {
    statements.length = 0
    const result = await write(em, E, value(em, entities))
    const count = statements.length
    const tables = [...em.getMetadata().getAll().values()]
      .map(({ tableName }) => tableName)
      .filter((table) => new RegExp(`^(e|group|child|link)${at}(_|$)|^e_tagged$`).test(table))
    const rows: Any = {}
    for (const table of tables) {
      const read: Any[] = await em.execute(`select * from "${table}"`)
      rows[table] = read.map((row) => JSON.stringify(row)).sort()
    }
    return { result, count, rows }
  } catch (error) {
    return { error: error as Error & { path?: string } }
  } finally {
    await em.rollback()
  }
}

const textOf = ({ error, ...rest }: Awaited<ReturnType<typeof outcome>>) =>
  error ? `${error.name}: ${error.message}` : JSON.stringify(rest)

/** Each kind of property by each write, with all its values or the first one. */
export function testKinds(kind: 'sqlite' | 'postgres', values: 'all' | 'first'): void {
  let sides: { plain: Side; ours: Side }
  beforeAll(async () => {
    sides = { plain: await open(kind, PLAIN), ours: await open(kind, OURS) }
  })
  afterAll(async () => {
    await sides?.plain.close()
    await sides?.ours.close()
  })

  test.each(KIND_NAMES)('%s', async (name) => {
    const at = KIND_NAMES.indexOf(name)
    const { wrong = [], named = 'value', except } = KINDS[name] as Kind
    const count = values === 'all' ? Number.POSITIVE_INFINITY : 1
    const path = new RegExp(`^(E|Group)${at}\\.${named}$`)
    const isRefused = (error: (Error & { path?: string }) | undefined) =>
      error?.name === 'IdError' && path.test(error.path ?? '')
    const different: string[] = []
    for (const [way, write] of Object.entries(WRITES)) {
      if (except?.test(way)) continue
      const isTaken: boolean[] = []
      for (const [which, value] of (KINDS[name] as Kind).values.slice(0, count).entries()) {
        const plain = await outcome(sides.plain, at, write, value)
        const ours = await outcome(sides.ours, at, write, value)
        isTaken.push(plain.error === undefined)
        // What MikroORM leaves to the database to refuse, or stores as text of an object, such as an entity in a query
        // builder, is refused before.
        const isRefusedBefore =
          (plain.error || textOf(plain).includes('[object Object]')) && isRefused(ours.error)
        if (textOf(plain) === textOf(ours) || isRefusedBefore) continue
        different.push(`${way}, value ${which}: ${textOf(plain)} | ${textOf(ours)}`)
      }
      for (const [which, value] of wrong.slice(0, count).entries()) {
        const ours = await outcome(sides.ours, at, write, value)
        const isRefusedByMikroOrm = ours.error?.name === 'ValidationError'
        if (isTaken[0] ? isRefused(ours.error) || isRefusedByMikroOrm : ours.error) continue
        different.push(`${way}, wrong ${which}: ${ours.error?.path} ${textOf(ours)}`)
      }
    }
    expect(different).toEqual([])
  })
}
