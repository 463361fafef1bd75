import {
  type EntityKey,
  type EntityManager,
  type EntityMetadata,
  type EntityName,
  type EntityProperty,
  type InferEntity,
  type PrimaryProperty,
  type QueryOrderMap,
  ReferenceKind,
  raw,
} from '@mikro-orm/core'
import { type CanBeKey, type FoundRow, findRow, type KeyColumn } from '@snoflax/core/adapter'
import { idTypeOf, isGenerated, isToOne, pathOf } from './checks.js'
import { type IdAt, nested } from './property.js'

/** The entities of a manager, as `MikroORM.init({ entities: […] })` has them. */
type EntitiesOf<Manager extends EntityManager> =
  NonNullable<Manager['~entities']> extends readonly (infer Each)[] ? Each : never

type NameOf<Each> = Each extends { readonly name: infer Name extends string } ? Name : string

/** The ids of a row that can be keys: all branded ones of its own, and those of its primary key. */
type KeysOf<Row> = string extends keyof Row ? never : OwnKeysOf<Row>

type OwnKeysOf<Row> = {
  [Name in keyof Row & string]: Name extends PrimaryProperty<Row>
    ? IdAt<Row, Name>
    : NonNullable<Row[Name]> extends infer Value extends string
      ? string extends Value
        ? never
        : Value
      : never
}[keyof Row & string]

/** The row of an id, of the entities of which it can be a key; `Each` are those of the manager. */
export type FoundEntity<Each, AnId extends string> = Each extends unknown
  ? InferEntity<Each> extends infer Row extends object
    ? true extends CanBeOneOf<AnId, KeysOf<Row>>
      ? FoundRow<NameOf<Each>, Row>
      : never
    : FoundRow<string, object>
  : never

/** Keys that types don't show can be any. */
type CanBeOneOf<AnId extends string, Keys extends string> = [Keys] extends [never]
  ? true
  : Keys extends unknown
    ? CanBeKey<AnId, Keys>
    : never

/** A manager of MikroORM's SQL drivers. */
interface SqlManager {
  createQueryBuilder(entity: EntityName): { select(fields: unknown): { where(condition: object): Query } }
  execute(sql: string, parameters: readonly unknown[]): Promise<readonly object[]>
}

interface Query {
  toQuery(): { readonly sql: string; readonly params: readonly unknown[] }
}

/** A column in which an id is looked up. */
interface Key extends KeyColumn {
  readonly meta: EntityMetadata
  /** Table and column, which several entities may have: the first of them is asked. */
  readonly place: string
  readonly isRelation: boolean
  /** Whether the column is the primary key. */
  readonly isOnly: boolean
  where(id: string): object
}

/**
 * The row that has an id, by its entity's metadata: generated ids, and ids in a primary key or a unique constraint; null if
 * none has it. `also` has the other rows that have the id, ten at most. What default filters hide isn't found, unless
 * the identity map of the manager has it.
 *
 * @throws {IdError} for a malformed id.
 *
 * @example
 * const found = await find(em, flax.generate())
 * if (found) console.log(found.model, found.row)
 */
export async function find<Manager extends EntityManager, AnId extends string>(
  em: Manager,
  id: AnId,
): Promise<FoundEntity<EntitiesOf<Manager>, AnId> | null> {
  // Keys of their own come before those that are another entity's.
  const all = [...em.getMetadata().getAll().values()]
    .flatMap(keysOf)
    .sort((one, other) => Number(one.isRelation) - Number(other.isRelation))
  const keys = all.filter((key) => all.find(({ place }) => place === key.place) === key)
  const read = async ({ meta, isOnly, where }: Key, limit: number): Promise<object[]> => {
    // Looks into the identity map first.
    if (isOnly) return [await em.findOne(meta.class, where(id))].filter((row) => row !== null)
    const scalars = meta.getPrimaryProps().filter(({ kind }) => kind === ReferenceKind.SCALAR)
    const orderBy = Object.fromEntries(scalars.map(({ name }) => [name, 'asc']))
    return em.find(meta.class, where(id), { limit, orderBy: orderBy as QueryOrderMap<object> })
  }
  const count = async (several: readonly Key[]) => {
    const sql = em as unknown as SqlManager
    const queries = several.map(({ meta, where }) =>
      sql.createQueryBuilder(meta.class).select(raw('count(*)')).where(where(id)).toQuery(),
    )
    const [row = {}] = await sql.execute(
      `select ${queries.map((query, at) => `(${query.sql}) as c${at}`).join(', ')}`,
      queries.flatMap(({ params }) => params),
    )
    const counts = Object.values(row)
    // To read an entity writes rows that wait for a flush, and finds those of the identity map.
    const known = em.getUnitOfWork()
    return several.map(
      ({ meta, isOnly }, at) =>
        known.shouldAutoFlush(meta) || (isOnly && known.getById(meta.class, id as never)) || counts[at],
    )
  }
  return (await findRow(keys, id, read, count)) as never
}

/** The columns of an entity that can find its rows. A hierarchy in one table is one entity. */
function keysOf(meta: EntityMetadata): readonly Key[] {
  const { className: model, root, tptParent, primaryKeys } = meta
  const isTable =
    !(meta.pivotTable || meta.virtual || meta.view || meta.embeddable) &&
    (!meta.abstract || meta.inheritanceType)
  if (!isTable || (root.class !== meta.class && !tptParent)) return []
  const unique = new Set<string>([
    ...primaryKeys,
    ...meta.uniques.flatMap(({ properties = [], columns = [] }) => [
      ...[properties].flat(),
      ...columns.map(({ name }) => name),
    ]),
  ])
  return meta.props.flatMap((prop) => {
    const path = pathOf(meta, prop).slice(model.length + 1)
    const isKey = prop.unique || isGenerated(prop) || unique.has(prop.name) || unique.has(path)
    // A hierarchy of tables shares what its root declares.
    const isInherited = tptParent?.properties[prop.name as EntityKey]
    if (!isKey || isInherited || prop.persist === false || prop.formula) return []
    const isOnly = prop.primary === true && primaryKeys.length === 1
    return pathsOf(prop).map(([names, family]) => {
      const column = [path, ...names].join('.')
      return {
        model,
        column,
        family,
        meta,
        place: [meta.schema, meta.tableName, prop.fieldNames, names].join('.'),
        isRelation: prop.kind !== ReferenceKind.SCALAR,
        isOnly: isOnly && names.length === 0,
        where: (id: string) => nested(column, id),
      }
    })
  })
}

/** The ids of a property: itself, or those of the composite key that it refers to. */
function pathsOf(
  prop: EntityProperty,
): readonly (readonly [names: readonly string[], KeyColumn['family']])[] {
  const type = idTypeOf(prop)
  if (type) return [[[], type.family]]
  if (!isToOne(prop) || prop.polymorphic) return []
  return (prop.targetMeta?.getPrimaryProps() ?? []).flatMap((target) =>
    pathsOf(target).map(([names, family]) => [[target.name, ...names], family] as const),
  )
}
