import 'reflect-metadata'
import type { MatrixAdapter } from '@snoflax/test/contract'
import { fromDatabase, parameter } from '@snoflax/typeorm'
import type { Logger, ObjectLiteral } from 'typeorm'
import { openDataSource } from '../open-data-source.js'
import { entitiesOf, subscriberOf } from './matrix-entities.js'
import { reads } from './matrix-reads.js'
import type { Session } from './matrix-session.js'
import { writes } from './matrix-writes.js'

const adapter: MatrixAdapter<Session> = {
  orm: 'TypeORM',
  storages: {
    sqlite: ['text', 'binary'],
    postgres: ['text', 'uuid', 'binary'],
    mysql: ['text', 'binary'],
  },
  async open(database, mode, log) {
    const logger = { logQuery: (sql: string) => log('statement', sql), logQueryError: () => undefined }
    const db = await openDataSource(database, entitiesOf(mode, log, database.kind === 'sqlite'), {
      synchronize: false,
      logger: logger as unknown as Logger,
      logging: ['query'],
    })
    db.subscribers.push(subscriberOf(log))
    // An application's own keys, set by an event before all others.
    const listener = {
      isAllowed: (row: ObjectLiteral) => row['id'] === undefined,
      execute: (row: ObjectLiteral) => Object.assign(row, { id: mode.plainKey() }) && undefined,
    }
    for (const { beforeInsertListeners, tableType, tableName, primaryColumns } of mode.ids
      ? []
      : db.entityMetadatas) {
      if (tableType !== 'regular') continue
      beforeInsertListeners.unshift(listener as never)
      // Ours are returned by inserts, as keys that TypeORM generates itself, and where nothing is returned, rows that may
      // refer to each other are inserted one by one.
      const isReturned = db.driver.isReturningSqlSupported('insert') || tableName === 'people'
      if (isReturned)
        Object.assign(primaryColumns[0] ?? {}, { isGenerated: true, generationStrategy: 'uuid' })
    }
    const metadata = (entity: string) => db.getMetadata(entity)
    return {
      db,
      m: db.manager,
      from: (entity, alias) => db.manager.createQueryBuilder(entity, alias),
      bound: (entity, id) => (mode.ids ? parameter(metadata(entity), 'id', id) : id),
      read: (entity, value) => (mode.ids ? fromDatabase(metadata(entity), 'id', value) : value),
      isMysql: database.kind === 'mysql',
    }
  },
  close: ({ db }) => db.destroy(),
  writes,
  reads,
}

export default adapter
