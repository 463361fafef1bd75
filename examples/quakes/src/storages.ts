import { IdError, type IdFamily, type IdStorage, storageFor } from '@snoflax/core'
import type { Engine } from './engine.js'

export interface Storages {
  readonly allowed: readonly IdStorage<string>[]
  /** What was said of each of the others. */
  readonly refused: readonly string[]
}

/** Asks for every storage that the family has, and keeps those that the database can hold. */
export function storagesOf(family: IdFamily, { database, exactBigint }: Engine): Storages {
  const allowed: IdStorage<string>[] = []
  const refused: string[] = []
  for (const storage of family.storages) {
    try {
      allowed.push(storageFor(family, database, { storage, exactBigint }))
    } catch (error) {
      if (!(error instanceof IdError && error.code === 'STORAGE_REFUSED')) throw error
      refused.push(error.message)
    }
  }
  return { allowed, refused }
}
