import 'reflect-metadata'
import type { FlaxId } from '@snoflax/core'
import { sqlite } from '@snoflax/test'
import { FlaxIdColumn, fromDatabase, IdColumn, parameter } from '@snoflax/typeorm'
import { ArrayContainedBy, ArrayContains, ArrayOverlap, Column, Entity, Equal, VersionColumn } from 'typeorm'
import { describe, expect, test } from 'vitest'
import { changesOf, openForTest } from './open-data-source.js'
import { differing } from './sources.js'

describe.each(differing.filter(({ kind }) => kind.name === 'postgres'))(
  '$name',
  ({ kind, family, generator, storage }) => {
    @Entity()
    class Post {
      @IdColumn(family, { generator, storage }) id!: string
      @IdColumn.plain(family, { storage, array: true }) readers!: string[]
      @IdColumn.plain(family, { storage, array: true, nullable: true }) editors!: string[] | null
      @VersionColumn() version!: number
      @Column('varchar', { default: '' }) text!: string
    }

    test('arrays of ids are written, read and searched', async () => {
      const dataSource = await openForTest(kind, [Post])
      expect(await changesOf(dataSource)).toEqual([])
      const posts = dataSource.getRepository(Post)
      const [a, b, c] = [generator.generate(), generator.generate(), generator.generate()]
      const { id } = await posts.save({ readers: [a, b], editors: null })
      await posts.insert({ readers: [], editors: [c] })
      const found = await posts.findOneByOrFail({ id })
      expect(found).toMatchObject({ readers: [a, b], editors: null })
      expect((await posts.save(found)).version).toBe(1)
      const ids = async (where: Parameters<typeof posts.findBy>[0]) =>
        (await posts.findBy(where)).map((one) => one.id)
      expect(await ids({ readers: ArrayContains([a]) })).toEqual([id])
      expect(await ids({ readers: ArrayContains([a, c]) })).toEqual([])
      expect(await ids({ readers: ArrayOverlap([a, c]) })).toEqual([id])
      expect(await ids({ readers: ArrayContainedBy([a, b, c]), id })).toEqual([id])
      expect(await ids({ readers: Equal([a, b]) as never })).toEqual([id])
      const reader = parameter(Post, 'readers', b)
      for (const [condition, parameters] of [
        [':reader = ANY (p.readers)', { reader }],
        ['p.readers @> :readers', { readers: [reader] }],
        ['cardinality(p.readers) = :n', { n: 2 }],
      ] as const) {
        const builder = posts.createQueryBuilder('p').where(condition, parameters)
        const [row] = await builder.select('p.readers', 'readers').getRawMany()
        expect(fromDatabase(Post, 'readers', row.readers), condition).toEqual([a, b])
      }
      await posts.update(id, { readers: [c], editors: [a] })
      expect(await posts.findOneByOrFail({ id })).toMatchObject({ readers: [c], editors: [a] })
      await expect(posts.update(id, { readers: [a, 'wrong'] })).rejects.toMatchObject({
        name: 'IdError',
        path: 'Post.readers',
      })
    })
  },
)

test('arrays of ids are refused in other databases', async () => {
  @Entity()
  class Post {
    @FlaxIdColumn() id!: FlaxId
    @FlaxIdColumn.plain({ array: true }) readers!: FlaxId[]
  }
  await expect(openForTest(sqlite, [Post])).rejects.toMatchObject({
    name: 'IdError',
    code: 'INVALID_OPTION',
    path: 'Post.readers',
    message: expect.stringMatching(/arrays of ids need PostgreSQL, not sqlite/),
  })
})
