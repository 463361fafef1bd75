import { state } from './prepared.js'

/** The same in all copies of this package. */
const AS_TEXT: unique symbol = Symbol.for('@snoflax/typeorm text') as never

/** A value that is not an id of the column beside it. */
interface AsText {
  readonly [AS_TEXT]: unknown
}

/**
 * Marks a parameter that is not an id, in `query()` and query builders: it is neither converted nor refused. You need it only
 * where a column stores ids in another form than their text, and a text that looks like one stands beside no column.
 *
 * @example
 * await dataSource.query('SELECT * FROM log WHERE lower(message) = $1', [asText('9q7k4h922d78w222')])
 */
export function asText(value: string | readonly string[]): unknown {
  state.hasTexts = true
  return Array.isArray(value) ? value.map((one) => ({ [AS_TEXT]: one as string })) : { [AS_TEXT]: value }
}

export const isAsText = (value: unknown): boolean => {
  const one: unknown = Array.isArray(value) ? value[0] : value
  return typeof one === 'object' && one !== null && AS_TEXT in one
}

/** Parameters for the driver, which knows no marks. */
export function unmarked<Parameters>(parameters: Parameters): Parameters {
  if (!state.hasTexts || typeof parameters !== 'object' || parameters === null) return parameters
  const entries = Object.entries(parameters)
  if (!entries.some(([, value]) => isAsText(value))) return parameters
  const bare = (value: unknown): unknown =>
    Array.isArray(value) ? value.map(bare) : isAsText(value) ? (value as AsText)[AS_TEXT] : value
  const all = Array.isArray(parameters) ? [...parameters] : { ...parameters }
  for (const [name, value] of entries) (all as Record<string, unknown>)[name] = bare(value)
  return all as Parameters
}
