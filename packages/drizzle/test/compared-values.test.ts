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

// What stands beside what in a text is tested in core, and on every database by the contract. Here are the forms in which
// Drizzle's chunks have it.

describe('a value compared with an id column is encoded', () => {
  test.each<[string, SQL, unknown[]]>([
    ['from both sides', sql`${id} = ${a} or ${b}<${id}`, [bytes(a), bytes(b)]],
    ['in a range', sql`${id} not between ${a} and ${b} and ${name} = ${a}`, [bytes(a), bytes(b), a]],
    ['between columns', sql`${a} between ${id} and ${table.other}`, [bytes(a)]],
    ['in a list', sql`${id} in ${[a, b]}`, [bytes(a), bytes(b)]],
    ['in brackets', sql`${id} in (${a}, ${b})`, [bytes(a), bytes(b)]],
    ['in columns', sql`${a} in (${id}, ${table.other})`, [bytes(a)]],
    ['in brackets behind a literal', sql`${id} in ('x', gen(${1}, ${2}), ${a})`, [1, 2, bytes(a)]],
    ['in what is joined', sql`${id} in (${sql.join([sql`${a}`, sql`${b}`], sql`, `)})`, [bytes(a), bytes(b)]],
    ['in what is appended', sql`${id} = `.append(sql`${a}`), [bytes(a)]],
    ['in a row that is a list', sql`(${id}, ${name}) = ${[a, 'x']}`, [bytes(a), 'x']],
    ['in rows in a list', sql`(${id}, ${name}) in ${[[a, 'x'], [b, 'y']]}`, [bytes(a), 'x', bytes(b), 'y']],
    [
      'in rows that are joined',
      sql`(${sql.join([name, id], sql`, `)}) > (${sql.join([sql`${'x'}`, sql`${a}`], sql`, `)})`,
      ['x', bytes(a)],
    ],
    ['in a parameter that is a list', sql`${id} <> ALL (${sql.param([a])}::bytea[])`, [list(a)]],
    ['in an array', sql`${id} = any(array[${a}, ${b}])`, [bytes(a), bytes(b)]],
    ['beside any of a column', sql`${a} = any(${past})`, [bytes(a)]],
    ['in a parameter without an encoder', sql`${id} = ${sql.param(a)}`, [bytes(a)]],
    ['behind texts and names with quotes', sql`"it's" = '--' and ${id} /* ' */ = ${a}`, [bytes(a)]],
    ['beside a column in SQL of its own', sql`${sql`${id}`} = ${a}`, [bytes(a)]],
    ['beside an aggregate that Drizzle maps', gt(max(id), a), [bytes(a)]],
    ['beside what is mapped', eq(sql`coalesce(${table.other}, ${id})`.mapWith(id), a), [bytes(a)]],
    ['beside its name', eq(sql`max(${id})`.mapWith(id).as('last'), a), [bytes(a)]],
    ['beside an element that is mapped', sql`${a} = ${sql`${past}[1]`.mapWith(id)}`, [bytes(a)]],
    ['in a part of a larger query', sql`select 1 where ${sql`${id} = ${a}`}`, [bytes(a)]],
    ['as bytes already', sql`${id} = ${bytes(a)}`, [bytes(a)]],
    ['by Drizzle itself', between(id, a, b), [bytes(a), bytes(b)]],
    ['in lists of Drizzle', notInArray(id, [a]), [bytes(a)]],
  ])('%s', (_, query, params) => {
    expect(build(query).params).toEqual(params)
  })

  test.each<[string, SQL]>([
    ['in a template', sql`${name} = ${'x'} and "one"."BARE_ID" <> ${a}`],
    ['by sql.identifier()', sql`${sql.identifier('order')}.${sql.identifier('bare_id')} = ${a}`],
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
    ['a list in a call', sql`my_function(${id}, ${[b, a]})`],
    ['what a query selects', inArray(id, query.select({ id: sql`${a}`.as('id') }).from(others))],
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

  test.each<[string, unknown]>([
    ['a text', 'wrong'],
    ['a Date', new Date()],
    ['a boolean', true],
    ['an object', { id: a }],
  ])('%s that is no id is refused with the name of the column', (_, value) => {
    for (const query of [sql`${table.other} = ${value}`, sql`${table.other} in ${[a, value]}`])
      expect(() => build(query)).toThrow(/^t\.other: flax: an id/)
    expect(() => build(sql`${table.other} = any(${sql.param([a, value])})`)).toThrow('t.other: flax')
  })

  test('lists that are passed are not changed', () => {
    const ids = [a, b]
    build(sql`${id} in ${ids}`)
    expect(ids).toEqual([a, b])
  })
})

test('values are encoded in selected and returned fields, where Drizzle writes bare column names', () => {
  const mine = sql<boolean>`${id} = ${a}`
  const joined = query.select({ mine }).from(table).innerJoin(others, eq(others.id, id))
  const { sql: alone, params } = query
    .select({ mine: mine.as('mine') })
    .from(table)
    .toSQL()
  expect([alone, params]).toEqual(['select "id" = $1 as "mine" from "t"', [bytes(a)]])
  expect(joined.toSQL()).toMatchObject({
    sql: 'select "t"."id" = $1 from "t" inner join "others" on "others"."id" = "t"."id"',
    params: [bytes(a)],
  })
  const more = sql`(select count(*) from ${others} where ${eq(others.id, id)}) > ${5}`
  expect(query.select({ more }).from(table).toSQL().sql).toContain('"others"."id" = "t"."id"')
  const written = drizzle.mock().insert(table).values({ id: b }).returning({ mine })
  expect(written.toSQL().params).toEqual([bytes(b), bytes(a)])
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

test('patterns are refused on a column that does not store text', () => {
  for (const [field, query] of [
    ['like', like(id, 'K%')],
    ['not like', sql`${id} not like ${'K%'}`],
    ['ilike', ilike(id, sql.placeholder('pattern') as never)],
  ] as const) {
    const message = expect.stringMatching(/^t\.id: .+ matches text, .* the storage is binary$/)
    const refused = { code: 'INVALID_OPTION', path: 't.id', field, message }
    expect(() => build(query)).toThrow(expect.objectContaining(refused))
  }
  expect(build(like(table.text, 'K%')).params).toEqual(['K%'])
})

describe('sent unchanged', () => {
  test.each<[string, SQL, unknown[]]>([
    ['a value beside another column', sql`${id} = ${a} and ${name} = ${b}`, [bytes(a), b]],
    ['in a row', sql`(${id}, ${name}) = (${a}, ${b})`, [bytes(a), b]],
    ['in a list of rows', sql`(${id}, ${name}) in ${[[a, b]]}`, [bytes(a), b]],
    ['a column beside a column', sql`${id} = ${table.other}`, []],
    ['a value inside a function', sql`substr(${id}, ${2}) = ${'y'}`, [2, 'y']],
    ['a text that is told to be none', sql`substr(${id}, 2) = ${sql.param(a, name)}`, [a]],
    ['a value behind an operator', sql`${id} || ${'x'} and ${id}::text like ${'K%'}`, ['x', 'K%']],
    ['null', sql`${id} is not distinct from ${null}`, [null]],
    ['a value encoded otherwise', sql`${id} = ${sql.param('x', name)}`, ['x']],
    ['an expression', sql`${id} = ${sql`gen(${1})`}`, [1]],
    ['an element of a list', sql`${'x'} = ${past}[1]`, ['x']],
    ['what texts and comments say', sql`${id} ' = ' ${'x'} /* = ${'y'} */`, ['x', 'y']],
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
