import type { StorageName } from '@snoflax/core'
import { sqlName } from '../../ids/families.js'
import { suffixOf } from '../checks/new-id.js'
import type { IdColumn } from '../columns/column.js'

const TYPES: Readonly<Record<StorageName, string>> = {
  uuid: 'uuid',
  uuid8: 'uuid',
  text: 'text COLLATE "C"',
  binary: 'bytea',
  bigint: 'bigint',
}

/** Gives the column the type of the storage, and its values the form, by pg-sql's functions. */
export function retype(schema: string, { column, family }: IdColumn, storage: StorageName): string {
  const name = sqlName(family)
  const text = `${schema}.${name}_encode(${column.quotedName}::text)`
  const using =
    storage === 'text'
      ? text
      : `${schema}.${name}_${storage === 'binary' ? 'decode' : `to_${storage}`}(${text})`
  const change = `ALTER COLUMN ${column.quotedName} TYPE ${TYPES[storage]} USING ${using}`
  const changes = [
    ...(column.defaultSql === undefined ? [] : [`ALTER COLUMN ${column.quotedName} DROP DEFAULT`]),
    change,
    ...(column.defaultSql?.includes(`${name}_generate`)
      ? [`ALTER COLUMN ${column.quotedName} SET DEFAULT ${schema}.${name}_generate${suffixOf(storage)}()`]
      : []),
  ]
  return `ALTER TABLE ${column.quotedTable} ${changes.join(', ')}`
}
