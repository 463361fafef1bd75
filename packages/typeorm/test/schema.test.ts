import 'reflect-metadata'
import { type FlaxId, flake, flax, type IdFamily, type SnoId, type StorageName, sno } from '@snoflax/core'
import { type UidId, uid } from '@snoflax/families'
import { install } from '@snoflax/pg-sql'
import { type OpenDatabase, postgres } from '@snoflax/test'
import { IdColumn, prepareDataSource, SnoIdColumn } from '@snoflax/typeorm'
import pg from 'pg'
import {
  Column,
  CreateDateColumn,
  DataSource,
  type DataSourceOptions,
  Entity,
  ForeignKey,
  JoinColumn,
  JoinTable,
  ManyToMany,
  ManyToOne,
  type MigrationInterface,
  OneToOne,
  PrimaryColumn,
  type QueryRunner,
  type Relation,
  Tree,
  TreeChildren,
  TreeParent,
} from 'typeorm'
import { afterEach, describe, expect, test } from 'vitest'
import { openDataSource, optionsFor } from './open-data-source.js'
import { type Place, places } from './sources.js'

const opened: { close(): Promise<unknown> }[] = []
afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one.close()
})

async function open({ kind }: Pick<Place, 'kind'>): Promise<OpenDatabase> {
  const database = await kind.open()
  opened.push(database)
  return database
}

async function connect(
  database: OpenDatabase,
  entities: DataSourceOptions['entities'],
  more: Partial<DataSourceOptions> = {},
): Promise<DataSource> {
  const dataSource = await openDataSource(database, entities, more)
  opened.push({ close: () => dataSource.destroy() })
  return dataSource
}

/** Each kind of column that can hold an id. */
function entitiesFor({ family, generator, storage }: Omit<Place, 'kind' | 'name'>) {
  @Entity()
  class Author {
    @IdColumn(family, { generator, storage, comment: "the author's id" }) id!: string
    @Column('varchar') name!: string
    @CreateDateColumn() savedAt!: Date
  }
  @Entity()
  class Label {
    @IdColumn(family, { generator, storage, name: 'label_id' }) id!: string
  }
  @Entity()
  class Note {
    @IdColumn(family, { generator, storage }) id!: string
    @IdColumn.plain(family, { storage, nullable: true }) traceId!: string | null
    @IdColumn.plain(family, { storage, unique: true }) code!: string
    @ManyToOne(() => Author) author!: Relation<Author>
    @OneToOne(() => Note, { nullable: true }) @JoinColumn() previous!: Relation<Note> | null
    @ManyToMany(() => Label) @JoinTable() labels!: Relation<Label>[]
  }
  @Entity()
  @Tree('closure-table')
  class Folder {
    @IdColumn(family, { generator, storage }) id!: string
    @TreeParent() parent!: Relation<Folder> | null
    @TreeChildren() children!: Relation<Folder>[]
  }
  return [Author, Label, Note, Folder]
}

const changes = async (dataSource: DataSource) => {
  const { upQueries, downQueries } = await dataSource.driver.createSchemaBuilder().log()
  return [...upQueries, ...downQueries].map(({ query }) => query)
}

describe.each(places)('$name', (place) => {
  test('synchronize changes nothing the second time', async () => {
    const database = await open(place)
    const dataSource = await connect(database, entitiesFor(place))
    expect(await changes(dataSource)).toEqual([])
    const again = await connect(database, entitiesFor(place), { synchronize: false })
    expect(await changes(again)).toEqual([])
  })

  test('generated migrations run, leave no changes, and can be reverted', async () => {
    const database = await open(place)
    const entities = entitiesFor(place)
    const { upQueries, downQueries } = await generated(
      await connect(database, entities, { synchronize: false }),
    )
    class Generated1700000000000 implements MigrationInterface {
      async up(queryRunner: QueryRunner) {
        for (const { query, parameters } of upQueries) await queryRunner.query(query, parameters)
      }
      async down(queryRunner: QueryRunner) {
        for (const { query, parameters } of [...downQueries].reverse())
          await queryRunner.query(query, parameters)
      }
    }
    const dataSource = await connect(database, entities, {
      synchronize: false,
      migrations: [Generated1700000000000],
      migrationsRun: true,
    })
    expect(await changes(dataSource)).toEqual([])
    const authors = dataSource.getRepository<{ id: string; name: string }>('Author')
    const { id } = await authors.save({ name: 'Ada' })
    expect(await authors.findOneByOrFail({ id })).toMatchObject({ id, name: 'Ada' })
    await dataSource.undoLastMigration()
    expect(await changes(dataSource)).not.toEqual([])
  })
})

