import { type FlaxId, flax, prefixed } from '@snoflax/core'
import { asText, flaxId, idColumn, snoId } from '@snoflax/drizzle/pg-core'
import {
  between,
  eq,
  exists,
  fillPlaceholders,
  gt,
  ilike,
  inArray,
  like,
  max,
  ne,
  notBetween,
  notInArray,
  type SQL,
  sql,
} from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/node-postgres'
import { PgDialect, pgSchema, pgTable, QueryBuilder, text } from 'drizzle-orm/pg-core'
import { describe, expect, test } from 'vitest'

const table = pgTable('t', {
  id: flaxId({ storage: 'binary' }),
  other: flaxId.plain({ storage: 'binary' }),
  text: flaxId.plain({ storage: 'text' }),
  past: flaxId.plain({ storage: 'binary' }).array(),
  name: text(),
})
const others = pgTable('others', { id: flaxId({ storage: 'binary' }) })
/** No other test's tables have such a column. */
const alike = ['one', 'two'].map((of) => pgTable(of, { id: flaxId('bare_id', { storage: 'binary' }) }))
const { id, name, past } = table
const [a, b] = [flax.generate(), flax.generate()]
const bytes = (one: FlaxId) => flax.decode(one)
const list = (...ids: FlaxId[]) =>
  `{${ids.map((one) => `"\\\\x${Buffer.from(bytes(one)).toString('hex')}"`).join(',')}}`
for (const storage of ['binary', 'text'] as const) {
  pgSchema(`of_${storage}`).table('visits', { visit: flaxId('visit', { storage }) })
}
const query = new QueryBuilder()
const build = (query: SQL) => new PgDialect().sqlToQuery(query)

