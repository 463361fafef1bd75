import { type ContractAdapter, converts, type Unawaited, variantsOf } from '@snoflax/test/contract'
import { open, type Session } from './entities.js'
import * as reads from './reads.js'
import * as writes from './writes.js'

const row = (id: string) => ({ id, email: 'unawaited@example.org', name: 'Nobody' }) as never

const unawaited: Unawaited<Session> = {
  'insert()': ({ em, entities }, id) => em().insert(entities.Customer, row(id)),
  'insertMany()': ({ em, entities }, id) => em().insertMany(entities.Customer, [row(id)]),
  'upsert()': ({ em, entities }, id) => em().upsert(entities.Customer, row(id)),
  'nativeUpdate()': ({ em, entities }, id) =>
    em().nativeUpdate(entities.Customer, { name: 'x' }, { traceId: id }),
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
    em().transactional((all) => all.insert(entities.Customer, row(id))),
}

const adapter: ContractAdapter<Session> = {
  orm: 'MikroORM',
  variants: {
    sqlite: variantsOf('sqlite', { storages: ['text'] }),
    postgres: variantsOf('postgres', { storages: ['text'] }),
    mysql: variantsOf('mysql', { storages: ['text'] }),
  },
  refuses: converts,
  mismatch: 'notFound',
  junction: { table: 'order_tags', order: 'order_id', tag: 'tag_id' },
  raw: {
    // MikroORM writes an array as a list: an array of PostgreSQL is its literal.
    run: ({ em }, strings, values) =>
      em().execute(
        strings.join('?'),
        values.map((value) => (Array.isArray(value) ? `{${value.join(',')}}` : value)),
      ),
  },
  open,
  close: ({ orm }) => orm.close(),
  ...writes,
  ...reads,
  createdBetween: reads.between,
  unawaited,
}

export default adapter
