import { type ContractAdapter, converts, type Unawaited, variantsOf } from '@snoflax/test/contract'
import { open, type Session } from './entities.js'
import * as reads from './reads.js'
import * as writes from './writes.js'

const row = (id: string) => ({ id, email: 'unawaited@example.org', name: 'Nobody' }) as never

// A query builder's `where()` throws, as it does for a property that is not there.
const unawaited: Unawaited<Session> = {
  'find()': ({ em, entities }, id) => em().find(entities.Customer, { id }),
  'find() by a related row': ({ em, entities }, id) => em().find(entities.Customer, { orders: { id } }),
  'findOne()': ({ em, entities }, id) => em().findOne(entities.Customer, id),
  'findOneOrFail()': ({ em, entities }, id) => em().findOneOrFail(entities.Customer, { traceId: id }),
  'findAll()': ({ em, entities }, id) => em().findAll(entities.Customer, { where: { id: { $in: [id] } } }),
  'findAndCount()': ({ em, entities }, id) => em().findAndCount(entities.Customer, { id }),
  'count()': ({ em, entities }, id) => em().count(entities.Customer, { id }),
  'insert()': ({ em, entities }, id) => em().insert(entities.Customer, row(id)),
  'insertMany()': ({ em, entities }, id) => em().insertMany(entities.Customer, [row(id)]),
  'upsert()': ({ em, entities }, id) => em().upsert(entities.Customer, row(id)),
  'nativeUpdate()': ({ em, entities }, id) => em().nativeUpdate(entities.Customer, { id }, { name: 'x' }),
  'nativeDelete()': ({ em, entities }, id) => em().nativeDelete(entities.Customer, { id }),
  'flush()': ({ em, entities }, id) => {
    const manager = em()
    manager.create(entities.Customer, {
      email: 'unawaited@example.org',
      name: 'Nobody',
      traceId: id,
    } as never)
    return manager.flush()
  },
  'transactional()': ({ em, entities }, id) =>
    em().transactional((all) => all.nativeDelete(entities.Tag, { id })),
}

const adapter: ContractAdapter<Session> = {
  orm: 'MikroORM',
  variants: {
    sqlite: variantsOf('sqlite', { storages: ['text'] }),
    postgres: variantsOf('postgres', { storages: ['text'] }),
    mysql: variantsOf('mysql', { storages: ['text'] }),
  },
  refuses: converts,
  junction: { table: 'order_tags', order: 'order_id', tag: 'tag_id' },
  raw: {
    // MikroORM writes an array as a list: an array of PostgreSQL is its literal.
    run: ({ em }, strings, values) =>
      em().execute(
        strings.join('?'),
        values.map((value) => (Array.isArray(value) ? `{${value.join(',')}}` : value)),
      ),
    parameter: (_session, _column, id) => id,
    asText: (_, value) => value,
  },
  open,
  close: ({ orm }) => orm.close(),
  ...writes,
  ...reads,
  createdBetween: reads.between,
  unawaited,
}

export default adapter
