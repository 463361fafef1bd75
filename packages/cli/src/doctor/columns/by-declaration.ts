import type { StorageName } from '@snoflax/core'
import { type AnyFamily, sqlName } from '../../ids/families.js'
import type { LiveDatabase } from '../live-database.js'
import type { Column, Evidence, IdColumn } from './column.js'
import { sampleOf } from './sample.js'
import { storagesOf } from './storages.js'
import { exactStorage, readStored } from './stored-value.js'
import type { Told } from './told.js'

/** A column that was told. */
export const byTold = (
  database: LiveDatabase,
  column: Column,
  { family, storage }: Told,
): Promise<IdColumn> => withStorage(database, column, family, storage, 'told')

const GENERATED = /\b([a-z_]+)_generate(?:_at)?(?:_(uuid8|uuid|text|bigint))?"?\(/
const DOMAIN = /\b([a-z_]+)_(uuid8|uuid|text|bigint|binary)$/

/** A column whose default makes ids, or whose type is one of pg-sql's domains. */
export async function byDeclaration(
  database: LiveDatabase,
  column: Column,
  families: readonly AnyFamily[],
): Promise<IdColumn | undefined> {
  const declared = GENERATED.exec(column.defaultSql ?? '') ?? DOMAIN.exec(column.declared)
  const family = families.find((one) => sqlName(one) === declared?.[1])
  if (!declared || !family) return undefined
  const storage = (declared[2] ?? 'binary') as StorageName
  // The call may stand inside another one, which makes something else of its value.
  const fits = storagesOf(database.kind, column).includes(storage)
  return withStorage(database, column, family, fits ? storage : undefined, 'default')
}

/** Where the storage is not known: the one that most values have, else the first that the type allows. */
async function withStorage(
  database: LiveDatabase,
  column: Column,
  family: AnyFamily,
  known: StorageName | undefined,
  evidence: Evidence,
): Promise<IdColumn> {
  if (known !== undefined) return { column, family, storage: known, evidence }
  const allowed = storagesOf(database.kind, column).filter((name) => family.storages.includes(name))
  const values = allowed.length > 1 ? await sampleOf(database, column) : []
  const count = (name: StorageName): number => {
    const storage = exactStorage(family, database.kind, name)
    return values.filter((value) => readStored(storage, value).is === 'id').length
  }
  return { column, family, storage: [...allowed].sort((a, b) => count(b) - count(a))[0], evidence }
}
