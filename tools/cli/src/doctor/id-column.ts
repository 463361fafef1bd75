import type { IdFamily, IdStorage } from '@snoflax/core'
import type { Column } from '../live/database.js'

export type Evidence = 'option' | 'declared' | 'default' | 'reference' | 'values'

export interface IdColumn {
  readonly column: Column
  readonly family: IdFamily
  /** The same family with the other keys that the column accepts, if it accepts any. */
  readonly accepting?: IdFamily | undefined
  /** Undefined if its type fits none of the family's storages. */
  readonly storage: IdStorage<string> | undefined
  readonly evidence: Evidence
  /** Whether an ORM declares it as the primary key. */
  readonly isPrimary?: boolean | undefined
}

export type StoredIds = IdColumn & { readonly storage: IdStorage<string> }
