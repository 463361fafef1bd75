import 'reflect-metadata'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Controller, Get, Inject, Module, Param } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { getDataSourceToken, TypeOrmModule } from '@nestjs/typeorm'
import { type FlaxId, flax } from '@snoflax/core'
import { mysql, postgres, sqlite } from '@snoflax/test'
import * as ours from '@snoflax/typeorm'
import { FlaxIdColumn, idColumn, prepareDataSource } from '@snoflax/typeorm'
import {
  BaseEntity,
  Column,
  DataSource,
  type DataSourceOptions,
  Entity,
  EntitySchema,
  ManyToOne,
  type Relation,
} from 'typeorm'
import { describe, expect, onTestFinished, test } from 'vitest'
import { databaseForTest, openForTest, optionsFor } from './open-data-source.js'
import { VERSION } from './version.js'

@Entity()
class Customer {
  @FlaxIdColumn() id!: FlaxId
  @Column('varchar') name!: string
}

@Entity()
class Visit {
  @FlaxIdColumn() id!: FlaxId
  @ManyToOne(() => Customer, { cascade: true }) customer!: Relation<Customer>
}

@Entity()
class Parcel {
  @FlaxIdColumn({ storage: 'binary' }) id!: FlaxId
}

const ENTITIES = [Customer, Visit]

const optionsOn = async (kind: Parameters<typeof databaseForTest>[0]): Promise<DataSourceOptions> =>
  ({ ...optionsFor(await databaseForTest(kind)), entities: ENTITIES, synchronize: true }) as DataSourceOptions

async function initialized<Source extends DataSource>(source: Source): Promise<Source> {
  await source.initialize()
  onTestFinished(() => (source.isInitialized ? source.destroy() : undefined))
  return source
}

async function visitOnce(dataSource: Pick<DataSource, 'getRepository'>) {
  const visits = dataSource.getRepository<Visit>('Visit')
  const { id } = await visits.save({ customer: { name: 'Ada' } as Customer })
  const found = await visits.findOneOrFail({ where: { id }, relations: { customer: true } })
  expect(found.customer.name).toBe('Ada')
  expect(flax.is(found.customer.id)).toBe(true)
}

const typeOfKey = (dataSource: DataSource) =>
  dataSource.getMetadata('Visit').findRelationWithPropertyPath('customer')?.joinColumns[0]?.type

describe('several DataSources', () => {
  test('work on two databases at once, with the same entities', async () => {
    const dataSources = await Promise.all([sqlite, postgres].map((kind) => openForTest(kind, ENTITIES)))
    expect(dataSources.map(typeOfKey)).toEqual(['text', 'text'])
    await Promise.all(dataSources.map(visitOnce))
  })

  test('can be initialized again after they were destroyed', async () => {
    const dataSource = new DataSource(await optionsOn(sqlite))
    for (let i = 0; i < 2; i++) {
      await dataSource.initialize()
      await visitOnce(dataSource)
      await dataSource.destroy()
    }
  })

  test('can be prepared by hand, before they are initialized or after', async () => {
    const before = await initialized(prepareDataSource(new DataSource(await optionsOn(postgres))))
    await visitOnce(before)
    expect(prepareDataSource(before)).toBe(before)
    await visitOnce(before)
  })

  test('work with active records', async () => {
    @Entity()
    class Active extends BaseEntity {
      @FlaxIdColumn() id!: FlaxId
      @Column('varchar') name!: string
    }
    await openForTest(sqlite, [Active])
    const { id } = await Active.create({ name: 'Ada' }).save()
    const found = await Active.findOneByOrFail({ id })
    await Object.assign(found, { name: 'Ben' }).save()
    expect(await Active.find()).toMatchObject([{ id, name: 'Ben' }])
  })
})

test.each([postgres, mysql].filter((kind) => kind.selected()))(
  '$name: a refused save releases its connection',
  async (kind) => {
    @Entity('buyer')
    class Buyer {
      @FlaxIdColumn({ storage: 'binary' }) id!: FlaxId
      @Column('varchar') name!: string
    }
    @Entity('call')
    class Call {
      @FlaxIdColumn({ storage: 'binary' }) id!: FlaxId
      @ManyToOne(() => Buyer, { cascade: true }) buyer!: Relation<Buyer>
    }
    const dataSource = await openForTest(kind, [Buyer, Call], { poolSize: 1 })
    const calls = dataSource.getRepository(Call)
    const { id } = await calls.save({ buyer: { name: 'Ada' } })
    const wrong = { id, buyer: { id: 'abc' as FlaxId, name: 'Bob' } }
    for (let i = 0; i < 3; i++) {
      await expect(calls.save(wrong)).rejects.toMatchObject({ path: 'Buyer.id', value: 'abc' })
    }
    expect(await calls.count()).toBe(1)
  },
)

