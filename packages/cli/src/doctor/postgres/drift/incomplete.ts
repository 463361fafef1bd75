import { isUndefinedObject } from '../undefined-object.js'
import type { Difference } from './difference.js'

/** Nothing while the table lacks a column or a function is missing, which is a difference of its own. */
export async function unlessIncomplete(look: () => Promise<Difference[]>): Promise<Difference[]> {
  try {
    return await look()
  } catch (error) {
    if (isUndefinedObject(error)) return []
    throw error
  }
}