const generated = (dataSource: DataSource) => dataSource.driver.createSchemaBuilder().log()

describe('refused when the DataSource is built', () => {
  class Thing {
    id!: string
  }
  const define = (family: IdFamily<string>, storage: StorageName) => {
    class One extends Thing {}
    Entity({ name: 'thing' })(One)
    const generator = { generate: () => family.min }
    IdColumn(family, { storage, generator })(One.prototype, 'id')
    return One
  }

  const refused = places
    .filter(
      ({ storage, kind }, i) =>
        kind.name !== 'postgres' &&
        places.findIndex((one) => one.kind === kind && one.storage === storage) === i,
    )
    .flatMap(({ kind }) =>
      (['uuid', 'uuid8'] as const).map((storage) => ({ kind, storage, name: `${kind.name}, ${storage}` })),
    )
  test.each(refused)('$name', async ({ kind, storage }) => {
    const database = await open({ kind })
    const entity = define(flax as unknown as IdFamily<string>, storage)
    await expect(connect(database, [entity])).rejects.toMatchObject({
      name: 'IdError',
      code: 'STORAGE_REFUSED',
      path: 'One.id',
    })
  })

  test('bigint if the driver is configured to round', async () => {
    const database = await open({ kind: postgres })
    const place = places.find(
      ({ kind, storage }) => kind.name === 'postgres' && storage === 'bigint',
    ) as Place
    const entity = define(place.family, 'bigint')
    await expect(connect(database, [entity], { parseInt8: true })).rejects.toMatchObject({
      code: 'STORAGE_REFUSED',
      path: 'One.id',
    })
    // The option is one of the whole process.
    pg.defaults.parseInt8 = false
  })

  test.each([
    [{ supportBigNumbers: false }, 'mysql'],
    [{ supportBigNumbers: false }, 'mariadb'],
    [{ extra: { supportBigNumbers: false } }, 'mysql'],
    [{ supportBigNumbers: true, extra: { supportBigNumbers: false } }, 'mysql'],
  ])('bigint with %j in %s', async (options, type) => {
    const entity = define(flake as unknown as IdFamily<string>, 'bigint')
    const dataSource = new DataSource({ type, database: 'none', entities: [entity], ...options } as never)
    const building = prepareDataSource(dataSource) as unknown as { buildMetadatas(): Promise<void> }
    await expect(building.buildMetadatas()).rejects.toMatchObject({
      code: 'STORAGE_REFUSED',
      path: 'One.id',
      message: expect.stringContaining('supportBigNumbers: false rounds them; remove that option'),
    })
  })

  test('an unsupported kind of database', async () => {
    const entity = define(flax as unknown as IdFamily<string>, 'text')
    const dataSource = new DataSource({
      type: 'cockroachdb',
      url: 'postgres://nowhere',
      entities: [entity],
      timeTravelQueries: false,
    })
    const building = prepareDataSource(dataSource) as unknown as { buildMetadatas(): Promise<void> }
    await expect(building.buildMetadatas()).rejects.toMatchObject({
      name: 'IdError',
      code: 'INVALID_OPTION',
      message: expect.stringContaining('cockroachdb'),
    })
  })

  test("default: 'database' in a database without such functions", async () => {
    for (const kind of places.map((place) => place.kind).filter(({ name }) => name !== 'postgres')) {
      @Entity()
      class Made {
        @IdColumn(flax, { default: 'database' }) id!: ReturnType<typeof flax.generate>
      }
      const database = await open({ kind })
      await expect(connect(database, [Made])).rejects.toMatchObject({
        code: 'INVALID_OPTION',
        path: 'Made.id',
        message: expect.stringMatching(/PostgreSQL/),
      })
      break
    }
  })

  test("default: 'database' in a database that generates other ids", async () => {
    const place = places.find(({ kind }) => kind.name === 'postgres') as Place
    @Entity()
    class Made {
      @IdColumn(uid.withNeighbourhood(10), { default: 'database' }) id!: UidId
    }
    await expect(connect(await open(place), [Made])).rejects.toMatchObject({
      code: 'INVALID_OPTION',
      path: 'Made.id',
      message: expect.stringMatching(/neighbourhood of 8, not 10/),
    })
  })
})

