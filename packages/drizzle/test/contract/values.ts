import type { NewCustomer } from '@snoflax/test/contract'

/** The values that an insert is given: a key is there only where the row has one. */
export const valuesOf = ({ id, email, name, traceId, referrerId }: NewCustomer) => ({
  ...(id !== undefined && { id }),
  email,
  name,
  ...(traceId !== undefined && { traceId }),
  ...(referrerId !== undefined && { referrerId }),
})
