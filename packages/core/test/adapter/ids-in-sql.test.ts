import {
  type Database,
  flake,
  flax,
  type IdFamily,
  prefixed,
  type StorageName,
  sno,
  storageFor,
} from '@snoflax/core'
import { LATER, neighbours, readSql, SqlIds } from '@snoflax/core/adapter'
import { describe, expect, test } from 'vitest'
import { expectRefusal } from '../refusal.js'

const ID = flax.generate()

function idsIn(database: Database, storage: StorageName, family: IdFamily<string> = flax as never): SqlIds {
  const ids = new SqlIds('mark it')
  ids.add('id', {
    place: 'orders.id',
    storage: () => storageFor(family, database, { storage, exactBigint: true }),
  })
  ids.addOther('note')
  return ids
}

const found = (ids: SqlIds, dialect: Database, sql: string, ...values: readonly unknown[]) =>
  [...ids.find({ sql, dialect, value: (key) => values[key as number] })].map(([key]) => key)

describe('what a value stands beside', () => {
  const beside = (sql: string) =>
    [...neighbours(readSql(sql, { dialect: 'postgres' }))].map(
      ([value, columns]) => `${value.text} ${columns.map(({ text }) => text).join(' ')}`,
    )

  test.each([
    ['o.id = $1 FOR UPDATE', ['$1 o.id']],
    ['$1 = id LIMIT 2', ['$1 id']],
    ['id <> $1 or "id" >= $2', ['$1 id', '$2 "id"']],
    ['id is not distinct from $1', ['$1 id']],
    ['id not in ($1, $2::uuid)', ['$1 id', '$2 id']],
    ['id in $1', ['$1 id']],
    ['id between $1 and $2 and x = $3', ['$1 id', '$2 id', '$3 x']],
    ['id = any($1::uuid[]) fetch first row only', ['$1 id']],
    ['id = any(array[$1, $2])', ['$1 id', '$2 id']],
    ['(a, id) = ($1, $2)', ['$1 a', '$2 id']],
    ['row(a, id) in (($1, $2), ($3, $4))', ['$1 a', '$3 a', '$2 id', '$4 id']],
    ['((id)) = (($1)) collate "C"', ['$1 id']],
    ['update t set a = $1, id = $2 where b = $3', ['$1 a', '$2 id', '$3 b']],
    [
      'insert into s.t as x (a, id) values ($1, $2), (f($3), $4) on conflict do nothing',
      ['$1 a', '$2 id', '$4 id'],
    ],
    ['insert into t (id) overriding system value values ($1)', ['$1 id']],
    ['o.id = c.id and x = 1', ['o.id c.id', 'c.id o.id']],
    ['o.id in (select distinct c.id as x from c)', ['o.id c.id', 'c.id o.id']],
    ['$1 not in (select c.id)', ['$1 c.id']],
    ['id in (select word from c order by 1)', ['id word', 'word id']],
    ['$1 in (select id from t)', ['$1 id']],
    ['o.id = (select c.id y from c)', ['o.id c.id', 'c.id o.id']],
    ['tags @> $1 or $2 <@ tags or tags && $3', ['$1 tags', '$2 tags', '$3 tags']],
    ['merge into t using s on t.id = $1 when not matched then insert (id) values ($2)', ['$1 t.id', '$2 id']],
  ])('%s', (sql, columns) => {
    expect(beside(sql)).toEqual(columns)
  })

  test.each([
    'lower(id) = $1',
    'cast($1 as text) = id',
    '+id = $1',
    "id = '' || $1",
    'id = $1 || $2',
    'id = coalesce($1, x)',
    'insert into t values ($1)',
    'insert into t select $1',
    'select * from (values ($1)) v',
    'id = (select $1)',
    '$1 in (select t.id || x from t)',
    '$1 in (select t.x t, t.id from t)',
    '$1 in (select t.x as t, t.id from t)',
    'id like $1',
  ])('%s: nothing', (sql) => {
    expect(beside(sql)).toEqual([])
  })

  test('is found in deep brackets and long lists', () => {
    expect(beside(`id = ${'('.repeat(100_000)}$1${')'.repeat(100_000)}`)).toEqual([])
    expect(beside(`id in (${Array.from({ length: 10_000 }, (_, i) => `$${i + 1}`).join()})`)).toHaveLength(
      10_000,
    )
  })
})