describe('a foreign key', () => {
  @Entity()
  class Target {
    @IdColumn(flax, { storage: 'binary' }) id!: ReturnType<typeof flax.generate>
  }
  const sqlitePlace = places[0] as Place

  test('takes the storage of its target if it is declared', async () => {
    @Entity()
    class Source {
      @IdColumn(flax) id!: ReturnType<typeof flax.generate>
      @IdColumn.plain(flax) targetId!: ReturnType<typeof flax.generate>
      @ManyToOne(() => Target) target!: Relation<Target>
    }
    const dataSource = await connect(await open(sqlitePlace), [Target, Source])
    expect(dataSource.getMetadata(Source).findColumnWithPropertyName('targetId')?.type).toBe('blob')
  })

  test('takes the storage of its target if it is declared by a decorator of its own', async () => {
    @Entity()
    class Source {
      @IdColumn(flax) id!: ReturnType<typeof flax.generate>
      @ForeignKey(() => Target) @Column('varchar') targetId!: ReturnType<typeof flax.generate>
    }
    for (const kind of new Set(places.map((place) => place.kind))) {
      const dataSource = await connect(await open({ kind }), [Target, Source])
      expect(await changes(dataSource)).toEqual([])
      const target = await dataSource.getRepository(Target).save({})
      const { id } = await dataSource.getRepository(Source).save({ targetId: target.id })
      const sources = dataSource.getRepository(Source)
      expect(await sources.findBy({ targetId: target.id })).toEqual([{ id, targetId: target.id }])
    }
  })

  test.each(['tenant first', 'parent first'])('that is composite can share a column: %s', async (order) => {
    @Entity()
    class Node {
      @PrimaryColumn('varchar') tenantId!: FlaxId
      @IdColumn(flax, { storage: 'binary' }) id!: FlaxId
      @Column('varchar', { nullable: true }) parentId!: FlaxId | null
      parent!: Relation<Node> | null
      tenant!: Relation<Target>
    }
    const relations = {
      tenant: () => {
        ManyToOne(() => Target)(Node.prototype, 'tenant')
        JoinColumn({ name: 'tenantId' })(Node.prototype, 'tenant')
      },
      parent: () => {
        ManyToOne(() => Node)(Node.prototype, 'parent')
        const columns = [
          { name: 'tenantId', referencedColumnName: 'tenantId' },
          { name: 'parentId', referencedColumnName: 'id' },
        ]
        JoinColumn(columns)(Node.prototype, 'parent')
      },
    }
    for (const name of order === 'tenant first'
      ? (['tenant', 'parent'] as const)
      : (['parent', 'tenant'] as const))
      relations[name]()
    const dataSource = await connect(await open(sqlitePlace), [Target, Node])
    const { id: tenantId } = await dataSource.getRepository(Target).save({})
    const nodes = dataSource.getRepository(Node)
    const { id: parentId } = await nodes.save({ tenantId })
    const { id } = await nodes.save({ tenantId, parentId })
    const found = await nodes.find({
      where: { parent: { id: parentId } },
      relations: { tenant: true, parent: true },
    })
    expect(found).toMatchObject([{ id, tenant: { id: tenantId }, parent: { tenantId, id: parentId } }])
    expect(dataSource.getMetadata(Node).columns.map(({ type }) => type)).toEqual(['blob', 'blob', 'blob'])
  })

  test.each(['binary', undefined] as const)(
    'can reference its own current version, stored as %s',
    async (storage) => {
      @Entity()
      class Paper {
        @IdColumn(flax, { storage: 'binary' }) id!: FlaxId
        @Column('int', { nullable: true }) currentNo!: number | null
        @OneToOne(() => Version, { nullable: true, createForeignKeyConstraints: false })
        @JoinColumn([
          { name: 'id', referencedColumnName: 'paperId' },
          { name: 'currentNo', referencedColumnName: 'no' },
        ])
        current!: Relation<Version> | null
      }
      const Own = () =>
        storage ? IdColumn(flax, { storage, generator: flax }) : PrimaryColumn({ type: 'varchar' })
      @Entity()
      class Version {
        @Own() paperId!: FlaxId
        @PrimaryColumn('int') no!: number
        @ManyToOne(() => Paper) @JoinColumn({ name: 'paperId' }) paper!: Relation<Paper>
      }
      for (const entities of [
        [Paper, Version],
        [Version, Paper],
      ]) {
        const dataSource = await connect(await open({ kind: postgres }), entities)
        const papers = dataSource.getRepository(Paper)
        const { id } = await papers.save({ currentNo: null })
        await dataSource.getRepository(Version).insert({ paperId: id, no: 1 })
        await papers.update(id, { currentNo: 1 })
        const found = await papers.findOneOrFail({ where: { id }, relations: { current: { paper: true } } })
        expect(found).toMatchObject({ id, current: { paperId: id, no: 1, paper: { id } } })
      }
    },
  )

  test('that two relations share is written and read by both', async () => {
    @Entity()
    class Customer {
      @PrimaryColumn('varchar') tenantId!: FlaxId
      @IdColumn(flax, { storage: 'binary' }) id!: FlaxId
      @ManyToOne(() => Target) @JoinColumn({ name: 'tenantId' }) tenant!: Relation<Target>
    }
    @Entity()
    class Order {
      @IdColumn(flax, { storage: 'binary' }) id!: FlaxId
      @IdColumn.plain(flax) tenantId!: FlaxId
      @ManyToOne(() => Target) @JoinColumn({ name: 'tenantId' }) tenant!: Relation<Target>
      @ManyToOne(() => Customer, { nullable: true })
      @JoinColumn([
        { name: 'tenantId', referencedColumnName: 'tenantId' },
        { name: 'customerId', referencedColumnName: 'id' },
      ])
      customer!: Relation<Customer> | null
    }
    const dataSource = await connect(await open(sqlitePlace), [Target, Customer, Order])
    const { id: tenantId } = await dataSource.getRepository(Target).save({})
    const customer = await dataSource.getRepository(Customer).save({ tenantId })
    const orders = dataSource.getRepository(Order)
    const { id } = await orders.save({ tenantId })
    await orders.update({ tenant: { id: tenantId } }, { customer })
    const found = await orders.find({ where: { customer }, relations: { tenant: true, customer: true } })
    expect(found).toMatchObject([{ id, tenantId, tenant: { id: tenantId }, customer: { id: customer.id } }])
    const raw = orders.createQueryBuilder('o').select('o.tenant', 'one').addSelect('o.customer', 'other')
    expect(await raw.getRawMany()).toEqual([{ one: tenantId, other: customer.id }])
  })

  test('of another family or storage, or to another column, is refused', async () => {
    const other = places.find(({ family }) => family.name === 'sno')?.family as IdFamily<string>
    @Entity()
    class OtherFamily {
      @IdColumn(flax) id!: ReturnType<typeof flax.generate>
      @IdColumn.plain(other) targetId!: string
      @ManyToOne(() => Target) target!: Relation<Target>
    }
    @Entity()
    class OtherStorage {
      @IdColumn(flax) id!: ReturnType<typeof flax.generate>
      @IdColumn.plain(flax, { storage: 'text' }) targetId!: ReturnType<typeof flax.generate>
      @ManyToOne(() => Target) target!: Relation<Target>
    }
    @Entity()
    class Plain {
      @Column({ type: 'varchar', primary: true }) id!: string
    }
    @Entity()
    class ToPlain {
      @IdColumn(flax) id!: ReturnType<typeof flax.generate>
      @IdColumn.plain(flax) targetId!: ReturnType<typeof flax.generate>
      @ManyToOne(() => Plain) target!: Relation<Plain>
    }
    const database = await open(sqlitePlace)
    for (const [entities, path] of [
      [[Target, OtherFamily], 'OtherFamily.targetId'],
      [[Target, OtherStorage], 'OtherStorage.targetId'],
      [[Plain, ToPlain], 'ToPlain.targetId'],
    ] as const) {
      await expect(connect(database, [...entities])).rejects.toMatchObject({ code: 'INVALID_OPTION', path })
    }
  })
})

