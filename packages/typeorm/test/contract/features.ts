import 'reflect-metadata'
import type { Created, Declared, FeatureAdapter } from '@snoflax/test/contract'
import { createdAfter, createdBefore, createdBetween, find, IdColumn, keyset } from '@snoflax/typeorm'
import {
  ChildEntity,
  Column,
  DeleteDateColumn,
  Entity,
  Index,
  JoinColumn,
  ManyToOne,
  OneToOne,
  PrimaryColumn,
  TableInheritance,
  Unique,
  ViewColumn,
  ViewEntity,
} from 'typeorm'
import { openDataSource } from '../open-data-source.js'

type Columns = Readonly<Record<string, PropertyDecorator | readonly PropertyDecorator[]>>
interface Row {
  readonly id: string
}
type Class = new () => Row

/** A class as if its source had the decorators. */
function decorated(
  name: string,
  columns: Columns,
  classes: readonly ClassDecorator[],
  Base = class {},
): Class {
  const { [name]: made } = { [name]: class extends Base {} }
  for (const [property, decorators] of Object.entries(columns))
    for (const decorate of [decorators].flat()) decorate((made as Class).prototype, property)
  for (const decorate of classes) decorate(made as Class)
  return made as unknown as Class
}

const created = { createdBetween, createdAfter, createdBefore }

const adapter: FeatureAdapter = {
  orm: 'TypeORM',
  databases: ['sqlite', 'postgres', 'mysql'],
  noConditions: [undefined, {}, []],
  absent: {
    'key, declared at the table': 'TypeORM declares keys at columns',
    'table per type, others being the parent': 'TypeORM has single-table inheritance only',
  },
  async open({ form, family, database }) {
    const entities = entitiesOf(form, family)
    const [rows, of] = entities
    const isEmbedded = form === 'inside an embedded object'
    const holder = isEmbedded ? of : rows
    const held = <Part>(part: Part) => (isEmbedded ? { of: part } : part)
    const dataSource = await openDataSource(database, isEmbedded ? [rows] : [...entities].reverse(), {
      synchronize: false,
    })
    const repository = dataSource.getRepository(rows)
    const builder = () => repository.createQueryBuilder()
    const range = ([name, ...times]: Created) =>
      held({ id: (created[name] as (...args: unknown[]) => never)(holder, 'id', ...times) }) as never
    return {
      find: (id) => find(dataSource, id as string),
      page: async (options) => {
        const { where, order, take } = keyset<Row>(holder as never, options as never)
        const conditions = Array.isArray(where) ? where.map(held) : held(where)
        return repository.find({ where: conditions, order: held(order), take } as object)
      },
      read: async (...times) => repository.findBy(range(times)),
      remove: async (...times) => repository.delete(range(times)),
      writes: {
        '`save`': (id) => repository.save({ id, note: 'new' } as Row),
        '`insert`': (id) => repository.insert({ id, note: 'new' } as Row),
        '`update`': (id, stored) => repository.update({ id: stored.id }, { id }),
        '`upsert`': (id) => repository.upsert({ id, note: 'new' } as Row, ['id']),
        'query builders with `values`': (id) =>
          builder()
            .insert()
            .values({ id, note: 'new' } as Row)
            .execute(),
        'with `set`': (id, stored) => builder().update().set({ id }).where({ id: stored.id }).execute(),
      },
      close: () => dataSource.destroy(),
    }
  },
}

/** The form's entities, rows first; an embedded class is the second. */
function entitiesOf(form: Declared['form'], family: Declared['family']): readonly [Class, ...Class[]] {
  const options = { storage: 'text' } as const
  const id = (more = {}) => IdColumn(family, { ...options, ...more }) as PropertyDecorator
  const plain = (more = {}) => IdColumn.plain(family, { ...options, ...more }) as PropertyDecorator
  const text = { type: 'varchar', length: 40 } as const
  const [n, key, note] = [Column('int'), PrimaryColumn('int'), Column(text)]
  const rowsOf = (columns: Columns, ...classes: ClassDecorator[]) =>
    decorated('rows', { note, ...columns }, [Entity('rows'), ...classes])
  const numbered = (column: PropertyDecorator, ...classes: ClassDecorator[]) =>
    rowsOf({ n: key, id: column }, ...classes)
  const embedded = decorated('Of', { id: plain({ name: 'of_id', unique: true }) }, [])
  const FORMS: Readonly<Record<string, () => Class>> = {
    'key of a column with another name': () => rowsOf({ id: id({ name: 'id_' }) }),
    'part of a composite key': () => numbered(id()),
    'key with versions': () => rowsOf({ id: id(), n: key }),
    'key with more versions than are listed': () => rowsOf({ id: id(), n: key }),
    'unique, declared at the column': () => numbered(plain({ unique: true })),
    'unique, declared at the table': () => numbered(plain(), Unique(['id'])),
    'unique index': () => numbered(plain(), Index('rows_id', ['id'], { unique: true })),
    'part of a unique set': () => numbered(plain(), Unique(['note', 'id'])),
    'generated, beside a numeric key': () => numbered(id({ primary: false })),
    'neither generated nor unique': () => numbered(plain()),
    'table of a schema': () => decorated('rows', { id: id(), note }, [Entity('rows', { schema: 'ids' })]),
    'soft-deleted row, whose n is not null': () => rowsOf({ id: id(), n: DeleteDateColumn({ type: 'int' }) }),
    'single-table inheritance, by note': () => rowsOf({ id: id() }, TableInheritance({ column: 'note' })),
    'declared in an abstract class': () => {
      abstract class Base {}
      id()(Base.prototype, 'id')
      return decorated('rows', { note }, [Entity('rows')], Base as Class)
    },
    'inside an embedded object': () => rowsOf({ n: key, of: Column(() => embedded, { prefix: false }) }),
  }
  const rows = FORMS[form]?.() ?? rowsOf({ id: id() })
  const othersOf = (columns: Columns) => [decorated('others', columns, [Entity('others')])]
  const row = [ManyToOne(() => rows), JoinColumn({ name: 'row_id' })]
  const reference = PrimaryColumn({ ...text, name: 'row_id' })
  const OTHERS: Readonly<Record<string, () => readonly Class[]>> = {
    'inside an embedded object': () => [embedded],
    reference: () => othersOf({ n: key, row, note }),
    'reference that is the key': () =>
      othersOf({ n, rowId: reference, row: [OneToOne(() => rows), JoinColumn({ name: 'row_id' })], note }),
    'reference in a composite key': () => othersOf({ n: key, rowId: reference, row, note }),
    'table with a view, others': () => [
      decorated('others', { id: plain(), note: ViewColumn() }, [
        ViewEntity({ name: 'others', expression: 'select id, note from rows' }),
      ]),
    ],
    'two models of one table': () => [decorated('others', { id: id(), note }, [Entity('rows')])],
    'single-table inheritance, by note': () => [decorated('others', {}, [ChildEntity('1')], rows)],
    'two tables that generate ids of one prefix': () => othersOf({ id: id() }),
    'foreign key that generates ids': () =>
      othersOf({ n: key, rowId: id({ name: 'row_id', primary: false }), row, note }),
  }
  return [rows, ...(OTHERS[form]?.() ?? [])]
}

export default adapter
