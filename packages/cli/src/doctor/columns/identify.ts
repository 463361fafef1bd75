import { UsageError } from '../../exit.js'
import type { AnyFamily } from '../../ids/families.js'
import type { LiveDatabase } from '../live-database.js'
import { byDeclaration, byTold } from './by-declaration.js'
import { byValues } from './by-values.js'
import { type Column, type IdColumn, placeOf } from './column.js'
import type { Told } from './told.js'

/** Finds the columns that hold ids: told, by their default, by their values, or by what they reference. */
export async function identify(
  database: LiveDatabase,
  families: readonly AnyFamily[],
  told: readonly Told[],
): Promise<IdColumn[]> {
  const columns = await database.columns()
  for (const { place } of told) {
    if (!columns.some((column) => placeOf(column) === place))
      throw new UsageError(`there is no column ${place}`)
  }
  const found: IdColumn[] = []
  for (const column of columns) {
    const one = told.find(({ place }) => place === placeOf(column))
    const known =
      (one && (await byTold(database, column, one))) ??
      (await byDeclaration(database, column, families)) ??
      (await byValues(database, column, families))
    if (known) found.push(known)
  }
  return withReferences(columns, found)
}

/** What references a column of ids holds ids of the same family and storage. */
function withReferences(columns: readonly Column[], found: readonly IdColumn[]): IdColumn[] {
  const known = new Map(found.map((one) => [placeOf(one.column), one]))
  let grown = true
  while (grown) {
    grown = false
    for (const column of columns) {
      const target = known.get(column.references ?? '')
      const own = known.get(placeOf(column))
      if (!target || (own && own.evidence !== 'values') || own?.family === target.family) continue
      known.set(placeOf(column), { ...target, column, evidence: 'reference' })
      grown = true
    }
  }
  return columns.flatMap((column) => known.get(placeOf(column)) ?? [])
}
