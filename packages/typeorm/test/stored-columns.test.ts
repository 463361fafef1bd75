import 'reflect-metadata'
import type { FlaxId, StorageName } from '@snoflax/core'
import { mysql, type OpenDatabase, postgres, sqlite } from '@snoflax/test'
import { FlaxIdColumn, prepareDataSource } from '@snoflax/typeorm'
import {
  Column,
  DataSource,
  type DataSourceOptions,
  Entity,
  ManyToOne,
  OneToMany,
  type Relation,
  RelationId,
} from 'typeorm'
import { describe, expect, test } from 'vitest'
import { databaseForTest, openForTest, optionsFor } from './open-data-source.js'
import { flaxPlaces } from './sources.js'

function entitiesFor(storage: StorageName) {
  @Entity({ name: 'author' })
  class Author {
    @FlaxIdColumn({ storage }) id!: FlaxId
    @Column('varchar', { nullable: true }) name!: string | null
  }
  @Entity({ name: 'book' })
  class Book {
    @FlaxIdColumn({ storage }) id!: FlaxId
    @ManyToOne(() => Author, { nullable: true, createForeignKeyConstraints: false })
    author!: Relation<Author> | null
  }
  return [Author, Book]
}

const UTF8 = 'CHARACTER SET utf8mb4 COLLATE utf8mb4'
/** Types of a key that its storage takes, and those that it does not. */
const TYPES = (
  [
    [sqlite, 'text', ['text', 'varchar(16)'], ['integer', 'text COLLATE NOCASE', 'numeric']],
    [sqlite, 'binary', ['blob'], ['text', 'integer']],
    [postgres, 'uuid', ['uuid', 'ids'], ['text', 'bytea', 'uuid[]']],
    [
      postgres,
      'text',
      ['text COLLATE "C"', 'varchar(16) COLLATE "POSIX"', 'varchar COLLATE "C"'],
      ['text COLLATE "und-x-icu"', 'varchar(12) COLLATE "C"', 'char(16) COLLATE "C"', 'uuid'],
    ],
    [postgres, 'binary', ['bytea'], ['text', 'bigint']],
    [
      mysql,
      'text',
      [`char(16) ${UTF8}_bin`, `varchar(20) ${UTF8}_bin`],
      [`char(16) ${UTF8}_unicode_ci`, `char(12) ${UTF8}_bin`, 'binary(16)'],
    ],
    [mysql, 'binary', ['binary(12)', 'varbinary(12)'], ['binary(16)', 'varbinary(8)', 'char(12)']],
  ] as const
).map(([kind, storage, right, wrong]) => ({ kind, storage, right, wrong }))

