import { flake, flax, IdError, opaque, prefixed, sno } from '@snoflax/core'
import * as mysql from '@snoflax/drizzle/mysql-core'
import * as pg from '@snoflax/drizzle/pg-core'
import * as sqlite from '@snoflax/drizzle/sqlite-core'
import { uid, uidLocal } from '@snoflax/families'
import { type Column, eq, sql } from 'drizzle-orm'
import { mysqlTable } from 'drizzle-orm/mysql-core'
import { drizzle } from 'drizzle-orm/node-postgres'
import { type AnyPgColumn, alias, getTableConfig, pgTable, uuid } from 'drizzle-orm/pg-core'
import { sqliteTable } from 'drizzle-orm/sqlite-core'
import { describe, expect, test } from 'vitest'
import { isBefore1 } from './contract/version.js'

// Types by family and storage are in kit.long.test.ts, and mistakes that every package refuses in mistakes.ts.

const { flaxId, snoId, flakeId, idColumn } = pg
const cus = prefixed(flax, 'cus')

/** What the action throws. */
function errorOf(action: () => unknown): IdError {
  try {
    action()
  } catch (error) {
    if (error instanceof IdError) return error
    throw error
  }
  return expect.fail('nothing was thrown')
}

test('a column has the type of its storage, in each dialect', () => {
  const job = flake.generator({ datacenter: 1, worker: 2 })
  const t = pgTable('t', {
    text: flaxId(),
    uid: idColumn(uid, { generator: uid.generator({ node: 'test' }), storage: 'uuid' }),
    list: flaxId.plain({ storage: 'text' }).array(),
    bytes: flaxId.plain({ storage: 'binary' }).array(3),
  })
  const inSqlite = sqliteTable('t', { exact: sqlite.flakeId({ generator: job, exactBigint: true }) })
  const inMysql = mysqlTable('t', { local: mysql.idColumn.plain(uidLocal, { storage: 'text' }) })
  const columns: Column[] = [t.text, t.uid, t.list, t.bytes, inSqlite.exact, inMysql.local]
  expect(columns.map((column) => column.getSQLType())).toEqual([
    'text COLLATE "C"',
    'uuid',
    // Drizzle 1.0 tells the dimensions of an array apart from its type.
    ...(isBefore1 ? ['text[]', 'bytea[3]'] : ['text', 'bytea']),
    'integer',
    'char(11) character set utf8mb4 collate utf8mb4_bin',
  ])
})

test('a text column keeps a type of your own, and its references have it too', () => {
  const org = opaque('org', { pattern: /org_[a-z]{9}/, generate: () => 'org_aaaaaaaaa' })
  const users = pgTable('users', { id: idColumn(org, { type: 'varchar(36)' }) })
  const t = pgTable('t', {
    userId: idColumn.ref('user_id', () => users.id),
    other: idColumn.ref('other', () => users.id, { type: 'text' }),
    plain: idColumn.plain(org, { type: 'char(40)' }),
  })
  const inMysql = mysqlTable('t', { id: mysql.idColumn(org, { type: 'varchar(128)' }) })
  const columns: Column[] = [users.id, t.userId, t.other, t.plain, inMysql.id]
  expect(columns.map((column) => column.getSQLType())).toEqual([
    'varchar(36)',
    'varchar(36)',
    'text',
    'char(40)',
    'varchar(128)',
  ])
  expect(errorOf(() => pgTable('u', { id: idColumn(org, { type: 'uuid' }) })).message).toBe(
    'u.id: type must be that of a text column, such as varchar(36), not "uuid"; leave it out for the column\'s own type',
  )
  expect(errorOf(() => pgTable('u', { id: flaxId({ type: 'text' }) }).id.getSQLType()).message).toBe(
    'u.id: flax: type is for ids of opaque(): times are found by the order of the column of its own type; leave it out',
  )
  const ofTarget = pgTable('v', {
    id: flaxId(),
    ref: idColumn.ref('ref', (): AnyPgColumn => ofTarget.id, { type: 'text' }),
  })
  expect(errorOf(() => ofTarget.ref.mapToDriverValue('x')).message).toContain('type is for ids of opaque()')
})

test("a column has the property's name if none is passed, as everywhere in Drizzle", () => {
  const t = pgTable('t', {
    id: flaxId(),
    ref: flaxId.plain('other'),
    more: flaxId.plain('m', { storage: 'text' }),
  })
  expect([t.id, t.ref, t.more].map(({ name }) => name)).toEqual(['id', 'other', 'm'])
  expect([t.id.keyAsName, t.ref.keyAsName]).toEqual([true, false])
})

