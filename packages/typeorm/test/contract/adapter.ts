import 'reflect-metadata'
import { type ContractAdapter, converts, variantsOf } from '@snoflax/test/contract'
import { openDataSource } from '../open-data-source.js'
import { entitiesFor, Session } from './entities.js'
import * as reads from './reads.js'
import { unawaited } from './unawaited.js'
import * as writes from './writes.js'

const adapter: ContractAdapter<Session> = {
  orm: 'TypeORM',
  mismatch: (variant) => (converts(variant) ? 'error' : 'notFound'),
  variants: { sqlite: variantsOf('sqlite'), postgres: variantsOf('postgres'), mysql: variantsOf('mysql') },
  junction: { table: 'order_tags', order: 'order_id', tag: 'tag_id' },
  raw: {
    run: ({ dataSource, variant }, strings, values) => {
      const placeholder = (at: number) => (variant.database === 'postgres' ? `$${at + 1}` : '?')
      const sql = strings.map((text, at) => (at < values.length ? `${text}${placeholder(at)}` : text))
      return dataSource.query(sql.join(''), [...values])
    },
  },
  open: async (database, variant) =>
    new Session(await openDataSource(database, Object.values(entitiesFor(variant))), variant),
  close: ({ dataSource }) => dataSource.destroy(),
  ...writes,
  unawaited,
  byId: reads.byId,
  byIds: reads.byIds,
  byRange: reads.byRange,
  createdBetween: reads.between,
  byTrace: reads.byTrace,
  byOrder: reads.byOrder,
  graph: reads.graph,
  page: reads.page,
  ends: reads.ends,
  counts: reads.counts,
}

export default adapter
