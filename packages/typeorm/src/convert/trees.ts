import { hexOf } from '@snoflax/core/adapter'
import type { EntityMetadata, ObjectLiteral } from 'typeorm'
import type { ColumnMetadata } from 'typeorm/metadata/ColumnMetadata.js'
import { around, convertingFor, convertingIn, storedIn } from '../columns/prepared.js'

/** Closure tables' metadata, with the metadata of their trees. */
const closures = new WeakMap<EntityMetadata, EntityMetadata>()
/** Rows of closure trees that TypeORM has inserted, whose keys it puts into a statement of its own. */
const linked = new WeakSet<object>()

/**
 * TypeORM's trees read keys by their metadata and put them into statements of their own, unconverted. With this metadata they
 * read the stored form.
 */
export function storeKeysOf(metadata: EntityMetadata): void {
  const { treeType, treeParentRelation, primaryColumns } = metadata
  if (!treeType || !primaryColumns.some(convertingFor)) return
  const referencing = (keyOf: typeof storedKey) => (column: ColumnMetadata) =>
    view(column, { referencedColumn: column.referencedColumn && keyOf(column.referencedColumn) })
  const links = metadata.closureJunctionTable as EntityMetadata | undefined
  if (links) {
    closures.set(links, metadata)
    metadata.closureJunctionTable = view(links, {
      ancestorColumns: links.ancestorColumns.map(referencing(storedKey)),
      descendantColumns: links.descendantColumns.map(referencing(storedKey)),
    })
    for (const key of primaryColumns) {
      around<ColumnMetadata, [ObjectLiteral, boolean?], unknown>(
        key,
        'getEntityValue',
        (_, read, entity, transform) => {
          const value = read(entity, transform)
          return linked.has(entity) ? storedIn(key, value) : value
        },
      )
    }
  }
  if (!treeParentRelation || links) return
  const keyOf = treeType === 'materialized-path' ? pathKey : storedKey
  const { joinColumns } = treeParentRelation
  const stored = joinColumns.map((column) => storedKey(referencing(keyOf)(column)))
  // TypeORM maps the columns for its statements, and takes the first one to compare the keys of entities.
  const map: typeof joinColumns.map = (make) => stored.map(make)
  metadata.treeParentRelation = view(treeParentRelation, {
    joinColumns: Object.assign([...joinColumns], { map }),
  })
}

/** Remembers the row of a tree that was inserted. */
export function link(metadata: EntityMetadata, row: object): void {
  if (metadata.treeType === 'closure-table' && convertingIn(metadata).length > 0) linked.add(row)
}

/** The parameters of a statement on a closure table, which TypeORM names by the keys of the tree. */
export function storedLinks(links: EntityMetadata, parameters: ObjectLiteral): ObjectLiteral {
  const keys = closures.get(links)?.primaryColumns ?? []
  const stored = keys.flatMap((key) => {
    const name = `value_${key.databaseName}`
    return name in parameters ? [[name, storedIn(key, parameters[name])]] : []
  })
  return { ...parameters, ...(Object.fromEntries(stored) as ObjectLiteral) }
}

const storedKey = (column: ColumnMetadata): ColumnMetadata =>
  reading(column, (value) => storedIn(column, value))

/**
 * A materialized path contains keys in hex: TypeORM finds descendants by LIKE, for which `_` is any character and, in
 * SQLite and MySQL, upper and lower case are equal.
 */
const pathKey = (column: ColumnMetadata): ColumnMetadata =>
  reading(column, (value) => {
    const family = convertingFor(column)?.storage.family
    if (family === undefined || typeof value !== 'string') return value
    return `x${hexOf(family.decode(value))}`
  })

const reading = (column: ColumnMetadata, as: (value: unknown) => unknown): ColumnMetadata =>
  view(column, { getEntityValue: (entity, transform) => as(column.getEntityValue(entity, transform)) })

/** The object with some properties overridden. */
const view = <One extends object>(one: One, properties: Partial<One>): One =>
  Object.assign(Object.create(one) as One, properties)
