import 'reflect-metadata'
import { type FlaxId, flax } from '@snoflax/core'
import {
  And,
  Brackets,
  ChildEntity,
  Column,
  DataSource,
  DefaultNamingStrategy,
  Entity,
  Equal,
  In,
  JoinColumn,
  LessThan,
  ManyToOne,
  Not,
  NotBrackets,
  OneToMany,
  OneToOne,
  Or,
  PrimaryColumn,
  type Relation,
  TableInheritance,
  Tree,
  TreeChildren,
  TreeParent,
  type TreeRepository,
} from 'typeorm'
import { describe } from 'vitest'
import { columnsOf, describeBesideText, type Keys, sorted } from './beside-text.js'
import { openDataSource, optionsFor } from './open-data-source.js'

/** What entities can look like, once with our keys and once with the same ids as plain text. */
function define(keys: Keys, kind: string, isMixed: boolean, elsewhere: object) {
  const { Key, PartOfKey, Id, text } = columnsOf(keys, kind)
  const { Key: MixedKey } = columnsOf(isMixed && keys !== 'plain text' ? 'text' : keys, kind)
  class Pair {
    @PartOfKey() a!: FlaxId
    @Key() b!: FlaxId
  }
  class Inner {
    @Id() deep!: FlaxId | null
    @ManyToOne(() => Doc, { nullable: true }) @JoinColumn({ name: 'inner_doc' }) doc!: Relation<Doc> | null
  }
  class Outer {
    @Column('varchar', { nullable: true }) label!: string | null
    @Column(() => Inner) inner!: Inner
  }
  @Entity({ name: 'pairs', ...elsewhere })
  class Pairs {
    @Column(() => Pair) key!: Pair
    @Column('int') n!: number
    @OneToMany(() => Part, 'pairs', { cascade: true }) parts!: Relation<Part>[]
  }
  @Entity({ name: 'part', ...elsewhere })
  class Part {
    @Key() id!: FlaxId
    @ManyToOne(() => Pairs, 'parts', { onDelete: 'CASCADE' }) pairs!: Relation<Pairs>
    @Column(() => Outer) outer!: Outer
  }
  @Entity({ name: 'order', ...elsewhere })
  class Doc {
    @MixedKey() docId!: FlaxId
    @Column('varchar') select!: string
    @OneToOne(() => Detail, 'doc', { cascade: true }) detail!: Relation<Detail> | null
    @OneToMany(() => Child, 'doc', { cascade: true }) children!: Relation<Child>[]
  }
  @Entity({ name: 'detail', ...elsewhere })
  class Detail {
    @PrimaryColumn('varchar', { ...text(), name: 'doc_id' }) docId!: FlaxId
    @OneToOne(() => Doc, 'detail')
    @JoinColumn({ name: 'doc_id' })
    doc!: Relation<Doc>
    @Column('varchar') text!: string
  }
  @Entity({ name: 'child', ...elsewhere })
  class Child {
    @Key() id!: FlaxId
    @Column('int') n!: number
    @ManyToOne(() => Doc, 'children', { nullable: true }) doc!: Relation<Doc> | null
  }
  @Entity({ name: 'animal', ...elsewhere })
  @TableInheritance({ column: { type: 'varchar', name: 'type', length: 10 } })
  class Animal {
    @Key() id!: FlaxId
    @Column('varchar') name!: string
  }
  @ChildEntity('dog')
  class Dog extends Animal {
    @Id() chip!: FlaxId | null
    @ManyToOne(() => Animal, { nullable: true, createForeignKeyConstraints: false })
    friend!: Relation<Animal> | null
  }
  @ChildEntity('puppy')
  class Puppy extends Dog {
    @ManyToOne(() => Dog, { nullable: true }) mother!: Relation<Dog> | null
  }
  const trees = (['closure-table', 'materialized-path', 'nested-set'] as const).map((type) => {
    @Entity({ name: `t_${type.replace('-', '_')}`, ...elsewhere })
    @Tree(type)
    class Node {
      @Key() id!: FlaxId
      @Column('varchar') name!: string
      @ManyToOne(() => Doc, { nullable: true }) doc!: Relation<Doc> | null
      @TreeParent({ onDelete: 'CASCADE' }) parent!: Relation<Node> | null
      @TreeChildren({ cascade: true }) children!: Relation<Node>[]
    }
    return Object.defineProperty(Node, 'name', { value: `Tree${type.replace('-', '')}` })
  })
  const entities = { Pairs, Part, Doc, Detail, Child, Animal, Dog, Puppy }
  // TypeORM makes aliases of the names of classes.
  for (const [name, value] of Object.entries(entities)) Object.defineProperty(value, 'name', { value: name })
  return { ...entities, trees }
}

