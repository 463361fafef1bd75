import { IdError } from '@snoflax/core'
import type { EntityMetadata, FindOperator, ObjectLiteral } from 'typeorm'
import type { RelationMetadata } from 'typeorm/metadata/RelationMetadata.js'
import { InstanceChecker } from 'typeorm/util/InstanceChecker.js'
import {
  around,
  type Belonging,
  convertingFor,
  dataSourceOf,
  type PreparedColumn,
  preparedOf,
  prototypeOf,
} from '../columns/prepared.js'

/** A name in a query's FROM. */
interface Alias {
  readonly name: string
  readonly hasMetadata: boolean
  readonly metadata: EntityMetadata
}

/** The part of TypeORM's query builders that we use. */
interface Builder extends Belonging {
  readonly expressionMap: {
    readonly aliases: readonly Alias[]
    readonly mainAlias?: Alias
    readonly aliasNamePrefixingEnabled: boolean
  }
  /** Relations that conditions name, which it joins later. */
  readonly joins?: readonly { readonly alias: string; readonly relationMetadata: RelationMetadata }[]
}

/**
 * Converts the values of find options and of `where({ … })`, in the prototype of TypeORM's query builders. TypeORM calls a
 * transformer for some of them only, and overwrites the value in your operator.
 */
export function convertConditions(prototype: object): void {
  around<Builder, [string, unknown], unknown>(
    prototype,
    'getWherePredicateCondition',
    (builder, conditionOf, path, value) => {
      const column = preparedOf(dataSourceOf(builder)).converts ? columnAt(builder, path) : undefined
      return conditionOf(path, column ? stored(value, column) : value)
    },
  )
}

function columnAt(
  { expressionMap: { aliases, mainAlias, aliasNamePrefixingEnabled }, joins = [] }: Builder,
  path: string,
): PreparedColumn | undefined {
  // The alias of a relation in an embedded entity contains dots.
  const isOf = (name: string) => path.startsWith(`${name}.`)
  const known = [...aliases, ...(mainAlias ? [mainAlias] : [])].filter(({ hasMetadata }) => hasMetadata)
  const named = [
    ...known.map(({ name, metadata }) => ({ name, metadata })),
    ...joins.map(({ alias, relationMetadata }) => ({
      name: alias,
      metadata: relationMetadata.inverseEntityMetadata,
    })),
  ].filter(({ name }) => isOf(name))
  const owner = named.sort((a, b) => b.name.length - a.name.length)[0]
  const columns = aliasNamePrefixingEnabled
    ? owner?.metadata.findColumnsWithPropertyPath(path.slice(owner.name.length + 1))
    : mainAlias?.hasMetadata
      ? mainAlias.metadata.findColumnsWithPropertyPath(path)
      : undefined
  const [first, ...others] = columns?.map(convertingFor) ?? []
  const isSame = (one: PreparedColumn | undefined) =>
    one?.storage.name === first?.storage.name && one?.storage.family === first?.storage.family
  if (others.every(isSame)) return first
  throw new IdError(
    'INVALID_OPTION',
    `${path}: the columns of this relation store their ids in different ways, and one operator can't compare them all; ` +
      "write a condition for each column of the relation's primary key",
    { path },
  )
}

/** Operators of operators, whose values come one by one, and those without a value. `Raw` is SQL. */
const PASSING = ['and', 'or', 'raw', 'isNull']

/** A value or a copy of an operator with ids in their stored form. */
function stored(value: unknown, column: PreparedColumn): unknown {
  if (!InstanceChecker.isFindOperator(value)) return column.to(value)
  const operator = value as FindOperator<unknown>
  if (PASSING.includes(operator.type) || operator.child) return value
  return Object.assign(Object.create(prototypeOf(operator)) as ObjectLiteral, operator, {
    _value: column.to(operator.value),
  })
}
