import { type Database, isPlausible, type StorageName } from '@snoflax/core'
import type { AnyFamily } from '../../ids/families.js'
import type { LiveDatabase } from '../live-database.js'
import type { Column, IdColumn } from './column.js'
import { sampleOf } from './sample.js'
import { storagesOf } from './storages.js'
import { exactStorage, readStored } from './stored-value.js'

/** Other values look like ids now and then; a uuid hardly ever. */
const ENOUGH: Readonly<Record<StorageName, number>> = { uuid: 1, uuid8: 1, text: 8, binary: 8, bigint: 8 }
const SHARE = 0.8

/** A column of which a sample reads as ids of one family, made between 2010 and now. */
export async function byValues(
  database: LiveDatabase,
  column: Column,
  families: readonly AnyFamily[],
): Promise<IdColumn | undefined> {
  const suited = fits(database.kind, column, families)
  if (suited.length === 0) return undefined
  const values = await sampleOf(database, column)
  const fit = suited.find((one) => isFit(one, values))
  return (
    fit && { column, family: fit.family, storage: fit.isProper ? fit.storage : undefined, evidence: 'values' }
  )
}

/** What a column could hold. */
interface Fit {
  readonly kind: Database
  readonly family: AnyFamily
  readonly storage: StorageName
  /** False for numbers in a column of another type. */
  readonly isProper: boolean
}

function fits(kind: Database, column: Column, families: readonly AnyFamily[]): Fit[] {
  const having = (storage: StorageName): AnyFamily[] =>
    families.filter((family) => family.storages.includes(storage))
  const proper = storagesOf(kind, column).map((storage) =>
    having(storage).map((family): Fit => ({ kind, family, storage, isProper: true })),
  )
  if (!mayHoldDigits(column)) return proper.flat()
  const numbers = having('bigint').map(
    (family): Fit => ({ kind, family, storage: 'bigint', isProper: false }),
  )
  return [...proper.flat(), ...numbers]
}

/** Elsewhere digits are numbers of cards, of telephones, of accounts. */
const mayHoldDigits = ({ type, name, isKey }: Column): boolean =>
  /char|text|numeric|decimal/.test(type) && (isKey || /(?:^|_)id$|[a-z]Id$/.test(name))

function isFit(fit: Fit, values: readonly unknown[]): boolean {
  const likely = values.filter((value) => isLikely(fit, value))
  const isEnough = likely.length >= ENOUGH[fit.storage] && likely.length >= SHARE * values.length
  return isEnough && (fit.storage !== 'text' || mixesCases(fit.family, likely.join('')))
}

const DIGITS = /^\d{15,20}$/

function isLikely({ kind, family, storage, isProper }: Fit, value: unknown): boolean {
  if (!isProper && !(typeof value === 'string' && DIGITS.test(value))) return false
  const read = readStored(exactStorage(family, kind, storage), isProper ? value : BigInt(value as string))
  return read.is === 'id' && isPlausible(family, read.id)
}

/** Texts of digits or of one case alone are codes of another kind, where the family's alphabet has both cases. */
function mixesCases(family: AnyFamily, text: string): boolean {
  const hasBoth = /[a-z]/.test(text) && /[A-Z]/.test(text)
  return hasBoth || !family.pattern.test(family.max.toUpperCase())
}
