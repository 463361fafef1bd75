import { defineEntity, p } from '@mikro-orm/core'
import { MikroORM as PostgreSql } from '@mikro-orm/postgresql'
import { MikroORM, type SqlEntityManager } from '@mikro-orm/sqlite'
import { flax, prefixed } from '@snoflax/core'
import { find, idProperty } from '@snoflax/mikro-orm'
import { type PostgresDatabase, postgres } from '@snoflax/test'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

describe.each(['sqlite', 'postgres'] as const)('on %s, the keys of an entity are', (kind) => {
  const P = (name: string) => prefixed(flax, name)
  const plainKey = { id: p.integer().primary().autoincrement() }
  // biome-ignore lint/suspicious/noExplicitAny: many shapes
  type Any = any
  const Version = defineEntity({
    name: 'Version',
    properties: { id: { ...idProperty(P('ver')) }, version: p.integer().primary() },
  })
  const Owner = defineEntity({ name: 'Owner', properties: { id: idProperty(P('own')) } })
  const Owned = defineEntity({ name: 'Owned', properties: { ...plainKey, owner: () => p.oneToOne(Owner) } })
  const Lines = defineEntity({
    name: 'Lines',
    properties: { version: () => p.manyToOne(Version).primary(), at: p.integer().primary() },
  })
  const Pet = defineEntity({
    name: 'Pet',
    discriminatorColumn: 'kind',
    properties: { ...plainKey, kind: p.string() },
  })
  const Cat = defineEntity({
    name: 'Cat',
    extends: Pet,
    discriminatorValue: 'cat',
    properties: { chip: { ...idProperty.plain(P('chp'), { nullable: true }), unique: true } },
  })
  const Person = defineEntity({
    name: 'Person',
    inheritance: 'tpt',
    properties: { id: idProperty(P('per')) },
  } as Any)
  const Worker = defineEntity({
    name: 'Worker',
    extends: Person,
    properties: { badge: idProperty.plain(P('bdg'), { unique: true }) },
  } as Any)
  const Hidden = defineEntity({
    name: 'Hidden',
    properties: { id: idProperty(P('hid')), deletedAt: p.datetime().nullable() },
    filters: { live: { name: 'live', cond: { deletedAt: null }, default: true } },
  })
  const Lists = defineEntity({
    name: 'Lists',
    properties: { ...plainKey, keys: { ...idProperty.plain(P('lst')), array: true } as Any },
    uniques: [{ properties: 'keys' as never }],
  })
  const entities = [Version, Owner, Owned, Lines, Pet, Cat, Person, Worker, Hidden, Lists]

  let em: SqlEntityManager
  let close: () => Promise<unknown>
  const statements: string[] = []
  beforeAll(async () => {
    const database = kind === 'postgres' ? await postgres.open() : undefined
    const options = {
      entities: entities as Any,
      onQuery: (sql: string) => {
        statements.push(sql)
        return sql
      },
    }
    const orm = database
      ? await PostgreSql.init({ ...options, clientUrl: (database as PostgresDatabase).url })
      : await MikroORM.init({ ...options, dbName: ':memory:' })
    close = async () => {
      await orm.close()
      await database?.close()
    }
    await orm.schema.create()
    em = orm.em as unknown as SqlEntityManager
  })
  afterAll(() => close?.())

  /** Inserts rows, and returns what is found of the id. Further forms are among the features of the contract. */
  type Form = (on: SqlEntityManager, id: (name: string) => Any) => Promise<string>
  const FORMS: Readonly<Record<string, readonly [form: Form, found: string, also?: readonly string[]]>> = {
    'an id with versions': [
      async (on, id) => {
        await on.insertMany(Version, [3, 1, 2].map((version) => ({ id: id('ver'), version })) as Any)
        return id('ver')
      },
      'Version.id 1',
      ['Version.id 2', 'Version.id 3'],
    ],
    'an id of a relation in a key': [
      async (on, id) => {
        await on.insert(Version, { id: id('ver'), version: 1 } as Any)
        await on.insertMany(Lines, [1, 2].map((at) => ({ version: [id('ver'), 1], at })) as Any)
        return id('ver')
      },
      'Version.id 1',
      ['Lines.version.id 1', 'Lines.version.id 2'],
    ],
    'a one-to-one': [
      async (on, id) => {
        await on.insert(Owner, { id: id('own') } as Any)
        await on.insert(Owned, { owner: id('own') } as Any)
        return id('own')
      },
      'Owner.id',
      ['Owned.owner'],
    ],
    'a unique id of a single-table child': [
      async (on, id) => {
        await on.insert(Cat, { kind: 'cat', chip: id('chp') } as Any)
        return id('chp')
      },
      'Pet.chip',
    ],
    'a unique id of a table-per-type child': [
      async (on, id) => {
        on.create(Worker, { id: id('per'), badge: id('bdg') } as Any)
        await on.flush()
        return id('bdg')
      },
      'Worker.badge',
    ],
    'not what a filter hides': [
      async (on, id) => {
        await on.insert(Hidden, { id: id('hid'), deletedAt: new Date() } as Any)
        return id('hid')
      },
      'null',
    ],
    'not arrays': [
      async (on, id) => {
        await on.insert(Lists, { keys: [id('lst')] } as Any)
        return id('lst')
      },
      'null',
    ],
  }

  test.each(Object.entries(FORMS))('%s', async (_, [form, expected, also = []]) => {
    const on = em.fork() as SqlEntityManager
    const made = new Map<string, string>()
    const id = (name: string) => {
      const own = made.get(name) ?? P(name).generate()
      made.set(name, own)
      return own
    }
    await on.begin()
    try {
      const key = await form(on, id)
      const reader = on.fork({ keepTransactionContext: true, clear: true })
      statements.length = 0
      const found: Any = await find(reader, key)
      const text = ({ model, column, row }: Any) =>
        [`${model}.${column}`, row.version?.version === undefined ? row.version : row.at]
          .filter((one) => one !== undefined)
          .join(' ')
      expect([found ? text(found) : 'null', found?.also.map(text) ?? []]).toEqual([expected, also])
      const tables = new Set([expected, ...also].map((one) => one.split('.')[0])).size
      expect(statements.length).toBeLessThanOrEqual(
        tables > 1 ? 1 + tables : 1 + Number(expected === 'Version.id 1'),
      )
    } finally {
      await on.rollback()
    }
  })

  test('rows of the identity map are found as MikroORM finds them', async () => {
    const on = em.fork() as SqlEntityManager
    await on.begin()
    const id = P('hid').generate()
    const hidden = on.create(Hidden, { id, deletedAt: new Date() } as Any)
    expect(((await find(on, id)) as Any)?.row).toBe(hidden)
    await on.flush()
    expect(((await find(on, id)) as Any)?.row).toBe(await on.findOne(Hidden, { id } as Any))
    expect(await find(on.fork({ keepTransactionContext: true, clear: true }), id)).toBeNull()
    await on.rollback()

    const waiting = em.fork({ flushMode: 'commit' }) as SqlEntityManager
    const version = waiting.create(Version, { id: P('ver').generate(), version: 1 } as Any)
    expect(await find(waiting, version.id)).toBe(null)
    const later = waiting.create(Owner, {} as Any)
    expect(((await find(waiting, later.id)) as Any)?.row).toBe(later)
  })
})
