import { type FlakeId, type FlaxId, flake, flax, IdError, sno } from '@snoflax/core'
import * as mysql from '@snoflax/drizzle/mysql-core'
import * as pg from '@snoflax/drizzle/pg-core'
import * as sqlite from '@snoflax/drizzle/sqlite-core'
import { uid, uidLocal } from '@snoflax/families'
import { getTableColumns, sql } from 'drizzle-orm'
import { type AnyMySqlColumn, mysqlTable } from 'drizzle-orm/mysql-core'
import { type AnyPgColumn, alias, foreignKey, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { type AnySQLiteColumn, sqliteTable } from 'drizzle-orm/sqlite-core'
import { describe, expect, test } from 'vitest'
import { isBefore1 } from './contract/version.js'

const { flaxId, snoId, flakeId, idColumn } = pg

/** What the action throws. */
function errorOf(action: () => unknown): IdError {
  try {
    action()
  } catch (error) {
    return error as IdError
  }
  return expect.fail('nothing was thrown')
}

describe('the type of a column', () => {
  const generator = {
    flake: flake.generator({ datacenter: 1, worker: 2 }),
    uid: uid.generator({ node: 'test' }),
  }
  const local = uidLocal.generator()

  test('in PostgreSQL', () => {
    const types = getTableColumns(
      pgTable('t', {
        flax: flaxId(),
        flaxText: flaxId({ storage: 'text' }),
        flaxBinary: flaxId({ storage: 'binary' }),
        flaxUuid8: flaxId({ storage: 'uuid8' }),
        sno: snoId(),
        flake: flakeId({ generator: generator.flake }),
        uid: idColumn(uid)({ generator: generator.uid }),
        uidLocal: idColumn(uidLocal)({ generator: local }),
        list: flaxId.plain({ storage: 'text' }).array(),
        bytes: flaxId.plain({ storage: 'binary' }).array(3),
      }),
    )
    // Drizzle 1.0 tells the dimensions of an array apart from its type.
    const [list, bytes] = isBefore1 ? ['text[]', 'bytea[3]'] : ['text', 'bytea']
    expect(Object.entries(types).map(([key, column]) => [key, column.getSQLType()])).toEqual([
      ['flax', 'text COLLATE "C"'],
      ['flaxText', 'text COLLATE "C"'],
      ['flaxBinary', 'bytea'],
      ['flaxUuid8', 'uuid'],
      ['sno', 'text COLLATE "C"'],
      ['flake', 'bigint'],
      ['uid', 'text COLLATE "C"'],
      ['uidLocal', 'text COLLATE "C"'],
      ['list', list],
      ['bytes', bytes],
    ])
  })

  test('in SQLite', () => {
    const types = getTableColumns(
      sqliteTable('t', {
        flax: sqlite.flaxId(),
        binary: sqlite.snoId({ storage: 'binary' }),
        flake: sqlite.flakeId({ generator: generator.flake, storage: 'binary' }),
        exact: sqlite.flakeId({ generator: generator.flake, exactBigint: true }),
        uidLocal: sqlite.idColumn(uidLocal)({ generator: local }),
      }),
    )
    expect(Object.values(types).map((column) => column.getSQLType())).toEqual([
      'text',
      'blob',
      'blob',
      'integer',
      'text',
    ])
  })

  test('in MySQL', () => {
    const types = getTableColumns(
      mysqlTable('t', {
        flax: mysql.flaxId(),
        binary: mysql.snoId({ storage: 'binary' }),
        flake: mysql.flakeId({ generator: generator.flake }),
        local: mysql.idColumn(uidLocal).plain({ storage: 'text' }),
      }),
    )
    expect(Object.values(types).map((column) => column.getSQLType())).toEqual([
      'char(16) character set utf8mb4 collate utf8mb4_bin',
      'binary(10)',
      'bigint unsigned',
      'char(11) character set utf8mb4 collate utf8mb4_bin',
    ])
  })
})

describe('names', () => {
  test("are the property's if none is passed, as everywhere in Drizzle", () => {
    const t = pgTable('t', {
      id: flaxId(),
      ref: flaxId.plain('other'),
      more: flaxId.plain('m', { storage: 'text' }),
    })
    expect([t.id, t.ref, t.more].map(({ name }) => name)).toEqual(['id', 'other', 'm'])
    expect([t.id.keyAsName, t.ref.keyAsName]).toEqual([true, false])
  })
})

test('typedIds returns the table passed, and refuses what is not a table', () => {
  const shops = pgTable('shops', { id: flaxId().primaryKey() })
  expect(pg.typedIds(shops)).toBe(shops)
  const error = errorOf(() => pg.typedIds({ id: flaxId() } as never))
  expect(error).toMatchObject({ name: 'IdError', code: 'INVALID_OPTION' })
  expect(error.message).toBe('typedIds: expected a table, not an object')
})

describe('a generated id', () => {
  test('comes from the default generator or the one passed, and has the metabyte', () => {
    const generator = sno.generator({ partition: 4242 })
    const t = pgTable('t', {
      flax: flaxId(),
      meta: snoId({ meta: 7 }),
      mine: snoId({ generator, meta: 9 }),
      generator: idColumn(flake)({ generator: flake.generator({ datacenter: 3, worker: 4 }) }),
    })
    const made = (column: { readonly defaultFn: (() => unknown) | undefined }) =>
      column.defaultFn?.() as never
    expect(flax.is(made(t.flax))).toBe(true)
    expect(sno.meta(made(t.meta))).toBe(7)
    expect(sno.unpack(made(t.mine))).toMatchObject({ meta: 9, partition: 4242 })
    expect(flake.unpack(made(t.generator))).toMatchObject({ datacenter: 3, worker: 4 })
  })

  test('comes from the monotonic generator if flax itself is passed', () => {
    const t = pgTable('t', { given: flaxId({ generator: flax }), own: flaxId() })
    const ids = Array.from({ length: 1000 }, (_, i) => (i % 2 ? t.given : t.own).defaultFn?.() as FlaxId)
    expect(ids).toEqual([...new Set(ids)].sort())
  })

  test('is not generated for references and plain ids', () => {
    const t = pgTable('t', {
      id: flaxId(),
      ref: flaxId.ref().references((): AnyPgColumn => t.id),
      plain: flaxId.plain(),
    })
    expect([t.ref.hasDefault, t.ref.defaultFn, t.plain.hasDefault, t.plain.defaultFn]).toEqual([
      false,
      undefined,
      false,
      undefined,
    ])
  })

  test('is not generated if the column has another default', () => {
    const fixed = flax.generate()
    const t = pgTable('t', {
      mine: flaxId().$defaultFn(() => fixed),
      expression: flakeId().default(sql`next_id()`),
      literal: flaxId.plain().default(fixed),
    })
    expect(t.mine.defaultFn?.()).toBe(fixed)
    expect([t.expression.defaultFn, t.literal.defaultFn]).toEqual([undefined, undefined])
  })

  test.each([
    ['flake', () => pgTable('jobs', { id: flakeId() }), 'flake.generator({ datacenter: 1, worker: 2 })'],
    ['uid', () => sqliteTable('jobs', { id: sqlite.idColumn(uid)() }), 'uid.generator('],
    ['uidLocal', () => mysqlTable('jobs', { id: mysql.idColumn(uidLocal)() }), 'uidLocal.generator('],
  ])('of %s needs a generator, and the error has an example', (family, define, example) => {
    const error = errorOf(define)
    expect(error).toMatchObject({ name: 'IdError', code: 'GENERATOR_REQUIRED', family, path: 'jobs.id' })
    expect(error.message).toContain('jobs.id')
    expect(error.message).toContain(example)
  })

  test('of a family of your own needs a generator if the family has no generate', () => {
    const { generate: _, ...ticket } = flax
    expect(errorOf(() => pgTable('t', { id: idColumn(ticket)() }))).toMatchObject({
      code: 'GENERATOR_REQUIRED',
    })
  })
})

test('a generator of an equal family that is not the same object is accepted', () => {
  const epoch = Date.UTC(2020, 0, 1)
  const generator = flake.withEpoch(epoch).generator({ id: 1 })
  const t = pgTable('t', { id: idColumn(flake.withEpoch(epoch))({ generator }) })
  expect(flake.withEpoch(epoch).unpack(t.id.defaultFn?.() as FlakeId)).toMatchObject({ worker: 1 })
})

describe('refused when the table is defined', () => {
  test.each([
    ['uuid in SQLite', () => sqliteTable('t', { id: sqlite.flaxId({ storage: 'uuid' }) }), 'use text'],
    ['bigint in SQLite', () => sqliteTable('t', { id: sqlite.flakeId.plain() }), 'may round'],
    ['bigint for flax', () => pgTable('t', { id: flaxId({ storage: 'bigint' }) }), 'flax'],
    [
      'text for flake',
      () => mysqlTable('t', { id: mysql.flakeId.plain({ storage: 'text' }) }),
      'use bigint or binary',
    ],
    ['uuid8 in MySQL', () => mysqlTable('t', { id: mysql.flaxId.ref({ storage: 'uuid8' }) }), 'MySQL'],
  ])('%s', (_, define, reason) => {
    const error = errorOf(define)
    expect(error).toMatchObject({ name: 'IdError', code: 'STORAGE_REFUSED', path: 't.id' })
    expect(error.message).toContain(reason)
  })

  test.each<[string, () => unknown, string]>([
    ['a reference to nothing', () => pgTable('t', { id: flaxId.ref() }), '.references(…)'],
    [
      'a generator of another family',
      () => pgTable('t', { id: flaxId({ generator: sno.generator() as never }) }),
      'flax',
    ],
    [
      'a generator with another epoch',
      () =>
        pgTable('t', {
          id: flakeId({ generator: flake.withEpoch(1e12).generator({ datacenter: 1, worker: 1 }) }),
        }),
      'another layout or epoch',
    ],
    [
      'a metabyte of a family without one',
      () => pgTable('t', { id: flaxId({ meta: 3 } as never) }),
      'metabyte',
    ],
    [
      'a metabyte in a database default of a family without one',
      () => pgTable('t', { id: flaxId({ default: 'database', meta: 3 } as never) }),
      'metabyte',
    ],
    [
      'ids made by SQLite',
      () => sqliteTable('t', { id: sqlite.flaxId({ default: 'database' } as never) }),
      'sqlite',
    ],
    [
      'a misspelled option',
      () => pgTable('t', { id: flaxId('id', { storge: 'text' } as object) }),
      'no option "storge"; options are prefix, accept, onMismatch, branded, storage, ',
    ],
    [
      'a misspelled option of a reference',
      () =>
        pgTable('t', {
          id: flaxId.ref('id', (): AnyPgColumn => expect.fail(), { ondelete: 'cascade' } as object),
        }),
      'no option "ondelete"',
    ],
    [
      'a misspelled option behind a name that is undefined',
      () => pgTable('t', { id: flaxId(undefined as never, { storge: 'text' } as object) }),
      'no option "storge"',
    ],
    [
      'an option of the wrong type',
      () => sqliteTable('t', { id: sqlite.flaxId({ check: 'yes' } as object) }),
      'check must be a boolean, not "yes"',
    ],
    [
      'text as options',
      () => pgTable('t', { id: flaxId('id', 'text' as never) }),
      'options must be an object',
    ],
    ['null as options', () => pgTable('t', { id: flaxId(null as never) }), 'options must be an object'],
    [
      'a misspelled default',
      () => pgTable('t', { id: flaxId({ default: 'databse' as 'database' }) }),
      'default must be "database", not "databse"',
    ],
    [
      'a schema for nothing',
      () => pgTable('t', { id: flaxId({ schema: 'ids' }) }),
      "schema is only for default: 'd",
    ],
    [
      'a generator beside that of the database',
      () => pgTable('t', { id: flaxId({ default: 'database', generator: flax }) }),
      "generator can't be used with default: 'database'",
    ],
  ])('%s', (_, define, reason) => {
    const error = errorOf(define)
    expect(error).toMatchObject({ name: 'IdError', code: 'INVALID_OPTION', path: 't.id' })
    expect(error.message).toContain(reason)
  })

  test.each([
    ['meta', () => snoId.plain({ meta: 999 } as never)],
    ['generator', () => snoId.ref({ storage: 'uuid', generator: sno } as never)],
    ['default', () => snoId.plain({ default: 'database' } as never)],
  ])('%s for a column that generates no ids', (option, column) => {
    const error = errorOf(() => pgTable('t', { id: column() }))
    expect(error).toMatchObject({ code: 'INVALID_OPTION', path: 't.id', family: 'sno' })
    expect(error.message).toContain(`${option} is only for generated ids`)
  })

  test('a metabyte out of range', () => {
    const define = () => pgTable('t', { id: snoId({ meta: 256 }) })
    expect(errorOf(define)).toMatchObject({ code: 'FIELD_OUT_OF_RANGE', path: 't.id' })
  })

  test('an array of generated ids or references', () => {
    expect(errorOf(() => flaxId().array()).message).toContain('.plain().array()')
    expect(errorOf(() => flaxId.ref().array()).message).toContain('.plain().array()')
  })
})

describe('a reference', () => {
  const customers = pgTable('customers', {
    id: flaxId({ storage: 'binary' }).primaryKey(),
    parentId: flaxId.ref().references((): AnyPgColumn => customers.id),
    email: text(),
    legacy: uuid(),
  })

  test('takes the storage of its target, through other references and defined later', () => {
    const later = pgTable('later', { id: flaxId.ref().references((): AnyPgColumn => base.parentId) })
    const base = pgTable('base', { parentId: flaxId.ref().references(() => customers.parentId) })
    expect([later.id, base.parentId, customers.parentId].map((column) => column.getSQLType())).toEqual([
      'bytea',
      'bytea',
      'bytea',
    ])
    const id = flax.generate()
    expect(later.id.mapToDriverValue(id)).toEqual(flax.decode(id))
    expect(alias(later, 'x').id.getSQLType()).toBe('bytea')
  })

  test('to another epoch is refused, since the same text means another time there', () => {
    const discord = flake.withEpoch(1_420_070_400_000)
    const users = pgTable('users', { id: idColumn(discord).plain().primaryKey() })
    const posts = pgTable('posts', {
      userId: flakeId.ref().references(() => users.id),
      right: idColumn(discord)
        .ref()
        .references(() => users.id),
    })
    expect(() => posts.userId.getSQLType()).toThrow(
      'posts.userId: stores flake ids with another layout or epoch than users.id',
    )
    expect(posts.right.getSQLType()).toBe('bigint')
  })

  test('with another storage than its target is refused', () => {
    const t = pgTable('t', { id: flaxId.ref({ storage: 'text' }).references(() => customers.id) })
    expect(() => t.id.mapToDriverValue(flax.generate())).toThrow(
      't.id: has storage text, but references customers.id with storage binary',
    )
  })

  test('to a column that is not an id column takes the storage passed', () => {
    const t = pgTable('t', { id: flaxId.ref({ storage: 'uuid' }).references(() => customers.legacy) })
    expect(t.id.getSQLType()).toBe('uuid')
  })

  test('works in SQLite and MySQL', () => {
    const nodes = sqliteTable('nodes', {
      id: sqlite.flakeId.plain({ exactBigint: true }).primaryKey(),
      up: sqlite.flakeId.ref().references((): AnySQLiteColumn => nodes.id),
    })
    expect(nodes.up.getSQLType()).toBe('integer')
    const leaves = mysqlTable('leaves', {
      id: mysql.snoId({ storage: 'binary' }).primaryKey(),
      up: mysql.snoId.ref().references((): AnyMySqlColumn => leaves.id),
    })
    expect(leaves.up.getSQLType()).toBe('binary(10)')
  })

  test('in a composite foreign key needs the storage passed', () => {
    const lines = pgTable(
      'lines',
      { customerId: flaxId.ref('customer_id', { storage: 'binary' }), email: text() },
      (line) => [
        foreignKey({
          columns: [line.customerId, line.email],
          foreignColumns: [customers.id, customers.email],
        }),
      ],
    )
    expect(lines.customerId.getSQLType()).toBe('bytea')
  })

  test.each<[string, () => { getSQLType(): string }, string]>([
    [
      'another family',
      () => pgTable('t', { id: snoId.ref().references(() => customers.id) }).id,
      'with flax ids',
    ],
    [
      'no id column',
      () => pgTable('t', { id: flaxId.ref().references(() => customers.legacy) }).id,
      'customers.legacy',
    ],
    [
      'itself',
      () => {
        const t = pgTable('t', { id: flaxId.ref().references((): AnyPgColumn => t.id) })
        return t.id
      },
      'cycle',
    ],
    [
      'a column that refers back',
      () => {
        const t = pgTable('t', { id: flaxId.ref().references((): AnyPgColumn => back.id) })
        const back = pgTable('back', { id: flaxId.ref().references((): AnyPgColumn => t.id) })
        return t.id
      },
      'cycle',
    ],
  ])('to %s is refused at the first use', (_, define, reason) => {
    const column = define()
    const error = errorOf(() => column.getSQLType())
    expect(error).toMatchObject({ name: 'IdError', code: 'INVALID_OPTION', path: 't.id' })
    expect(error.message).toContain(reason)
    expect(errorOf(() => column.getSQLType()).message).toBe(error.message)
  })
})

describe('a value', () => {
  const t = pgTable('t', { id: flaxId('the_id', { storage: 'uuid' }), text: flaxId() })

  test('in a text column is read as it is stored', () => {
    for (const value of ['x', flax.generate()]) expect(t.text.mapFromDriverValue(value)).toBe(value)
  })

  test.each([['x'], ['Kpcan0M1FakODT4!'], [new Uint8Array(3)]])(
    '%s is refused with the path of the column',
    (value) => {
      for (const map of [() => t.id.mapToDriverValue(value), () => t.id.mapFromDriverValue(value)]) {
        const error = errorOf(map)
        expect(error).toBeInstanceOf(IdError)
        expect(error.path).toBe('t.the_id')
        expect(error.message).toMatch(/^t\.the_id: flax: /)
      }
    },
  )

  test('of the wrong type is refused with the path of the column', () => {
    expect(errorOf(() => t.id.mapToDriverValue({ id: 1 }))).toMatchObject({
      code: 'INVALID_TYPE',
      path: 't.the_id',
    })
    expect(() => t.id.mapToDriverValue(true)).toThrow(/^t\.the_id: flax: /)
  })

  test('that a driver returns as an ArrayBuffer is read', () => {
    const id = flax.generate()
    const binary = sqliteTable('t', { id: sqlite.flaxId.plain({ storage: 'binary' }) })
    expect(binary.id.mapFromDriverValue(flax.decode(id).slice().buffer)).toBe(id)
  })
})