describe("default: 'database'", () => {
  const made = places.filter(({ kind }) => kind.name === 'postgres')

  test.each(made)('$name', async (place) => {
    const { family, storage } = place
    @Entity()
    class Made {
      @IdColumn(family, { default: 'database', storage }) id!: string
      @Column('varchar') name!: string
    }
    @Entity()
    class Part {
      @IdColumn(family, { default: 'database', storage }) id!: string
      @ManyToOne(() => Made, { cascade: true }) made!: Relation<Made>
    }
    const database = await postgres.open()
    opened.push(database)
    await install(database.pool)
    await database.query(
      'SELECT snoflax.sno_set_partition(7), snoflax.flake_set_worker(1, 2), snoflax.uid_set_node($1)',
      ['test'],
    )
    const dataSource = await connect(database, [Made, Part])
    expect(await changes(dataSource)).toEqual([])

    const parts = dataSource.getRepository(Part)
    const saved = await parts.save(parts.create({ made: { name: 'one' } }))
    expect(family.is(saved.id)).toBe(true)
    const loaded = await parts.findOneOrFail({ where: { id: saved.id }, relations: { made: true } })
    expect(loaded.made).toEqual({ id: saved.made.id, name: 'one' })
    const rows = [{ name: 'two' }, { name: 'three', id: family.min }]
    const { identifiers } = await dataSource.getRepository(Made).insert(rows)
    expect(identifiers).toEqual([{ id: expect.any(String) }, { id: family.min }])
    expect(
      await dataSource.getRepository(Made).findOneByOrFail(identifiers[0] as { id: string }),
    ).toMatchObject({ name: 'two' })
  })

  test('generates the metabyte', async () => {
    @Entity()
    class Marked {
      @SnoIdColumn({ default: 'database', meta: 9 }) id!: SnoId
      @Column('varchar') name!: string
    }
    const database = await postgres.open()
    opened.push(database)
    await install(database.pool)
    await database.query('SELECT snoflax.sno_set_partition(7)')
    const dataSource = await connect(database, [Marked])
    expect(await changes(dataSource)).toEqual([])
    expect(sno.meta((await dataSource.getRepository(Marked).save({ name: 'x' })).id)).toBe(9)
  })

  test("uses another schema's functions", async () => {
    expect(await defaultOf({ schema: 'ids' })).toBe('ids.flax_generate_text()')
    for (const schema of ['x; DROP TABLE', 'Ids', 'select', '']) {
      await expect(defaultOf({ schema })).rejects.toMatchObject({
        code: 'INVALID_OPTION',
        path: 'Made.id',
        field: 'schema',
      })
    }
  })

  async function defaultOf(more: { schema: string }) {
    @Entity()
    class Made {
      @IdColumn(flax, { default: 'database', ...more }) id!: ReturnType<typeof flax.generate>
    }
    const database = await open({ kind: postgres })
    const dataSource = await new DataSource({
      ...optionsFor(database),
      entities: [Made],
    } as DataSourceOptions).initialize()
    opened.push({ close: () => dataSource.destroy() })
    const call = dataSource.getMetadata(Made).findColumnWithPropertyName('id')?.default as () => string
    return call()
  }
})
