import type { IdFamily } from '@snoflax/core'
import { checkFamily } from '@snoflax/core/adapter'
import { z } from 'zod/v4'
import { keywordsOf, messageOf, refusal } from './refusal.js'

/**
 * A zod 4 schema: text in, branded ids out. Issues have the message of the IdError, and its code in `params.code`; for
 * a value that is not a string, zod's `invalid_type`. `z.toJSONSchema` writes pattern and lengths. In
 * `z.templateLiteral`, which runs no checks, the family's pattern decides.
 *
 * @example
 * const input = z.object({ orderId: idSchema(flax) })
 */
export function idSchema<AnId extends string>(family: IdFamily<AnId>): z.ZodType<AnId, string> {
  checkFamily(family, 'idSchema: family')
  const { pattern } = family
  // z.templateLiteral runs no checks: it reads the check's pattern, in older versions that of the bag.
  const check = new z.core.$ZodCheck({
    check: 'custom',
    pattern,
  } as z.core.$ZodCheckDef) as z.core.$ZodCheck<string>
  check._zod.check = ({ value, issues }) => {
    const error = refusal(family, value)
    if (error)
      issues.push({ code: 'custom', message: error.message, params: { code: error.code }, input: value })
  }
  check._zod.onattach.push(({ _zod: { bag } }) => {
    bag['patterns'] = new Set([pattern])
  })
  return z
    .string({ error: ({ input }) => messageOf(family, input) })
    .check(check)
    .meta({ ...keywordsOf(family) }) as unknown as z.ZodType<AnId, string>
}
