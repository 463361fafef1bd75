import { defineEntity, p } from '@mikro-orm/core'
import { MikroORM as PostgreSql } from '@mikro-orm/postgresql'
import { MikroORM, type SqlEntityManager } from '@mikro-orm/sqlite'
import { accepting, fixedId, flax, prefixed } from '@snoflax/core'
import { createdBetween, find, flaxId, idProperty, keyset } from '@snoflax/mikro-orm'
import { type PostgresDatabase, postgres } from '@snoflax/test'
import { expect, onTestFinished, test } from 'vitest'

// Conditions by other keys are in the matrix, and refused writes in the features of the contract.

const CUID = 'tz4a98xxat96iws9zmbrgj3a'
const accept = [/[a-z0-9]{24}/, /user-\d+/]
const userId = prefixed(flax, 'usr')

// biome-ignore lint/suspicious/noExplicitAny: entities with keys of other types
type Any = any

function userWith(id: Any) {
  const User: Any = defineEntity({
    name: 'User',
    properties: { id, email: p.text().nullable(), friend: () => p.manyToOne(User as Any).nullable() },
  })
  return User
}

test.each(['sqlite', 'postgres'] as const)(
  'times are those of our ids, a page begins after any key, and each is found, on %s',
  async (kind) => {
    const User = userWith(flaxId({ prefix: 'usr', accept, branded: false }))
    const database = kind === 'postgres' ? await postgres.open() : undefined
    const orm = database
      ? await PostgreSql.init({ entities: [User], clientUrl: (database as PostgresDatabase).url })
      : await MikroORM.init({ entities: [User], dbName: ':memory:' })
    onTestFinished(async () => {
      await orm.close()
      await database?.close()
    })
    await orm.schema.create()
    const em = orm.em.fork() as SqlEntityManager
    await em.insert(User, { id: 'user-1' } as Any)
    await em.insert(User, { id: CUID, email: 'old', friend: 'user-1' } as Any)
    const at = new Date('2026-11-01')
    const id = fixedId(userId, 'new', { at })
    await em.insert(User, { id, friend: CUID } as Any)
    const range = createdBetween(User, 'id' as never, at, at.getTime() + 1)
    expect(await em.find(User, { id: range } as Any)).toMatchObject([{ id }])
    const page: Any = keyset(User, { after: CUID, take: 1 } as Any)
    expect(await em.findAll(User, page)).toMatchObject([{ id: 'user-1' }])
    expect(await find(em, CUID)).toMatchObject({ model: 'User', row: { email: 'old' } })
    const row: Any = em.create(User, {} as Any)
    expect(userId.is(row.id)).toBe(true)
    await expect(em.fork().insert(User, { friend: 'nobody' } as Any)).rejects.toThrow(
      /^User\.friend: usr: .*; also accepted: \/\[a-z0-9\]\{24\}\/ or/,
    )
  },
)

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
