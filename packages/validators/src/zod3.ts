import type { IdFamily } from '@snoflax/core'
import { checkFamily } from '@snoflax/core/adapter'
import { z } from 'zod/v3'
import { messageOf, refusal } from './refusal.js'

/**
 * A zod 3 schema: text in, branded ids out. Issues have the message of the IdError, and its code in `params.code`; for
 * a value that is not a string, zod's `invalid_type`.
 *
 * @example
 * const input = z.object({ orderId: idSchema(flax) })
 */
export function idSchema<AnId extends string>(family: IdFamily<AnId>): z.ZodType<AnId, z.ZodTypeDef, string> {
  checkFamily(family, 'idSchema: family')
  return z
    .string({ errorMap: (_, { data }) => ({ message: messageOf(family, data) }) })
    .superRefine((value, context) => {
      const error = refusal(family, value)
      if (error) context.addIssue({ code: 'custom', message: error.message, params: { code: error.code } })
    }) as unknown as z.ZodType<AnId, z.ZodTypeDef, string>
}