describe('a value compared with an id column is encoded', () => {
  test.each<[string, SQL, unknown[]]>([
    ['=', sql`${id} = ${a}`, [bytes(a)]],
    ['= from the left', sql`${a} = ${id}`, [bytes(a)]],
    ['<> and !=', sql`${id} <> ${a} or ${id} != ${b}`, [bytes(a), bytes(b)]],
    ['a range from both sides', sql`${a} <= ${id} and ${id} < ${b}`, [bytes(a), bytes(b)]],
    ['between', sql`${id} between ${a} and ${b}`, [bytes(a), bytes(b)]],
    [
      'BETWEEN in capitals, another condition behind',
      sql`${id} BETWEEN ${a} AND ${b} and ${name} = ${a}`,
      [bytes(a), bytes(b), a],
    ],
    ['in a list', sql`${id} in ${[a, b]}`, [bytes(a), bytes(b)]],
    ['not in a list', sql`${id} NOT IN ${[a]}`, [bytes(a)]],
    ['in brackets', sql`${id} in (${a}, ${b})`, [bytes(a), bytes(b)]],
    ['not between', sql`${id} not between ${a} and ${b}`, [bytes(a), bytes(b)]],
    ['between symmetric', sql`${id} between symmetric ${a} and ${b}`, [bytes(a), bytes(b)]],
    [
      'between a value and a literal',
      sql`${id} between ${a} and now() or ${id} = ${b}`,
      [bytes(a), bytes(b)],
    ],
    ['between columns', sql`${a} between ${id} and ${table.other}`, [bytes(a)]],
    ['is distinct from', sql`${id} is distinct from ${a}`, [bytes(a)]],
    ['is not distinct from', sql`${id} IS NOT  DISTINCT FROM ${a}`, [bytes(a)]],
    ["SQLite's is and is not", sql`${id} is ${a} or ${b} is not ${id}`, [bytes(a), bytes(b)]],
    ["SQLite's ==", sql`${id} == ${a}`, [bytes(a)]],
    ["MySQL's <=>", sql`${id} <=> ${a}`, [bytes(a)]],
    ['one value in brackets', sql`(${id}) = (${a})`, [bytes(a)]],
    ['rows', sql`where (${name}, ${id}) > (${'x'}, ${a})`, ['x', bytes(a)]],
    ['rows with calls', sql`(lower(${name}), ${id}) > (lower(${'x'}), ${a})`, ['x', bytes(a)]],
    ['a row that is a list', sql`(${id}, ${name}) = ${[a, 'x']}`, [bytes(a), 'x']],
    [
      'rows in a list of rows',
      sql`(${id}, ${name}) in ((${a}, ${'x'}), (${b}, ${'y'}))`,
      [bytes(a), 'x', bytes(b), 'y'],
    ],
    ['rows in a list', sql`(${id}, ${name}) in ${[[a, 'x'], [b, 'y']]}`, [bytes(a), 'x', bytes(b), 'y']],
    ['in columns', sql`${a} in (${id}, ${table.other})`, [bytes(a)]],
    ['in brackets behind a literal', sql`${id} in ('x', gen(${1}, ${2}), ${a})`, [1, 2, bytes(a)]],
    ['in what is joined', sql`${id} in (${sql.join([sql`${a}`, sql`${b}`], sql`, `)})`, [bytes(a), bytes(b)]],
    ['in what is appended', sql`${id} = `.append(sql`${a}`), [bytes(a)]],
    ['all of a parameter', sql`${id} <> ALL (${sql.param([a])}::bytea[])`, [list(a)]],
    ['any of an array', sql`${id} = any(array[${a}, ${b}])`, [bytes(a), bytes(b)]],
    ['any of a column', sql`${a} = any(${past})`, [bytes(a)]],
    ['a parameter without an encoder', sql`${id} = ${sql.param(a)}`, [bytes(a)]],
    ['a value with a cast', sql`${id} = ${a}::bytea`, [bytes(a)]],
    ['without spaces', sql`${id}=${a} and ${b}<${id}`, [bytes(a), bytes(b)]],
    [
      'a comment between',
      sql`${id} /* is */ = -- the
      ${a}`,
      [bytes(a)],
    ],
    [
      'a text with a comment in it',
      sql`${name} = '--' and ${id} = ${a} or ${name} in ('/*', '*/')`,
      [bytes(a)],
    ],
    ['a name with a quote in it', sql`"it's" = ${id} and ${id} = ${a} and ${name} = 'x'`, [bytes(a)]],
    ['a column in SQL of its own', sql`${sql`${id}`} = ${a}`, [bytes(a)]],
    [
      'rows that are joined',
      sql`(${sql.join([name, id], sql`, `)}) > (${sql.join([sql`${'x'}`, sql`${a}`], sql`, `)})`,
      ['x', bytes(a)],
    ],
    ['an aggregate that Drizzle maps', gt(max(id), a), [bytes(a)]],
    ['an expression that is mapped', eq(sql`coalesce(${table.other}, ${id})`.mapWith(id), a), [bytes(a)]],
    ['its name', eq(sql`max(${id})`.mapWith(id).as('last'), a), [bytes(a)]],
    ['an element that is mapped', sql`${a} = ${sql`${past}[1]`.mapWith(id)}`, [bytes(a)]],
    ['a part of a larger query', sql`select 1 where ${sql`${id} = ${a}`}`, [bytes(a)]],
    ['bytes already', sql`${id} = ${bytes(a)}`, [bytes(a)]],
    ['what Drizzle encodes itself', eq(id, a), [bytes(a)]],
    ['its lists', inArray(id, [a, b]), [bytes(a), bytes(b)]],
    ['its other lists', notInArray(id, [a]), [bytes(a)]],
    ['its ranges', between(id, a, b), [bytes(a), bytes(b)]],
    ['a row constructor', sql`row(${id}, ${name}) = row(${a}, ${'x'})`, [bytes(a), 'x']],
  ])('%s', (_, query, params) => {
    expect(build(query).params).toEqual(params)
  })

  test.each<[string, SQL]>([
    ['by its name', sql`${name} = ${'x'} and bare_id = ${a}`],
    ['by its name in other letters', sql`"one"."BARE_ID" <> ${a}`],
    ['by sql.identifier()', sql`${sql.identifier('one')}.${sql.identifier('bare_id')} = ${a}`],
    ['by a reserved word too', sql`${sql.identifier('order')}.${sql.identifier('bare_id')} = ${a}`],
    ['of what an upsert proposes', sql`excluded.${sql.identifier('bare_id')} = ${a}`],
    ['behind its table', sql`select 1 from ${alike[0]} where ${alike[0]}.bare_id = ${a}`],
    ['in an insert', sql`insert into one (name, bare_id) values (${'x'}, ${a})`],
    ['in an update', sql`update ${table} set name = ${'x'}, other = ${a}`],
  ])('where the text names the column: %s', (_, query) => {
    expect(build(query).params.at(-1)).toEqual(bytes(a))
  })

  test.each<[string, SQL]>([
    ['a call', sql`my_function(${id}, ${a})`],
    ['what is made of the column', sql`${a} = ${id} || 'y'`],
    ['a call in a list', sql`${id} in (${b}, my_function(${a}))`],
    ['a call of a value', sql`${id} = my_function(${a})`],
    ['a list in a call', sql`my_function(${id}, ${[b, a]})`],
    ['an argument of coalesce', sql`coalesce(${id}, ${a}) is null`],
    ['a case', sql`case ${id} when ${a} then 1 end`],
    ['values', sql`${id} in (values (${a}))`],
    ['what a query selects', inArray(id, query.select({ id: sql`${a}`.as('id') }).from(others))],
    ['an insert without columns', sql`insert into t values (${a})`],
    ['an unknown name', sql`unknown_column = ${a}`],
    ['a text', sql.raw(`id = '${a}'`)],
    ['JSON', sql`select 1 from json_each(${JSON.stringify([a])})`],
    ['a name of columns of two storages', sql`visit = ${a}`],
  ])('an id that stands beside no one column is refused: %s', (_, query) => {
    expect(() => build(query)).toThrow(
      expect.objectContaining({
        code: 'INVALID_OPTION',
        message: expect.stringMatching(/ the id .* parameter\(column, id\) .* asText\(value\)/),
      }),
    )
  })

  test("an id in SQL written to a column without ids is sent unchanged, whatever the column's name", () => {
    const plain = pgTable('plain', { id: text(), name: text() })
    const db = drizzle.mock()
    const set = { id: sql`${a}`, name: sql`${b}` }
    const writes = [
      db.update(plain).set(set),
      db.insert(plain).values(set),
      db.insert(plain).values({ id: 'x' }).onConflictDoUpdate({ target: plain.id, set }),
    ]
    for (const write of writes) expect(write.toSQL().params.slice(-2)).toEqual([a, b])
    expect(() =>
      db
        .update(plain)
        .set({ name: sql`case when ${id} = ${'x'} then 1 end` })
        .toSQL(),
    ).toThrow('t.id: ')
  })

  test('a placeholder that stands beside no column is refused if it gets an id', () => {
    const built = build(
      sql`my_function(${id}, ${sql.placeholder('x')}) and bare_id = ${sql.placeholder('y')}`,
    )
    expect(fillPlaceholders(built.params, { x: 'y', y: a })).toEqual(['y', bytes(a)])
    expect(() => fillPlaceholders(built.params, { x: a, y: a })).toThrow(' the id ')
  })

  test('a placeholder is encoded as the column', () => {
    for (const query of [gt(id, sql.placeholder('x')), inArray(id, [sql.placeholder('x')])]) {
      const { params } = build(query)
      expect(params).toMatchObject([{ value: { name: 'x' } }])
      expect(fillPlaceholders(params, { x: a })).toEqual([bytes(a)])
    }
  })

  test('a malformed id is refused with the name of the column', () => {
    expect(() => build(sql`${table.other} = ${'wrong'}`)).toThrow('t.other: flax: an id has 16 characters')
    expect(() => build(sql`${table.other} in ${[a, 'wrong']}`)).toThrow('t.other: flax')
    expect(() => build(sql`${table.other} is not distinct from ${'wrong'}`)).toThrow('t.other: flax')
    expect(() => build(sql`${table.other} = any(${sql.param([a, 'wrong'])})`)).toThrow('t.other: flax')
  })

  test('a value that is not text is refused with the name of the column', () => {
    const date = new Date()
    for (const value of [date, true, { id: a }]) {
      expect(() => build(sql`${table.other} = ${value}`)).toThrow(/^t\.other: flax: an id/)
    }
  })

  test('lists that are passed are not changed', () => {
    const ids = [a, b]
    build(sql`${id} in ${ids}`)
    expect(ids).toEqual([a, b])
  })
})

