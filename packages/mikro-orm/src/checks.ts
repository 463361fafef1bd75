import {
  type EntityKey,
  type EntityMetadata,
  type EntityProperty,
  helper,
  isRaw,
  type MetadataStorage,
  type Platform,
  PolymorphicRef,
  Reference,
  ReferenceKind,
  Utils,
} from '@mikro-orm/core'
import { IdError, type IdFamily } from '@snoflax/core'
import { type OnMismatch, show, withPath } from '@snoflax/core/adapter'

export type Row = Readonly<Record<string, unknown>>

/** What the type of an id property tells about it. */
export interface IdTyping {
  readonly family: IdFamily
  /** A new id; undefined if the property's ids are not generated. */
  readonly newId: (() => string) | undefined
  /** How the database generates the ids; undefined if it does not. */
  readonly databaseDefault?: object | undefined
  /** With `notFound` texts that are no ids are written, too. */
  readonly onMismatch?: OnMismatch | undefined
}

/** Throws an IdError for a value that is no id of its property. */
type Check = (value: unknown, row: Row) => void

/** The types of the columns of a key; undefined for those that aren't ids. */
type Types = readonly (IdTyping | undefined)[]

/** Types of the items of arrays, which MikroORM replaces by a type of the array. */
const ITEMS = new WeakMap<object, IdTyping>()

export const keepItemType = (prop: EntityProperty, type: IdTyping): void => void ITEMS.set(prop, type)

export const isToOne = ({ kind }: EntityProperty): boolean =>
  kind === ReferenceKind.MANY_TO_ONE || kind === ReferenceKind.ONE_TO_ONE

/** The type of a property that stores one id; undefined for any other. */
export function idTypeOf(prop: EntityProperty): IdTyping | undefined {
  const isOne = prop.kind === ReferenceKind.SCALAR || (isToOne(prop) && !prop.polymorphic)
  return isOne && 'newId' in Object(prop.customType) ? (prop.customType as unknown as IdTyping) : undefined
}

/** Whether the application or the database generates the ids of a property. */
export function isGenerated(prop: EntityProperty): boolean {
  const type = idTypeOf(prop)
  return Boolean(prop.onCreate ? type?.newId : prop.defaultRaw && type?.databaseDefault)
}

/** Entity and property, as code names them: `Note.place.visitId`. */
export function pathOf(meta: EntityMetadata, { embedded, name }: EntityProperty): string {
  const parent = embedded && meta.properties[embedded[0] as EntityKey]
  return parent ? `${pathOf(meta, parent)}.${embedded[1]}` : `${meta.className}.${name}`
}

const keyTypes = (meta: EntityMetadata | undefined): Types =>
  (meta?.getPrimaryProps() ?? []).flatMap(columnTypes)

function columnTypes(prop: EntityProperty): Types {
  if (!isToOne(prop)) return [idTypeOf(prop)]
  const { targetKey, targetMeta } = prop
  const target = targetMeta?.properties[targetKey as EntityKey]
  return target ? columnTypes(target) : keyTypes(targetMeta)
}

/** What checks the values of a property, for each kind; undefined if they aren't ids that its row stores. */
const CHECKS: Readonly<
  Record<ReferenceKind, (path: string, prop: EntityProperty, all: MetadataStorage) => Check | undefined>
> = {
  [ReferenceKind.SCALAR](path, prop) {
    const [type, items] = [idTypeOf(prop), ITEMS.get(prop)]
    if (type) return (value) => checkId(path, type, value)
    // In a flush MikroORM has converted them.
    const { customType } = prop
    const itemsOf = (value: unknown) =>
      typeof value === 'string' ? customType?.convertToJSValue(value, customType.platform as Platform) : value
    return items && ((value) => each(itemsOf(value), (item) => checkId(path, items, item)))
  },
  [ReferenceKind.MANY_TO_ONE]: toOne,
  [ReferenceKind.ONE_TO_ONE]: toOne,
  [ReferenceKind.ONE_TO_MANY]: () => undefined,
  [ReferenceKind.MANY_TO_MANY](path, prop, all) {
    const checkKey = Array.isArray(prop.target)
      ? polymorphicKey(path, prop, all)
      : keyOf(path, keyTypes(prop.targetMeta))
    return checkKey && ((value) => each(value, checkKey))
  },
  [ReferenceKind.EMBEDDED](path, { embeddedProps }, all) {
    const checks = checksOfAll(
      Object.entries<EntityProperty>(embeddedProps),
      (name) => `${path}.${name}`,
      all,
    )
    const check = (value: unknown) => {
      if (value instanceof Object && !isRaw(value)) checkAll(checks, value as Row)
    }
    return checks.length === 0 ? undefined : (value) => [value].flat().forEach(check)
  },
}

function toOne(path: string, prop: EntityProperty, all: MetadataStorage): Check | undefined {
  if (prop.polymorphic) return polymorphicKey(path, prop, all)
  const check = keyOf(path, columnTypes(prop))
  // A query builder takes entities.
  return check && ((value) => check(Utils.isEntity(value, true) ? keyOfEntity(value, prop.targetKey) : value))
}

function keyOfEntity(reference: object, targetKey: string | undefined): unknown {
  const entity = Reference.unwrapReference(reference) as Readonly<Record<string, unknown>>
  return targetKey === undefined ? helper(entity).getPrimaryKeys() : entity[targetKey]
}

function each(value: unknown, check: (item: unknown) => void): void {
  if (Array.isArray(value)) value.forEach(check)
}

function checkId(path: string, { family, onMismatch }: IdTyping, value: unknown): void {
  const isAnyText = onMismatch === 'notFound' && typeof value === 'string'
  if (value == null || isRaw(value) || isAnyText) return
  withPath(path, () => family.parse(value))
}

