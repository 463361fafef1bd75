import { CastExpr, type ProjectionExpr } from '@prisma/orm-family-sql/relational-core/ast'
import { type CodecInstanceContext, dataType } from '@prisma/orm-framework/components/codec'
import {
  definePostgresCodecs,
  PostgresCodecDescriptor,
} from '@prisma/orm-target-postgres/target/codec-descriptor'
import { snakeCase } from '@snoflax/core/adapter'
import { IdCodec, paramsSchema, renderedType, TimeCodec } from '../codec.js'
import { columnsIn, ID_TRAITS, type IdColumn, type IdParams } from '../columns.js'

/** A uuid7 has no domain of text in @snoflax/pg-sql. */
export const columns = columnsIn((family, storage) => !(family.name === 'uuid7' && storage === 'text'))

const TYPES: Readonly<Record<string, string>> = { uuid: 'uuid', text: 'text', bigint: 'int8' }

/** The type as Prisma names it. */
export const typeOf = ({ storage }: Pick<IdColumn, 'storage'>): string => TYPES[storage] as string

/** Text columns have the domain of @snoflax/pg-sql, whose collation keeps the order of ids. */
export const domainOf = ({ family, storage }: IdColumn): string | undefined =>
  storage === 'text' ? `snoflax.${snakeCase(family.name)}_text` : undefined

const idType = dataType('snoflax/id', {})
const timeType = dataType('snoflax/time', {})
export const dataTypes = [idType, timeType]
export const types = '@snoflax/extension-prisma/types'

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

export const codecs = definePostgresCodecs(
  columns.flatMap((column) => [new IdDescriptor(column), new TimeDescriptor(column)]),
)
