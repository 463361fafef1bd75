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

/** Gives the column the type of the storage, and its values the form. */
export function retype(schema: string, idColumn: IdColumn, storage: StorageName): string {
  const { column, family } = idColumn
  const name = sqlName(family)
  const change = `ALTER COLUMN ${column.quotedName} TYPE ${TYPES[storage]} USING ${converted(schema, idColumn, storage)}`
  const changes = [
    ...(column.defaultSql === undefined ? [] : [`ALTER COLUMN ${column.quotedName} DROP DEFAULT`]),
    change,
    ...(column.defaultSql?.includes(`${name}_generate`)
      ? [`ALTER COLUMN ${column.quotedName} SET DEFAULT ${schema}.${name}_generate${suffixOf(storage)}()`]
      : []),
  ]
  return `ALTER TABLE ${column.quotedTable} ${changes.join(', ')}`
}

/** By the server's own casts where they do: pg-sql may not be there. */
function converted(schema: string, { column, family }: IdColumn, storage: StorageName): string {
  const { quotedName, type } = column
  const isText = /^(?:text|varchar|bpchar)$/.test(type)
  if (storage === 'text' && isText) return `${quotedName}::text`
  // The text of a family without storage text is its number.
  if (storage === 'bigint' && !(isText && family.storages.includes('text'))) return `${quotedName}::bigint`
  const call = (name: string, value: string): string => `${schema}.${sqlName(family)}_${name}(${value})`
  const text = call('encode', `${quotedName}::text`)
  return storage === 'text' ? text : call(storage === 'binary' ? 'decode' : `to_${storage}`, text)
}
