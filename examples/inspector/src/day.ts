import type { IdFamily } from '@snoflax/core'
import { dayOf } from './moments.js'
import { type StoredForm, storedForms } from './stored-forms.js'

/** The ids of one day in UTC: from the lower bound and before the upper one, in every storage. */
export interface Day {
  readonly date: string
  /** Has no upper bound if the family's time ends within that day. */
  readonly bounds: readonly { readonly gte: StoredForm; readonly lt: StoredForm | undefined }[]
}

export function dayBounds(family: IdFamily, id: string): Day {
  const { from, to } = dayOf(family.timeMs(id))
  const { gte, lt } = family.range(from, to)
  const upper = lt === undefined ? [] : storedForms(family, lt)
  return {
    date: new Date(from).toISOString().replace(/T.*/, ''),
    bounds: storedForms(family, gte).map((gte, i) => ({ gte, lt: upper[i] })),
  }
}
