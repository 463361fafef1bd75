import 'reflect-metadata'
import { type FlaxId, flax } from '@snoflax/core'
import { type OpenDatabase, sqlite } from '@snoflax/test'
import { IdColumn } from '@snoflax/typeorm'
import { Column, type DataSource, Entity, type Relation, Tree, TreeChildren, TreeParent } from 'typeorm'
import { ClosureSubjectExecutor } from 'typeorm/persistence/tree/ClosureSubjectExecutor.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openDataSource } from './open-data-source.js'
import { places } from './sources.js'

interface Node {
  id: string
  name: string
  parent: Node | null
  children: Node[]
}

const KINDS = ['closure-table', 'materialized-path', 'nested-set'] as const

describe.each(places)('$name', ({ kind, family, generator, storage }) => {
  const define = (type: (typeof KINDS)[number], name: string) => {
    @Entity(name)
    @Tree(type)
    class TreeNode implements Node {
      @IdColumn(family, { generator, storage }) id!: string
      @Column('varchar') name!: string
      @TreeParent() parent!: Relation<TreeNode> | null
      @TreeChildren({ cascade: true }) children!: Relation<TreeNode>[]
    }
    // TypeORM joins trees by the name of the class.
    return Object.defineProperty(TreeNode, 'name', { value: name })
  }
  const entities = KINDS.map((type) => define(type, type.replace('-', '_')))

  let database: OpenDatabase
  let dataSource: DataSource
  beforeAll(async () => {
    database = await kind.open()
    dataSource = await openDataSource(database, entities)
  })
  afterAll(async () => {
    await dataSource.destroy()
    await database.close()
  })

  test.each(KINDS)('%s: nodes are inserted, read up and down, cascaded, moved and removed', async (type) => {
    const nodes = dataSource.getTreeRepository<Node>(type.replace('-', '_'))
    const names = (found: readonly Node[]) => found.map(({ name }) => name).sort()
    const root = await nodes.save({ name: 'root' })
    const left = await nodes.save({ name: 'left', parent: root })
    const right = await nodes.save({ name: 'right', parent: root })
    const leaf = await nodes.save({ name: 'leaf', parent: left })
    expect(family.is(leaf.id)).toBe(true)

    expect(names(await nodes.findDescendants(left))).toEqual(['leaf', 'left'])
    expect(names(await nodes.findAncestors(leaf))).toEqual(['leaf', 'left', 'root'])
    expect(await nodes.countDescendants(root)).toBe(4)
    const [tree] = await nodes.findTrees()
    expect(tree?.id).toBe(root.id)
    expect(names(tree?.children ?? [])).toEqual(['left', 'right'])
    expect(tree?.children.find(({ id }) => id === left.id)?.children).toMatchObject([
      { id: leaf.id, name: 'leaf' },
    ])
    const up = await nodes.findAncestorsTree(leaf)
    expect([up.parent?.id, up.parent?.parent?.id]).toEqual([left.id, root.id])

    const grown = await nodes.save({ name: 'grown', parent: right, children: [{ name: 'a' }, { name: 'b' }] })
    expect(names(await nodes.findDescendants(grown as Node))).toEqual(['a', 'b', 'grown'])

    const moved = await nodes.findOneOrFail({ where: { id: leaf.id }, relations: { parent: true } })
    moved.parent = right
    await nodes.save(moved)
    expect(names(await nodes.findDescendants(left))).toEqual(['left'])
    expect(names(await nodes.findDescendants(right))).toEqual(['a', 'b', 'grown', 'leaf', 'right'])

    await nodes.remove(await nodes.findOneByOrFail({ id: leaf.id }))
    expect(names(await nodes.findDescendants(right))).toEqual(['a', 'b', 'grown', 'right'])
  })

  // Of text, TypeORM makes paths and patterns as of all text keys.
  test.skipIf(storage === 'text')(
    'branches are distinguished if their ids differ in case only, or look like a pattern',
    async () => {
      const nodes = dataSource.getTreeRepository<Node>('materialized_path')
      const ids = family.textLength === undefined ? [] : lookalikes(generator.generate(), family.is)
      for (const [i, id] of ids.entries()) {
        const branch = await nodes.save({ id, name: `branch ${i}`, parent: null })
        await nodes.save({ name: `leaf ${i}`, parent: branch })
      }
      for (const [i, id] of ids.entries()) {
        const branch = await nodes.findOneByOrFail({ id })
        const names = (found: readonly Node[]) => found.map(({ name }) => name).sort()
        expect(names(await nodes.findDescendants(branch))).toEqual([`branch ${i}`, `leaf ${i}`])
        const leaf = await nodes.findOneByOrFail({ name: `leaf ${i}` })
        expect(names(await nodes.findAncestors(leaf))).toEqual([`branch ${i}`, `leaf ${i}`])
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
  const database = await sqlite.open()
  const dataSource = await openDataSource(database, [Spaced])
  try {
    const nodes = dataSource.getTreeRepository(Spaced)
    const root = await nodes.save({})
    const other = await nodes.save({})
    const leaf = await nodes.save({ parent: root })
    expect(await nodes.countDescendants(root)).toBe(2)
    await nodes.save({ ...leaf, parent: other })
    expect([await nodes.countDescendants(root), await nodes.countDescendants(other)]).toEqual([1, 2])
  } finally {
    executor.getTableName = getTableName
    await dataSource.destroy()
    await database.close()
  }
})

test.each(KINDS)('%s: columns with the same name in two trees can store ids differently', async (type) => {
  const define = (name: string, storage: 'text' | 'binary') => {
    @Entity(name)
    @Tree(type)
    class TreeNode implements Node {
      @IdColumn(flax, { storage }) id!: FlaxId
      @Column('varchar') name!: string
      @TreeParent() parent!: Relation<TreeNode> | null
      @TreeChildren() children!: Relation<TreeNode>[]
    }
    return Object.defineProperty(TreeNode, 'name', { value: name })
  }
  const database = await sqlite.open()
  const dataSource = await openDataSource(database, [define('one', 'text'), define('other', 'binary')])
  for (const name of ['one', 'other']) {
    const nodes = dataSource.getTreeRepository<Node>(name)
    const root = await nodes.save({ name: 'root' })
    const parent = await nodes.save({ name: 'parent', parent: root })
    const leaf = await nodes.save({ name: 'leaf', parent: root })
    await nodes.save({ ...leaf, parent })
    expect(await nodes.countDescendants(parent)).toBe(2)
  }
  await dataSource.destroy()
  await database.close()
})

/** Ids that differ in one character, which LIKE takes for the same. */
function lookalikes(id: string, is: (id: string) => boolean): string[] {
  const [start, end] = [id.slice(0, -3), id.slice(-2)]
  return ['a', 'A', '_', '-'].map((character) => start + character + end).filter(is)
}