describe('ids in SQL', () => {
  const bytes = idsIn('sqlite', 'binary')

  test('are converted beside a column by its name', () => {
    expect(found(bytes, 'sqlite', 'select * from orders o where o.ID = ? and note = ?', ID, ID)).toEqual([0])
    expect(found(bytes, 'sqlite', 'id in (?)', [ID, null])).toEqual([0])
  })

  test('are left alone beside another column, and what is no id is left alone everywhere', () => {
    for (const [sql, value] of [
      ['note = ?', ID],
      ['id = ?', 'x'],
      ['id = ?', 7],
      ['x = ?', 'internationalize'],
      ["x = 'internationalize'", null],
      ['insert into log (note) values (?)', JSON.stringify({ token: ID })],
    ] as const) {
      expect(found(bytes, 'sqlite', sql, value)).toEqual([])
    }
  })

  test.each([
    ['coalesce(id, note) = ?', ID],
    ['x = ?', ID],
    ['insert into orders values (?)', ID],
    ['id in (select value from json_each(?))', JSON.stringify([ID])],
    [`id = '${ID}'`, null],
    [`lower(id) = '${ID}'`, null],
    ['cast(id as text) = ?', ID],
    ['id = cast(? as text)', ID],
    ['id = ?1 or note = ?1', ID],
  ])('%s is refused where the database would find nothing', (sql, value) => {
    const { message, path } = expectRefusal(() => found(bytes, 'sqlite', sql, value), 'INVALID_OPTION')
    expect(path).toBe('orders.id')
    expect(message).toMatch(/is not converted to the storage of the column \(binary\); mark it$/)
    expect(bytes.mayBeIn(sql, [value])).toBe(true)
  })

  test.each([
    'id::text = $1',
    'id::text <> $1',
    '(o.id)::text in ($1)',
    '$1 = id :: pg_catalog.text',
    'id::text between $1 and $2',
    'id::text collate "C" = $1',
    'id::varchar(40) = $1',
    'cast(id as text) = $1',
    '$1 <> CAST(o.id AS varchar(40)) limit 1',
  ])('bytes as text equal no id: %s is refused', (sql) => {
    expectRefusal(() => found(idsIn('postgres', 'binary'), 'postgres', sql, ID, ID), 'INVALID_OPTION')
    expect(found(idsIn('postgres', 'uuid'), 'postgres', sql, ID, ID)).toContain(0)
    expect(found(idsIn('postgres', 'binary'), 'postgres', sql, 'x', 'x')).toEqual([])
    const own = sql.replace(/(::| as )\s*(?:text|[\w.]+text|varchar\(40\))/i, '$1bytea')
    expect(found(idsIn('postgres', 'binary'), 'postgres', own, ID, ID)).toContain(0)
  })

  test('a literal in dollar quotes is one', () => {
    expectRefusal(() => found(idsIn('postgres', 'binary'), 'postgres', `id = $a$${ID}$a$`), 'INVALID_OPTION')
  })

  test('a name means the column that the caller says, whatever others are called', () => {
    const ids = idsIn('sqlite', 'binary')
    const named = ([alias]: readonly string[]) =>
      alias === 'o'
        ? { place: 'Order.id', storage: () => storageFor(flax, 'sqlite', { storage: 'binary' }) }
        : null
    const find = (sql: string) => ids.find({ sql, dialect: 'sqlite', value: () => ID, named })
    expect(find('o.key = ?').get(0)?.place).toBe('Order.id')
    expect(find('c.id = ?').size).toBe(0)
  })

  test('are left to the database where it refuses them', () => {
    const uuids = idsIn('postgres', 'uuid')
    expect(found(uuids, 'postgres', 'coalesce(id, $2) = $1', ID, null)).toEqual([])
    expect(found(uuids, 'postgres', 'id = $1', ID)).toEqual([0])
  })

  test('numbers are refused where the database compares text with them', () => {
    const id = flake.generator({ id: 1 }).generate()
    expectRefusal(
      () => found(idsIn('mysql', 'bigint', flake as never), 'mysql', 'f(id) = ?', id),
      'INVALID_OPTION',
    )
    expect(found(idsIn('postgres', 'bigint', flake as never), 'postgres', 'f(id) = $1', id)).toEqual([])
    expect(found(idsIn('mysql', 'bigint', flake as never), 'mysql', 'f(year) = ?', '2026')).toEqual([])
  })

  test('of several columns of one name, those that the value is an id of count', () => {
    const ids = new SqlIds('mark it')
    const cus = prefixed(flax, 'cus')
    for (const family of [cus, prefixed(sno, 'ord'), cus] as unknown as IdFamily<string>[]) {
      ids.add('id', {
        place: `${family.name}.id`,
        storage: () => storageFor(family, 'sqlite', { storage: 'binary' }),
      })
    }
    expect(ids.find({ sql: 'id = ?', dialect: 'sqlite', value: () => cus.generate() }).get(0)?.place).toBe(
      'cus.id',
    )
    ids.add('id', { place: 'texts.id', storage: () => storageFor(cus, 'sqlite') as never })
    expectRefusal(() => found(ids, 'sqlite', 'id = ?', cus.generate()), 'INVALID_OPTION')
  })

  test('the caller can say what names are, where it knows the tables', () => {
    const column = { place: 'parcels.ref', storage: () => storageFor(flax, 'sqlite', { storage: 'binary' }) }
    const named = ([name]: readonly string[]) => (name === 'ref' ? column : name === 'id' ? null : undefined)
    const find = (sql: string) => bytes.find({ sql, dialect: 'sqlite', value: () => ID, named })
    const either = () =>
      bytes.find({ sql: 'x = ?', dialect: 'sqlite', value: () => ID, named: () => [column, null] })
    expectRefusal(either, 'INVALID_OPTION')
    expect(find('ref = ?').get(0)).toBe(column)
    expect(find('id = ?').size).toBe(0)
    expectRefusal(() => find('x = ?'), 'INVALID_OPTION')
  })

  test('a value that stands beside nothing is refused by itself', () => {
    expect(bytes.mayBe(ID)).toBe(true)
    expectRefusal(() => bytes.check(ID), 'INVALID_OPTION')
    for (const value of ['internationalize', 5, null, new Date()]) bytes.check(value)
    idsIn('postgres', 'uuid').check(ID)
  })

  test('a name of columns with and without ids means no one column', () => {
    const ids = idsIn('sqlite', 'binary')
    ids.addOther('id')
    expectRefusal(() => found(ids, 'sqlite', 'id = ?', ID), 'INVALID_OPTION')
  })

  test('a value that comes later is one beside one column, and else is checked when it comes', () => {
    const later: unknown[] = []
    const sql = 'id = ? and note = ? and coalesce(id, x) = ? and x = ?'
    const columns = bytes.find({
      sql,
      dialect: 'sqlite',
      value: () => LATER,
      later: (key) => later.push(key),
    })
    expect([[...columns.keys()], later]).toEqual([[0], [2, 3]])
    const text = idsIn('sqlite', 'text')
    expect(text.find({ sql, dialect: 'sqlite', value: () => LATER }).size).toBe(0)
  })

  test('what stands beside the column itself is converted, id or not', () => {
    const column = { place: 'orders.id', storage: () => storageFor(flax, 'sqlite', { storage: 'binary' }) }
    const beside = bytes.find({
      sql: ':id = :value and :value2 = note',
      dialect: 'sqlite',
      value: (key) => (key === 'id' ? undefined : 'malformed'),
      column: (key) => (key === 'id' ? column : undefined),
    })
    expect([...beside.keys()]).toEqual(['value'])
  })

  test('a column that is defined again replaces the first', () => {
    const ids = idsIn('sqlite', 'text')
    ids.add('id', { place: 'orders.id', storage: () => storageFor(flax, 'sqlite', { storage: 'binary' }) })
    expect(found(ids, 'sqlite', 'id = ?', ID)).toEqual([0])
  })

  test('a quick test says that a statement has none', () => {
    expect(bytes.mayBeIn('select \'a\', "id" from orders where x = ?', ['abc', 5, null])).toBe(false)
    expect(idsIn('sqlite', 'text').mayBeIn(`x = '${ID}'`, [ID])).toBe(false)
    expect(bytes.mayBeIn(`tags @> '{${ID}}'`, [])).toBe(true)
  })
})
