import { randomUUID } from 'node:crypto'
import { defineEntity, type EntityManager, p } from '@mikro-orm/core'
import { type SqlEntityManager, MikroORM as Sqlite } from '@mikro-orm/sqlite'
import { flax, prefixed } from '@snoflax/core'
import { idProperty } from '@snoflax/mikro-orm'
import { databases, type OpenDatabase, type SqliteDatabase } from '@snoflax/test'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ormOnServer } from './drivers.js'

type Em = SqlEntityManager & EntityManager
type Entities = ReturnType<typeof entitiesWith>

/** What generates the keys of rows that a query builder inserts; MikroORM itself generates those of the others. */
const PLAIN_KEY: Record<string, string> = {
  sqlite: '(lower(hex(randomblob(10))))',
  postgres: 'gen_random_uuid()::text',
  mysql: '(uuid())',
}

function entitiesWith(name: string, id: object) {
  const User = defineEntity({
    name: `${name}User`,
    properties: {
      id: id as ReturnType<typeof idProperty<string>>,
      email: p.string().length(100).unique(),
      age: p.integer().default(0),
    },
  })
  const Pet = defineEntity({
    name: `${name}Pet`,
    properties: {
      id: p.integer().primary().autoincrement(),
      owner: () => p.manyToOne(User),
    },
  })
  return { User, Pet }
}

async function ormOn(database: OpenDatabase, entities: never): Promise<{ em: Em; close(): Promise<void> }> {
  const options = { entities, allowGlobalContext: true }
  const orm =
    database.kind === 'sqlite'
      ? await Sqlite.init({ ...options, dbName: (database as SqliteDatabase).file })
      : await ormOnServer(database, options)
  await orm.schema.update({ safe: true })
  return orm as never
}

const OLD = { email: 'a@example.org', age: 5 } as never
const NEW = { email: 'b@example.org', age: 6 } as never

const qb = (em: Em, { User }: Entities) => em.createQueryBuilder(User)

/** What returns an entity, entities or nothing. */
const UPSERTS: Readonly<Record<string, (em: Em, entities: Entities) => Promise<unknown>>> = {
  'em.upsert()': (em, { User }) => em.upsert(User, OLD),
  'em.upsert() of a new row': (em, { User }) => em.upsert(User, NEW),
  'em.upsert() of an entity': (em, { User }) => em.upsert(em.create(User, OLD, { persist: false })),
  'em.upsert(), fields': (em, { User }) =>
    em.upsert(User, OLD, { onConflictFields: ['email'], onConflictMergeFields: ['age'] }),
  'em.upsert(), ignore': (em, { User }) => em.upsert(User, OLD, { onConflictAction: 'ignore' }),
  'em.upsert(), exclude': (em, { User }) => em.upsert(User, OLD, { onConflictExcludeFields: ['age'] }),
  'em.upsertMany()': (em, { User }) => em.upsertMany(User, [OLD, NEW]),
  'em.upsertMany(), ignore': (em, { User }) =>
    em.upsertMany(User, [OLD, NEW], { onConflictAction: 'ignore' }),
  'merge()': (em, all) => qb(em, all).insert(OLD).onConflict('email').merge().execute(),
  'merge() of a new row': (em, all) => qb(em, all).insert(NEW).onConflict('email').merge().execute(),
  'merge() before insert()': (em, all) => qb(em, all).onConflict('email').merge().insert(OLD).execute(),
  'merge() of many': (em, all) => qb(em, all).insert([NEW, OLD]).onConflict('email').merge().execute(),
  'merge() in a copy': (em, all) => qb(em, all).insert(OLD).clone().onConflict('email').merge().execute(),
  'merge([…])': (em, all) => qb(em, all).insert(OLD).onConflict('email').merge(['age']).execute(),
  'merge([…]) before insert()': (em, all) =>
    qb(em, all).onConflict(['email']).merge(['age']).insert(OLD).execute(),
  'merge({…})': (em, all) => qb(em, all).insert(OLD).onConflict('email').merge({ age: 7 }).execute(),
  'ignore()': (em, all) => qb(em, all).insert(OLD).onConflict('email').ignore().execute(),
  'ignore() of many': (em, all) => qb(em, all).insert([OLD, NEW]).onConflict('email').ignore().execute(),
}

const servers = databases.filter(({ name }) => name !== 'pglite')

describe.each(servers)('on $name', ({ open }) => {
  let database: OpenDatabase
  let orm: { em: Em; close(): Promise<void> }
  let both: readonly Entities[]
  beforeAll(async () => {
    database = await open()
    const key = p
      .string()
      .length(40)
      .primary()
      .defaultRaw(PLAIN_KEY[database.kind] as string)
      .onCreate(() => randomUUID())
    both = [entitiesWith('Plain', key), entitiesWith('Flax', idProperty(prefixed(flax, 'usr')))]
    orm = await ormOn(database, both.flatMap(Object.values) as never)
  })
  afterAll(async () => {
    await orm?.close()
    await database?.close()
  })

  /** Two users, the first with a pet, and the keys that they have. */
  async function seed({ User, Pet }: Entities) {
    const em = orm.em.fork() as Em
    await em.nativeDelete(Pet, {})
    await em.nativeDelete(User, {})
    const ids: string[] = []
    for (const [age, email] of ['a@example.org', 'z@example.org'].entries()) {
      await em
        .createQueryBuilder(User)
        .insert({ email, age: age + 1 } as never)
        .execute()
      ids.push((await em.fork().findOneOrFail(User, { email } as never)).id)
    }
    await em.insert(Pet, { owner: ids[0] } as never)
    return ids as [string, string]
  }

  const ofBoth = async <Result>(work: (entities: Entities) => Promise<Result>): Promise<Result[]> => {
    const results: Result[] = []
    for (const entities of both) results.push(await work(entities))
    return results
  }

  test.each(Object.entries(UPSERTS))('%s does what it does with plain keys', async (_, upsert) => {
    const [plain, ours] = await ofBoth(async (entities) => {
      const { User } = entities
      const before = await seed(entities)
      const em = orm.em.fork() as Em
      const returned = await upsert(em, entities).catch(kindOf)
      const rows = await orm.em.fork().find(User, {}, { orderBy: { email: 'asc' } })
      const whose = (id: string) => rows.find((row) => row.id === id)?.email ?? "nobody's"
      const entitiesIn = [returned].flat().filter((one) => one instanceof Object && 'email' in one)
      return {
        rows: rows.map(({ id, email, age }) => ({ email, age, isKept: before.includes(id) })),
        failed: typeof returned === 'string' && returned,
        returned: (entitiesIn as unknown as { id: string }[]).map(({ id }) => whose(id)),
      }
    })
    expect(ours).toEqual(plain)
    expect(ours?.rows.filter(({ isKept }) => isKept)).toHaveLength(2)
  })
})

const kindOf = (error: Error) => error.name
