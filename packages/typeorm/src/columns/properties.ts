import { IdError, type IdFamily } from '@snoflax/core'
import { labelOf, show } from '@snoflax/core/adapter'
import type { EntityMetadata, EntitySchema, ObjectLiteral } from 'typeorm'
import { InstanceChecker } from 'typeorm/util/InstanceChecker.js'
import { definitionOf, type PreliminaryColumn } from './definition.js'
import { idColumnFor, type PreparedColumn, state } from './prepared.js'

/** An entity: its class, its `EntitySchema`, or `dataSource.getMetadata(…)`. */
export type IdEntity<Entity extends ObjectLiteral> =
  | (abstract new (
      ...args: never[]
    ) => Entity)
  | EntitySchema<Entity>
  | EntityMetadata

/** A property of ids: an id column, or a foreign key. */
export interface IdProperty {
  /** Entity and property. */
  readonly path: string
  readonly family: IdFamily
  readonly isNullable: boolean
}

/** @throws {IdError} `INVALID_OPTION`, with the right call. */
export function checkEntity(entity: unknown, property: unknown, usage: string): void {
  if (typeof entity !== 'function' && !isSchema(entity) && !InstanceChecker.isEntityMetadata(entity)) {
    const { name, range } = Object(entity) as Partial<IdFamily>
    const what = typeof range === 'function' ? `the family ${name}` : show(entity)
    const hint = entity === undefined ? '; check for a circular import' : ''
    throw new IdError('INVALID_OPTION', `${usage} takes an entity first, not ${what}${hint}`, {
      field: 'entity',
      value: entity,
    })
  }
  if (typeof property === 'string') return
  throw new IdError('INVALID_OPTION', `${usage} takes a property of the entity, not ${show(property)}`, {
    field: 'property',
    value: property,
  })
}

/**
 * The family of an entity's property. Before a DataSource is initialized only keys and properties with a prefix have a known
 * one: others take that of the column that they reference.
 *
 * @param usage the call, for errors.
 * @throws {IdError} `INVALID_OPTION` if the property is no id column.
 */
export function idPropertyOf(entity: IdEntity<ObjectLiteral>, property: string, usage: string): IdProperty {
  checkEntity(entity, property, usage)
  if (metadatasOf(entity).length > 0) {
    const { path, storage, metadata } = columnOf(entity, property)
    return { path, family: storage.family, isNullable: metadata.isNullable }
  }
  const path = `${nameOf(entity)}.${property}`
  const column = declaredIn(entity, property)
  if (column === undefined) {
    refuse(path, property, 'is not decorated as an id column; foreign keys are known after initialize()')
  }
  const family = familyOf(column)
  if (family === undefined) {
    refuse(
      path,
      property,
      'has the prefix of the column that it references; call initialize() first, and pass the entity',
    )
  }
  return { path, family, isNullable: column.nullable }
}

/** The family of a declared column, undefined while it may depend on the column that it references. */
function familyOf({ transformer }: PreliminaryColumn): IdFamily | undefined {
  if (state.settled.has(transformer)) return state.settled.get(transformer)
  return transformer.isGenerated || labelOf(transformer.family) !== undefined ? transformer.family : undefined
}

/**
 * The id column of a property, or of a relation of one id column.
 *
 * @throws {IdError} `INVALID_OPTION` if it is none, or differs between DataSources.
 */
export function columnOf(entity: IdEntity<ObjectLiteral>, property: string): PreparedColumn {
  const found = metadatasOf(entity).flatMap((metadata) => {
    // A relation may have several columns, and those of many-to-many are in its junction table.
    const columns = metadata.findColumnsWithPropertyPath(property)
    const [column] = columns.length === 1 ? columns : []
    return (column && metadata.columns.includes(column) && idColumnFor(column)) || []
  })
  const storages = [...new Set(found.map(({ storage }) => storage.name))]
  const column = found.at(-1)
  if (column !== undefined && storages.length === 1) return column
  return refuse(
    `${nameOf(entity)}.${property}`,
    property,
    column === undefined
      ? 'is not an id column of an initialized DataSource, nor a relation of one id column'
      : `is stored as ${storages.join(' and as ')}; pass dataSource.getMetadata(…)`,
  )
}

function refuse(path: string, property: string, reason: string): never {
  throw new IdError('INVALID_OPTION', `${path} ${reason}`, { field: property, path })
}

const isSchema = (entity: unknown): entity is EntitySchema => InstanceChecker.isEntitySchema(entity)

const nameOf = (entity: IdEntity<ObjectLiteral>): string =>
  (isSchema(entity) ? entity.options.name : entity.name) ?? ''

/** An entity's metadata, for each combination of storages that a DataSource has. */
function metadatasOf(entity: IdEntity<ObjectLiteral>): EntityMetadata[] {
  if (typeof entity !== 'function' && !isSchema(entity)) return [entity]
  const known = (key: object) => [...(state.entities.get(key)?.values() ?? [])]
  if (!isSchema(entity)) return known(entity)
  const { name, target, columns } = entity.options
  if (target) return known(target)
  const definitions = Object.values(columns).flatMap((column) => definitionIn(column) ?? [])
  // Schemas may share a definition.
  return [...new Set(definitions.flatMap(known))].filter((metadata) => metadata.name === name)
}

const definitionIn = (column: object | undefined) =>
  definitionOf((column as Partial<PreliminaryColumn> | undefined)?.transformer)

/** The id column that a property is declared as, inherited ones too. */
function declaredIn(entity: IdEntity<ObjectLiteral>, property: string): PreliminaryColumn | undefined {
  if (typeof entity === 'function') return decoratedIn(entity.prototype as object, property)
  const column = isSchema(entity) ? entity.options.columns[property] : undefined
  return definitionIn(column) && (column as object as PreliminaryColumn)
}

function decoratedIn(prototype: object | null, property: string): PreliminaryColumn | undefined {
  if (prototype === null) return undefined
  const own = state.declared.get(prototype)?.get(property)
  return own ?? decoratedIn(Object.getPrototypeOf(prototype) as object | null, property)
}

/** Remembers a decorated property. */
export function remindOf(prototype: object, property: string, column: PreliminaryColumn): void {
  const columns = state.declared.get(prototype) ?? new Map<string, PreliminaryColumn>()
  state.declared.set(prototype, columns.set(property, column))
}

/** The family of an entity's decorated property, as far as it is known. */
export function decoratedFamily(entity: object, property: string): IdFamily | undefined {
  const column = decoratedIn(entity, property)
  if (column === undefined) return undefined
  const family = familyOf(column)
  if (family !== undefined) return family
  const target = entity.constructor as new () => ObjectLiteral
  return metadatasOf(target).length > 0
    ? columnOf(target, property).storage.family
    : column.transformer.family
}
