import 'reflect-metadata'
import { type ContractAdapter, converts, type Paths, type Variant, variantsOf } from '@snoflax/test/contract'
import { asText, columnOf, parameter } from '@snoflax/typeorm'
import { openDataSource } from '../open-data-source.js'
import { entitiesFor, Session } from './entities.js'
import * as reads from './reads.js'
import { unawaited } from './unawaited.js'
import * as writes from './writes.js'

/** Paths whose ids are in conditions, which nothing checks on columns of text. */
const conditions = <Arguments extends readonly unknown[], Result>(paths: Paths<Session, Arguments, Result>) =>
  Object.fromEntries(
    Object.entries(paths).map(([name, path]) => [
      name,
      {
        ...path,
        unchecked: (variant: Variant) =>
          converts(variant)
            ? path.unchecked?.(variant)
            : 'TypeORM has no hook for conditions on plain columns',
      },
    ]),
  )

const adapter: ContractAdapter<Session> = {
  orm: 'TypeORM',
  variants: { sqlite: variantsOf('sqlite'), postgres: variantsOf('postgres'), mysql: variantsOf('mysql') },
  junction: { table: 'order_tags', order: 'order_id', tag: 'tag_id' },
  raw: {
    run: ({ dataSource, variant }, strings, values) => {
      const placeholder = (at: number) => (variant.database === 'postgres' ? `$${at + 1}` : '?')
      const sql = strings.map((text, at) => (at < values.length ? `${text}${placeholder(at)}` : text))
      return dataSource.query(sql.join(''), [...values])
    },
    parameter: ({ dataSource }, _, id) => parameter(columnOf(dataSource, 'Customer', 'id'), id),
    asText: (_, value) => asText(value),
  },
  open: async (database, variant) =>
    new Session(await openDataSource(database, Object.values(entitiesFor(variant))), variant),
  close: ({ dataSource }) => dataSource.destroy(),
  ...writes,
  updates: conditions(writes.updates),
  deletes: conditions(writes.deletes),
  unlinks: conditions(writes.unlinks),
  unawaited,
  byId: conditions(reads.byId),
  byIds: conditions(reads.byIds),
  byRange: conditions(reads.byRange),
  createdBetween: reads.between,
  byTrace: conditions(reads.byTrace),
  byOrder: conditions(reads.byOrder),
  graph: conditions(reads.graph),
  page: conditions(reads.page),
  ends: reads.ends,
  counts: reads.counts,
}

export default adapter