class Snakes extends DefaultNamingStrategy {
  override columnName(property: string, name: string, prefixes: string[]) {
    return [...prefixes, name || property].join('_').replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  }
  override joinColumnName(relation: string, column: string) {
    return `${relation}_${column}_fk`.toLowerCase()
  }
}

interface World extends ReturnType<typeof define> {
  readonly dataSource: DataSource
}

const ids = Array.from({ length: 60 }, () => flax.generate())
const id = (i: number): FlaxId => ids[i] as FlaxId

const FEATURES: Readonly<Record<string, (world: World) => Promise<unknown>>> = {
  'embedded keys and relations': async ({ dataSource: { manager }, Pairs, Part, Doc }) => {
    await manager.save(Doc, { docId: id(0), select: 'd0' })
    const outer = { label: 'x', inner: { deep: id(4), doc: { docId: id(0) } } }
    await manager.save(Pairs, { key: { a: id(1), b: id(2) }, n: 1, parts: [{ id: id(3), outer }] })
    const other = { key: { a: id(1), b: id(5) } }
    await manager.save(Pairs, { ...other, n: 2 })
    await manager.insert(Part, { id: id(6), pairs: other, outer: { label: null, inner: { deep: null } } })
    return [
      await manager.find(Pairs, { relations: { parts: true }, order: { key: { b: 'ASC' } } }),
      await manager.findBy(Pairs, { key: { a: id(1), b: Not(id(5)) } }),
      await manager.findBy(Pairs, { key: { b: In([id(2), id(5)]) }, n: 2 }),
      await manager.find(Part, {
        where: { outer: { inner: { deep: id(4), doc: { docId: id(0) } } } },
        relations: { outer: { inner: { doc: true } }, pairs: true },
      }),
      await manager.find(Part, { where: { pairs: other }, relations: { pairs: true } }),
      (await manager.update(Pairs, other, { n: 7 })).affected,
      await manager.save(Pairs, { ...other, n: 8 }),
      await manager.find(Pairs, { order: { n: 'ASC' } }),
      (await manager.remove(await manager.findOneByOrFail(Pairs, { key: { b: id(2) } }))).n,
      await manager.count(Part),
    ]
  },
  inheritance: async ({ dataSource: { manager }, Animal, Dog, Puppy }) => {
    await manager.save(Animal, { id: id(20), name: 'cat' })
    await manager.save(Dog, { id: id(21), name: 'rex', chip: id(29), friend: { id: id(20) } })
    const puppy = { id: id(22), name: 'pip', mother: { id: id(21) }, friend: { id: id(21) }, chip: id(28) }
    await manager.save(Puppy, puppy)
    await manager.update(Dog, { chip: id(29) }, { chip: id(27) })
    return [
      await manager.find(Puppy, {
        where: { mother: { id: id(21) } },
        relations: { mother: { friend: true }, friend: true },
      }),
      sorted(await manager.find(Animal)),
      sorted(await manager.findBy(Dog, { chip: In([id(27), id(28)]) })),
    ]
  },
  trees: async ({ dataSource, trees, Doc }) => {
    await dataSource.manager.save(Doc, { docId: id(30), select: 'd30' })
    const answers: unknown[] = []
    const names = (nodes: readonly { name: string }[]) => nodes.map(({ name }) => name).sort()
    for (const tree of trees) {
      type Node = InstanceType<typeof tree>
      const nodes: TreeRepository<Node> = dataSource.getTreeRepository(tree)
      const root = await nodes.save({ id: id(31), name: 'r', doc: { docId: id(30) } })
      await nodes.save({ id: id(32), name: 'a', parent: root, children: [{ id: id(34), name: 'aa' }] })
      const right = await nodes.save({ id: id(33), name: 'b', parent: root })
      await nodes.save({ id: id(35), name: 'ba', parent: right })
      const at = (i: number) => nodes.findOneByOrFail({ id: id(i) })
      const [planted] = await nodes.findTrees({ relations: ['doc'], depth: 1 })
      const up = await nodes.findAncestorsTree(await at(35))
      answers.push(
        [planted?.doc?.docId, names(planted?.children ?? [])],
        [up.parent?.id, up.parent?.parent?.id],
        names(await nodes.findRoots()),
        await nodes.countAncestors(await at(33)),
        names(
          await nodes
            .createDescendantsQueryBuilder('n', 'nc', await at(31))
            .andWhere({ id: Not(id(34)) })
            .getMany(),
        ),
        names(
          await nodes
            .createAncestorsQueryBuilder('n', 'nc', await at(35))
            .andWhere({ id: In([id(33), id(31)]) })
            .getMany(),
        ),
      )
      await nodes.save(Object.assign(await at(35), { parent: await at(32) }))
      answers.push(names(await nodes.findDescendants(await at(32))))
    }
    return answers
  },
  builders: async ({ dataSource: { manager }, Doc, Child, Detail }) => {
    await manager.save(Doc, [
      { docId: id(50), select: 'd50' },
      { docId: id(51), select: 'd51' },
    ])
    await manager.save(Child, [
      { id: id(52), n: 52, doc: { docId: id(50) } },
      { id: id(53), n: 53, doc: { docId: id(51) } },
    ])
    const children = () => manager.createQueryBuilder(Child, 'c')
    const either = new Brackets((one) => one.where({ id: id(52) }).orWhere({ id: In([id(53)]) }))
    const outside = new NotBrackets((one) => one.where({ doc: { docId: id(51) } }))
    return [
      await children().where(either).andWhere(outside).getMany(),
      (
        await children()
          .update()
          .set({ doc: { docId: id(51) } })
          .where({ id: In([id(52)]) })
          .execute()
      ).affected,
      await manager.find(Child, {
        where: { doc: { docId: And(Not(id(50)), Or(Equal(id(51)), LessThan(id(0)))) } },
        relations: { doc: true },
        order: { n: 'ASC' },
      }),
      await manager
        .createQueryBuilder(Doc, 'd')
        .leftJoinAndSelect('d.children', 'c')
        .where({ docId: In([id(50), id(51)]) })
        .orderBy('c.id', 'DESC')
        .take(2)
        .getManyAndCount()
        .then(([docs, count]) => [docs.map(({ docId }) => docId).sort(), count]),
      await manager.transaction(async (own) => {
        await own.insert(Child, { id: id(54), n: 54, doc: { docId: id(51) } })
        return own.findOne(Child, { where: { id: id(54) }, relations: { doc: true } })
      }),
      await children().relation('doc').of(id(54)).loadOne(),
      await children()
        .relation('doc')
        .of({ id: id(54) })
        .set(null),
      await manager.findOne(Child, { where: { id: id(54) }, relations: { doc: true } }),
      await manager.insert(Detail, { docId: id(50), text: 'x' }).then(({ identifiers }) => identifiers),
      await manager.find(Detail, {
        where: { docId: In([id(50), id(51)]) },
        relations: { doc: { children: true } },
      }),
    ]
  },
  'the schema is in agreement': async ({ dataSource }) => {
    const { upQueries } = await dataSource.driver.createSchemaBuilder().log()
    return [upQueries.length]
  },
}

// As they are, or by a naming strategy, with a prefix, beside keys of text and in PostgreSQL in a schema of their own.
describe.each([false, true])(
  'with a table prefix, a naming strategy, a schema and two storages: %s',
  (isElsewhere) => {
    describeBesideText(async (keys, kind, database): Promise<World> => {
      const hasSchema = isElsewhere && kind === 'postgres'
      if (hasSchema) {
        const sql = await new DataSource(optionsFor(database)).initialize()
        await sql.query('CREATE SCHEMA other')
        await sql.destroy()
      }
      const { trees, ...entities } = define(keys, kind, isElsewhere, hasSchema ? { schema: 'other' } : {})
      const naming = { entityPrefix: 'px_', namingStrategy: new Snakes() }
      const all = [...Object.values(entities), ...trees]
      const dataSource = await openDataSource(database, all, isElsewhere ? naming : {})
      return { ...entities, trees, dataSource }
    }, FEATURES)
  },
)
