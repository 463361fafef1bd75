import type { StorageName } from '@snoflax/core'
import { UsageError } from '../../exit.js'
import { type AnyFamily, type FamilyOptions, familyNamed } from '../../ids/families.js'
import { storageNamed } from '../../ids/forms.js'

/** What the user says of a column. */
export interface Told {
  /** `table.column`, or `schema.table.column`. */
  readonly place: string
  readonly family: AnyFamily
  readonly storage: StorageName | undefined
}

const TOLD = /^([^=]+\.[^=.]+)=([^:]+)(?::(.+))?$/

/** Reads `orders.id=flax` or `orders.id=flax:uuid8`. @throws {UsageError} */
export function parseTold(text: string, options: FamilyOptions): Told {
  const [, place, family, storage] = TOLD.exec(text) ?? []
  if (place === undefined || family === undefined) {
    throw new UsageError(
      `a column is told as table.column=family or table.column=family:storage, not ${text}`,
    )
  }
  return {
    place,
    family: familyNamed(family, options),
    storage: storage === undefined ? undefined : storageNamed(storage),
  }
}