test('typedIds returns the table passed, and refuses what is not a table', () => {
  const shops = pgTable('shops', { id: flaxId().primaryKey() })
  expect(pg.typedIds(shops)).toBe(shops)
  const error = errorOf(() => pg.typedIds({ id: flaxId() } as never))
  expect(error.message).toBe('typedIds: expected a table, not an object')
})

describe('a generated id', () => {
  test('comes from the default generator or the one passed, with metabyte and prefix', () => {
    const generator = sno.generator({ partition: 4242 })
    const epoch = Date.UTC(2020, 0, 1)
    const equal = flake.withEpoch(epoch).generator({ id: 1 })
    const t = pgTable('t', {
      flax: flaxId(),
      meta: snoId({ meta: 7 }),
      mine: snoId({ generator, meta: 9 }),
      epoch: idColumn(flake.withEpoch(epoch), { generator: equal }),
      job: flakeId({ prefix: 'job', generator: flake.generator({ id: 5 }) }),
      database: snoId({ prefix: 'ord', meta: 2, default: 'database' }),
    })
    const made = (column: { readonly defaultFn: (() => unknown) | undefined }) =>
      column.defaultFn?.() as never
    expect(flax.is(made(t.flax))).toBe(true)
    expect(sno.meta(made(t.meta))).toBe(7)
    expect(sno.unpack(made(t.mine))).toMatchObject({ meta: 9, partition: 4242 })
    expect(flake.withEpoch(epoch).unpack(made(t.epoch))).toMatchObject({ worker: 1 })
    expect(flake.unpack(prefixed(flake, 'job').withoutPrefix(made(t.job)))).toMatchObject({ worker: 5 })
    expect(JSON.stringify(t.database.default)).toContain("'ord_'::text || snoflax.sno_generate_text(2)")
  })

  test('is not generated for references, plain ids, and columns with another default', () => {
    const fixed = flax.generate()
    const t = pgTable('t', {
      id: flaxId().$defaultFn(() => fixed),
      ref: flaxId.ref().references((): AnyPgColumn => t.id),
      plain: flaxId.plain(),
      literal: flaxId.plain().default(fixed),
      expression: flakeId().default(sql`next_id()`),
    })
    expect(t.id.defaultFn?.()).toBe(fixed)
    expect([t.ref.hasDefault, t.plain.hasDefault]).toEqual([false, false])
    for (const { defaultFn } of [t.ref, t.plain, t.literal, t.expression]) expect(defaultFn).toBeUndefined()
  })
})

