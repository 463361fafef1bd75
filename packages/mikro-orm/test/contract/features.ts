import { defineEntity, p } from '@mikro-orm/core'
import { createdAfter, createdBefore, createdBetween, find, idProperty, keyset } from '@snoflax/mikro-orm'
import type { Created, FeatureAdapter } from '@snoflax/test/contract'
import { ormOn } from './entities.js'

const created = { createdBetween, createdAfter, createdBefore }

// biome-ignore lint/suspicious/noExplicitAny: entities of each form
type Any = any

const adapter: FeatureAdapter = {
  orm: 'MikroORM',
  databases: ['sqlite', 'postgres', 'mysql'],
  // It finds nothing by an empty list.
  noConditions: [undefined, {}],
  absent: {
    'key, declared at the table': 'MikroORM declares keys at the property',
    'unique index': 'MikroORM declares unique indexes as unique constraints',
  },
  async open({ form, family, database }) {
    const key = (options = {}) => idProperty(family, options)
    const plain = (options = {}) => idProperty.plain(family, options)
    const note = p.string()
    const number = p.integer().primary()
    const numbered = { n: number, note }
    const entity = (name: string, properties: object, more: object = {}): Any =>
      defineEntity({ name, properties, ...more } as Any)
    const rowsOf = (properties: object, more?: object): Any =>
      entity('rows', { id: key(), note, ...properties }, more)
    const versions = () => rowsOf({ n: number })
    const unique = (...properties: string[]) =>
      rowsOf({ ...numbered, id: plain() }, { uniques: [{ properties }] })
    const Base = entity('Base', { id: key(), note }, { abstract: true })
    const Part = entity('Part', { id: plain({ fieldName: 'of_id', unique: true }) }, { embeddable: true })
    const parent: Any = entity('others', { id: key() }, { inheritance: 'tpt' })
    const FORMS: Readonly<Record<string, () => Any>> = {
      'key of a column with another name': () => rowsOf({ id: key({ fieldName: 'id_' }) }),
      'part of a composite key': versions,
      'key with versions': versions,
      'key with more versions than are listed': versions,
      'unique, declared at the column': () => rowsOf({ ...numbered, id: plain({ unique: true }) }),
      'unique, declared at the table': () => unique('id'),
      'part of a unique set': () => unique('note', 'id'),
      'generated, beside a numeric key': () => rowsOf({ ...numbered, id: key({ primary: false }) }),
      'neither generated nor unique': () => rowsOf({ ...numbered, id: plain() }),
      'table of a schema': () => rowsOf({}, { schema: 'ids' }),
      'partitioned table': () =>
        rowsOf({}, { partitionBy: { type: 'hash', expression: 'id', partitions: 2 } }),
      'soft-deleted row, whose n is not null': () =>
        rowsOf(
          { n: p.integer().nullable() },
          { filters: { live: { name: 'live', cond: { n: null }, default: true } } },
        ),
      'single-table inheritance, by note': () =>
        rowsOf({}, { discriminatorColumn: 'note', discriminatorValue: '0' }),
      'table per type, others being the parent': () => entity('rows', { note }, { extends: parent }),
      'declared in an abstract class': () => entity('rows', {}, { extends: Base }),
      'inside an embedded object': () =>
        entity('rows', { ...numbered, of: () => p.embedded(Part).prefix(false) }),
    }
    const rows = FORMS[form]?.() ?? rowsOf({})
    const reference = () => (p.manyToOne(rows) as Any).fieldName('row_id')
    const child = (value: string) => entity(`rows${value}`, {}, { extends: rows, discriminatorValue: value })
    const OTHERS: Readonly<Record<string, () => readonly Any[]>> = {
      reference: () => [entity('others', { ...numbered, row: reference })],
      'reference that is the key': () => [
        entity('others', { n: p.integer(), note, row: () => reference().primary() }),
      ],
      'reference in a composite key': () => [
        entity('others', { ...numbered, row: () => reference().primary() }),
      ],
      'table with a view, others': () => [
        entity('others', { id: { ...plain(), primary: true } }, { view: true, expression: 'select' }),
      ],
      'two models of one table': () => [entity('others', { id: key(), note }, { tableName: 'rows' })],
      'single-table inheritance, by note': () => ['1', '2', '3', '4'].map(child),
      'table per type, others being the parent': () => [parent],
      'declared in an abstract class': () => [Base],
      'inside an embedded object': () => [Part],
      'two tables that generate ids of one prefix': () => [entity('others', { id: key() })],
      'foreign key that generates ids': () => [
        entity('others', {
          ...numbered,
          rowId: key({ primary: false }),
          row: () => reference().persist(false),
        }),
      ],
    }
    const path = form === 'inside an embedded object' ? 'of.id' : 'id'
    const orm = await ormOn(database, [...(OTHERS[form]?.() ?? []), rows], {
      discovery: { checkDuplicateTableNames: false },
    })
    const range = ([name, ...times]: Created) => {
      const condition = (created[name] as Any)(rows, path, ...times)
      return path === 'id' ? { id: condition } : { of: { id: condition } }
    }
    const em = () => orm.em.fork() as Any
    return {
      find: (value) => find(em(), value as string) as never,
      page: async (options) =>
        em().findAll(rows, keyset(rows, { ...options, ...(path !== 'id' && { field: path }) } as Any)),
      read: async (...times) => em().find(rows, range(times)),
      remove: async (...times) => em().nativeDelete(rows, range(times)),
      writes: {
        '`create` and `flush`': async (id) => {
          const on = em()
          on.persist(on.create(rows, { id, note: 'new' }))
          await on.flush()
        },
        '`insert`': async (id) => em().insert(rows, { id, note: 'new' }),
        '`insertMany`': async (id) => em().insertMany(rows, [{ note: 'new' }, { id, note: 'new' }]),
        '`nativeUpdate`': async (id, stored) => em().nativeUpdate(rows, { id: stored.id }, { id }),
        '`upsert`': async (id) => em().upsert(rows, { id, note: 'new' }),
        'query builders with `insert`': async (id) =>
          em().createQueryBuilder(rows).insert({ id, note: 'new' }).execute(),
        'with `update`': async (id, stored) =>
          em().createQueryBuilder(rows).update({ id }).where({ id: stored.id }).execute(),
        'with `merge`': async (id, stored) =>
          em().createQueryBuilder(rows).insert(stored).onConflict('id').merge({ id }).execute(),
      },
      close: () => orm.close(),
    }
  },
}

export default adapter