describe('a second copy of TypeORM', () => {
  /** In a folder of its own, as where two versions or two folders of packages meet. */
  function loadCopy(): typeof import('typeorm') & { load: NodeJS.Require } {
    const folder = mkdtempSync(join(tmpdir(), 'snoflax-typeorm-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const own = dirname(realpathSync(createRequire(import.meta.url).resolve('typeorm')))
    const modules = join(folder, 'node_modules')
    mkdirSync(modules)
    for (const name of readdirSync(dirname(own))) {
      if (name !== 'typeorm') symlinkSync(join(dirname(own), name), join(modules, name))
    }
    const isNeeded = (path: string) => !/[\\/]browser$|\.map$|\.d\.ts$/.test(path)
    cpSync(own, join(modules, 'typeorm'), { recursive: true, filter: isNeeded })
    const load = createRequire(join(folder, 'index.js'))
    return { ...load('typeorm'), load }
  }

  /** With an id column whose storage converts. */
  async function compactIn(copy: typeof import('typeorm')) {
    const options = { ...(await optionsOn(sqlite)), entities: [...ENTITIES, Parcel] } as DataSourceOptions
    return new copy.DataSource(options) as unknown as DataSource
  }

  test('creates no table if it was not prepared, and the error says what to call', async () => {
    const copy = loadCopy()
    expect(copy.DataSource).not.toBe(DataSource)
    const dataSource = new copy.DataSource(await optionsOn(sqlite))
    await expect(dataSource.initialize()).rejects.toMatchObject({
      name: 'IdError',
      message: expect.stringContaining('prepareDataSource(dataSource)'),
    })
    const options = { ...(await optionsOn(sqlite)), synchronize: false } as DataSourceOptions
    const unprepared = await initialized(new copy.DataSource(options) as unknown as DataSource)
    const customers = unprepared.getRepository<Customer>('Customer')
    for (const use of [
      () => customers.insert({ name: 'x' }),
      () => customers.findOneBy({ id: flax.generate() }),
    ]) {
      await expect(use()).rejects.toThrow(/prepareDataSource\(dataSource\)/)
    }
  })

  test('is refused each time if it lacks a member, and none of its members is changed', async () => {
    const copy = loadCopy()
    const dataSource = prepareDataSource(await compactIn(copy))
    const driver = dataSource.driver as unknown as object
    const needed: readonly (readonly [object, ...string[]])[] = [
      [copy.QueryBuilder.prototype, 'getWherePredicateCondition', 'clone', 'relation'],
      [copy.InsertQueryBuilder.prototype, 'createInsertExpression', 'execute'],
      [copy.EntityMetadata.prototype, 'getEntityIdMap', 'getInsertionReturningColumns'],
      [driver, 'preparePersistentValue', 'prepareHydratedValue', 'createGeneratedMap'],
      [driver, 'isReturningSqlSupported', 'createSchemaBuilder'],
    ]
    for (const [owner, ...names] of needed) {
      for (const name of names) {
        const members = owner as Record<string, unknown>
        const own = Object.getOwnPropertyDescriptor(owner, name)
        members[name] = undefined
        await expect(dataSource.initialize()).rejects.toMatchObject({
          name: 'IdError',
          code: 'UNSUPPORTED_VERSION',
          message: expect.stringMatching(
            new RegExp(
              `supports typeorm \\^0.*the installed typeorm \\d+\\.\\d+\\.\\d+ has no \\w+\\.${name}\\b`,
            ),
          ),
        })
        if (own) Object.defineProperty(owner, name, own)
        else delete members[name]
      }
    }
    await visitOnce(await initialized(dataSource))
  })

  test('is refused if it lacks buildMetadatas', () => {
    const source = { buildMetadatas: undefined, entityMetadatas: [] } as unknown as DataSource
    expect(() => prepareDataSource(source)).toThrow(
      expect.objectContaining({
        code: 'UNSUPPORTED_VERSION',
        message: expect.stringMatching(/buildMetadatas/),
      }),
    )
  })

  test('works if it was prepared', async () => {
    const copy = loadCopy()
    const source = new copy.DataSource(await optionsOn(postgres)) as unknown as DataSource
    const dataSource = await initialized(prepareDataSource(source))
    expect(typeOfKey(dataSource)).toBe('text')
    await visitOnce(dataSource)
    const customers = dataSource.getRepository<Customer>('Customer')
    const { id } = await customers.save({ name: 'Ben' })
    expect(await customers.createQueryBuilder('c').where({ id }).getOne()).toMatchObject({
      name: 'Ben',
    })
  })
})

test.skipIf(VERSION !== '')(
  'entities of two copies of this package, ES module and CommonJS, work in one DataSource',
  async () => {
    const copy: typeof import('@snoflax/typeorm') = createRequire(import.meta.url)('@snoflax/typeorm')
    expect(copy.idColumn).not.toBe(idColumn)
    const Place = new EntitySchema<{ id: FlaxId; name: string }>({
      name: 'place',
      columns: { id: copy.idColumn(flax, { storage: 'binary' }), name: { type: 'varchar' } },
    })
    const Trip = new EntitySchema<{ id: FlaxId; to: { id: FlaxId; name: string }; from: FlaxId }>({
      name: 'trip',
      columns: {
        id: idColumn(flax, { storage: 'binary' }),
        from: copy.idColumn.plain(flax, { storage: 'binary' }),
      },
      relations: { to: { type: 'many-to-one', target: 'place', cascade: true } },
    })
    const dataSource = await openForTest(sqlite, [Place, Trip])
    const trips = dataSource.getRepository(Trip)
    const from = flax.generate()
    const { id, to } = await trips.save({ from, to: { name: 'sea' } as { id: FlaxId; name: string } })
    const query = trips.createQueryBuilder('t').innerJoinAndSelect('t.to', 'p')
    query.where({ id, from, to: { id: to.id } })
    expect(await query.getMany()).toEqual([{ id, from, to: { id: to.id, name: 'sea' } }])
    for (const { parameter } of [ours, copy]) {
      expect(parameter(dataSource.getMetadata(Place), 'id', to.id)).toHaveLength(12)
    }
  },
)

// These load the newest TypeORM.
describe.skipIf(VERSION !== '')('NestJS', () => {
  async function start(database: ReturnType<typeof TypeOrmModule.forRoot>) {
    class App {}
    Module({ imports: [database, TypeOrmModule.forFeature(ENTITIES)] })(App)
    const app = await NestFactory.createApplicationContext(App, { logger: false, abortOnError: false })
    onTestFinished(() => app.close())
    return app.get<DataSource>(getDataSourceToken())
  }

  test.each(['forRoot', 'forRootAsync', 'forRootAsync with a dataSourceFactory'])('%s works', async (way) => {
    const { entities: _, ...options } = await optionsOn(postgres)
    const loading = { ...options, autoLoadEntities: true }
    const dataSourceFactory = async (input?: DataSourceOptions) =>
      prepareDataSource(new DataSource(input as DataSourceOptions)).initialize()
    const dataSource = await start(
      way === 'forRoot'
        ? TypeOrmModule.forRoot(loading)
        : TypeOrmModule.forRootAsync({
            useFactory: () => loading,
            ...(way !== 'forRootAsync' && { dataSourceFactory }),
          }),
    )
    expect(typeOfKey(dataSource)).toBe('text')
    await visitOnce(dataSource)
  })

  // In packages/validators, Nest 12 answers for core alone; test/platforms has both for TypeORM.
  test('answers 400 with our message to an id of a request that TypeORM refuses', async () => {
    class Customers {
      constructor(readonly dataSource: DataSource) {}
      find(id: FlaxId) {
        return this.dataSource.getRepository(Customer).save({ id, name: 'Ada' })
      }
    }
    Param('id')(Customers.prototype, 'find', 0)
    Get('customers/:id')(
      Customers.prototype,
      'find',
      Object.getOwnPropertyDescriptor(Customers.prototype, 'find') as PropertyDescriptor,
    )
    Controller()(Customers)
    Inject(DataSource)(Customers, undefined, 0)
    class App {}
    Module({
      imports: [TypeOrmModule.forRoot(await optionsOn(sqlite))],
      controllers: [Customers],
    })(App)
    const app = await NestFactory.create(App, { logger: false, abortOnError: false })
    onTestFinished(() => app.close())
    await app.listen(0, '127.0.0.1')
    const answer = await fetch(`${await app.getUrl()}/customers/x`)
    expect([answer.status, await answer.json()]).toEqual([
      400,
      {
        statusCode: 400,
        message: 'Customer.id: flax: an id has 16 characters, not 1 ("x")',
      },
    ])
  })
})
