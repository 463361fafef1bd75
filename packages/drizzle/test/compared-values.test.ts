import { type FlaxId, flax } from '@snoflax/core'
import { flaxId } from '@snoflax/drizzle/pg-core'
import { between, eq, gt, inArray, notInArray, type SQL, sql } from 'drizzle-orm'
import { PgDialect, pgTable, text } from 'drizzle-orm/pg-core'
import { describe, expect, test } from 'vitest'

const table = pgTable('t', {
  id: flaxId({ storage: 'binary' }),
  other: flaxId.plain({ storage: 'binary' }),
  name: text(),
})
const { id, name } = table
const [a, b] = [flax.generate(), flax.generate()]
const bytes = (one: FlaxId) => flax.decode(one)
const build = (query: SQL) => new PgDialect().sqlToQuery(query)

describe('a value beside an id column is encoded', () => {
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
    ['a part of a larger query', sql`select 1 where ${sql`${id} = ${a}`}`, [bytes(a)]],
    ['bytes already', sql`${id} = ${bytes(a)}`, [bytes(a)]],
    ['what Drizzle encodes itself', eq(id, a), [bytes(a)]],
    ['its lists', inArray(id, [a, b]), [bytes(a), bytes(b)]],
    ['its other lists', notInArray(id, [a]), [bytes(a)]],
    ['its ranges', between(id, a, b), [bytes(a), bytes(b)]],
  ])('%s', (_, query, params) => {
    expect(build(query).params).toEqual(params)
  })

  test('a placeholder gets the encoder of the column', () => {
    for (const query of [gt(id, sql.placeholder('x')), inArray(id, [sql.placeholder('x')])]) {
      expect(build(query).params).toMatchObject([{ value: { name: 'x' }, encoder: id }])
    }
  })

  test('a malformed one is an error that names the column', () => {
    expect(() => build(sql`${table.other} = ${'wrong'}`)).toThrow('t.other: flax: an id has 16 characters')
    expect(() => build(sql`${table.other} in ${[a, 'wrong']}`)).toThrow('t.other: flax')
  })
})

describe('left alone', () => {
  test.each<[string, SQL, unknown[]]>([
    ['a value beside another column', sql`${name} = ${'x'}`, ['x']],
    ['a column beside a column', sql`${id} = ${table.other}`, []],
    ['a value inside a function', sql`coalesce(${id}, ${'x'}) = ${'y'}`, ['x', 'y']],
    ['a value behind an arithmetic operator', sql`${id} || ${'x'}`, ['x']],
    ['like', sql`${id}::text like ${'K%'}`, ['K%']],
    ['null', sql`${id} is not distinct from ${null}`, [null]],
    ['a value encoded otherwise', sql`${id} = ${sql.param('x')}`, ['x']],
    ['an expression', sql`${id} = ${sql`gen(${1})`}`, [1]],
  ])('%s', (_, query, params) => {
    expect(build(query).params).toEqual(params)
  })
})
