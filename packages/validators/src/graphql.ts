import { IdError, type IdFamily } from '@snoflax/core'
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
  const { name = scalarName(family), description = `An id of family ${family.name}, as text.` } =
    checkOptions('idScalar', options, { name: 'any', description: 'any' })
  const refuse = (error: IdError, nodes?: ValueNode): never => {
    throw new GraphQLError(error.message, {
      ...(nodes && { nodes }),
      originalError: error,
      extensions: { code: error.code },
    })
  }
  const check = (value: unknown, nodes?: ValueNode): AnId => {
    const error = refusal(family, value)
    return error === undefined ? (value as AnId) : refuse(error, nodes)
  }
  // The digits of an integer and the name of an enum value could be an id, were they quoted.
  const refuseLiteral = (node: ValueNode): never => {
    const value = print(node)
    const message = `${family.name}: an id must be a string, not the literal ${value}`
    return refuse(new IdError('INVALID_TYPE', message, { family: family.name, value }), node)
  }
  return new GraphQLScalarType({
    name,
    description,
    serialize(value) {
      const error = refusal(family, value)
      // Without a statusCode: a resolver returned this value, no client sent it.
      return error === undefined
        ? (value as AnId)
        : refuse(new IdError(error.code, error.message, { ...error, value, field: 'result' }))
    },
    parseValue: (value) => check(value),
    parseLiteral: (node) => (node.kind === Kind.STRING ? check(node.value, node) : refuseLiteral(node)),
  })
}

const scalarName = ({ name }: IdFamily): string => `${name.charAt(0).toUpperCase()}${name.slice(1)}Id`
