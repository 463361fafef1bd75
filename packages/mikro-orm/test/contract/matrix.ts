import type { MatrixAdapter } from '@snoflax/test/contract'
import { ormOn } from './entities.js'
import { type Any, entitiesIn, plain, type Session } from './matrix-entities.js'
import { reads } from './matrix-reads.js'
import { writes } from './matrix-writes.js'

const EVENTS = [
  ...['onInit', 'onLoad', 'beforeCreate', 'afterCreate', 'beforeUpdate', 'afterUpdate'],
  ...['beforeUpsert', 'afterUpsert', 'beforeDelete', 'afterDelete'],
]
const FLUSHES = ['beforeFlush', 'onFlush', 'afterFlush']
const TRANSACTIONS = ['afterTransactionStart', 'afterTransactionCommit', 'afterTransactionRollback']

const adapter: MatrixAdapter<Session> = {
  orm: 'MikroORM',
  storages: { sqlite: ['text'], postgres: ['text'], mysql: ['text'] },
  async open(database, mode, log) {
    const entities = entitiesIn(mode)
    const subscriber = {
      ...Object.fromEntries(
        EVENTS.map((name) => [
          name,
          ({ meta, entity, changeSet }: Any) =>
            log('event', [name, meta.className, plain([entity, changeSet?.type, changeSet?.payload])]),
        ]),
      ),
      ...Object.fromEntries(
        FLUSHES.map((name) => [
          name,
          ({ uow }: Any) =>
            log('event', [name, uow.getChangeSets().map(({ type, payload }: Any) => [type, plain(payload)])]),
        ]),
      ),
      ...Object.fromEntries(TRANSACTIONS.map((name) => [name, () => log('event', [name])])),
    }
    const orm = await ormOn(database, Object.values(entities), {
      subscribers: [subscriber],
      onQuery: (sql: string, parameters: readonly unknown[]) => {
        // Once for each connection, MikroORM asks for its database.
        if (!sql.includes('datname =') && !/information_schema\.schemata/.test(sql))
          log('statement', [sql, parameters])
        return sql
      },
    })
    return { ...entities, orm, em: orm.em.fork(), isMysql: database.kind === 'mysql' }
  },
  fork: (session) => ({ ...session, em: session.orm.em.fork() }),
  writes,
  reads,
  close: ({ orm }) => orm.close(),
}

export default adapter