describe('refused when the table is defined', () => {
  test.each([
    ['bigint in SQLite', () => sqliteTable('t', { id: sqlite.flakeId.plain() }), 'may round'],
    ['uuid8 in MySQL', () => mysqlTable('t', { id: mysql.flaxId.ref({ storage: 'uuid8' }) }), 'MySQL'],
  ])('%s', (_, define, reason) => {
    const error = errorOf(define)
    expect(error).toMatchObject({ code: 'STORAGE_REFUSED', path: 't.id' })
    expect(error.message).toContain(reason)
  })

  const target = (): AnyPgColumn => expect.fail()
  test.each<[string, () => unknown, string]>([
    ['a reference to nothing', () => flaxId.ref(), '.references(…)'],
    [
      'a metabyte in a database default of a family without one',
      () => flaxId({ default: 'database', meta: 3 } as never),
      'metabyte',
    ],
    [
      'a misspelled option of a reference',
      () => flaxId.ref('id', target, { ondelete: 'cascade' } as object),
      'no option "ondelete"',
    ],
    [
      'a misspelled option behind a name that is undefined',
      () => flaxId(undefined as never, { storge: 'text' } as object),
      'no option "storge"',
    ],
    [
      'an option of the wrong type',
      () => flaxId({ check: 'yes' } as object),
      'check must be a boolean, not "yes"',
    ],
    ['text as options', () => flaxId('id', 'text' as never), 'options must be an object'],
    ['null as options', () => flaxId(null as never), 'options must be an object'],
    [
      'a misspelled default',
      () => flaxId({ default: 'databse' as 'database' }),
      'default must be "database", not "databse"',
    ],
    ['a schema for nothing', () => flaxId({ schema: 'ids' }), "schema is only for default: 'd"],
    [
      'a generator beside that of the database',
      () => flaxId({ default: 'database', generator: flax }),
      "generator can't be used with default: 'database'",
    ],
    ['meta of a plain id', () => snoId.plain({ meta: 9 } as never), 'meta is only for generated ids'],
    [
      'a generator of a reference',
      () => snoId.ref({ storage: 'uuid', generator: sno } as never),
      'generator is only for generated ids',
    ],
    [
      'a default of a plain id',
      () => snoId.plain({ default: 'database' } as never),
      'default is only for generated ids',
    ],
    ['a malformed prefix', () => flaxId({ prefix: 'Cus_' }), 'prefix'],
    ['a second prefix', () => idColumn(cus, { prefix: 'ord' } as never), 'prefix'],
  ])('%s', (_, column, reason) => {
    const error = errorOf(() => pgTable('t', { id: column() as ReturnType<typeof flaxId> }))
    expect(error).toMatchObject({ code: 'INVALID_OPTION', path: 't.id' })
    expect(error.message).toContain(reason)
  })

  test.each([
    () => flaxId.plain({ default: undefined } as never),
    () => snoId.plain({ meta: undefined, generator: undefined, schema: undefined } as never),
    () => flaxId({ default: undefined, schema: undefined, generator: undefined } as never),
  ])('an option that is undefined is one that is left out %#', (column) => {
    expect(pgTable('t', { id: column() as never as ReturnType<typeof flaxId> }).id.getSQLType()).toContain(
      'text',
    )
  })

  test('an array of generated ids or references', () => {
    expect(errorOf(() => flaxId().array()).message).toContain('.plain().array()')
    expect(errorOf(() => flaxId.ref().array()).message).toContain('.plain().array()')
  })

  test("in MySQL, ids of the database for sno, which needs a partition, and for a uid's own neighbourhood in PostgreSQL", () => {
    const define = () => mysqlTable('t', { id: mysql.snoId({ default: 'database' }) })
    expect(define).toThrow(/t\.id: sno: ids that mysql generate/)
    const wide = uid.withNeighbourhood(10)
    expect(errorOf(() => pgTable('t', { id: idColumn(wide, { default: 'database' }) }))).toMatchObject({
      code: 'INVALID_OPTION',
      field: 'neighbourhood',
      path: 't.id',
      message: expect.stringContaining('neighbourhood of 8, not 10'),
    })
  })
})

test('a column with a prefix is that of the prefixed family, in every dialect', () => {
  const columns = [
    [pgTable('t', { id: flaxId({ prefix: 'cus' }) }).id, pgTable('t', { id: idColumn(cus) }).id],
    [
      mysqlTable('t', { id: mysql.flaxId('id', { prefix: 'cus' }) }).id,
      mysqlTable('t', { id: mysql.idColumn('id', cus) }).id,
    ],
    [
      sqliteTable('t', { id: sqlite.flaxId('id', { prefix: 'cus', storage: 'binary' }) }).id,
      sqliteTable('t', { id: sqlite.idColumn('id', cus, { storage: 'binary' }) }).id,
    ],
  ] as const
  const id = cus.generate()
  for (const [option, family] of columns) {
    expect(option.getSQLType()).toBe(family.getSQLType())
    expect(option.mapToDriverValue(id)).toEqual(family.mapToDriverValue(id))
    expect(cus.is(option.defaultFn?.())).toBe(true)
    expect(errorOf(() => option.mapToDriverValue(flax.generate())).message).toMatch(/^t\.id: cus: .*cus_/)
  }
})

