import { IdError, type IdFamily, type IdStorage, storageFor } from '@snoflax/core'
import type { Engine } from './engine.js'

export interface Storages {
  readonly allowed: readonly IdStorage<string>[]
  /** The error for each of the others. */
  readonly refused: readonly string[]
}

/** Tries every storage of the family, and keeps those that the database has. */
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