/** Checks a key, whose columns may stand in lists of lists. */
function keyOf(path: string, types: Types): ((key: unknown) => void) | undefined {
  if (!types.some(Boolean)) return
  return (key) => {
    const values = [key].flat(Number.POSITIVE_INFINITY)
    for (const [at, type] of types.entries()) if (type) checkId(path, type, values[at])
  }
}

/** Checks a key behind the discriminator that tells whose it is. */
function polymorphicKey(
  path: string,
  prop: EntityProperty,
  all: MetadataStorage,
): ((value: unknown) => void) | undefined {
  const types = new Map(
    Object.entries((prop.discriminatorMap ?? {}) as Record<string, EntityMetadata['class']>).map(
      ([name, target]) => [name, keyTypes(all.find(target))] as const,
    ),
  )
  if (![...types.values()].flat().some(Boolean)) return
  return (value) => {
    if (value == null || isRaw(value)) return
    const [name, ...key] = value instanceof PolymorphicRef ? value.toTuple() : [value].flat()
    const own = types.get(name as string)
    if (own) keyOf(path, own)?.(key)
    // Of collections MikroORM refuses it, with what to pass.
    else if (isToOne(prop)) refuseTarget(path, value, [...types.keys()])
  }
}

/** With plain keys, MikroORM stores the id of an entity in place of its type, but in `em.create()`. */
function refuseTarget(path: string, value: unknown, names: readonly string[]): never {
  throw new IdError(
    'INVALID_TYPE',
    `${path}: pass [type, id] with one of the types ${names.join(', ')}, not ${show(value)}`,
    { path, value },
  )
}

type NamedCheck = readonly [name: string, check: Check]

/** What checks the rows of an entity. */
export interface RowChecks {
  readonly properties: readonly NamedCheck[]
  /** Of junction tables, whose rows are named by columns, and of rows that name columns themselves. */
  readonly columns: readonly NamedCheck[]
}

export function checksOf(meta: EntityMetadata, all: MetadataStorage): RowChecks {
  const junction = [...all.getAll().values()].flatMap((owner) =>
    owner.relations
      .filter(({ pivotEntity, owner: isOwner }) => isOwner && pivotEntity === meta.class)
      .flatMap((prop) => junctionChecks(owner, prop, all)),
  )
  const props = meta.props.map((prop) => [prop.name, prop] as const)
  const isName = (column: string) => column in meta.properties
  const columns = junction.length > 0 ? junction : meta.props.flatMap((prop) => ownColumns(meta, prop, all))
  return {
    properties: checksOfAll(props, (_, prop) => pathOf(meta, prop), all),
    columns: columns.filter(([column]) => !isName(column)),
  }
}

/** @throws {IdError} for a value that is no id of its property. */
export function checkRow({ properties, columns }: RowChecks, row: Row): void {
  checkAll(properties, row)
  checkAll(columns, row)
}

function checkAll(checks: readonly NamedCheck[], row: Row): void {
  for (const [name, check] of checks) if (row[name] != null) check(row[name], row)
}

function checksOfAll(
  props: readonly (readonly [string, EntityProperty])[],
  path: (name: string, prop: EntityProperty) => string,
  all: MetadataStorage,
): readonly NamedCheck[] {
  return props.flatMap(([name, prop]) => {
    const check = prop.formula ? undefined : CHECKS[prop.kind](path(name, prop), prop, all)
    return check ? [[name, check] as const] : []
  })
}

function ownColumns(meta: EntityMetadata, prop: EntityProperty, all: MetadataStorage): readonly NamedCheck[] {
  const isStored =
    prop.persist !== false && !prop.formula && (isToOne(prop) || prop.kind === ReferenceKind.SCALAR)
  if (!isStored) return []
  const path = pathOf(meta, prop)
  const [discriminator = '', ...columns] = prop.fieldNames
  if (prop.polymorphic) return polymorphicColumns(path, prop, discriminator, columns, all)
  return columnChecks(path, prop.fieldNames, columnTypes(prop))
}

function junctionChecks(
  owner: EntityMetadata,
  prop: EntityProperty,
  all: MetadataStorage,
): readonly NamedCheck[] {
  const path = pathOf(owner, prop)
  const { discriminatorColumn = '', discriminatorValue, joinColumns, inverseJoinColumns, targetMeta } = prop
  const isOwners = (row: Row) => !discriminatorValue || row[discriminatorColumn] === discriminatorValue
  return [
    ...columnChecks(path, joinColumns, keyTypes(owner), isOwners),
    ...(Array.isArray(prop.target)
      ? polymorphicColumns(path, prop, discriminatorColumn, inverseJoinColumns, all)
      : columnChecks(path, inverseJoinColumns, keyTypes(targetMeta), isOwners)),
  ]
}

/** The columns of a key whose discriminator is in a column of its own. */
function polymorphicColumns(
  path: string,
  prop: EntityProperty,
  discriminator: string,
  columns: readonly string[],
  all: MetadataStorage,
): readonly NamedCheck[] {
  const check = polymorphicKey(path, prop, all)
  const [first = ''] = columns
  return check
    ? [[first, (_, row) => check([row[discriminator], ...columns.map((column) => row[column])])]]
    : []
}

const columnChecks = (
  path: string,
  columns: readonly string[],
  types: Types,
  isMeant: (row: Row) => boolean = () => true,
): readonly NamedCheck[] =>
  types.flatMap((type, at) =>
    type
      ? [[columns[at] as string, (value, row) => isMeant(row) && checkId(path, type, value)] as const]
      : [],
  )
