import { defineEntity, p } from '@mikro-orm/core'
import { MikroORM as PostgreSql } from '@mikro-orm/postgresql'
import { MikroORM, type SqlEntityManager } from '@mikro-orm/sqlite'
import { accepting, fixedId, flax, prefixed } from '@snoflax/core'
import { createdBetween, find, flaxId, idProperty, keyset } from '@snoflax/mikro-orm'
import { type PostgresDatabase, postgres } from '@snoflax/test'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const CUID = 'tz4a98xxat96iws9zmbrgj3a'
const accept = [/[a-z0-9]{24}/, /user-\d+/]
const userId = prefixed(flax, 'usr')
/** What is neither one of our ids nor an accepted key. */
const OTHERS = ['', 'user-', 'usr_1', "o'clock", 'ä😀', 'x'.repeat(300), fixedId(flax, 'no user')]
const ROWS = ['user-1', 'user-2', CUID, fixedId(userId, 'user-3'), fixedId(userId, 'user-4')]

type Em = SqlEntityManager
// biome-ignore lint/suspicious/noExplicitAny: two entities with keys of other types
type Any = any

function userWith(id: Any) {
  const User: Any = defineEntity({
    name: 'User',
    properties: { id, email: p.text().nullable(), friend: () => p.manyToOne(User as Any).nullable() },
  })
  return User
}

/** What an application does with its keys, among them some of an old address. */
const PROGRAMS: Readonly<Record<string, (em: Em, User: Any, text: string) => Promise<unknown>>> = {
  find: (em, User, text) => em.find(User, { id: text }),
  'find by key': (em, User, text) => em.find(User, text as Any),
  findOne: (em, User, text) => em.findOne(User, { id: text }),
  $in: (em, User, text) => em.find(User, { id: { $in: [text, 'user-1'] } }),
  $nin: (em, User, text) => em.find(User, { id: { $nin: [text, 'user-1'] } }),
  $gt: (em, User, text) => em.find(User, { id: { $gt: text } }),
  'or an email': (em, User, text) => em.find(User, { $or: [{ id: text }, { email: text }] }),
  relation: (em, User, text) => em.find(User, { friend: text }),
  'of a relation': (em, User, text) => em.find(User, { friend: { id: text, email: { $ne: null } } }),
  'query builder': (em, User, text) =>
    em
      .createQueryBuilder(User, 'u')
      .where({ id: text } as Any)
      .getResultList(),
  nativeUpdate: (em, User, text) => em.nativeUpdate(User, { id: text }, { email: 'x' }),
  nativeDelete: (em, User, text) => em.nativeDelete(User, { id: text }),
}

const WRITES: Readonly<Record<string, (em: Em, User: Any, id: string) => Promise<unknown>>> = {
  insert: (em, User, id) => em.insert(User, { id }),
  insertMany: (em, User, id) => em.insertMany(User, [{ id: 'user-7' }, { id }]),
  'insert of a relation': (em, User, friend) => em.insert(User, { id: 'user-8', friend }),
  flush: async (em, User, id) => {
    em.create(User, { id } as Any)
    await em.flush()
  },
  upsert: (em, User, id) => em.upsert(User, { id, email: 'x' }),
  nativeUpdate: (em, User, id) => em.nativeUpdate(User, { id: 'user-2' }, { id }),
  'query builder': async (em, User, id) => em.createQueryBuilder(User).insert({ id }).execute(),
}

