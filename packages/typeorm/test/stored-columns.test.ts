import 'reflect-metadata'
import type { FlaxId, StorageName } from '@snoflax/core'
import { mysql, type OpenDatabase, postgres, sqlite } from '@snoflax/test'
import { FlaxIdColumn, prepareDataSource } from '@snoflax/typeorm'
import { Column, DataSource, type DataSourceOptions, Entity, ManyToOne, type Relation } from 'typeorm'
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