describe('a value compared with an id column is encoded in selected fields, where Drizzle writes bare column names', () => {
  const mine = sql<boolean>`${id} = ${a}`

  test.each([
    ['alone', query.select({ mine }).from(table), 'select "id" = $1 from "t"'],
    [
      'with a name',
      query.select({ mine: mine.as('mine') }).from(table),
      'select "id" = $1 as "mine" from "t"',
    ],
    [
      'beside a join',
      query.select({ mine }).from(table).innerJoin(others, eq(others.id, id)),
      'select "t"."id" = $1 from "t" inner join "others" on "others"."id" = "t"."id"',
    ],
  ])('%s', (_, built, text) => {
    expect(built.toSQL()).toMatchObject({ sql: text, params: [bytes(a)] })
  })

  test('columns of a subquery keep their table', () => {
    const more = sql`(select count(*) from ${others} where ${eq(others.id, id)}) > ${5}`
    expect(query.select({ more }).from(table).toSQL().sql).toContain('"others"."id" = "t"."id"')
  })

  test('returned fields of a write are encoded too', () => {
    const db = drizzle.mock()
    const written = db.insert(table).values({ id: b }).returning({ mine })
    expect(written.toSQL().params).toEqual([bytes(b), bytes(a)])
  })
})

test('columns that are never equal are not compared', () => {
  const keys = pgTable('keys', {
    trace: idColumn(prefixed(flax, 'trc')).plain({ storage: 'binary' }),
    event: snoId.plain({ storage: 'binary' }),
    user: idColumn(prefixed(flax, 'usr')).plain(),
    traces: idColumn(prefixed(flax, 'trc')).plain({ storage: 'binary' }).array(),
  })
  // The prefix is not stored.
  for (const same of [eq(id, keys.trace), eq(id, table.other), sql`${`trc_${a}`} = any(${keys.traces})`])
    build(same)
  // What stands beside AND is compared only in BETWEEN.
  build(
    sql`${id} = ${keys.trace} and ${keys.event} = ${keys.event} AND (${name} = ${'Ada'} or ${id} is null)`,
  )
  build(sql`${id} between ${a} and ${keys.trace} and ${keys.event} = ${keys.event}`)
  for (const [other, kind] of [
    [keys.event, 'sno as binary'],
    [table.text, 'flax as text'],
    [keys.user, 'usr_flax as text'],
  ] as const) {
    const message = expect.stringContaining(`(${kind}) are never equal in the database`)
    const refused = expect.objectContaining({ code: 'INVALID_OPTION', message })
    expect(() => build(eq(id, other))).toThrow(refused)
    expect(() => build(sql`${id}<>${other} or ${name} = ${a}`)).toThrow(refused)
    expect(() => build(ne(id, other))).toThrow(refused)
    expect(() => build(notBetween(id, table.other, other))).toThrow(refused)
    expect(() => build(inArray(id, query.select({ other }).from(keys)))).toThrow(refused)
    expect(() => build(eq(query.select({ id }).from(table).as('sub').id, other))).toThrow(refused)
  }
})

