import 'reflect-metadata'
import { type FlaxId, flax, type SnoId, sno } from '@snoflax/core'
import { FlaxIdColumn, fromDatabase, parameter, SnoIdColumn } from '@snoflax/typeorm'
import {
  Any,
  ChildEntity,
  Column,
  type DataSource,
  Entity,
  Equal,
  ILike,
  In,
  IsNull,
  JoinTable,
  Like,
  ManyToMany,
  ManyToOne,
  MoreThan,
  Not,
  OneToMany,
  Or,
  Raw,
  type Relation,
  TableInheritance,
} from 'typeorm'
import { beforeAll, describe, expect, test } from 'vitest'
import { openForBlock } from './open-data-source.js'
import { flaxPlaces } from './sources.js'

const MALFORMED = 'no such id!' as FlaxId

describe.each(flaxPlaces)('$name', ({ kind, storage }) => {
  @Entity()
  class Author {
    @FlaxIdColumn({ storage, name: 'author_id' }) id!: FlaxId
    @Column('varchar') name!: string
    @Column('int', { default: 0 }) fame!: number
    @OneToMany(() => Book, 'author') books!: Relation<Book>[]
    @OneToMany(() => Book, 'editor') edited!: Promise<Relation<Book>[]>
  }

  @Entity()
  class Book {
    @SnoIdColumn({ storage, meta: 4 }) id!: SnoId
    @Column('varchar') title!: string
    @ManyToOne(() => Author, 'books', { nullable: true }) author!: Relation<Author> | null
    @ManyToOne(() => Author, 'edited', { nullable: true }) editor!: Promise<Relation<Author> | null>
    @ManyToMany(() => Topic, 'books') @JoinTable() topics!: Relation<Topic>[]
  }

  @Entity()
  @TableInheritance({ column: { type: 'varchar', name: 'kind', length: 10, nullable: true } })
  class Topic {
    @FlaxIdColumn({ storage }) id!: FlaxId
    @Column('varchar') word!: string
    @FlaxIdColumn.plain({ storage, nullable: true }) schlüssel!: FlaxId | null
    @ManyToMany(() => Book, 'topics') books!: Relation<Book>[]
  }

  @ChildEntity()
  class Series extends Topic {
    @ManyToOne(() => Author, { nullable: true }) editor!: Relation<Author> | null
  }

  const world = openForBlock(kind, [Author, Book, Topic, Series])
  let dataSource: DataSource
  let ada: Author
  let ben: Author
  let one: Book
  let two: Book
  let sky: Topic
  let sea: Topic
  const authors = () => dataSource.getRepository(Author)
  const books = () => dataSource.getRepository(Book)
  const topics = () => dataSource.getRepository(Topic)

  beforeAll(async () => {
    dataSource = world.dataSource
    ;[ada, ben] = (await authors().save([{ name: 'Ada' }, { name: 'Ben' }])) as [Author, Author]
    ;[sky, sea] = (await topics().save([{ word: 'sky' }, { word: 'sea' }])) as [Topic, Topic]
    one = books().create({ title: 'one', author: ada, topics: [sky, sea] })
    one.editor = Promise.resolve(ben)
    await one.editor
    await books().save(one)
    two = await books().save({ title: 'two', author: ada, topics: [sea] })
  })
  const authorColumn = () =>
    dataSource.getMetadata(Book).findRelationWithPropertyPath('author')?.joinColumns[0]
      ?.databaseName as string
  /** In conditions, columns of text do what plain keys do. */
  const refuses = async (found: Promise<unknown>, refusal: object) => {
    if (storage === 'text') await found
    else await expect(found).rejects.toMatchObject(refusal)
  }
  const bound = (id: FlaxId) => parameter(Author, 'id', id)
  const titles = (found: readonly Book[]) => found.map(({ title }) => title).sort()

  test('find operators, alone, combined and reused', async () => {
    const operator = In([ada.id, ben.id])
    expect(await authors().countBy({ id: operator })).toBe(2)
    expect(await authors().countBy({ id: operator })).toBe(2)
    expect(await books().countBy({ author: { id: Not(operator) } })).toBe(0)
    // Of a column that stores the text, which the operator is used for next.
    expect(operator.value).toEqual([ada.id, ben.id])
    expect(await authors().countBy({ name: Or(operator, Equal('Ada')) })).toBe(1)
    expect(await authors().countBy({ id: Not(ada.id) })).toBe(1)
    expect(await authors().countBy({ id: Not(In([ada.id])) })).toBe(1)
    expect(await authors().countBy({ id: Equal(ada.id) })).toBe(1)
    expect(await authors().countBy({ id: Or(Equal(ada.id), MoreThan(flax.max)) })).toBe(1)
    expect(await books().countBy({ author: IsNull() })).toBe(0)
    expect(await books().countBy({ author: Not(IsNull()) })).toBe(2)
  })

  test('conditions on a relation: its entity, its id, a list, raw SQL, and an order', async () => {
    const flat = await authors().findOneByOrFail({ id: ada.id })
    expect(titles(await books().findBy({ author: flat }))).toEqual(['one', 'two'])
    expect(titles(await books().findBy({ author: { id: ada.id } }))).toEqual(['one', 'two'])
    expect(titles(await books().findBy({ author: In([ada.id, ben.id]) }))).toEqual(['one', 'two'])
    expect(titles(await books().findBy({ author: Equal(ada.id) as never }))).toEqual(['one', 'two'])
    const raw = Raw((path) => `${path} = :wanted`, { wanted: bound(ada.id) })
    expect(titles(await books().findBy({ author: raw }))).toEqual(['one', 'two'])
    expect(titles(await books().findBy({ topics: { id: sky.id } }))).toEqual(['one'])
    expect(await topics().findBy({ books: { author: { id: ada.id } } })).toHaveLength(2)
    const ordered = await books().find({
      relations: { author: true },
      order: { author: { id: 'DESC' }, id: 'DESC' },
    })
    expect(ordered.map(({ title }) => title)).toEqual(['two', 'one'])
  })

  test('relation ids of many rows with similar bytes are distinguished', async () => {
    const batch = Array.from({ length: 300 }, (_, i) => {
      const random = Uint8Array.from([0x80 + (i % 16), 0x90 + (i >> 4), 0xff, 0xfe, 0xfd, 0xfc, 0xfb])
      return flax.pack({ timeMs: 1_800_000_000_000, random })
    })
    await authors().insert(batch.map((id) => ({ id, name: 'alike' })))
    await books().insert(batch.map((id) => ({ title: `of ${id}`, author: { id } })))
    const found = await authors().find({ where: { name: 'alike' }, loadRelationIds: true })
    expect(found.map(({ books }) => books.length)).toEqual(batch.map(() => 1))
    await books().delete({ title: Like('of %') })
    await authors().delete({ name: 'alike' })
  })

  test('parameter() works in your SQL: as an operand, in lists, ranges and pairs', async () => {
    const where = (condition: string, parameters: object) =>
      authors().createQueryBuilder('a').where(condition, parameters).orderBy('a.name').getMany()
    const names = async (condition: string, parameters: object) =>
      (await where(condition, parameters)).map(({ name }) => name)
    const [low, high] = [ada.id, ben.id].sort(flax.compare).map(bound)
    const id = bound(ada.id)
    expect(await names('a.id = :id', { id })).toEqual(['Ada'])
    expect(await names(':id = a.author_id', { id })).toEqual(['Ada'])
    expect(await names('a.id NOT IN (:...ids)', { ids: [id] })).toEqual(['Ben'])
    expect(await names('a.id BETWEEN :low AND :high AND a.name = :name', { low, high, name: 'Ada' })).toEqual(
      ['Ada'],
    )
    const pairs = { ada: id, ben: bound(ben.id), Ada: 'Ada', Ben: 'Ben' }
    expect(await names('(a.id, a.name) IN ((:ada, :Ada), (:ben, :Ben))', pairs)).toEqual(['Ada', 'Ben'])
    if (kind.name === 'postgres') {
      expect(await names('a.id = ANY(:ids)', { ids: [id] })).toEqual(['Ada'])
      expect((await authors().findBy({ id: Any([ada.id]) })).map(({ name }) => name)).toEqual(['Ada'])
    }
    expect(() => bound(MALFORMED)).toThrow(expect.objectContaining({ name: 'IdError', path: 'Author.id' }))
  })

  test('a parameter of a subquery in FROM, of HAVING, and of an UPDATE by a name in the database', async () => {
    const from = dataSource
      .createQueryBuilder()
      .select('s.title', 'title')
      .from((sub) => sub.select('b.title', 'title').from(Book, 'b').where({ id: one.id }), 's')
    expect(await from.getRawMany()).toEqual([{ title: 'one' }])
    const grouped = books().createQueryBuilder('b').select('b.author', 'author').addSelect('COUNT(*)', 'n')
    const having = grouped.groupBy('b.author').having('b.author = :author', { author: bound(ada.id) })
    const [group] = await having.getRawMany()
    expect(fromDatabase(Book, 'author', group.author)).toBe(ada.id)
    const update = authors()
      .createQueryBuilder()
      .update()
      .set({ fame: () => 'fame + 1' })
    expect((await update.where('author_id = :id', { id: bound(ada.id) }).execute()).affected).toBe(1)
  })

  test('thousands of ids in one condition', async () => {
    const many = Array.from({ length: 2500 }, () => flax.generate())
    const list = await authors()
      .createQueryBuilder('a')
      .whereInIds([ada.id, ...many, { id: ben.id }])
      .getMany()
    expect(list).toHaveLength(2)
    await authors().save(
      many.map((id) => ({ id, name: 'many' })),
      { chunk: 500 },
    )
    expect((await authors().update(many, { fame: 1 })).affected).toBe(2500)
    expect((await authors().delete(many)).affected).toBe(2500)
  })

  test('raw rows have what is stored, and fromDatabase() reads them', async () => {
    const query = books().createQueryBuilder('b').leftJoinAndSelect('b.author', 'a').where({ id: one.id })
    const row = await query.addSelect('b.editor', 'editor').getRawOne()
    expect(fromDatabase(Book, 'id', row.b_id)).toBe(one.id)
    expect(fromDatabase(Author, 'id', row.a_author_id)).toBe(ada.id)
    expect(fromDatabase(Book, 'editor', row.editor)).toBe(ben.id)
    expect(row.b_id).toEqual(parameter(Book, 'id', one.id))
    expect(fromDatabase(Book, 'editor', null)).toBeNull()
    if (storage === 'text') return
    expect(() => fromDatabase(Book, 'id', 'short')).toThrow(
      expect.objectContaining({ name: 'IdError', path: 'Book.id' }),
    )
  })

  test('your own SQL takes parameter()', async () => {
    const table = dataSource.driver.escape('book')
    const placeholder = dataSource.driver.createParameter('x', 0)
    const sql = `SELECT * FROM ${table} WHERE ${dataSource.driver.escape(authorColumn())} = ${placeholder}`
    const rows: { id: unknown }[] = await dataSource.query(sql, [parameter(Book, 'author', ada.id)])
    expect(rows.map((row) => fromDatabase(Book, 'id', row.id)).sort()).toEqual([one.id, two.id].sort())
    const lower = `SELECT * FROM ${table} WHERE lower(title) = ${placeholder}`
    expect(await dataSource.query(lower, ['Supercalifragili'])).toEqual([])
    const [built, parameters] = books().createQueryBuilder('b').where({ author: ada }).getQueryAndParameters()
    expect(await dataSource.query(built, parameters)).toHaveLength(2)
    for (const none of ['title', 'topics'] as const) {
      expect(() => parameter(Book, none, ada.id)).toThrow(expect.objectContaining({ path: `Book.${none}` }))
    }
  })

  test('a child entity of single-table inheritance is as good in your own SQL', async () => {
    const { id } = await dataSource.getRepository(Series).save({ word: 'war', editor: ben })
    const own = dataSource.getRepository(Series).createQueryBuilder('s').addSelect('s.editor', 'editor')
    const row = await own.where('s.id = :id', { id: parameter(Series, 'id', id) }).getRawOne()
    expect(fromDatabase(Series, 'id', row.s_id)).toBe(id)
    expect(fromDatabase(Series, 'editor', row.editor)).toBe(ben.id)
    expect(() => parameter(Series, 'books', id)).toThrow(expect.objectContaining({ path: 'Series.books' }))
    await dataSource.getRepository(Series).delete({ id })
  })

  test('a relation that is loaded by its own query needs text', async () => {
    const found = books().find({ relations: { author: true }, relationLoadStrategy: 'query' })
    await refuses(found, { code: 'INVALID_OPTION', message: expect.stringContaining("use 'join'") })
  })

  test('patterns match ids of text, and are refused as ids of other storages', async () => {
    for (const like of [Like('K%' as FlaxId), ILike('K%' as FlaxId)])
      await refuses(authors().findBy({ id: like }), { path: 'Author.id' })
  })

  test('ids of another family are refused if their form differs, and the metabyte is stored', async () => {
    expect(sno.meta(one.id)).toBe(4)
    const other = books().findOneBy({ id: ada.id.toUpperCase() as unknown as SnoId })
    await refuses(other, { name: 'IdError', path: 'Book.id' })
  })
})
