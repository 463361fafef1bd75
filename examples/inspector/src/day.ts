import { IdError, type IdFamily } from '@snoflax/core'
import { dayOf } from './moments.js'
import { type StoredForm, storedForms } from './stored-forms.js'

/** The ids of one day in UTC: from the lower bound, and below the upper one, in every storage. */
export interface Day {
  readonly date: string
  readonly bounds: readonly { readonly gte: StoredForm; readonly lt: StoredForm }[]
  /** Why there are no bounds: the family's time ends within that day. */
  readonly refusal: string | undefined
}

export function dayBounds(family: IdFamily, id: string): Day {
  const { from, to } = dayOf(family.timeMs(id))
  const date = new Date(from).toISOString().replace(/T.*/, '')
  try {
    const { gte, lt } = family.range(from, to)
    return { date, bounds: paired(storedForms(family, gte), storedForms(family, lt)), refusal: undefined }
  } catch (error) {
    if (!(error instanceof IdError)) throw error
    return { date, bounds: [], refusal: error.message }
  }
}

const paired = (lower: readonly StoredForm[], upper: readonly StoredForm[]) =>
  lower.map((gte, i) => ({ gte, lt: upper[i] as StoredForm }))
