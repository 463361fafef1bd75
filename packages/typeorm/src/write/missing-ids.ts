import { IdError } from '@snoflax/core'
import type { ObjectLiteral } from 'typeorm'
import { idColumnsIn, type PreparedColumn } from '../prepare/prepared-column.js'
import { type InsertBuilder, type InsertMap, metadataOf, valuesOf } from './insert-builder.js'
import { makeIds } from './make-ids.js'

/** Which columns of an entity got an id from us and were not given one. */
const made = new WeakMap<object, readonly PreparedColumn[]>()

/** The columns of an entity whose ids were not given but made. */
export const madeColumns = (entity: object): readonly PreparedColumn[] => made.get(entity) ?? []

/** For a row that is not there after all. */
export function takeBack(entity: ObjectLiteral): void {
  for (const { metadata } of madeColumns(entity)) metadata.setEntityValue(entity, undefined)
}

/** Makes the ids that an insert's rows lack. @throws {IdError} where nothing can make them. */
export function makeMissingIds({ expressionMap }: InsertBuilder): void {
  const metadata = metadataOf(expressionMap)
  const columns = metadata ? idColumnsIn(metadata).filter(({ source }) => source !== undefined) : []
  if (columns.length === 0) return
  if (expressionMap.insertFromSelect) refuseMissing(columns, expressionMap)
  if (expressionMap.valuesSet === undefined) return
  addColumns(columns, expressionMap)
  expressionMap.valuesSet = valuesOf(expressionMap).map((values) => {
    const entity = Object.isExtensible(values) ? values : { ...values }
    const fresh = makeIds(columns, entity)
    if (fresh.length > 0) made.set(entity, fresh)
    return entity
  })
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
