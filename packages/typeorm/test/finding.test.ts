import 'reflect-metadata'
import { type FlaxId, flax, type SnoId, sno } from '@snoflax/core'
import type { OpenDatabase } from '@snoflax/test'
import { FlaxIdColumn, SnoIdColumn, storageOf } from '@snoflax/typeorm'
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
  type SelectQueryBuilder,
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
    await expect(of(Book, 'author', MALFORMED).set(ben.id)).rejects.toMatchObject({ name: 'IdError' })
    await expect(of(Author, 'books', ada.id).remove(MALFORMED)).rejects.toMatchObject({ name: 'IdError' })
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
    await expect(authors().increment({ id: MALFORMED }, 'fame', 1)).rejects.toMatchObject({
      path: 'Author.id',
    })
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
    expect(await names('COALESCE(a.id, a.id) = :id', { id })).toEqual(['Ada'])
    expect(await names('(a.id, a.name) = (:id, :name)', { id, name: 'Ada' })).toEqual(['Ada'])
    expect(await names("a.name <> 'a.id' AND a.id = :id", { id })).toEqual(['Ada'])
    expect(await names('a.id = :id OR a.name = :id', { id })).toEqual(['Ada'])
    expect(await names('a.id = (:id)', { id })).toEqual(['Ada'])
    expect(await names('(:id) = (a.id)', { id })).toEqual(['Ada'])
    expect(await names(':id NOT IN (a.id, a.id)', { id })).toEqual(['Ben'])
    expect(await names(':id BETWEEN a.id AND a.id', { id })).toEqual(['Ada'])
    expect(await names('a.id = COALESCE(:id, a.id)', { id })).toEqual(['Ada'])
    // PostgreSQL takes a list of parameters alone for text.
    if (kind.name !== 'postgres')
      expect(await names('COALESCE(:id, :other) = a.id', { id, other: low })).toEqual(['Ada'])
    expect(await names('NULLIF(a.id, :id) IS NULL', { id })).toEqual(['Ada'])
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
    await expect(where('a.id = :id', { id: MALFORMED })).rejects.toMatchObject({
      name: 'IdError',
      path: 'Author.id',
    })
    await expect(where('a.id IN (:...ids)', { ids: [id, MALFORMED] })).rejects.toMatchObject({
      path: 'Author.id',
    })
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
    await expect(query.setParameter('id', MALFORMED).getCount()).rejects.toMatchObject({ path: 'Author.id' })
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

    const byBook = (sub: SelectQueryBuilder<Book>) =>
      sub
        .select('b.author', 'who')
        .addSelect('MAX(b.title)', 'last')
        .addSelect('b.id')
        .from(Book, 'b')
        .groupBy('b.id')
    const outside = dataSource.createQueryBuilder().from(byBook, 's').where('s.who = :id', { id: ada.id })
    expect(await outside.andWhere('s.b_id = :book', { book: one.id }).getRawMany()).toEqual([
      { who: ada.id, last: 'one', b_id: one.id },
    ])
    const picked = authors().createQueryBuilder('a').innerJoin(byBook, 's', 's.who = a.id AND s.b_id = :book')
    picked.select('s.who', 'who').addSelect('s.b_id', 'book').setParameter('book', two.id)
    expect(await picked.getRawMany()).toEqual([{ who: ada.id, book: two.id }])

    const written = `a.id IN (SELECT w.${dataSource.driver.escape(authorColumn())} FROM book w WHERE w.id = :book)`
    expect(await authors().createQueryBuilder('a').where(written, { book: one.id }).getMany()).toMatchObject([
      { id: ada.id },
    ])

    const votes = dataSource.getRepository(Vote)
    await votes.save({ id: 7, choice: ada.id })
    const inside = (name: string) =>
      `choice IN (SELECT ${name}.${dataSource.driver.escape(authorColumn())} FROM book ${name})`
    const counted = votes.createQueryBuilder('v').where(`v.id = :id AND v.${inside('v')}`, { id: 7 })
    expect(await counted.getMany()).toEqual([{ id: 7, choice: ada.id }])
    const change = votes.createQueryBuilder().update().set({ choice: ben.id })
    expect((await change.where(`id = :id AND ${inside('w')}`, { id: 7 }).execute()).affected).toBe(1)

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
    // PostgreSQL knows no alias there.
    if (kind.name === 'postgres' || kind.name === 'pglite') return
    const aliased = books().createQueryBuilder('b').select('b.author', 'writer').groupBy('b.author')
    expect(await aliased.having('writer = :author', { author: ada.id }).getRawMany()).toEqual([
      { writer: ada.id },
    ])
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

  test('raw rows have ids, also under aliases and through functions', async () => {
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

  test('raw rows have ids under aliases that the selection itself uses, and under column names', async () => {
    const select = (...selection: string[]) =>
      books().createQueryBuilder('b').select(selection).where({ id: one.id }).getRawOne()
    const quoted = dataSource.driver.escape('Book')
    expect(await select('b.id AS book', 'b.title as title')).toEqual({ book: one.id, title: 'one' })
    expect(await select(`b.id AS ${quoted}, b.author AS writer`)).toEqual({ Book: one.id, writer: ada.id })
    expect(await select('b.id', 'b.author')).toEqual({ b_id: one.id, [authorColumn()]: ada.id })
    const folded = kind.name === 'postgres' ? 'theauthor' : 'theAuthor'
    expect(await select('DISTINCT b.author AS theAuthor')).toEqual({ [folded]: ada.id })
    expect(await select('DISTINCT(b.author) AS theAuthor')).toEqual({ [folded]: ada.id })
    const named = books().createQueryBuilder('b').select('DISTINCT b.author', 'author')
    expect(await named.getRawMany()).toEqual([{ author: ada.id }])
  })

  test('raw rows of all columns have ids, also with aliases without AS', async () => {
    const raw = (...selection: string[]) =>
      books().createQueryBuilder('b').innerJoin('b.author', 'a').select(selection).where({ id: one.id })
    expect(await raw('b.*').getRawOne()).toMatchObject({ id: one.id, [authorColumn()]: ada.id, title: 'one' })
    expect(await raw('a.*').getRawOne()).toMatchObject({ author_id: ada.id, name: 'Ada' })
    expect(await raw('b.title', 'a.*').getRawOne()).toMatchObject({ b_title: 'one', author_id: ada.id })
    expect(await raw('*').getRawOne()).toMatchObject({ id: one.id, author_id: ada.id })
    expect(await raw('b.id book, a.name writer').getRawOne()).toEqual({ book: one.id, writer: 'Ada' })
    expect(await raw('a.*', "'none' AS author_id").getRawOne()).toMatchObject({ author_id: 'none' })
    const all = (sub: SelectQueryBuilder<Book>) => sub.select('b.*').from(Book, 'b')
    const outside = dataSource.createQueryBuilder().select('s.id', 'id').from(all, 's')
    expect(await outside.where('s.id = :id', { id: one.id }).getRawMany()).toEqual([{ id: one.id }])
    if (kind.name !== 'postgres') return
    const changed = authors().createQueryBuilder().update().set({ fame: 9 }).where({ id: ada.id })
    expect((await changed.returning('*').execute()).raw).toMatchObject([{ author_id: ada.id }])
  })

  test('columns in other case, tables in a list, with a schema and after names of other queries', async () => {
    const id = ada.id
    const count = (condition: string, parameters: object) =>
      authors().createQueryBuilder('a').where(condition, parameters).getCount()
    if (kind.name === 'sqlite') expect(await count('A.AUTHOR_ID = :id', { id })).toBe(1)
    const exists = (from: string, condition: string) =>
      count(`EXISTS (SELECT 1 FROM ${from} WHERE ${condition})`, { id })
    expect(await exists('book b, author z', 'z.author_id = :id AND a.author_id = z.author_id')).toBe(1)
    expect(await exists('author', 'author.author_id = :id AND a.author_id = author.author_id')).toBe(1)
    if (kind.name === 'mysql') {
      expect(
        await exists('book b STRAIGHT_JOIN author z', 'z.author_id = :id AND a.author_id = z.author_id'),
      ).toBe(1)
      const schema = (dataSource.driver as unknown as { database: string }).database
      expect(
        await exists(`\`${schema}\`.\`author\` z`, 'z.author_id = :id AND a.author_id = z.author_id'),
      ).toBe(1)
      return
    }
    const inner = `SELECT b.${dataSource.driver.escape(authorColumn())}, b.title FROM book b`
    const cte = authors()
      .createQueryBuilder('a')
      .addCommonTableExpression(inner, 'writers', { columnNames: ['who', 'what'] })
      .innerJoin('writers', 'w', 'w.who = a.id')
      .where('w.who = :id AND w.what = :what', { id, what: 'two' })
    expect(await cte.getMany()).toMatchObject([{ id }])
  })

  test('bare names in a subquery mean columns of its own tables', async () => {
    const [book, vote] = [dataSource.driver.escape('book'), dataSource.driver.escape('vote')]
    await dataSource.getRepository(Vote).save({ id: 70, choice: ben.id })
    const names = async (condition: string, parameters: object) =>
      (await authors().createQueryBuilder('a').where(condition, parameters).getMany()).map(({ name }) => name)
    const own = dataSource.driver.escape(authorColumn())
    expect(await names(`a.id IN (SELECT ${own} FROM ${book} WHERE id = :id)`, { id: one.id })).toEqual([
      'Ada',
    ])
    expect(await names(`a.id IN (SELECT choice FROM ${vote} WHERE id = :id)`, { id: 70 })).toEqual(['Ben'])
    const twice = `EXISTS (SELECT 1 FROM ${vote} x WHERE x.id = :vote AND x.choice = a.id) AND EXISTS (SELECT 1 FROM ${book} x WHERE x.id = :book)`
    expect(await names(twice, { vote: 70, book: one.id })).toEqual(['Ben'])
    const inserted = topics().createQueryBuilder().insert().updateEntity(false)
    const title = () => `(SELECT x.title FROM ${book} x WHERE x.id = :book)`
    await inserted.values({ word: title }).setParameters({ book: one.id }).execute()
    expect(await topics().countBy({ word: one.title })).toBe(1)
    await topics().delete({ word: one.title })
    await dataSource.getRepository(Vote).delete(70)
  })

  test('an id in the text of a query is refused if it is stored in another form', async () => {
    const condition = `a.id IN ('${ada.id}', '${ben.id}') AND a.name <> 'x'`
    const found = authors().createQueryBuilder('a').where(condition)
    const raw = authors().findBy({ id: Raw((column) => `${column} = '${ada.id}'`) })
    const set = () => `'${ben.id}'`
    const update = dataSource.createQueryBuilder().update(Topic).set({ schlüssel: set }).where({ id: sky.id })
    if (storage === 'text') {
      expect(await found.getCount()).toBe(2)
      expect(await raw).toMatchObject([{ id: ada.id }])
      return
    }
    for (const [failed, path] of [
      [found.getMany(), 'Author.id'],
      [raw, 'Author.id'],
      [update.execute(), 'Topic.schlüssel'],
    ] as const) {
      const message = expect.stringMatching(/in the text of the query.*pass it as a parameter/)
      await expect(failed).rejects.toMatchObject({ code: 'INVALID_OPTION', path, message })
    }
    await expect(authors().createQueryBuilder('a').where("a.id LIKE 'K%'").getMany()).rejects.toMatchObject({
      path: 'Author.id',
    })
  })

  test('expressions that return ids as stored are refused, others are accepted', async () => {
    const select = (expression: string, name?: string) =>
      authors()
        .createQueryBuilder('a')
        .select(expression, name)
        .where('a.id = :id', { id: ada.id })
        .getRawMany()
    const text = { sqlite: 'TEXT', postgres: 'text', mysql: 'CHAR' }[kind.name as 'sqlite']
    const joined = kind.name === 'mysql' ? "CONCAT(a.id, '')" : `CAST(a.id AS ${text})`
    if (storage === 'text' || storage === 'bigint') expect(await select(joined, 'x')).toHaveLength(1)
    else {
      const message = expect.stringMatching(
        /returns ids in their stored form.*storageOf\(dataSource, Author, 'id'\)/,
      )
      for (const name of ['x', undefined]) {
        await expect(select(joined, name)).rejects.toMatchObject({
          code: 'INVALID_OPTION',
          path: 'Author.id',
          message,
        })
      }
    }
    const passing = { 'COUNT(a.id)': 1, "CASE WHEN a.id IS NULL THEN 'x' ELSE 'y' END": 'y' }
    for (const [expression, value] of Object.entries(passing)) {
      const [row] = await select(expression, 'x')
      expect(typeof value === 'number' ? Number(row.x) : row.x).toBe(value)
    }
    if (kind.name !== 'postgres') return
    const [row] = await select('ARRAY_AGG(a.id ORDER BY a.name)', 'x')
    expect(row.x).toEqual([ada.id])
    const changed = authors().createQueryBuilder().update().set({ fame: 3 }).where({ id: ada.id })
    expect((await changed.returning('author_id AS "Key", name').execute()).raw).toEqual([
      { Key: ada.id, name: 'Ada' },
    ])
    if (storage !== 'binary' && storage !== 'uuid') return
    await expect(select('json_build_object(1, a.id)', 'x')).rejects.toMatchObject({ path: 'Author.id' })
    await expect(select('to_json(a)', 'x')).rejects.toMatchObject({ path: 'Author.id' })
  })

  test('ids of a UNION, of nested queries with equal column names, and of selected subqueries', async () => {
    const from = (inner: string, id: string) => {
      const cte = dataSource.createQueryBuilder().addCommonTableExpression(inner, 'some')
      return cte.select('s.id', 'id').from('some', 's').where('s.id = :id', { id }).getRawMany()
    }
    const t = dataSource.driver.escape('topic')
    const nested = `SELECT id FROM ${t} WHERE EXISTS (SELECT id FROM vote WHERE id <> 0) OR word IN (SELECT title FROM book WHERE book.id IS NULL) OR id IS NOT NULL`
    if (kind.name !== 'mysql') {
      expect(await from(nested, sky.id)).toHaveLength(1)
      expect(await from(`SELECT id FROM ${t} UNION SELECT choice FROM vote`, sky.id)).toHaveLength(1)
    }
    const selected = books().createQueryBuilder('b').select('b.id', 'id').where({ id: one.id })
    const writer = (sub: SelectQueryBuilder<Author>) =>
      sub.select('a.id').from(Author, 'a').where('a.id = :ada', { ada: ada.id })
    expect(await selected.addSelect(writer, 'writer').getRawMany()).toEqual([{ id: one.id, writer: ada.id }])
  })

  test("your own SQL, with the column's storage", async () => {
    const [ids, keys] = [storageOf(dataSource, Book, 'author'), storageOf(dataSource, Book, 'id')]
    const table = dataSource.driver.escape('book')
    const sql = `SELECT * FROM ${table} WHERE ${dataSource.driver.escape(authorColumn())} = ${dataSource.driver.createParameter('x', 0)}`
    const rows = await dataSource.query(sql, [ids.toDatabase(ada.id)])
    expect(rows.map((row: { id: unknown }) => keys.fromDatabase(row.id)).sort()).toEqual(
      [one.id, two.id].sort(),
    )
    expect(() => ids.toDatabase(MALFORMED)).toThrow(
      expect.objectContaining({ path: expect.stringContaining('Book.author') }),
    )
    const others = `SELECT * FROM ${table} WHERE title = ${dataSource.driver.createParameter('x', 0)}`
    expect(await dataSource.query(others, [ada.id])).toEqual([])
    const runner = dataSource.createQueryRunner()
    const byAlias = `SELECT * FROM (SELECT ${dataSource.driver.escape(authorColumn())} AS writer FROM ${table}) AS w WHERE writer = ${dataSource.driver.createParameter('x', 0)}`
    for (const run of [
      () => dataSource.query(byAlias, [ada.id]),
      () => dataSource.query(sql, [ada.id]),
      () => books().query(sql, [ada.id]),
      () => dataSource.transaction((manager) => manager.query(sql, [ada.id])),
      () => runner.query(sql, [ada.id]),
      () => runner.manager.query(sql, [ada.id]),
    ]) {
      if (storage === 'text') expect(await run()).toHaveLength(2)
      else
        await expect(run()).rejects.toMatchObject({
          code: 'INVALID_OPTION',
          value: ada.id,
          message: expect.stringMatching(/Book\.author.*: the text of the SQL names .*storageOf\(/),
        })
    }
    if (kind.name === 'mysql' && storage !== 'text') {
      await expect(runner.stream(sql, [ada.id])).rejects.toMatchObject({ value: ada.id })
    }
    await runner.release()
    if (kind.name === 'mysql') {
      const named = await openDataSource(database, [Author, Book, Topic, Vote, Credit], {
        synchronize: false,
        extra: { namedPlaceholders: true },
      })
      const byName = (author: unknown) => named.query(sql.replace('?', ':author'), { author } as never)
      expect(await byName(ids.toDatabase(ada.id))).toHaveLength(2)
      if (storage !== 'text') await expect(byName(ada.id)).rejects.toMatchObject({ value: ada.id })
      await named.destroy()
    }
    const [built, parameters] = books().createQueryBuilder('b').where({ author: ada }).getQueryAndParameters()
    expect(await dataSource.query(built, parameters)).toHaveLength(2)
    for (const none of ['title', 'topics'] as const) {
      expect(() => storageOf(dataSource, Book, none)).toThrow(
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
    if (storage === 'text') return
    const refused = await books().createQueryBuilder('b').select("CONCAT(b.id, '')", 'x').stream()
    const read = async () => {
      for await (const row of refused) rows.push(row)
    }
    await expect(read()).rejects.toMatchObject({ code: 'INVALID_OPTION', path: 'Book.id' })
    expect(rows).toHaveLength(2)
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

  test('aggregates that TypeORM turns into numbers are refused', async () => {
    for (const name of ['sum', 'average', 'minimum', 'maximum'] as const) {
      await expect(authors()[name]('id' as never)).rejects.toMatchObject({
        code: 'INVALID_OPTION',
        path: 'Author.id',
        message: expect.stringContaining(`${name}() returns numbers, not ids`),
      })
      expect(await authors()[name]('fame', { id: In([ada.id, ben.id]) })).toBeTypeOf('number')
    }
  })

  test('patterns are refused on ids that are not stored as text', async () => {
    const builder = authors()
      .createQueryBuilder('a')
      .where('a.id LIKE :like', { like: `${ada.id.slice(0, 12)}%` })
    if (storage === 'text') expect((await builder.getMany()).map(({ id }) => id)).toContain(ada.id)
    else await expect(builder.getMany()).rejects.toMatchObject({ code: 'INVALID_OPTION', path: 'Author.id' })
    await expect(authors().findBy({ id: Like('K%' as FlaxId) })).rejects.toMatchObject({ path: 'Author.id' })
    await expect(authors().findBy({ id: ILike('K%' as FlaxId) })).rejects.toMatchObject({ path: 'Author.id' })
  })

  test('an id in an expression that is not understood is refused, or converted', async () => {
    const id = ada.id
    const query = (condition: string, parameters: object = { id }) =>
      authors().createQueryBuilder('a').where(condition, parameters)
    const names = async (condition: string, parameters?: object) =>
      (await query(condition, parameters).getMany()).map(({ name }) => name)
    // PostgreSQL wants to know types that only an id column tells it.
    expect(await names('CASE a.id WHEN :id THEN 1 ELSE 0 END = 1')).toEqual(['Ada'])
    const ordered = authors().createQueryBuilder('a').setParameters({ id: ben.id })
    const first = ordered.orderBy('CASE a.id WHEN :id THEN 0 ELSE 1 END')
    expect((await first.getMany()).map(({ name }) => name)).toEqual(['Ben', 'Ada'])
    expect(await names("CASE a.id WHEN :id THEN a.name ELSE 'x' END = :name", { id, name: 'Ada' })).toEqual([
      'Ada',
    ])

    if (kind.name !== 'postgres')
      expect(await names('CASE :id WHEN a.id THEN 1 ELSE 0 END = 1')).toEqual(['Ada'])
    expect(await names('a.id IN ((:id), (:id))')).toEqual(['Ada'])
    expect((await names("CASE WHEN a.name = 'Ada' THEN :id ELSE a.id END = a.id")).sort()).toEqual([
      'Ada',
      'Ben',
    ])
    if (kind.name !== 'sqlite') {
      expect(await names('ROW(a.id, a.name) = ROW(:id, :name)', { id, name: 'Ada' })).toEqual(['Ada'])
    }

    if (storage === 'text') return
    const list = kind.name === 'mysql' ? 'VALUES (:id)' : 'VALUES (:id), (:id)'
    const unclear = [
      ':id IN (a.name, a.id)',
      `a.id IN (${list})`,
      'a.id IN (SELECT :id)',
      'a.id = (SELECT :id)',
      'a.id = CAST(:id AS char(16))',
      'CAST(a.id AS char(16)) = :id',
      'LOWER(a.id) = LOWER(:id)',
      "CONCAT(a.id, '') = :id",
      'a.id IN ((SELECT :id))',
      ':id IN (SELECT x.author_id FROM author x)',
      'REPLACE(a.id, :id, :id) = a.id',
      'a.fame = 1 OR a.id || :id = a.id',
    ]
    for (const condition of unclear) {
      const failed = query(condition).getMany()
      await expect(failed, condition).rejects.toMatchObject({
        code: 'INVALID_OPTION',
        path: 'Author.id',
        message: expect.stringMatching(/:id is an id .* storageOf\(dataSource, Author, 'id'\)/),
      })
    }
    const joined = books().createQueryBuilder('b').innerJoin('b.author', 'a')
    await expect(joined.where(':id IN (b.title, b.id, a.id)', { id }).getMany()).rejects.toMatchObject({
      path: 'Author.id',
    })
    const unselected = authors()
      .createQueryBuilder('a')
      .select('NULLIF(:id, LOWER(a.id))', 'x')
      .setParameters({ id })
    await expect(unselected.getRawMany()).rejects.toMatchObject({ path: 'Author.id' })

    // What is compared with something else is no id, though it may look like one.
    const word = 'Supercalifragili'
    expect(flax.is(word)).toBe(true)
    for (const condition of [
      'a.id IS NOT NULL AND a.name = :word',
      '(a.id, a.name) IN ((a.id, :word))',
      'a.name = COALESCE(:word, a.name) OR a.id IS NULL',
      "CASE WHEN a.id IS NULL THEN 'x' ELSE :word END = a.name",
      'a.name = :word AND a.id IN (SELECT x.author_id FROM author x WHERE x.name = :word)',
      'EXISTS (SELECT 1 FROM author x WHERE x.author_id = a.id AND LOWER(x.name) = LOWER(:word))',
    ]) {
      expect(await names(condition, { word }), condition).toEqual([])
    }
    const keys = storageOf(dataSource, Author, 'id')
    if (kind.name === 'sqlite') {
      expect(await names('a.id IN (VALUES (:id))', { id: keys.toDatabase(id) })).toEqual(['Ada'])
    }
  })

  test('ids of another family are refused if their form differs, and the metabyte is stored', async () => {
    expect(sno.meta(one.id)).toBe(4)
    await expect(
      books().findOneByOrFail({ id: ada.id.toUpperCase() as unknown as SnoId }),
    ).rejects.toMatchObject({
      name: 'IdError',
      path: 'Book.id',
    })
  })
})