describe.each(TYPES.filter(({ kind }) => kind.selected()))(
  '$kind.name, flax as $storage',
  ({ kind, storage, right, wrong }) => {
    test('a column in the database that would find other rows is refused at start', async () => {
      const database = await databaseForTest<OpenDatabase>(kind)
      const options = { ...optionsFor(database), entities: entitiesFor(storage) } as DataSourceOptions
      const author = kind.name === 'mysql' ? '`authorId`' : '"authorId"'
      if (kind.name === 'postgres')
        await database.query('CREATE DOMAIN ids AS uuid CHECK (value IS NOT NULL)')
      const start = async (type: string, more: { checkColumns?: boolean } = {}) => {
        await database.query('DROP TABLE IF EXISTS book')
        await database.query(`CREATE TABLE book (id ${right[0]} NOT NULL, ${author} ${type})`)
        const dataSource = await prepareDataSource(new DataSource(options), more).initialize()
        await dataSource.destroy()
      }
      for (const type of right) await start(type)
      for (const type of wrong) {
        const word = type.split(/[ ([]/)[0] as string
        await expect(start(type), type).rejects.toMatchObject({
          name: 'IdError',
          code: 'STORAGE_REFUSED',
          message: expect.stringMatching(
            new RegExp(
              `^Book\\.author\\S*: column book\\.authorId is ${word === 'varchar' && kind.name === 'postgres' ? 'character varying' : word}.* and must be .*checkColumns: false`,
            ),
          ),
        })
        await start(type, { checkColumns: false })
      }
    })
  },
)

// uuid8 is the same type as uuid.
describe.each(flaxPlaces.filter((place) => place.storage !== 'uuid8'))('$name', ({ kind, storage }) => {
  const other = flaxPlaces.find((place) => place.kind === kind && place.storage !== storage)?.storage
  test('synchronize is refused if it would lose ids, and changes columns without any', async () => {
    const database = await databaseForTest(kind)
    const before = await openForTest(database, entitiesFor(storage))
    const author = await before.getRepository('author').save({ name: 'Ada' })
    const book = await before.getRepository('book').save({ author })
    const start = (more: Partial<DataSourceOptions> = {}) =>
      openForTest(database, entitiesFor(other as StorageName), more)
    const refusal = {
      code: 'STORAGE_REFUSED',
      message: expect.stringMatching(
        /^(?:Author|Book)\.\S+: TypeORM would change column .* and lose its ids/,
      ),
    }
    await expect(start()).rejects.toMatchObject(refusal)
    const unchecked = new DataSource({
      ...optionsFor(database),
      entities: entitiesFor(other as StorageName),
    } as DataSourceOptions)
    await prepareDataSource(unchecked, { checkColumns: false }).initialize()
    await expect(unchecked.synchronize()).rejects.toMatchObject(refusal)
    await expect(unchecked.driver.createSchemaBuilder().log()).rejects.toMatchObject(refusal)
    await unchecked.destroy()
    expect(await before.getRepository('book').find({ relations: { author: true } })).toEqual([
      { id: book['id'], author },
    ])
    await before.getRepository('book').deleteAll()
    await before.getRepository('author').deleteAll()
    const after = await start()
    const again = await after.getRepository('author').save({ name: 'Ada' })
    expect(await after.getRepository('author').findOneBy({ id: again['id'] })).toEqual(again)
  })
})

test('text in a binary column is an error that names table, column and value', async () => {
  const dataSource = await openForTest(sqlite, entitiesFor('binary'))
  await dataSource.query("INSERT INTO author (id) VALUES ('an id of others')")
  await expect(dataSource.getRepository('author').find()).rejects.toMatchObject({
    name: 'IdError',
    path: 'Author.id',
    value: 'an id of others',
    message: expect.stringMatching(/^Author\.id: column id of author: .*the text "an id of others"/),
  })
})

describe('a stored text in a column of bytes, such as SQL of others writes in SQLite', () => {
  @Entity()
  class Writer {
    @FlaxIdColumn({ storage: 'binary' }) id!: FlaxId
    @Column('varchar', { nullable: true }) name!: string | null
    @OneToMany(() => Text, 'writer') texts!: Relation<Text>[]
    @ManyToOne(() => Writer, { createForeignKeyConstraints: false }) teacher!: Relation<Writer> | null
  }
  @Entity()
  class Text {
    @FlaxIdColumn({ storage: 'binary' }) id!: FlaxId
    @ManyToOne(() => Writer, 'texts', { createForeignKeyConstraints: false }) writer!: Relation<Writer> | null
    @RelationId((text: Text) => text.writer) writerOf!: FlaxId | null
  }
  const id = 'JCFF0u-k3Xw4000a' as FlaxId
  const other = 'JCFF0u-k3Xw4000b' as FlaxId

  const READS: Record<string, (source: DataSource) => Promise<unknown>> = {
    'find()': (source) => source.manager.find(Writer),
    'findOneBy()': (source) => source.manager.findOneBy(Writer, { name: 'text' }),
    'getMany()': (source) => source.getRepository(Writer).createQueryBuilder('w').getMany(),
    'getRawAndEntities()': (source) =>
      source.getRepository(Writer).createQueryBuilder('w').getRawAndEntities(),
    'a page of a join': (source) => source.manager.find(Writer, { take: 5, relations: { texts: true } }),
    'a foreign key': (source) => source.manager.find(Text, { relations: { writer: true } }),
    'relation ids': (source) => source.manager.find(Text, { loadRelationIds: true }),
    'reload()': async (source) => {
      const repository = source.getRepository(Writer)
      const writers = await repository.find({ where: { name: 'bytes' } })
      await source.query(`UPDATE writer SET "teacherId" = '${other}'`)
      return repository.find({ where: { id: (writers[0] as Writer).id }, loadRelationIds: true })
    },
    'after a save of that id': async (source) => {
      await source.manager.save(Writer, { id, name: 'bytes' })
      return source.manager.find(Writer, { where: { name: 'text' } })
    },
    'beside its bytes': async (source) => {
      await source.manager.insert(Writer, { id, name: 'bytes' })
      return source.manager.find(Writer, { order: { name: 'ASC' }, relations: { texts: true } })
    },
  }

  test.each(Object.keys(READS))('is refused by %s', async (name) => {
    const dataSource = await openForTest(sqlite, [Writer, Text])
    await dataSource.manager.insert(Writer, { id: other, name: 'bytes' })
    await dataSource.query(`INSERT INTO writer (id, name) VALUES ('${id}', 'text')`)
    await dataSource.query(`INSERT INTO text (id, "writerId") VALUES (x'${'00'.repeat(12)}', '${id}')`)
    await expect(READS[name]?.(dataSource)).rejects.toMatchObject({
      name: 'IdError',
      code: 'NOT_CANONICAL',
      message: expect.stringMatching(
        /column \w+ of \w+: .* storage binary, but the stored value is the text/,
      ),
    })
    expect(
      await dataSource
        .getRepository(Writer)
        .createQueryBuilder('w')
        .select('w.id', 'id')
        .where("w.name = 'text'")
        .getRawOne(),
    ).toEqual({ id })
  })

  test.each([
    ['a number', '7'],
    ['fewer bytes', "x'00'"],
    ['more bytes', `x'${'00'.repeat(16)}'`],
    ['another text', "'x'"],
  ])('%s is refused, too', async (_, value) => {
    const dataSource = await openForTest(sqlite, [Writer, Text])
    await dataSource.query(`INSERT INTO writer (id, name) VALUES (${value}, 'wrong')`)
    await expect(dataSource.manager.find(Writer)).rejects.toMatchObject({
      name: 'IdError',
      path: 'Writer.id',
    })
  })

  test('what a save reads back is right', async () => {
    const dataSource = await openForTest(sqlite, [Writer, Text])
    const { manager } = dataSource
    const writer = await manager.save(manager.create(Writer, { name: 'a' }))
    const again = await manager.save(Object.assign(writer, { name: 'b' }))
    expect(await manager.find(Writer, { relations: { texts: true } })).toEqual([
      { id: again.id, name: 'b', texts: [] },
    ])
  })
})