test('ids that are converted are not compared with a column of text', () => {
  const sub = () => query.select({ name }).from(table)
  for (const compared of [
    eq(id, name),
    ne(name, id),
    sql`${id} >= ${name}`,
    inArray(id, sub()),
    inArray(id, [a, sql`${name}` as never]),
    notInArray(name, query.select({ id }).from(others) as never),
    between(id, a, name as never),
    sql`${id} BETWEEN ${a} AND ${name}`,
    sql`${id} IN (SELECT DISTINCT ${name} FROM ${table})`,
    eq(sql`${name}`, id),
    eq(
      query
        .select({ alias: sql`${name}`.as('alias') })
        .from(table)
        .as('sub').alias,
      id,
    ),
    exists(query.select().from(others).where(eq(others.id, name))),
  ]) {
    expect(() => build(compared)).toThrow(
      /^(?:t|others)\.id: its ids \(storage binary\) never equal the text of name/,
    )
  }
  const update = () => drizzle.mock().update(table)
  for (const set of [{ name: id }, { name: sql`${id}` }, { id: sql`${name}` }]) {
    expect(() =>
      update()
        .set(set as never)
        .toSQL(),
    ).toThrow(/^t\.id: its ids .* never equal the text of name/)
  }
  expect(
    update()
      .set({ id: table.other, name: sql`upper(${name})` } as never)
      .toSQL().params,
  ).toEqual([])
  expect(build(eq(table.text, name)).params).toEqual([])
  expect(build(sql`${id} = ${table.past}[1]`).params).toEqual([])
})

test('values inlined into SQL are written as the column stores them', () => {
  const inlined = (query: SQL) => build(query.inlineParams())
  const hex = Buffer.from(bytes(a)).toString('hex')
  expect(inlined(sql`${id} in ${[a]} and ${a} = any(${past})`)).toMatchObject({
    sql: `"t"."id" in ('\\x${hex}') and '\\x${hex}' = any("t"."past")`,
    params: [],
  })
  expect(inlined(eq(id, undefined as never)).sql).toBe('"t"."id" = null')
  expect(inlined(eq(past, [a])).sql).toBe(`"t"."past" = '{"\\\\x${hex}"}'`)
  expect(inlined(eq(name, "it's")).sql).toBe(`"t"."name" = 'it''s'`)
})

