import { converts, type NewCustomer, type Variant } from '@snoflax/test/contract'

/** The values that an insert is given: a key is there only where the row has one. */
export const valuesOf = ({ id, email, name, traceId, referrerId }: NewCustomer) => ({
  ...(id !== undefined && { id }),
  email,
  name,
  ...(traceId !== undefined && { traceId }),
  ...(referrerId !== undefined && { referrerId }),
})

/** In text columns, raw SQL is the user's. */
export const rawSql = (variant: Variant): string | undefined =>
  converts(variant) ? undefined : 'raw SQL of text columns is passed as it is'
