import type { SqlOperationDescriptors } from '@prisma/orm-family-sql/operations'
import { AndExpr, BinaryExpr } from '@prisma/orm-family-sql/relational-core/ast'
import { codecOf, type Expression, toExpr } from '@prisma/orm-family-sql/relational-core/expression'
import { IdError, type Time } from '@snoflax/core'
import { withPath } from '@snoflax/core/adapter'
import { BOOLEAN_CODEC_ID, familyOf, ID_TRAITS, type IdColumn, type IdParams } from './columns.js'

type AnyExpression = Expression<{
  codecId: string
  nullable: boolean
  codec?: { codecId: string; typeParams?: never }
}>

/** The column's name for errors, such as `orders.id`. */
function placeOf(self: AnyExpression): string {
  const ast = self.buildAst()
  return ast.kind === 'column-ref' ? `${ast.table}.${ast.column}` : 'id'
}

/**
 * The operations of id columns: ranges of time, as ranges of the key, and the time of an id. All column types share the
 * operations' names, so each operation finds its column by the expression's codec.
 */
export function operations(columns: readonly IdColumn[]): SqlOperationDescriptors {
  const byCodec = new Map(columns.map((column) => [column.codecId, column]))

  function columnOf(self: AnyExpression) {
    const ref = codecOf(self)
    const column = byCodec.get(ref?.codecId ?? '')
    if (column === undefined) {
      const what = ref?.codecId ?? 'a value'
      throw new IdError('INVALID_OPTION', `${what} is not an id column; pass a column with a snoflax type`, {
        value: ref?.codecId,
      })
    }
    return { column, family: familyOf(column, ref?.typeParams as IdParams | undefined), ref }
  }

  function between(self: AnyExpression, from: Time, to: Time) {
    const { family, ref } = columnOf(self)
    const { gte, lt } = withPath(
      () => placeOf(self),
      () => family.range(from, to),
    )
    const left = self.buildAst()
    const least = BinaryExpr.gte(left, toExpr(gte, ref))
    return {
      returnType: { codecId: BOOLEAN_CODEC_ID, nullable: false },
      buildAst: () => (lt === undefined ? least : AndExpr.of([least, BinaryExpr.lt(left, toExpr(lt, ref))])),
    }
  }

  const ofIds = { traits: ID_TRAITS }
  return {
    createdBetween: { self: ofIds, impl: between },
    createdAfter: {
      self: ofIds,
      impl: (self: AnyExpression, time: Time) => between(self, time, Number.POSITIVE_INFINITY),
    },
    createdBefore: {
      self: ofIds,
      impl: (self: AnyExpression, time: Time) => between(self, Number.NEGATIVE_INFINITY, time),
    },
    createdAt: {
      self: ofIds,
      impl(self: AnyExpression) {
        const { column, ref } = columnOf(self)
        const codec = { ...ref, codecId: column.timeCodecId }
        return {
          returnType: { codecId: column.timeCodecId, nullable: self.returnType.nullable, codec },
          buildAst: () => self.buildAst(),
        }
      },
    },
  }
}
