import { defineEntity, p } from '@mikro-orm/core'
import { MikroORM as PostgreSql } from '@mikro-orm/postgresql'
import { MikroORM } from '@mikro-orm/sqlite'
import { opaque } from '@snoflax/core'
import { createdBetween, find, idProperty } from '@snoflax/mikro-orm'
import { postgres } from '@snoflax/test'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

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
const Org = defineEntity({
  name: 'Org',
  properties: { id: idProperty(orgId), name: p.string().nullable() },
})
const ApiKey = defineEntity({
  name: 'ApiKey',
  properties: { id: idProperty(keyId), org: () => p.manyToOne(Org).nullable() },
})

describe.each(['sqlite', 'postgres'] as const)('opaque ids, %s', (kind) => {
  // biome-ignore lint/suspicious/noExplicitAny: of two drivers
  let orm: any
  let close: () => Promise<unknown> = async () => {}
  beforeAll(async () => {
    const entities = [Org, ApiKey]
    if (kind === 'sqlite') orm = await MikroORM.init({ entities, dbName: ':memory:' })
    else {
      const database = await postgres.open()
      close = () => database.close()
      orm = await PostgreSql.init({ entities, clientUrl: database.url })
    }
    await orm.schema.create()
  })
  afterAll(async () => {
    await orm?.close()
    await close()
  })

  test('a second diff is empty', async () => {
    expect(await orm.schema.getUpdateSchemaSQL()).toBe('')
  })

  test('rows get ids of the function, are found by them, and have no time', async () => {
    const em = orm.em.fork()
    const org = em.create(Org, { name: 'Ada' })
    const key = em.create(ApiKey, { org })
    await em.flush()
    expect(org.id).toMatch(/^org_\d{4}$/)
    expect(keyId.is(key.id)).toBe(true)
    expect(await find(orm.em.fork() as never, org.id)).toMatchObject({ model: 'Org', row: { id: org.id } })
    const between = createdBetween as (...args: unknown[]) => unknown
    expect(() => between(Org, 'id', 0, 1)).toThrow(/^Org\.id: org: range\(\) needs a family with a time/)
  })

  test.each([
    ['org_1', 'Org.id: org: generate returned "org_1", which does not match /org_\\d{4}/'],
    [Promise.resolve('org_0001'), 'Org.id: org: generate returned a promise; return the id itself'],
  ])('a generated %o is refused with its property, and nothing is written', async (wrong, message) => {
    const em = orm.em.fork()
    const before = await em.count(Org)
    next = wrong
    try {
      const create = async () => {
        em.create(Org, { name: 'a' })
        await em.flush()
      }
      await expect(create()).rejects.toThrow(message)
      await expect(orm.em.fork().insert(Org, { name: 'b' })).rejects.toThrow(message)
    } finally {
      next = undefined
    }
    expect(await orm.em.fork().count(Org)).toBe(before)
  })
})
