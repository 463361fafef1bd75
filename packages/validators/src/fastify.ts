import type { Families, IdsSchema } from './index.js'

/**
 * Fastify's `validatorCompiler` for routes whose schemas are `ids(…)`. Fastify answers 400 with the message and the code of
 * the IdError.
 *
 * @example
 * const schema = { params: ids({ orderId: flax }) }
 * app.get('/orders/:orderId', { schema, validatorCompiler }, (request) => request.params)
 */
export const validatorCompiler =
  ({ schema }: { readonly schema: unknown }) =>
  (value: unknown): { readonly value: unknown } | { readonly error: Error } => {
    try {
      return { value: (schema as IdsSchema<Families>).parse(value) }
    } catch (error) {
      return { error: error as Error }
    }
  }
