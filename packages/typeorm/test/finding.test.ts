import 'reflect-metadata'
import { type FlaxId, flax, type SnoId, sno } from '@snoflax/core'
import type { OpenDatabase } from '@snoflax/test'
import { asText, columnOf, FlaxIdColumn, fromDatabase, parameter, SnoIdColumn } from '@snoflax/typeorm'
import {
  Any,
  Column,
  type DataSource,
  DeleteDateColumn,
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
  PrimaryColumn,
  Raw,
  type Relation,
  RelationId,
  ViewEntity,
} from 'typeorm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openDataSource } from './open-data-source.js'
import { flaxPlaces } from './sources.js'

const MALFORMED = 'no such id!' as FlaxId

describe.each(flaxPlaces)('$name', ({ kind, storage }) => {
  @Entity()
  class Author {
    @FlaxIdColumn({ storage, name: 'author_id' }) id!: FlaxId
    @Column('varchar') name!: string
    @Column('int', { default: 0 }) fame!: number
    @OneToMany(
      () => Book,
      (book) => book.author,
    )
    books!: Relation<Book>[]
    @OneToMany(
      () => Book,
      (book) => book.editor,
    )
    edited!: Promise<Relation<Book>[]>
  }

  @Entity()
  class Book {
    @SnoIdColumn({ storage, meta: 4 }) id!: SnoId
    @Column('varchar') title!: string
    @ManyToOne(
      () => Author,
      (author) => author.books,
      { nullable: true },
    )
    author!: Relation<Author> | null
    @ManyToOne(
      () => Author,
      (author) => author.edited,
      { nullable: true },
    )
    editor!: Promise<Relation<Author> | null>
    @ManyToMany(
      () => Topic,
      (topic) => topic.books,
    )
    @JoinTable()
    topics!: Relation<Topic>[]
    @RelationId((book: Book) => book.author) authorId!: FlaxId | null
    @RelationId((book: Book) => book.topics) topicIds!: FlaxId[]
    @DeleteDateColumn() removedAt!: Date | null
  }

  @Entity()
  class Topic {
    @FlaxIdColumn({ storage }) id!: FlaxId
    @Column('varchar') word!: string
    @FlaxIdColumn.plain({ storage, nullable: true }) schlüssel!: FlaxId | null
    @ManyToMany(
      () => Book,
      (book) => book.topics,
    )
    books!: Relation<Book>[]
    @RelationId((topic: Topic) => topic.books) bookIds!: SnoId[]
  }

  @Entity()
  class Vote {
    @PrimaryColumn('int') id!: number
    @FlaxIdColumn.plain({ storage }) choice!: FlaxId
  }

  @ViewEntity({
    expression: (source: DataSource) =>
      source.createQueryBuilder().select('b.id', 'book').addSelect('b.author', 'writer').from(Book, 'b'),
  })
  class Credit {
    @SnoIdColumn.plain({ storage }) book!: SnoId
    @FlaxIdColumn.plain({ storage }) writer!: FlaxId
  }

  let database: OpenDatabase
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
    database = await kind.open()
    dataSource = await openDataSource(database, [Author, Book, Topic, Vote, Credit], { cache: true })
    ;[ada, ben] = (await authors().save([{ name: 'Ada' }, { name: 'Ben' }])) as [Author, Author]
    ;[sky, sea] = (await topics().save([{ word: 'sky' }, { word: 'sea' }])) as [Topic, Topic]
    one = books().create({ title: 'one', author: ada, topics: [sky, sea] })
    one.editor = Promise.resolve(ben)
    await one.editor
    await books().save(one)
    two = await books().save({ title: 'two', author: ada, topics: [sea] })
  })
  afterAll(async () => {
    await dataSource.destroy()
    await database.close()
  })
  const authorColumn = () =>
    dataSource.getMetadata(Book).findRelationWithPropertyPath('author')?.joinColumns[0]
      ?.databaseName as string
  /** In conditions, columns of text do what plain keys do. */
  const refuses = async (found: Promise<unknown>, refusal: object) => {
    if (storage === 'text') await found
    else await expect(found).rejects.toMatchObject(refusal)
  }
  /** Where the database itself refuses an id that is not converted, we don't. */
  const isSilent = storage === 'binary' || (storage === 'bigint' && kind.name !== 'postgres')
  const refusesUnconverted = async (found: Promise<unknown>, path: string) => {
    if (isSilent) {
      const message = expect.stringMatching(/parameter\(column, id\).*asText\(value\)/)
      await expect(found).rejects.toMatchObject({ code: 'INVALID_OPTION', path, message })
    } else if (storage === 'text') await found
    else await expect(found).rejects.toThrow(/uuid|bigint|operator does not exist/)
  }
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
    const raw = Raw((path) => `${path} = :wanted`, { wanted: ada.id })
    expect(titles(await books().findBy({ author: raw }))).toEqual(['one', 'two'])
    expect(titles(await books().findBy({ topics: { id: sky.id } }))).toEqual(['one'])
    expect(await topics().findBy({ books: { author: { id: ada.id } } })).toHaveLength(2)
    const ordered = await books().find({
      relations: { author: true },
      order: { author: { id: 'DESC' }, id: 'DESC' },
    })
    expect(ordered.map(({ title }) => title)).toEqual(['two', 'one'])
  })

  test('relation ids, loaded in every way', async () => {
    const found = await books().findOneOrFail({ where: { id: one.id } })
    expect(found.authorId).toBe(ada.id)
    expect(found.topicIds.sort()).toEqual([sky.id, sea.id].sort())
    expect((await topics().findOneByOrFail({ id: sea.id })).bookIds.sort()).toEqual([one.id, two.id].sort())
    const loaded = await books().findOneOrFail({ where: { id: one.id }, loadRelationIds: true })
    expect(loaded.author as unknown).toBe(ada.id)
    expect((loaded.topics as unknown as FlaxId[]).sort()).toEqual([sky.id, sea.id].sort())
    const parents = await authors().find({
      loadRelationIds: { relations: ['books'] },
      order: { name: 'ASC' },
    })
    expect(parents.map(({ books }) => books)).toEqual([expect.arrayContaining([one.id, two.id]), []])
    const mapped = await authors()
      .createQueryBuilder('a')
      .loadRelationIdAndMap('a.fame', 'a.books')
      .where({ id: ada.id })
      .getOneOrFail()
    expect(mapped.fame).toEqual(expect.arrayContaining([one.id, two.id]))
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

  test('lazy relations, from both sides', async () => {
    const book = await books().findOneByOrFail({ id: one.id })
    expect((await book.editor)?.id).toBe(ben.id)
    const author = await authors().findOneByOrFail({ id: ben.id })
    expect(titles(await author.edited)).toEqual(['one'])
  })

  test('relation().of(): set, load, add and remove, for every kind of relation', async () => {
    const of = (entity: typeof Book | typeof Author, property: string, id: string) =>
      dataSource
        .createQueryBuilder()
        .relation(entity as never, property)
        .of(id)
    expect(await of(Book, 'author', one.id).loadOne()).toMatchObject({ id: ada.id })
    await of(Book, 'author', one.id).set(ben.id)
    expect(await of(Book, 'author', one.id).loadOne()).toMatchObject({ id: ben.id })
    await of(Author, 'books', ada.id).add(one.id)
    expect(await of(Author, 'books', ada.id).loadMany()).toHaveLength(2)
    await of(Author, 'books', ada.id).remove(one.id)
    expect(titles(await of(Author, 'books', ada.id).loadMany())).toEqual(['two'])
    await of(Author, 'books', ada.id).add([one.id])
    expect(await of(Book, 'topics', one.id).loadMany()).toHaveLength(2)
    await refuses(of(Book, 'author', MALFORMED).set(ben.id), { name: 'IdError' })
    await refuses(of(Author, 'books', ada.id).remove(MALFORMED), { name: 'IdError' })
  })

  test('exists, count, increment, decrement and soft delete by id', async () => {
    expect(await authors().existsBy({ id: ada.id })).toBe(true)
    expect(await authors().existsBy({ id: flax.generate() })).toBe(false)
    await authors().increment({ id: ada.id }, 'fame', 3)
    await authors().decrement({ id: ada.id }, 'fame', 1)
    expect((await authors().findOneByOrFail({ id: ada.id })).fame).toBe(2)
    await books().softDelete(two.id)
    expect(await books().existsBy({ id: two.id })).toBe(false)
    await books().restore({ id: two.id })
    await books().softRemove({ id: two.id })
    expect(await books().exists({ where: { id: two.id }, withDeleted: true })).toBe(true)
    await books().recover({ id: two.id })
    expect(await books().existsBy({ id: two.id })).toBe(true)
    await refuses(authors().increment({ id: MALFORMED }, 'fame', 1), { path: 'Author.id' })
  })

  test('parameters of a query builder, in any position', async () => {
    const where = (condition: string, parameters: object) =>
      authors().createQueryBuilder('a').where(condition, parameters).orderBy('a.name').getMany()
    const names = async (condition: string, parameters: object) =>
      (await where(condition, parameters)).map(({ name }) => name)
    const [low, high] = [ada.id, ben.id].sort() as [FlaxId, FlaxId]
    const id = ada.id
    expect(await names('a.id = :id', { id })).toEqual(['Ada'])
    expect(await names(':id = a.id', { id })).toEqual(['Ada'])
    expect(await names('a.author_id=:id', { id })).toEqual(['Ada'])
    expect(await names('a.id <> :id', { id })).toEqual(['Ben'])
    expect(await names('(a.id) = (:id)', { id })).toEqual(['Ada'])
    expect(await names('NOT a.id = :id', { id })).toEqual(['Ben'])
    expect(await names('a.id NOT IN (:...ids)', { ids: [id] })).toEqual(['Ben'])
    expect(await names('a.id IN (:first, :second)', { first: low, second: high })).toEqual(['Ada', 'Ben'])
    expect(await names('a.id BETWEEN :low AND :high AND a.name = :name', { low, high, name: 'Ada' })).toEqual(
      ['Ada'],
    )
    expect(await names('a.id NOT BETWEEN :low AND :high', { low, high })).toEqual([])
    expect(await names('(a.id, a.name) = (:id, :name)', { id, name: 'Ada' })).toEqual(['Ada'])
    expect(await names("a.name <> 'a.id' AND a.id = :id", { id })).toEqual(['Ada'])
    expect(await names('a.id = (:id)', { id })).toEqual(['Ada'])
    expect(await names('(:id) = (a.id)', { id })).toEqual(['Ada'])
    expect(await names(':id NOT IN (a.id, a.id)', { id })).toEqual(['Ben'])
    expect(await names(':id BETWEEN a.id AND a.id', { id })).toEqual(['Ada'])
    expect(await names('(LOWER(a.name), a.id) = (:name, :id)', { id, name: 'ada' })).toEqual(['Ada'])
    const pairs = { ada: ada.id, ben: ben.id, Ada: 'Ada', Ben: 'Ben' }
    expect(await names('(a.id, a.name) IN ((:ada, :Ada), (:ben, :Ben))', pairs)).toEqual(['Ada', 'Ben'])
    expect(await names('(a.id, a.name) NOT IN ((:ada, :Ada))', pairs)).toEqual(['Ben'])
    if (kind.name !== 'mysql') expect(await names('a.id IS NOT DISTINCT FROM :id', { id })).toEqual(['Ada'])
    if (kind.name === 'mysql') expect(await names('a.id <=> :id', { id })).toEqual(['Ada'])
    if (kind.name === 'sqlite') {
      expect(await names('a.id == :id', { id })).toEqual(['Ada'])
      expect(await names('a.id IS :id', { id })).toEqual(['Ada'])
      expect(await names('a.id IS NOT :id', { id })).toEqual(['Ben'])
    }
    if (kind.name === 'postgres') {
      expect(await names('a.id = ANY(:ids)', { ids: [id] })).toEqual(['Ada'])
      expect((await authors().findBy({ id: Any([id]) })).map(({ name }) => name)).toEqual(['Ada'])
      expect(await names('a.author_id::text = a.author_id::text AND a.id = :id', { id })).toEqual(['Ada'])
    }
    await refuses(where('a.id = :id', { id: MALFORMED }), { name: 'IdError', path: 'Author.id' })
    await refuses(where('a.id IN (:...ids)', { ids: [id, MALFORMED] }), { path: 'Author.id' })
  })

  test('the result of a function of an id is not an id, in conditions and in raw rows', async () => {
    const bytes = kind.name === 'postgres' && storage.startsWith('uuid') ? 36 : storage === 'binary' ? 12 : 16
    const length = `${kind.name === 'sqlite' ? '' : 'OCTET_'}LENGTH(${kind.name === 'postgres' && bytes === 36 ? 'CAST(a.id AS text)' : 'a.id'})`
    const query = authors().createQueryBuilder('a').select('a.name', 'name').addSelect(length, 'length')
    query.addSelect('COUNT(a.id)', 'count').groupBy('a.id').addGroupBy('a.name').orderBy('a.name')
    query
      .where(`${length} = :bytes`, { bytes })
      .andWhere('COALESCE(LENGTH(a.name), 0) = :three', { three: 3 })
    query.having('COUNT(a.id) > :none', { none: 0 }).andHaving('COUNT(a.id) > (:none)')
    const rows = await query.getRawMany()
    expect(rows.map(({ name, length, count }) => [name, Number(length), Number(count)])).toEqual([
      ['Ada', bytes, 1],
      ['Ben', bytes, 1],
    ])
    if (kind.name === 'mysql') return
    const id = kind.name === 'postgres' ? 'CAST(a.id AS text)' : storage === 'text' ? 'a.id' : 'HEX(a.id)'
    const joined = (condition: string) =>
      authors().createQueryBuilder('a').where(condition, { key: 'Ada' }).getCount()
    expect(await joined(`a.name || SUBSTR(${id}, 1, 0) = :key`)).toBe(1)
    if (storage !== 'text') return
    const orNone = authors().createQueryBuilder('a').select("COALESCE(NULLIF(a.id, a.id), 'none')", 'id')
    expect(
      await orNone.where("COALESCE(NULLIF(a.id, a.id), 'Ada') = :key", { key: 'Ada' }).getRawMany(),
    ).toEqual([{ id: 'none' }, { id: 'none' }])
    expect(await joined('a.name || a.id = :key')).toBe(0)
    expect(await joined(':key = a.id || a.name')).toBe(0)
  })

  test('an alias takes precedence over a table of the same name', async () => {
    const query = books()
      .createQueryBuilder('b')
      .innerJoin('b.author', 'book')
      .where('book.id = :id', { id: flax.generate() })
    await expect(query.getCount()).resolves.toBe(0)
    await refuses(query.setParameter('id', MALFORMED).getCount(), { path: 'Author.id' })
  })

  test('parameters beside names in other case, and after apostrophes that open no literal', async () => {
    const schlüssel = flax.generate()
    await topics().update(sky.id, { schlüssel })
    const key = { key: schlüssel }
    expect(await topics().createQueryBuilder('t').where('t.schlüssel = :key', key).getCount()).toBe(1)
    const count = (condition: string, parameters: object) =>
      authors().createQueryBuilder('a').where(condition, parameters).getCount()
    const id = ada.id
    expect(await count("a.id = /* Ada's */ :id AND a.name <> 'x'", { id })).toBe(1)
    expect(await count("a.name <> 'x' -- it's not\n AND a.id = :id AND a.name <> 'y'", { id })).toBe(1)
    expect(await count("a.name <> '/* --' AND a.id = :id AND a.name <> '*/'", { id })).toBe(1)
    if (kind.name === 'sqlite') return
    const escaped = kind.name === 'postgres' ? "E'it\\'s'" : "'it\\'s'"
    expect(await count(`a.name <> ${escaped} AND a.id = :id AND a.name <> 'x'`, { id })).toBe(1)
    if (kind.name === 'postgres') {
      expect(await count("a.name <> $x$it's \" $x$ AND a.id = :id AND a.name <> 'x'", { id })).toBe(1)
      expect(await count("/* one /* it's */ two */ a.id = :id AND a.name <> 'x'", { id })).toBe(1)
    } else {
      const word = { word: 'none' }
      const without = topics().createQueryBuilder('t').where('COALESCE(t.schlüssel, "none") = :word', word)
      expect(await without.getMany()).toMatchObject([{ word: 'sea' }])
    }
  })

  test('subqueries, common table expressions, joins and having', async () => {
    const inner = books().createQueryBuilder('b').select('b.author').where('b.id = :book', { book: one.id })
    const outer = authors().createQueryBuilder('a').setParameters(inner.getParameters())
    expect(await outer.where(`a.id IN (${inner.getQuery()})`).getMany()).toMatchObject([{ id: ada.id }])

    const from = dataSource
      .createQueryBuilder()
      .select('s.title', 'title')
      .from(
        (sub) => sub.select('b.title', 'title').from(Book, 'b').where('b.id = :one', { one: one.id }),
        's',
      )
    expect(await from.getRawMany()).toEqual([{ title: 'one' }])

    const cte = authors()
      .createQueryBuilder('a')
      .addCommonTableExpression(inner, 'writers', { columnNames: ['author'] })
      .innerJoin('writers', 'w', 'w.author = a.id')
    if (kind.name !== 'mysql') expect(await cte.getMany()).toMatchObject([{ id: ada.id }])

    const joined = authors()
      .createQueryBuilder('a')
      .innerJoin('a.books', 'b', 'b.id = :book', { book: two.id })
    expect(await joined.getOne()).toMatchObject({ id: ada.id })
    const grouped = books().createQueryBuilder('b').select('b.author', 'author').addSelect('COUNT(*)', 'n')
    const having = grouped.groupBy('b.author').having('b.author = :author', { author: ada.id })
    expect(await having.getRawMany()).toEqual([{ author: ada.id, n: expect.anything() }])
  })

  test('updates and deletes of a query builder, by aliases and names', async () => {
    const { id } = await authors().save({ name: 'Temporary' })
    await authors()
      .createQueryBuilder()
      .update()
      .set({ name: 'Changed' })
      .where('author_id = :id', { id })
      .execute()
    await authors()
      .createQueryBuilder()
      .update()
      .set({ fame: () => 'fame + 1' })
      .where({ id })
      .execute()
    expect(await authors().findOneByOrFail({ id })).toMatchObject({ name: 'Changed', fame: 1 })
    await books()
      .createQueryBuilder()
      .update()
      .set({ author: { id: ben.id } })
      .where('id = :book', { book: one.id })
      .execute()
    expect(await books().countBy({ author: { id: ben.id } })).toBe(1)
    await books().update({ author: { id: ben.id } }, { author: ada })
    expect(await books().countBy({ author: { id: ada.id } })).toBe(2)
    await dataSource.createQueryBuilder().delete().from(Author).where('id = :id', { id }).execute()
    expect(await authors().existsBy({ id })).toBe(false)
  })

  test('thousands of ids in one condition', async () => {
    const many = Array.from({ length: 2500 }, () => flax.generate())
    const list = await authors()
      .createQueryBuilder('a')
      .whereInIds([ada.id, ...many, { id: ben.id }])
      .getMany()
    expect(list).toHaveLength(2)
    await authors().insert(many.map((id) => ({ id, name: 'many' })))
    expect((await authors().update(many, { fame: 1 })).affected).toBe(2500)
    expect((await authors().delete(many)).affected).toBe(2500)
  })

  test('a view returns ids', async () => {
    const found = await dataSource.getRepository(Credit).findOneByOrFail({ writer: ada.id, book: one.id })
    expect(found).toEqual({ book: one.id, writer: ada.id })
  })

  test('raw rows have ids, also under aliases', async () => {
    const rows = await books()
      .createQueryBuilder('b')
      .leftJoinAndSelect('b.author', 'a')
      .where('b.id = :id', { id: one.id })
      .getRawMany()
    expect(rows).toMatchObject([{ b_id: one.id, a_author_id: ada.id, b_title: 'one' }])
    const named = books()
      .createQueryBuilder('b')
      .select('b.id', 'book')
      .addSelect('b.author', 'writer')
      .addSelect('b.title', 'b_id')
    expect(await named.where({ id: one.id }).getRawOne()).toEqual({
      book: one.id,
      writer: ada.id,
      b_id: 'one',
    })
    const { entities, raw } = await authors()
      .createQueryBuilder('a')
      .where({ id: ada.id })
      .getRawAndEntities()
    expect([entities[0]?.id, (raw as { a_author_id: string }[])[0]?.a_author_id]).toEqual([ada.id, ada.id])
    const none = await books()
      .createQueryBuilder('b')
      .select('b.editor', 'editor')
      .where({ id: two.id })
      .getRawOne()
    expect(none).toEqual({ editor: null })
  })

  test('values of SQL are as they are stored, and fromDatabase() reads them', async () => {
    const query = books().createQueryBuilder('b').innerJoin('b.author', 'a').where({ id: one.id })
    const row = await query.select('a.author_id AS writer').addSelect('b.*').getRawOne()
    const [writer, id] = [columnOf(dataSource, Author, 'id'), columnOf(dataSource, Book, 'id')]
    expect([fromDatabase(writer, row.writer), fromDatabase(id, row.id)]).toEqual([ada.id, one.id])
    if (storage !== 'text')
      expect(() => fromDatabase(id, 'short')).toThrow(
        expect.objectContaining({ name: 'IdError', path: 'Book.id' }),
      )
    if (kind.name !== 'postgres') return
    const changed = authors().createQueryBuilder().update().set({ fame: 9 }).where({ id: ada.id })
    expect((await changed.returning('*').execute()).raw).toMatchObject([{ author_id: ada.id }])
  })

  test('an id in the text of a query is refused if the database would find nothing', async () => {
    const found = authors().createQueryBuilder('a').where(`a.id IN ('${ada.id}') AND a.name <> 'x'`)
    await refusesUnconverted(found.getMany(), 'Author.id')
    const raw = authors().findBy({ id: Raw((column) => `${column} = '${ada.id}'`) })
    await refusesUnconverted(raw, 'Author.id')
    const set = () => `'${ben.id}'`
    const update = dataSource.createQueryBuilder().update(Topic).set({ schlüssel: set }).where({ id: sky.id })
    await refusesUnconverted(update.execute(), 'Topic.schlüssel')
  })

  test('your own SQL takes ids beside the names of columns, and returns what is stored', async () => {
    const [author, key] = [columnOf(dataSource, Book, 'author'), columnOf(dataSource, Book, 'id')]
    const table = dataSource.driver.escape('book')
    const placeholder = dataSource.driver.createParameter('x', 0)
    const sql = `SELECT * FROM ${table} WHERE ${dataSource.driver.escape(authorColumn())} = ${placeholder}`
    const runner = dataSource.createQueryRunner()
    for (const run of [
      (id: unknown) => dataSource.query(sql, [id]),
      (id: unknown) => books().query(sql, [id]),
      (id: unknown) => dataSource.transaction((manager) => manager.query(sql, [id])),
      (id: unknown) => runner.query(sql, [id]),
      (id: unknown) => runner.manager.query(sql, [id]),
    ]) {
      for (const id of [ada.id, parameter(author, ada.id)]) {
        const rows: { id: unknown }[] = await run(id)
        expect(rows.map((row) => fromDatabase(key, row.id)).sort()).toEqual([one.id, two.id].sort())
      }
    }
    expect(() => parameter(author, MALFORMED)).toThrow(
      expect.objectContaining({ path: expect.stringContaining('Book.author') }),
    )
    const title = `SELECT * FROM ${table} WHERE title = ${placeholder}`
    expect(await dataSource.query(title, [ada.id])).toEqual([])
    const lower = `SELECT * FROM ${table} WHERE lower(title) = ${placeholder}`
    if (isSilent) await refusesUnconverted(dataSource.query(lower, [ada.id]), 'Author.id')
    expect(await dataSource.query(lower, [asText(ada.id)])).toEqual([])
    expect(await dataSource.query(lower, [asText('one')])).toHaveLength(1)
    await runner.release()
    if (kind.name === 'mysql') {
      const named = await openDataSource(database, [Author, Book, Topic, Vote, Credit], {
        synchronize: false,
        extra: { namedPlaceholders: true },
      })
      expect(await named.query(sql.replace('?', ':author'), { author: ada.id } as never)).toHaveLength(2)
      await named.destroy()
    }
    const [built, parameters] = books().createQueryBuilder('b').where({ author: ada }).getQueryAndParameters()
    expect(await dataSource.query(built, parameters)).toHaveLength(2)
    for (const none of ['title', 'topics'] as const) {
      expect(() => columnOf(dataSource, Book, none)).toThrow(
        expect.objectContaining({ path: `Book.${none}` }),
      )
    }
  })

  // PostgreSQL needs pg-query-stream beside TypeORM.
  test.runIf(kind.name === 'mysql')('streamed raw rows have ids', async () => {
    const select = books().createQueryBuilder('b').select('b.id', 'id').addSelect('b.author', 'writer')
    const rows: unknown[] = []
    for await (const row of await select.where('b.author = :ada', { ada: ada.id }).stream()) rows.push(row)
    expect(rows).toHaveLength(2)
    expect(rows).toEqual(expect.arrayContaining([one, two].map(({ id }) => ({ id, writer: ada.id }))))
  })

  test('cached results have ids', async () => {
    const find = () => authors().find({ where: { id: ada.id }, relations: { books: true }, cache: 60_000 })
    const first = await find()
    await authors().update(ada.id, { fame: 9 })
    expect(await find()).toEqual(first)
    expect(first[0]?.books).toHaveLength(2)
  })

  test('pages of joined rows', async () => {
    const [page, count] = await books().findAndCount({
      relations: { author: true, topics: true },
      order: { id: 'ASC' },
      take: 1,
      skip: 1,
    })
    expect(count).toBe(2)
    expect(page).toMatchObject([{ id: two.id, author: { id: ada.id }, topics: [{ id: sea.id }] }])
  })

  test('patterns match ids of text, and are refused as ids of other storages', async () => {
    for (const like of [Like('K%' as FlaxId), ILike('K%' as FlaxId)])
      await refuses(authors().findBy({ id: like }), { path: 'Author.id' })
  })

  test('an id in an expression is refused where the database would find nothing', async () => {
    const id = ada.id
    const query = (condition: string, parameters: object = { id }) =>
      authors().createQueryBuilder('a').where(condition, parameters)
    for (const condition of [
      'a.id IN (SELECT :id)',
      'LOWER(a.name) = LOWER(:id)',
      "CASE WHEN a.name = 'Ada' THEN :id ELSE a.name END = a.name",
    ]) {
      if (isSilent) await refusesUnconverted(query(condition).getMany(), 'Author.id')
    }
    expect(await query('a.id = :id OR a.name = :id').getMany()).toHaveLength(1)
    if (kind.name === 'sqlite') {
      const stored = parameter(columnOf(dataSource, Author, 'id'), id)
      expect(await query('a.id IN (VALUES (:id))', { id: stored }).getMany()).toHaveLength(1)
    }
    expect(await query('LOWER(a.name) = LOWER(:id)', { id: asText(id) }).getMany()).toEqual([])
    expect(await query('a.name IN (:...names)', { names: asText([id, 'Ada']) }).getMany()).toHaveLength(1)
    // What is compared with something else is no id, though it may look like one.
    const word = 'Supercalifragili'
    expect(flax.is(word)).toBe(true)
    for (const condition of ['a.id IS NOT NULL AND a.name = :word', '(a.id, a.name) IN ((a.id, :word))']) {
      expect(await query(condition, { word }).getMany(), condition).toEqual([])
    }
  })

  test('ids of another family are refused if their form differs, and the metabyte is stored', async () => {
    expect(sno.meta(one.id)).toBe(4)
    const other = books().findOneBy({ id: ada.id.toUpperCase() as unknown as SnoId })
    await refuses(other, { name: 'IdError', path: 'Book.id' })
  })
})
