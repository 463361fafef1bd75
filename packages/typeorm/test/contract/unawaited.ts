import { converts, type Unawaited, type Variant } from '@snoflax/test/contract'
import { In } from 'typeorm'
import type { CustomerEntity, Session } from './entities.js'

const row = (id: string) => ({ id, email: 'unawaited@example.org', name: 'Nobody' }) as CustomerEntity

const tagsOf = ({ dataSource }: Session, id: string) =>
  dataSource.createQueryBuilder().relation('Order', 'tags').of(id)

const writes: Unawaited<Session> = {
  'insert()': ({ customers }, id) => customers.insert(row(id)),
  'save()': ({ customers }, id) => customers.save(row(id)),
  'upsert()': ({ customers }, id) => customers.upsert(row(id), ['email']),
  'insert of the query builder': ({ dataSource }, id) =>
    dataSource.createQueryBuilder().insert().into('Customer').values(row(id)).execute(),
  'update() to an id': ({ customers }, id) => customers.update({ name: 'Nobody' }, { traceId: id }),
  'update of the query builder': ({ dataSource }, id) =>
    dataSource.createQueryBuilder().update('Customer').set({ traceId: id }).execute(),
  'relation().add()': (session, id) => tagsOf(session, id).add(id),
}

const conditions: Unawaited<Session> = {
  'find()': ({ customers }, id) => customers.find({ where: { id: In([id]) } }),
  'findBy()': ({ customers }, id) => customers.findBy({ orders: { id } }),
  'findOneBy()': ({ customers }, id) => customers.findOneBy({ id }),
  'findAndCount()': ({ customers }, id) => customers.findAndCount({ where: { traceId: id } }),
  'countBy()': ({ customers }, id) => customers.countBy({ id }),
  'existsBy()': ({ customers }, id) => customers.existsBy({ id }),
  'update()': ({ customers }, id) => customers.update(id, { name: 'Nobody' }),
  'update() by a condition': ({ customers }, id) => customers.update({ id }, { name: 'Nobody' }),
  'increment()': ({ orders }, id) => orders.increment({ id }, 'total', 1),
  'delete()': ({ customers }, id) => customers.delete(id),
  'delete() of a list': ({ customers }, id) => customers.delete([id]),
  'delete() by a condition': ({ customers }, id) => customers.delete({ id }),
  'remove()': ({ customers }, id) => customers.remove(customers.create({ id })),
  'preload()': ({ customers }, id) => customers.preload({ id }),
  'relation().remove()': (session, id) => tagsOf(session, id).remove(id),
  'relation().loadMany()': (session, id) => tagsOf(session, id).loadMany(),
  'transaction()': ({ dataSource }, id) => dataSource.transaction((all) => all.delete('Customer', id)),
}

/** Text in a condition is not checked, as with plain string keys. */
export const unawaited = (variant: Variant): Unawaited<Session> =>
  converts(variant) ? { ...writes, ...conditions } : writes