describe('a reference', () => {
  const customers = pgTable('customers', {
    id: flaxId({ prefix: 'cus', storage: 'binary' }).primaryKey(),
    parentId: flaxId.ref().references((): AnyPgColumn => customers.id),
    legacy: uuid(),
  })
  const id = cus.generate()

  test('passes its target and actions to references()', () => {
    const orders = pgTable('orders', {
      customerId: flaxId.ref('customer_id', () => customers.id, {
        onDelete: 'cascade',
        onUpdate: 'no action',
      }),
      other: flaxId.ref(() => customers.id),
      own: flaxId.ref(() => customers.id, { storage: 'binary', onDelete: 'set null' }),
    })
    const keys = getTableConfig(orders).foreignKeys
    expect(keys.map(({ onDelete, onUpdate }) => [onDelete, onUpdate])).toEqual([
      ['cascade', 'no action'],
      ['no action', 'no action'],
      ['set null', 'no action'],
    ])
    expect(keys[0]?.reference().foreignColumns).toEqual([customers.id])
    expect(orders.customerId.name).toBe('customer_id')
  })

  test('takes storage and prefix of its target, through other references and defined later', () => {
    const later = pgTable('later', { id: flaxId.ref().references((): AnyPgColumn => base.parentId) })
    const base = pgTable('base', {
      parentId: flaxId.ref().references(() => customers.parentId),
      same: flaxId.ref(() => customers.id, { storage: 'binary' }),
      stated: flaxId.ref({ prefix: 'cus' }).references(() => customers.id),
    })
    for (const column of [later.id, base.parentId, base.same, base.stated, customers.parentId]) {
      expect(column.getSQLType()).toBe('bytea')
      expect(column.mapToDriverValue(id)).toEqual(cus.decode(id))
      expect(column.mapFromDriverValue(cus.decode(id) as never)).toBe(id)
    }
    expect(alias(later, 'x').id.getSQLType()).toBe('bytea')
  })

  test('without a definition takes all of its target, which must have ids', () => {
    const parent = pg.idColumn.ref('parent', (): AnyPgColumn => orders.customerId, { onDelete: 'cascade' })
    const orders = pgTable('orders', { customerId: pg.idColumn.ref(() => customers.id), parent })
    expect(getTableConfig(orders).foreignKeys.map(({ onDelete }) => onDelete)).toEqual([
      'no action',
      'cascade',
    ])
    for (const column of [orders.customerId, orders.parent]) {
      expect(column.getSQLType()).toBe('bytea')
      expect(column.mapFromDriverValue(column.mapToDriverValue(id) as never)).toBe(id)
    }
    const wrong = pgTable('t', { id: pg.idColumn.ref((): AnyPgColumn => customers.legacy) })
    expect(errorOf(() => wrong.id.getSQLType()).message).toBe(
      't.id: references customers.legacy, which is not an id column',
    )
    const options = { storage: 'uuid' } as object
    expect(
      errorOf(() => pgTable('t', { id: pg.idColumn.ref(() => customers.id, options) })).message,
    ).toContain('no option "storage"')
  })

  test('takes the storage passed, to a column without ids', () => {
    const t = pgTable('t', { id: flaxId.ref({ storage: 'uuid' }).references(() => customers.legacy) })
    expect(t.id.getSQLType()).toBe('uuid')
  })

  // Families, storages and epochs that disagree are in mistakes.ts.
  test.each<[string, () => { readonly id: Column }, string]>([
    [
      'another prefix',
      () => pgTable('t', { id: flaxId.ref({ prefix: 'ord' }).references(() => customers.id) }),
      'stores ord ids, but references customers.id with cus ids',
    ],
    [
      'a prefix that its own generated ids lack',
      () => pgTable('t', { id: flaxId({ storage: 'binary' }).references(() => customers.id) }),
      "pass { prefix: 'cus' }, or use .ref()",
    ],
    [
      'no id column',
      () => pgTable('t', { id: flaxId.ref().references(() => customers.legacy) }),
      'customers.legacy',
    ],
    [
      'itself',
      () => {
        const t = pgTable('t', { id: flaxId.ref().references((): AnyPgColumn => t.id) })
        return t
      },
      'cycle',
    ],
    [
      'a column that refers back',
      () => {
        const t = pgTable('t', { id: flaxId.ref().references((): AnyPgColumn => back.id) })
        const back = pgTable('back', { id: flaxId.ref().references((): AnyPgColumn => t.id) })
        return t
      },
      'cycle',
    ],
  ])('to %s is refused at each use', (_, define, reason) => {
    const { id: column } = define()
    const error = errorOf(() => column.getSQLType())
    expect(error).toMatchObject({ code: 'INVALID_OPTION', path: 't.id' })
    expect(error.message).toContain(reason)
    expect(errorOf(() => column.mapToDriverValue(id)).message).toBe(error.message)
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
        const { path, message } = errorOf(map)
        expect(path).toBe('t.the_id')
        expect(message).toMatch(/^t\.the_id: flax: /)
      }
    },
  )

  test('is refused while Drizzle builds the query, so an async function rejects', async () => {
    const find = () =>
      drizzle
        .mock()
        .select()
        .from(t)
        .where(eq(t.id, 'x' as never))
    expect(() => find().toSQL()).toThrow(expect.objectContaining({ path: 't.the_id', statusCode: 400 }))
    await expect((async () => find())()).rejects.toThrow('t.the_id: flax')
  })

  test('of the wrong type is refused with the path of the column', () => {
    for (const value of [{ id: 1 }, true]) {
      const error = { code: 'INVALID_TYPE', path: 't.the_id' }
      expect(errorOf(() => t.id.mapToDriverValue(value))).toMatchObject(error)
    }
  })
})
