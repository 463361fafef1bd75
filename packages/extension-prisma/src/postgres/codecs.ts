import { CastExpr, type ProjectionExpr } from '@prisma/orm-family-sql/relational-core/ast'
import { type CodecInstanceContext, dataType } from '@prisma/orm-framework/components/codec'
import {
  definePostgresCodecs,
  PostgresCodecDescriptor,
} from '@prisma/orm-target-postgres/target/codec-descriptor'
import type { IdFamily } from '@snoflax/core'
import { DEFAULT_SCHEMA, snakeCase } from '@snoflax/core/adapter'
import { IdCodec, paramsSchema, renderedType, TimeCodec } from '../codec.js'
import { columnsOf, ID_TRAITS, type IdColumn, type IdParams, WITH_TEXT_DOMAIN } from '../columns.js'
import type { Parts } from '../pack.js'

const TYPES: Readonly<Record<string, string>> = { uuid: 'uuid', uuid8: 'uuid', text: 'text', bigint: 'int8' }

/** The type as Prisma names it. */
const typeOf = ({ storage }: Pick<IdColumn, 'storage'>): string => TYPES[storage] as string

/** Text columns have a domain, whose collation keeps the order of ids: that of @snoflax/pg-sql, which checks them, or a bare one. */
const domainOf = ({ family, storage }: IdColumn): { domain?: string } => {
  if (storage !== 'text') return {}
  const name = WITH_TEXT_DOMAIN.includes(family.name) ? `${snakeCase(family.name)}_text` : 'id_text'
  return { domain: `${DEFAULT_SCHEMA}.${name}` }
}

const idType = dataType('snoflax/id', {})
const timeType = dataType('snoflax/time', {})

abstract class ColumnDescriptor extends PostgresCodecDescriptor<IdParams> {
  override readonly paramsSchema
  override readonly targetTypes

  constructor(readonly column: IdColumn) {
    super()
    this.paramsSchema = paramsSchema(column)
    this.targetTypes = [this.nativeType()]
  }

  protected override nativeType(): string {
    return typeOf(this.column)
  }

  /** Numbers of 64 bits would be rounded in JSON. */
  protected override jsonProjection(expression: ProjectionExpr): ProjectionExpr {
    return this.column.storage === 'bigint' ? CastExpr.as(expression, 'text') : expression
  }
}

class IdDescriptor extends ColumnDescriptor {
  override readonly dataType = idType.id
  override readonly codecId = this.column.codecId
  override readonly traits = ID_TRAITS

  constructor(column: IdColumn) {
    super(column)
    // Emitting calls them without the descriptor.
    this.renderOutputType = this.renderOutputType.bind(this)
    this.renderInputType = this.renderInputType.bind(this)
  }

  override renderOutputType(params: IdParams): string | undefined {
    return renderedType(this.column, params)
  }

  override renderInputType(params: IdParams): string | undefined {
    return renderedType(this.column, params)
  }

  override factory(params: IdParams): (context: CodecInstanceContext) => IdCodec {
    return () => new IdCodec(this, this.column, params, 'postgres')
  }
}

class TimeDescriptor extends ColumnDescriptor {
  override readonly dataType = timeType.id
  override readonly codecId = this.column.timeCodecId
  // uid sorts by its node within a window of time.
  override readonly traits = this.column.family.exactRange ? (['order'] as const) : ([] as const)

  override factory(params: IdParams): (context: CodecInstanceContext) => TimeCodec {
    return () => new TimeCodec(this, this.column, params, 'postgres')
  }
}

/** What PostgreSQL has for ids of our families and of the user's. */
export function partsOf(own: readonly IdFamily[] = []): Parts<'postgres'> {
  const columns = columnsOf('postgres', ['uuid', 'text', 'bigint', 'uuid8'], own).map((column) => ({
    ...column,
    fixedParams: { ...domainOf(column), ...column.fixedParams },
  }))
  return {
    targetId: 'postgres',
    columns,
    codecs: definePostgresCodecs(
      columns.flatMap((column) => [new IdDescriptor(column), new TimeDescriptor(column)]),
    ),
    dataTypes: [idType, timeType],
    types: '@snoflax/extension-prisma/types',
    typeOf,
  }
}
