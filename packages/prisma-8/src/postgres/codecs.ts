import { CastExpr, type ProjectionExpr } from '@prisma/orm-family-sql/relational-core/ast'
import { postgresCodec } from '@prisma/orm-target-postgres/target/codec-descriptor'
import type { IdFamily } from '@snoflax/core'
import { DEFAULT_SCHEMA } from '@snoflax/core/adapter'
import { ID_TYPE, IdDescriptor, TIME_TYPE, TimeDescriptor } from '../codec.js'
import { columnsOf, type IdColumn } from '../columns.js'
import type { Parts } from '../pack.js'

const TYPES: Readonly<Record<string, string>> = { uuid: 'uuid', uuid8: 'uuid', text: 'text', bigint: 'int8' }

/** Prisma's name of the type. */
const typeOf = ({ storage }: Pick<IdColumn, 'storage'>): string => TYPES[storage] as string

/** Text columns have a domain whose collation is C, since a contract can't name a collation. */
const domainOf = ({ storage }: IdColumn): { domain?: string } =>
  storage === 'text' ? { domain: `${DEFAULT_SCHEMA}.id_text` } : {}

/** The codecs of one column type. */
function codecsOf(column: IdColumn) {
  const type = typeOf(column)
  const options = {
    nativeType: () => type,
    // JSON would round 64-bit numbers.
    jsonProjection: (expression: ProjectionExpr) =>
      column.storage === 'bigint' ? CastExpr.as(expression, 'text') : expression,
  }
  return [
    postgresCodec(new IdDescriptor(column, 'postgres', type), { ...options, dataType: ID_TYPE.id }),
    postgresCodec(new TimeDescriptor(column, 'postgres', type), { ...options, dataType: TIME_TYPE.id }),
  ]
}

/** PostgreSQL's column types for our families and your own. */
export function partsOf(own: readonly IdFamily[] = []): Parts<'postgres'> {
  const columns = columnsOf('postgres', ['uuid', 'text', 'bigint', 'uuid8'], own).map((column) => ({
    ...column,
    fixedParams: { ...domainOf(column), ...column.fixedParams },
  }))
  return {
    targetId: 'postgres',
    columns,
    codecs: columns.flatMap(codecsOf),
    dataTypes: [ID_TYPE, TIME_TYPE],
    types: '@snoflax/prisma-8/types',
    typeOf,
  }
}
