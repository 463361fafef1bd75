import type { StorageName } from '@snoflax/core'
import { sqlName } from '../../ids/families.js'
import { literal } from '../../ids/forms.js'
import type { IdColumn } from '../columns/column.js'
import { exactStorage } from '../columns/stored-value.js'
import type { Examination } from '../examination.js'

/** The ending of pg-sql's functions that give this storage. */
export const suffixOf = (storage: StorageName): string => (storage === 'binary' ? '' : `_${storage}`)

/**
 * A new id of the moment: from the family's default generator or that of the server, if it has one. Others are for the
 * reader to make.
 */
export function newIdSql(
  { database, schema, installed }: Examination,
  { family, storage }: IdColumn,
): string {
  const name = storage as StorageName
  const id = (family as { generate?: () => string }).generate?.()
  if (id !== undefined)
    return literal(database.kind, exactStorage(family, database.kind, name).toDatabase(id))
  const hasGenerator = installed?.families.some((one) => one === sqlName(family))
  return hasGenerator ? `${schema}.${sqlName(family)}_generate${suffixOf(name)}()` : '<a new id>'
}
