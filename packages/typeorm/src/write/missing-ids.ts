import { IdError } from '@snoflax/core'
import type { ObjectLiteral } from 'typeorm'
import { idColumnsIn, type PreparedColumn } from '../prepare/prepared-column.js'
import { type InsertBuilder, type InsertMap, metadataOf, valuesOf } from './insert-builder.js'
import { makeIds } from './make-ids.js'

/** The columns of each row whose ids were not given but made, by the list of rows. */
const made = new WeakMap<readonly ObjectLiteral[], (readonly PreparedColumn[])[]>()

/** The columns of an insert's row whose ids were not given but made. */
export const madeColumns = ({ valuesSet }: InsertMap, row: number): readonly PreparedColumn[] =>
  (Array.isArray(valuesSet) && made.get(valuesSet)?.[row]) || []

/** For a row that is not there after all. */
export function takeBack(map: InsertMap, row: number): void {
  const entity = valuesOf(map)[row] as ObjectLiteral
  for (const { metadata } of madeColumns(map, row)) metadata.setEntityValue(entity, undefined)
}

/** Makes the ids that an insert's rows lack. @throws {IdError} where nothing can make them. */
export function makeMissingIds({ expressionMap }: InsertBuilder): void {
  const metadata = metadataOf(expressionMap)
  const columns = metadata ? idColumnsIn(metadata).filter(({ source }) => source !== undefined) : []
  if (columns.length === 0) return
  if (expressionMap.insertFromSelect) refuseMissing(columns, expressionMap)
  if (expressionMap.valuesSet === undefined) return
  addColumns(columns, expressionMap)
  const entities = valuesOf(expressionMap).map((values) =>
    Object.isExtensible(values) ? values : { ...values },
  )
  // A builder whose statement was asked for is asked again when it runs; by then no id is missing.
  const fresh = entities.map((entity, row) => [
    ...makeIds(columns, entity),
    ...madeColumns(expressionMap, row),
  ])
  expressionMap.valuesSet = entities
  made.set(entities, fresh)
}

/** INSERT … SELECT makes its rows where we can't. */
function refuseMissing(columns: readonly PreparedColumn[], { insertColumns }: InsertMap): void {
  const missing = columns.find(
    ({ metadata }) => insertColumns.length > 0 && !insertColumns.includes(metadata.propertyPath),
  )
  if (!missing) return
  const { place, storage } = missing.transformer
  throw new IdError(
    'GENERATOR_REQUIRED',
    `${place}: INSERT … SELECT makes rows inside the database; select ids for this column, or let the database make them (default: 'database')`,
    { family: storage.family.name, path: place },
  )
}

function addColumns(columns: readonly PreparedColumn[], map: InsertMap): void {
  if (map.insertColumns.length === 0) return
  const paths = columns.map(({ metadata }) => metadata.propertyPath)
  map.insertColumns = [...new Set([...map.insertColumns, ...paths])]
}
