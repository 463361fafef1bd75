import 'reflect-metadata'
import {
  type FlaxId,
  flake,
  flax,
  type IdFamily,
  prefixed,
  type SnoId,
  type StorageName,
  sno,
  ulid,
  uuid7,
} from '@snoflax/core'
import { type UidId, uid } from '@snoflax/families'
import { install } from '@snoflax/pg-sql'
import { mysql, mysqlVersion, type PostgresDatabase, postgres, sqlite } from '@snoflax/test'
import { IdColumn, parameter, prepareDataSource, SnoIdColumn } from '@snoflax/typeorm'
import pg from 'pg'
import {
  Column,
  CreateDateColumn,
  DataSource,
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
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { changesOf, databaseForTest, openForTest } from './open-data-source.js'
import { differing, flaxPlaces, kinds, type Place, places } from './sources.js'

/** The one whose inserts return rows. */
const isMariadb = mysql.selected() && (await mysqlVersion()).startsWith('MariaDB')

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

describe.each(differing)('$name', (place) => {
  test('synchronize changes nothing the second time', async () => {
    const database = await databaseForTest(place.kind)
    expect(await changesOf(await openForTest(database, entitiesFor(place)))).toEqual([])
    const again = await openForTest(database, entitiesFor(place), { synchronize: false })
    expect(await changesOf(again)).toEqual([])
  })

  test('generated migrations run, leave no changes, and can be reverted', async () => {
    const database = await databaseForTest(place.kind)
    const entities = entitiesFor(place)
    const empty = await openForTest(database, entities, { synchronize: false })
    const { upQueries, downQueries } = await empty.driver.createSchemaBuilder().log()
    class Generated1700000000000 implements MigrationInterface {
      async up(queryRunner: QueryRunner) {
        for (const { query, parameters } of upQueries) await queryRunner.query(query, parameters)
      }
      async down(queryRunner: QueryRunner) {
        for (const { query, parameters } of [...downQueries].reverse())
          await queryRunner.query(query, parameters)
      }
    }
    const dataSource = await openForTest(database, entities, {
      synchronize: false,
      migrations: [Generated1700000000000],
      migrationsRun: true,
    })
    expect(await changesOf(dataSource)).toEqual([])
    await dataSource.undoLastMigration()
    expect(await changesOf(dataSource)).not.toEqual([])
  })
})

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

  test('bigint if the driver is configured to round', async () => {
    const entity = define(flake as unknown as IdFamily<string>, 'bigint')
    await expect(openForTest(postgres, [entity], { parseInt8: true })).rejects.toMatchObject({
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

  test("default: 'database' in a database that generates other ids", async () => {
    @Entity()
    class Made {
      @IdColumn(uid.withNeighbourhood(10), { default: 'database' }) id!: UidId
    }
    await expect(openForTest(postgres, [Made])).rejects.toMatchObject({
      code: 'INVALID_OPTION',
      path: 'Made.id',
      message: expect.stringMatching(/neighbourhood of 8, not 10/),
    })
  })
})

describe('a foreign key', () => {
  @Entity()
  class Target {
    @IdColumn(flax, { storage: 'binary' }) id!: FlaxId
  }
  test('takes the storage of its target, if it is declared with a relation or by a decorator of its own', async () => {
    @Entity()
    class Source {
      @IdColumn(flax) id!: FlaxId
      @IdColumn.plain(flax, { nullable: true }) relatedId!: FlaxId | null
      @ManyToOne(() => Target, { nullable: true }) related!: Relation<Target> | null
      @ForeignKey(() => Target) @Column('varchar') targetId!: FlaxId
    }
    for (const kind of kinds) {
      const dataSource = await openForTest(kind, [Target, Source])
      expect(await changesOf(dataSource)).toEqual([])
      const target = await dataSource.getRepository(Target).save({})
      const sources = dataSource.getRepository(Source)
      const { id } = await sources.save({ targetId: target.id, relatedId: target.id })
      expect(await sources.findBy({ targetId: target.id })).toEqual([
        { id, targetId: target.id, relatedId: target.id },
      ])
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
    const dataSource = await openForTest(sqlite, [Target, Node])
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
        storage ? IdColumn.plain(flax, { storage, primary: true }) : PrimaryColumn({ type: 'varchar' })
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
        const dataSource = await openForTest(postgres, entities)
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
    const dataSource = await openForTest(sqlite, [Target, Customer, Order])
    const { id: tenantId } = await dataSource.getRepository(Target).save({})
    const customer = await dataSource.getRepository(Customer).save({ tenantId })
    const orders = dataSource.getRepository(Order)
    const { id } = await orders.save({ tenantId })
    await orders.update({ tenant: { id: tenantId } }, { customer })
    const found = await orders.find({ where: { customer }, relations: { tenant: true, customer: true } })
    expect(found).toMatchObject([{ id, tenantId, tenant: { id: tenantId }, customer: { id: customer.id } }])
    expect(() => parameter(Order, 'customer', null)).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTION', path: 'Order.customer' }),
    )
  })

  test('of another family or storage, or to another column, is refused', async () => {
    @Entity()
    class OtherFamily {
      @IdColumn(flax) id!: FlaxId
      @IdColumn.plain(sno) targetId!: SnoId
      @ManyToOne(() => Target) target!: Relation<Target>
    }
    @Entity()
    class OtherStorage {
      @IdColumn(flax) id!: FlaxId
      @IdColumn.plain(flax, { storage: 'text' }) targetId!: FlaxId
      @ManyToOne(() => Target) target!: Relation<Target>
    }
    @Entity()
    class Plain {
      @Column({ type: 'varchar', primary: true }) id!: string
    }
    @Entity()
    class ToPlain {
      @IdColumn(flax) id!: FlaxId
      @IdColumn.plain(flax) targetId!: FlaxId
      @ManyToOne(() => Plain) target!: Relation<Plain>
    }
    for (const [entities, path] of [
      [[Target, OtherFamily], 'OtherFamily.targetId'],
      [[Target, OtherStorage], 'OtherStorage.targetId'],
      [[Plain, ToPlain], 'ToPlain.targetId'],
    ] as const) {
      await expect(openForTest(sqlite, [...entities])).rejects.toMatchObject({ code: 'INVALID_OPTION', path })
    }
  })
})

describe("default: 'database'", () => {
  const generating = [
    ...places.filter(({ kind }) => kind.name === 'postgres'),
    ...flaxPlaces.filter(({ kind }) => kind.name === 'mysql' && isMariadb),
  ]

  /** With the functions of pg-sql, whose ids have a metabyte and a worker. */
  let installed: PostgresDatabase
  beforeAll(async () => {
    installed = await postgres.open()
    await install(installed.pool)
    const numbers =
      'SELECT snoflax.sno_set_partition(7), snoflax.flake_set_worker(1, 2), snoflax.uid_set_node($1)'
    await installed.query(numbers, ['test'])
  })
  afterAll(() => installed.close())

  test.each(generating)('$name', async ({ kind, family, storage }) => {
    @Entity(`made_${family.name}_${storage}`)
    class Made {
      @IdColumn(family, { default: 'database', storage }) id!: string
      @Column('varchar') name!: string
    }
    @Entity(`part_${family.name}_${storage}`)
    class Part {
      @IdColumn(family, { default: 'database', storage }) id!: string
      @ManyToOne(() => Made, { cascade: true }) made!: Relation<Made>
    }
    const dataSource = await openForTest(kind.name === 'postgres' ? installed : kind, [Made, Part])
    expect(await changesOf(dataSource)).toEqual([])

    const parts = dataSource.getRepository(Part)
    const saved = await parts.save(parts.create({ made: { name: 'one' } }))
    expect(family.is(saved.id)).toBe(true)
    const loaded = await parts.findOneOrFail({ where: { id: saved.id }, relations: { made: true } })
    expect(loaded.made).toEqual({ id: saved.made.id, name: 'one' })
    const rows = [{ name: 'two' }, { name: 'three', id: family.min }]
    const { identifiers } = await dataSource.getRepository(Made).insert(rows)
    expect(identifiers).toEqual([{ id: expect.any(String) }, { id: family.min }])
    const [two] = identifiers as [{ id: string }]
    expect(await dataSource.getRepository(Made).findOneByOrFail(two)).toMatchObject({ name: 'two' })
  })

  test("generates the metabyte, by another schema's functions", async () => {
    @Entity()
    class Marked {
      @SnoIdColumn({ default: 'database', meta: 9 }) id!: SnoId
      @Column('varchar') name!: string
    }
    @Entity()
    class Elsewhere {
      @IdColumn(flax, { default: 'database', schema: 'ids' }) id!: FlaxId
    }
    const dataSource = await openForTest(installed, [Marked])
    expect(await changesOf(dataSource)).toEqual([])
    expect(sno.meta((await dataSource.getRepository(Marked).save({ name: 'x' })).id)).toBe(9)
    const other = await openForTest(installed, [Elsewhere], { synchronize: false })
    const [id] = other.getMetadata(Elsewhere).columns as unknown as [{ default: () => string }]
    expect(id.default()).toBe('ids.flax_generate_text()')
  })

  test.runIf(isMariadb)('is refused for ids that need a number', async () => {
    @Entity()
    class Unnumbered {
      @IdColumn(sno, { default: 'database' }) id!: SnoId
    }
    await expect(openForTest(mysql, [Unnumbered])).rejects.toMatchObject({
      code: 'INVALID_OPTION',
      path: 'Unnumbered.id',
      field: 'number',
    })
  })

  test.runIf(mysql.selected())(
    'is refused in MySQL, where inserts return no rows and entities would get no ids',
    async () => {
      @Entity()
      class Unreturned {
        @IdColumn(flax, { default: 'database' }) id!: FlaxId
      }
      await expect(openForTest(mysql, [Unreturned], { type: 'mysql' } as never)).rejects.toMatchObject({
        code: 'INVALID_OPTION',
        path: 'Unreturned.id',
        message: expect.stringContaining('RETURNING'),
      })
    },
  )
})

const returning = kinds.filter(({ name }) => name === 'postgres' || (name === 'mysql' && isMariadb))

describe.each(returning)("$name, default: 'database'", (kind) => {
  const families = kind.name === 'postgres' ? [flax, sno, uuid7, ulid, uid] : [flax, uuid7, ulid]
  const schemas = kind.name === 'postgres' ? [undefined, 'ids'] : [undefined]
  const metas = (family: IdFamily) => (family.name === 'sno' ? [undefined, 7] : [undefined])
  const all = families.flatMap((family) =>
    [false, true].flatMap((isPrefixed) =>
      schemas.flatMap((schema) => metas(family).map((meta) => ({ family, isPrefixed, schema, meta }))),
    ),
  )
  const entities = all.map(({ family, isPrefixed, schema, meta }, i) => {
    const prefix = isPrefixed ? `c${i}` : undefined
    class Made {
      id!: string
    }
    const column: object = { default: 'database', prefix, schema, meta, ...(prefix && { storage: 'text' }) }
    const input = Object.fromEntries(Object.entries(column).filter(([, value]) => value !== undefined))
    IdColumn(family as IdFamily<string>, input)(Made.prototype, 'id')
    Entity({ name: `made_${i}` })(Made)
    return Object.defineProperty(Made, 'name', { value: `Made${i}` })
  })

  test('a second synchronize and a migration find no difference, whatever the family, prefix, schema and metabyte', async () => {
    const database = await databaseForTest(kind)
    if (kind.name === 'postgres') {
      for (const schema of ['snoflax', 'ids']) {
        await install((database as PostgresDatabase).pool, { schema })
        await database.query(`SELECT ${schema}.sno_set_partition(7), ${schema}.uid_set_node('test')`)
      }
    }
    const dataSource = await openForTest(database, entities)
    expect(await changesOf(dataSource)).toEqual([])
    for (const [i, { family, isPrefixed, meta }] of all.entries()) {
      const prefix = isPrefixed ? `c${i}` : undefined
      const { id } = await dataSource.getRepository<{ id: string }>(`Made${i}`).save({})
      expect((prefix ? prefixed(family, prefix) : family).is(id)).toBe(true)
      if (meta) expect(sno.meta((prefix ? id.slice(prefix.length + 1) : id) as SnoId)).toBe(meta)
    }
  })
})
