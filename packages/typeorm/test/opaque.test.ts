import 'reflect-metadata'
import { type Id, opaque } from '@snoflax/core'
import { CreatedAt, createdBetween, find, IdColumn } from '@snoflax/typeorm'
import { Column, Entity, ManyToOne, type Relation } from 'typeorm'
import { describe, expect, test } from 'vitest'
import { changesOf, openForBlock } from './open-data-source.js'
import { kinds } from './sources.js'

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

@Entity()
class Org {
  @IdColumn(orgId) id!: Id<'org'>
  @CreatedAt() readonly createdAt!: Date
  @Column({ type: 'varchar', length: 40, nullable: true }) name!: string | null
}

@Entity()
class ApiKey {
  @IdColumn(keyId) id!: Id<'key'>
  @ManyToOne(() => Org) org!: Relation<Org> | null
}

@Entity()
class Team {
  @IdColumn(opaque('team', { pattern: /team_\d{4}/, generate: () => 'team_0001' }), { check: true })
  id!: Id<'team'>
}

// TypeORM writes no CHECK there.
describe.each(kinds.filter(({ name }) => name !== 'mysql'))('a CHECK of the pattern, $name', (kind) => {
  const world = openForBlock(kind, [Team])

  test('leaves a second diff empty, and refuses what other programs write', async () => {
    expect(await changesOf(world.dataSource)).toEqual([])
    await expect(world.dataSource.query("insert into team (id) values ('team_1')")).rejects.toThrow()
    await world.dataSource.query("insert into team (id) values ('team_0002')")
  })
})

describe.each(kinds)('opaque ids, $name', (kind) => {
  const world = openForBlock(kind, [Org, ApiKey])

  test('a second diff is empty', async () => {
    expect(await changesOf(world.dataSource)).toEqual([])
  })

  test('rows get ids of the function, are found by them, and have no time', async () => {
    const org = await world.dataSource.getRepository(Org).save({ name: 'Ada' })
    expect(org.id).toMatch(/^org_\d{4}$/)
    const key = await world.dataSource.getRepository(ApiKey).save({ org })
    expect(keyId.is(key.id)).toBe(true)
    expect(await find(world.dataSource, org.id)).toMatchObject({ model: 'Org', row: { id: org.id } })
    expect(() => createdBetween(Org, 'id', 0, 1)).toThrow(
      /^Org\.id: org: range\(\) needs a family with a time/,
    )
    const read = await world.dataSource.getRepository(Org).findOneByOrFail({ id: org.id })
    expect(() => read.createdAt).toThrow(/org: time\(\) needs a family with a time/)
  })

  test.each([
    ['org_1', 'Org.id: org: generate returned "org_1", which does not match /org_\\d{4}/'],
    [Promise.resolve('org_0001'), 'Org.id: org: generate returned a promise; return the id itself'],
  ])('a generated %o is refused with its column, and nothing is written', async (wrong, message) => {
    const orgs = world.dataSource.getRepository(Org)
    const before = await orgs.count()
    next = wrong
    try {
      await expect(Promise.resolve().then(() => orgs.save([{ name: 'a' }, { name: 'b' }]))).rejects.toThrow(
        message,
      )
      await expect(Promise.resolve().then(() => orgs.insert([{ name: 'a' }]))).rejects.toThrow(message)
    } finally {
      next = undefined
    }
    expect(await orgs.count()).toBe(before)
  })
})
