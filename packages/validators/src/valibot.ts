import type { IdFamily } from '@snoflax/core'
import { checkFamily } from '@snoflax/core/adapter'
import { check, type GenericSchema, pipe, string } from 'valibot'
import { messageOf } from './refusal.js'

/**
 * A valibot schema: text in, branded ids out. Issues have the message of the IdError.
 *
 * @example
 * const input = v.object({ orderId: idSchema(flax) })
 */
export function idSchema<AnId extends string>(family: IdFamily<AnId>): GenericSchema<string, AnId> {
  checkFamily(family, 'idSchema: family')
  return pipe(
    string(({ input }) => messageOf(family, input)),
    check(
      (value: string) => family.is(value),
      ({ input }) => messageOf(family, input),
    ),
  ) as unknown as GenericSchema<string, AnId>
}