test('a field of a subquery is a column if it is one, or mapped with one', () => {
  const of = (field: SQL | typeof id) =>
    query
      .select({ ali: (field as SQL<FlaxId>).as('ali') })
      .from(table)
      .as('sub')
  for (const sub of [of(sql`${id}`), of(sql`max(id)`.mapWith(id))]) {
    expect(query.select().from(sub).where(eq(sub.ali, a)).toSQL().params).toEqual([bytes(a)])
  }
  for (const sub of [of(sql`id`), of(sql`max(${id})`)]) {
    expect(() => query.select().from(sub).where(eq(sub.ali, a)).toSQL()).toThrow('parameter(column, id)')
    expect(
      query
        .select()
        .from(sub)
        .where(eq(sub.ali, asText(a)))
        .toSQL().params,
    ).toEqual([a])
  }
})

describe('pattern matching', () => {
  test.each<[string, SQL]>([
    ['like', like(id, 'K%')],
    ['not like', sql`${id} not like ${'K%'}`],
    ['ilike', ilike(id, 'K%')],
    ['like', sql`${id} like ${sql.placeholder('pattern')}`],
  ])('%s is refused on a column that does not store text', (operator, query) => {
    expect(() => build(query)).toThrow(
      expect.objectContaining({
        code: 'INVALID_OPTION',
        path: 't.id',
        field: operator,
        message: expect.stringMatching(/^t\.id: .+ matches text, .* the storage is binary$/),
      }),
    )
  })

  test('like is accepted on a column that stores text', () => {
    expect(build(like(table.text, 'K%')).params).toEqual(['K%'])
  })
})

describe('sent unchanged', () => {
  test.each<[string, SQL, unknown[]]>([
    ['a value beside another column', sql`${name} = ${'x'}`, ['x']],
    ['a column beside a column', sql`${id} = ${table.other}`, []],
    ['a value inside a function', sql`substr(${id}, ${2}) = ${'y'}`, [2, 'y']],
    [
      'a value beside another column, as it looks like an id',
      sql`${id} = ${a} and ${name} = ${b}`,
      [bytes(a), b],
    ],
    ['a row with another column', sql`(${id}, ${name}) = (${a}, ${b})`, [bytes(a), b]],
    ['a list with another column', sql`(${id}, ${name}) in ${[[a, b]]}`, [bytes(a), b]],
    ['a text that is told to be none', sql`substr(${id}, 2) = ${sql.param(a, name)}`, [a]],
    ['a value behind an arithmetic operator', sql`${id} || ${'x'}`, ['x']],
    ['like', sql`${id}::text like ${'K%'}`, ['K%']],
    ['null', sql`${id} is not distinct from ${null}`, [null]],
    ['a value encoded otherwise', sql`${id} = ${sql.param('x', name)}`, ['x']],
    ['an expression', sql`${id} = ${sql`gen(${1})`}`, [1]],
    ['a call of the column', sql`lower(${id}) = ${'x'} and length (${id}) > ${3}`, ['x', 3]],
    ['an element of a list', sql`${'x'} = ${past}[1]`, ['x']],
    ['what is made of the column', sql`${'x'} = ${id} || 'y'`, ['x']],
    ['another comparison behind', sql`${id} = ${a} and ${'x'} = ${name}`, [bytes(a), 'x']],
    ['another number behind', sql`${id} < ${a} and ${5} < length(${name})`, [bytes(a), 5]],
    ['another column of a row', sql`(${id}, ${name}) = (${a}, ${'x'})`, [bytes(a), 'x']],
    ['what texts and comments say', sql`${id} ' = ' ${'x'} /* = ${'y'} */`, ['x', 'y']],
    ['a query in brackets', sql`${id} in (select x from y where z = ${'x'})`, ['x']],
    ['a limit', sql`select ${id} from t limit ${5}`, [5]],
  ])('%s', (_, query, params) => {
    expect(build(query).params).toEqual(params)
  })
})

test.each(['=<>!', '<@>', 'not in ', 'is not null, ', '(', '"'])(
  'the text %s is read in one pass, however often it stands',
  (text) => {
    const read = sql`${id} ${sql.raw(`${text.repeat(10_000)};`)} ${'x'}`
    expect(build(read).params).toHaveLength(1)
  },
)
