import 'reflect-metadata'
import { type FlaxId, flax, type SnoId, sno } from '@snoflax/core'
import { asText, columnOf, FlaxIdColumn, fromDatabase, parameter, SnoIdColumn } from '@snoflax/typeorm'
import {
  Any,
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
} from 'typeorm'
import { beforeAll, describe, expect, test } from 'vitest'
import { openForBlock, openForTest } from './open-data-source.js'
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
  class Topic {
    @FlaxIdColumn({ storage }) id!: FlaxId
    @Column('varchar') word!: string
    @FlaxIdColumn.plain({ storage, nullable: true }) schlüssel!: FlaxId | null
    @ManyToMany(() => Book, 'topics') books!: Relation<Book>[]
  }

  const world = openForBlock(kind, [Author, Book, Topic])
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
  })

  test('an alias takes precedence over a table of the same name', async () => {
    const query = books()
      .createQueryBuilder('b')
      .innerJoin('b.author', 'book')
      .where('book.id = :id', { id: flax.generate() })
    await expect(query.getCount()).resolves.toBe(0)
    await refuses(query.setParameter('id', MALFORMED).getCount(), { path: 'Author.id' })
  })

  test('a parameter of a subquery in FROM, of HAVING, and of an UPDATE by a name in the database', async () => {
    const from = dataSource
      .createQueryBuilder()
      .select('s.title', 'title')
      .from((sub) => sub.select('b.title', 'title').from(Book, 'b').where('b.id = :id', { id: one.id }), 's')
    expect(await from.getRawMany()).toEqual([{ title: 'one' }])
    const grouped = books().createQueryBuilder('b').select('b.author', 'author').addSelect('COUNT(*)', 'n')
    const having = grouped.groupBy('b.author').having('b.author = :author', { author: ada.id })
    expect(await having.getRawMany()).toEqual([{ author: ada.id, n: expect.anything() }])
    const update = authors()
      .createQueryBuilder()
      .update()
      .set({ fame: () => 'fame + 1' })
    expect((await update.where('author_id = :id', { id: ada.id }).execute()).affected).toBe(1)
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
    const lower = `SELECT * FROM ${table} WHERE lower(title) = ${placeholder}`
    if (isSilent) await refusesUnconverted(dataSource.query(lower, [ada.id]), 'Author.id')
    expect(await dataSource.query(lower, [asText('one')])).toHaveLength(1)
    await runner.release()
    if (kind.name === 'mysql') {
      const named = await openForTest(world.database, [Author, Book, Topic], {
        synchronize: false,
        extra: { namedPlaceholders: true },
      })
      expect(await named.query(sql.replace('?', ':author'), { author: ada.id } as never)).toHaveLength(2)
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