describe.each(['sqlite', 'postgres'] as const)('on %s', (kind) => {
  const sides: { readonly em: Em; readonly User: Any; close(): Promise<unknown> }[] = []
  beforeAll(async () => {
    const plain = p.string().length(400).primary()
    const keys = [
      flaxId({ prefix: 'usr', accept, branded: false }),
      kind === 'postgres' ? plain.collation('C') : plain,
    ]
    for (const User of keys.map(userWith)) {
      const database = kind === 'postgres' ? await postgres.open() : undefined
      const orm = database
        ? await PostgreSql.init({ entities: [User], clientUrl: (database as PostgresDatabase).url })
        : await MikroORM.init({ entities: [User], dbName: ':memory:' })
      await orm.schema.create()
      const em = orm.em as unknown as Em
      const emails = OTHERS.map((email, at) => ({ id: `user-${100 + at}`, email }))
      const rows = [...ROWS.map((id, at) => ({ id, email: `${at}@x` })), ...emails]
      for (const row of rows) await em.fork().insert(User, row as Any)
      await em.fork().nativeUpdate(User, { id: CUID }, { friend: 'user-1' })
      sides.push({
        em,
        User,
        close: async () => {
          await orm.close()
          await database?.close()
        },
      })
    }
  })
  afterAll(async () => {
    for (const side of sides) await side.close()
  })

  const inTransaction = async <Result>({ em: main }: { em: Em }, work: (em: Em) => Promise<Result>) => {
    const em = main.fork() as Em
    await em.begin()
    try {
      return await work(em)
    } finally {
      await em.rollback()
    }
  }

  test.each(Object.entries(PROGRAMS))('rows are those that plain keys have: %s', async (_, program) => {
    for (const key of [...OTHERS, ...ROWS]) {
      const [ours, plain] = await Promise.all(
        sides.map((side) =>
          inTransaction(side, async (em) => {
            const all = { orderBy: { id: 'asc' } as Any }
            const answer = await program(em, side.User, key)
            return JSON.stringify([
              answer,
              await em.fork({ keepTransactionContext: true }).find(side.User, {}, all),
            ])
          }),
        ),
      )
      expect(ours).toBe(plain)
    }
  })

  test.each(Object.entries(WRITES))('writes are checked: %s', async (_, write) => {
    const [side] = sides
    if (side === undefined) throw new Error('not open')
    for (const id of OTHERS) {
      await expect(inTransaction(side, (em) => write(em, side.User, id))).rejects.toThrow(
        /^User\.(?:id|friend): usr: .*; also accepted: \/\[a-z0-9\]\{24\}\/ or/,
      )
    }
    for (const id of ['user-99', fixedId(userId, 'new')]) {
      await inTransaction(side, async (em) => {
        if (_ === 'insert of a relation') await em.insert(side.User, { id } as Any)
        await write(em, side.User, id)
        expect(await em.count(side.User, { $or: [{ id }, { friend: id }] } as Any)).toBeGreaterThan(0)
      })
    }
  })

  test('times are those of our ids, a page begins after any key, and each is found', async () => {
    const [side] = sides
    if (side === undefined) throw new Error('not open')
    await inTransaction(side, async (em) => {
      const at = new Date('2026-11-01')
      const id = fixedId(userId, 'new', { at })
      await em.insert(side.User, { id } as Any)
      const range = createdBetween(side.User as Any, 'id' as never, at, at.getTime() + 1)
      expect(await em.find(side.User, { id: range } as Any)).toMatchObject([{ id }])
      const page: Any = keyset(side.User as Any, { after: CUID, take: 1 } as Any)
      expect(await em.findAll(side.User, page)).toMatchObject([{ id: 'user-1' }])
      expect(await find(em, CUID)).toMatchObject({ model: 'User', row: { email: '2@x' } })
      const row: Any = em.create(side.User, {} as Any)
      expect(userId.is(row.id)).toBe(true)
    })
  })
})

test.each<[string, object, RegExp]>([
  ['a compact storage', { accept: /x/, storage: 'binary' }, /cannot use storage binary/],
  ['no boolean', { branded: 'no' }, /branded must be a boolean/],
  ['no prefix', { prefix: 'Cus' }, /prefix/],
])('%s is refused', async (_, options, message) => {
  const declare = async () => {
    const User = userWith(flaxId(options as never))
    await MikroORM.init({ entities: [User], dbName: ':memory:' })
  }
  await expect(declare()).rejects.toThrow(message)
})

test('a family that accepts others is a family', async () => {
  const User = userWith(idProperty(accepting(flax, /user-\d{1,9}/)))
  const orm = await MikroORM.init({ entities: [User], dbName: ':memory:' })
  await orm.schema.create()
  await orm.em.fork().insert(User, { id: 'user-1' } as Any)
  expect(await orm.em.fork().find(User, { id: 'old' } as Any)).toEqual([])
  await orm.close()
})
