import { type ColumnType, IdError, type IdFamily, type StorageName, storageFor } from '@snoflax/core'

/** The stored form of an id in a PostgreSQL column, and its SQL literal. */
export interface StoredForm {
  readonly storage: StorageName
  readonly column: ColumnType
  /** Undefined if the column can't store the id; `refusal` says why. */
  readonly value: string | undefined
  readonly refusal: string | undefined
}

/** The id in every storage that its family allows. */
export const storedForms = (family: IdFamily, id: string): StoredForm[] =>
  family.storages.map((name) => {
    const storage = storageFor(family, 'postgres', { storage: name })
    try {
      const value = written(storage.toDatabase(id))
      return { storage: name, column: storage.column, value, refusal: undefined }
    } catch (error) {
      if (!(error instanceof IdError)) throw error
      return { storage: name, column: storage.column, value: undefined, refusal: error.message }
    }
  })

/** Bytes as PostgreSQL writes a bytea, numbers in decimal. */
const written = (value: string | Uint8Array | bigint): string =>
  value instanceof Uint8Array ? `\\x${hexOf(value)}` : String(value)

export const hexOf = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
