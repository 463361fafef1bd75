import type { ProjectionExpr } from '@prisma/orm-family-sql/relational-core/ast'
import { CodecImpl, dataType } from '@prisma/orm-framework/components/codec'
import type { JsonValue } from '@prisma/orm-framework/contract/types'
import { SqliteCodecDescriptor, sqliteCodec } from '@prisma/orm-target-sqlite/target/codec-descriptor'
import type { IdFamily } from '@snoflax/core'
import { ID_TYPE, IdDescriptor, TIME_TYPE, TimeDescriptor } from '../codec.js'
import { BOOLEAN_CODEC_ID, columnsOf } from '../columns.js'
import type { Parts } from '../pack.js'

const booleanType = dataType('snoflax/boolean', {})
const jsonProjection = (expression: ProjectionExpr) => expression

/** The type of a selected condition: 0 or 1 in SQLite. */
class BooleanCodec extends CodecImpl<string, readonly ['boolean'], boolean | number, boolean> {
  override async encode(value: boolean): Promise<boolean> {
    return value
  }

  override async decode(stored: boolean | number): Promise<boolean> {
    return Boolean(stored)
  }

  override encodeJson(value: boolean): JsonValue {
    return value
  }

  override decodeJson(stored: JsonValue): boolean {
    return Boolean(stored)
  }
}

/** The codec that the query builder assigns to conditions; Prisma's SQLite package has none. */
class BooleanDescriptor extends SqliteCodecDescriptor {
  override readonly dataType = booleanType.id
  override readonly codecId = BOOLEAN_CODEC_ID
  override readonly traits = ['boolean'] as const
  override readonly targetTypes = ['integer']
  override readonly paramsSchema = undefined

  protected override jsonProjection(expression: ProjectionExpr): ProjectionExpr {
    return expression
  }

  override factory(): () => BooleanCodec {
    return () => new BooleanCodec(this)
  }
}

/** SQLite's column types: text only, since Prisma's driver reads integers as numbers, exact only up to 2^53. */
export function partsOf(own: readonly IdFamily[] = []): Parts<'sqlite'> {
  const columns = columnsOf('sqlite', ['text'], own)
  return {
    targetId: 'sqlite',
    columns,
    codecs: [
      ...columns.flatMap((column) => [
        sqliteCodec(new IdDescriptor(column, 'sqlite', 'text'), { dataType: ID_TYPE.id, jsonProjection }),
        sqliteCodec(new TimeDescriptor(column, 'sqlite', 'text'), { dataType: TIME_TYPE.id, jsonProjection }),
      ]),
      new BooleanDescriptor(),
    ],
    dataTypes: [ID_TYPE, TIME_TYPE, booleanType],
    types: '@snoflax/prisma-8/sqlite/types',
    typeOf: () => 'text',
  }
}
