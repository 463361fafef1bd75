import type { ProjectionExpr } from '@prisma/orm-family-sql/relational-core/ast'
import { type CodecInstanceContext, dataType } from '@prisma/orm-framework/components/codec'
import { defineSqliteCodecs, SqliteCodecDescriptor } from '@prisma/orm-target-sqlite/target/codec-descriptor'
import type { IdFamily } from '@snoflax/core'
import { BooleanCodec, IdCodec, paramsSchema, renderedType, TimeCodec } from '../codec.js'
import { BOOLEAN_CODEC_ID, columnsOf, ID_TRAITS, type IdColumn, type IdParams } from '../columns.js'
import type { Parts } from '../pack.js'

const idType = dataType('snoflax/id', {})
const timeType = dataType('snoflax/time', {})
const booleanType = dataType('snoflax/boolean', {})

abstract class ColumnDescriptor extends SqliteCodecDescriptor<IdParams> {
  override readonly targetTypes = ['text']
  override readonly paramsSchema

  constructor(readonly column: IdColumn) {
    super()
    this.paramsSchema = paramsSchema(column)
  }

  protected override jsonProjection(expression: ProjectionExpr): ProjectionExpr {
    return expression
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
    return () => new IdCodec(this, this.column, params, 'sqlite')
  }
}

class TimeDescriptor extends ColumnDescriptor {
  override readonly dataType = timeType.id
  override readonly codecId = this.column.timeCodecId
  // uid sorts by its node within a window of time.
  override readonly traits = this.column.family.exactRange ? (['order'] as const) : ([] as const)

  override factory(params: IdParams): (context: CodecInstanceContext) => TimeCodec {
    return () => new TimeCodec(this, this.column, params, 'sqlite')
  }
}

/** The builder of queries says this of its own conditions; SQLite lacks it. */
class BooleanDescriptor extends SqliteCodecDescriptor {
  override readonly dataType = booleanType.id
  override readonly codecId = BOOLEAN_CODEC_ID
  override readonly traits = ['boolean'] as const
  override readonly targetTypes = ['integer']
  override readonly paramsSchema = undefined

  protected override jsonProjection(expression: ProjectionExpr): ProjectionExpr {
    return expression
  }

  override factory(): (context: CodecInstanceContext) => BooleanCodec {
    return () => new BooleanCodec(this)
  }
}

/** What SQLite has for ids: text alone, since Prisma's driver reads integers as numbers, which end at 2^53. */
export function partsOf(own: readonly IdFamily[] = []): Parts<'sqlite'> {
  const columns = columnsOf('sqlite', ['text'], own)
  return {
    targetId: 'sqlite',
    columns,
    codecs: defineSqliteCodecs([
      ...columns.flatMap((column) => [new IdDescriptor(column), new TimeDescriptor(column)]),
      new BooleanDescriptor(),
    ]),
    dataTypes: [idType, timeType, booleanType],
    types: '@snoflax/extension-prisma/sqlite/types',
    typeOf: () => 'text',
  }
}
