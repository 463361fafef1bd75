import { type Database, IdError, type IdStorage, storageFor } from '@snoflax/core'
import type { Column } from 'drizzle-orm'
import { ColumnIds, findIds, placeOf } from './column-ids.js'
import type { ColumnRequest } from './options.js'

/** The target of a `.references(…)`. */
export type Target = () => Column

/**
 * The ids of a column that is being built. A reference without a storage of its own takes that of its
 * target, when it is first used.
 *
 * @throws {IdError} `STORAGE_REFUSED`, and `INVALID_OPTION` for a reference to nothing.
 */
export function idsForColumn(
  database: Database,
  request: ColumnRequest,
  column: Column,
  target: Target | undefined,
): ColumnIds {
  const place = placeOf(column)
  const { family, role, options } = request
  if (role === 'reference' && options.storage === undefined) {
    if (target === undefined) throw refuse(place, 'a .ref() needs .references(…), or a storage of its own')
    return new ColumnIds(column, () => storageOfTarget(place, request, column, target))
  }
  const ids = new ColumnIds(column, () => storageFor(family, database, options))
  ids.placed(() => ids.storage)
  return ids
}

/** Columns on the way from a reference to the column that has the storage. */
const following = new Set<Column>()

function storageOfTarget(
  place: string,
  request: ColumnRequest,
  column: Column,
  target: Target,
): IdStorage<string> {
  if (following.has(column)) throw refuse(place, 'its references go in a circle: give one of them a storage')
  following.add(column)
  try {
    return checkTarget(place, request, target())
  } finally {
    following.delete(column)
  }
}

function checkTarget(place: string, { family }: ColumnRequest, target: Column): IdStorage<string> {
  const ids = findIds(target)
  if (!ids) throw refuse(place, `it refers to ${placeOf(target)}, which is no id column; say the storage`)
  const { storage } = ids
  if (storage.family.name === family.name) return storage
  throw refuse(
    place,
    `a reference of ${family.name} to ${ids.place}, which holds ids of ${storage.family.name}`,
  )
}

const refuse = (place: string, why: string): IdError =>
  new IdError('INVALID_OPTION', `${place}: ${why}`, { path: place })
