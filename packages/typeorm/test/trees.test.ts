import 'reflect-metadata'
import { type FlaxId, flax } from '@snoflax/core'
import { sqlite } from '@snoflax/test'
import { IdColumn } from '@snoflax/typeorm'
import { Column, Entity, type Relation, Tree, TreeChildren, TreeParent } from 'typeorm'
import { ClosureSubjectExecutor } from 'typeorm/persistence/tree/ClosureSubjectExecutor.js'
import { describe, expect, test } from 'vitest'
import { openForBlock, openForTest } from './open-data-source.js'
import { differing } from './sources.js'

interface Node {
  id: string
  name: string
  parent: Node | null
  children: Node[]
}

const KINDS = ['closure-table', 'materialized-path', 'nested-set'] as const

function define(type: (typeof KINDS)[number], name: string, Key: () => (target: object, id: 'id') => void) {
  @Entity(name)
  @Tree(type)
  class TreeNode implements Node {
    id!: string
    @Column('varchar') name!: string
    @TreeParent() parent!: Relation<TreeNode> | null
    @TreeChildren({ cascade: true }) children!: Relation<TreeNode>[]
  }
  Key()(TreeNode.prototype, 'id')
  // TypeORM joins trees by the name of the class.
  return Object.defineProperty(TreeNode, 'name', { value: name })
}

// Of text, TypeORM makes paths and patterns as of all text keys.
const compact = differing.filter(({ storage }) => storage !== 'text')

describe.each(compact)('$name', ({ kind, family, generator, storage }) => {
  const nameOf = (type: string) => type.replace('-', '_')
  const trees = KINDS.map((type) =>
    define(type, nameOf(type), () => IdColumn(family, { generator, storage })),
  )
  const world = openForBlock(kind, trees)

  test.each(KINDS)(
    '%s: branches are distinguished if their ids differ in case only, or look like a pattern',
    async (type) => {
      const nodes = world.dataSource.getTreeRepository<Node>(nameOf(type))
      const names = (found: readonly Node[]) => found.map(({ name }) => name).sort()
      const ids = lookalikes(generator.generate(), family.is)
      const root = await nodes.save({ name: 'root' })
      for (const [i, id] of ids.entries()) {
        const branch = await nodes.save({ id, name: `branch ${i}`, parent: root })
        await nodes.save({ name: `leaf ${i}`, parent: branch })
      }
      for (const [i, id] of ids.entries()) {
        const branch = await nodes.findOneByOrFail({ id })
        expect(names(await nodes.findDescendants(branch))).toEqual([`branch ${i}`, `leaf ${i}`])
        const leaf = await nodes.findOneOrFail({ where: { name: `leaf ${i}` }, relations: { parent: true } })
        expect(names(await nodes.findAncestors(leaf))).toEqual([`branch ${i}`, `leaf ${i}`, 'root'])
        await nodes.save(Object.assign(leaf, { parent: root }))
        expect(await nodes.countDescendants(branch)).toBe(1)
      }
    },
  )
})

test('the links of a closure table are ids, however TypeORM writes its statements', async () => {
  @Entity('spaced')
  @Tree('closure-table')
  class Spaced {
    @IdColumn(flax, { storage: 'binary' }) id!: FlaxId
    @TreeParent() parent!: Relation<Spaced> | null
    @TreeChildren() children!: Relation<Spaced>[]
  }
  const executor = ClosureSubjectExecutor.prototype as unknown as { getTableName(path: string): string }
  const { getTableName } = executor
  executor.getTableName = (path) => `/* links */ "${path}"`
  try {
    const dataSource = await openForTest(sqlite, [Spaced])
    const nodes = dataSource.getTreeRepository(Spaced)
    const root = await nodes.save({})
    const other = await nodes.save({})
    const leaf = await nodes.save({ parent: root })
    expect(await nodes.countDescendants(root)).toBe(2)
    await nodes.save({ ...leaf, parent: other })
    expect([await nodes.countDescendants(root), await nodes.countDescendants(other)]).toEqual([1, 2])
  } finally {
    executor.getTableName = getTableName
  }
})

test.each(KINDS)('%s: columns with the same name in two trees can store ids differently', async (type) => {
  const one = define(type, 'one', () => IdColumn(flax, { storage: 'text' }) as never)
  const other = define(type, 'other', () => IdColumn(flax, { storage: 'binary' }) as never)
  const dataSource = await openForTest(sqlite, [one, other])
  for (const name of ['one', 'other']) {
    const nodes = dataSource.getTreeRepository<Node>(name)
    const root = await nodes.save({ name: 'root' })
    const parent = await nodes.save({ name: 'parent', parent: root })
    const leaf = await nodes.save({ name: 'leaf', parent: root })
    await nodes.save({ ...leaf, parent })
    expect(await nodes.countDescendants(parent)).toBe(2)
  }
})

/** Ids that differ in one character, which LIKE takes for the same. */
function lookalikes(id: string, is: (id: string) => boolean): string[] {
  const [start, end] = [id.slice(0, -3), id.slice(-2)]
  return ['a', 'A', '_', '-'].map((character) => start + character + end).filter(is)
}
