import type { IdFamily } from '@snoflax/core'
import { checkFamily } from '@snoflax/core/adapter'
import { ValidateBy, type ValidationOptions } from 'class-validator'
import { messageOf } from './refusal.js'

/**
 * A class-validator decorator. The constraint `isId` has the message of the IdError.
 *
 * @param options those of class-validator: `each` for an array of ids, a `message` of your own, `groups`.
 *
 * @example
 * `class NewOrder { @IsId(sno) customerId!: SnoId }`
 */
export function IsId(family: IdFamily, options?: ValidationOptions): PropertyDecorator {
  checkFamily(family, 'IsId: family')
  return ValidateBy(
    {
      name: 'isId',
      constraints: [family.name],
      validator: {
        validate: (value) => family.is(value),
        defaultMessage: (args) => messageOf(family, wrongOf(family, args?.value, options)),
      },
    },
    options,
  )
}

/** The value, or the first element of a list that is not an id. */
function wrongOf(family: IdFamily, value: unknown, options: ValidationOptions | undefined): unknown {
  return options?.each && Array.isArray(value) ? value.find((one) => !family.is(one)) : value
}
