import type { IdFamily } from '@snoflax/core'
import { checkFamily, checkOptions } from '@snoflax/core/adapter'
import { GraphQLError, GraphQLScalarType, Kind, print, type ValueNode } from 'graphql'
import { refusal } from './refusal.js'

/** Options of {@link idScalar}. */
export interface ScalarOptions {
  /** Its name in the schema. Default: the family's name, capitalized, and `Id`, such as `FlaxId`. */
  readonly name?: string
  /** Its description in the schema. */
  readonly description?: string
}

/**
 * A GraphQL scalar of ids, for variables, literals and results. Errors have the message of the IdError, and its code as
 * `extensions.code`.
 *
 * @example
 * const FlaxId = idScalar(flax)
 * const query = new GraphQLObjectType({ name: 'Query', fields: { orderId: { type: FlaxId } } })
 */
export function idScalar<AnId extends string>(
  family: IdFamily<AnId>,
  options: ScalarOptions = {},
): GraphQLScalarType<AnId, AnId> {
  checkFamily(family, 'idScalar: family')
  checkOptions('idScalar', options, { name: 'any', description: 'any' })
  const { name = scalarName(family), description = `An id of family ${family.name}, as text.` } = options
  const check = (value: unknown, nodes?: ValueNode): AnId => {
    const error = refusal(family, value)
    if (error === undefined) return value as AnId
    throw new GraphQLError(error.message, {
      ...(nodes && { nodes }),
      originalError: error,
      extensions: { code: error.code },
    })
  }
  return new GraphQLScalarType({
    name,
    description,
    serialize: (value) => check(value),
    parseValue: (value) => check(value),
    parseLiteral: (node) => check(node.kind === Kind.STRING ? node.value : print(node), node),
  })
}

const scalarName = ({ name }: IdFamily): string => `${name.charAt(0).toUpperCase()}${name.slice(1)}Id`
