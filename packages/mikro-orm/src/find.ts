import {
  type EntityManager,
  type EntityMetadata,
  type EntityName,
  type InferEntity,
  raw,
} from '@mikro-orm/core'
import type { IdFamily } from '@snoflax/core'
import { type CanBeKey, type FoundRow, findRow } from '@snoflax/core/adapter'

/** The entities of a manager, as `MikroORM.init({ entities: […] })` has them. */
type EntitiesOf<Manager extends EntityManager> =
  NonNullable<Manager['~entities']> extends readonly (infer Each)[] ? Each : never

type Keyed = { readonly id: string }
type NameOf<Each> = Each extends { readonly name: infer Name extends string } ? Name : string

/** The row of an id, of the entities whose `id` it can be; `Each` are those of the manager. */
export type FoundEntity<Each, AnId extends string> = Each extends unknown
  ? InferEntity<Each> extends infer Row extends object
    ? CanBeKey<AnId, Row extends Keyed ? Row['id'] : string> extends true
      ? FoundRow<NameOf<Each>, Row>
      : never
    : never
  : never

/** A manager of MikroORM's SQL drivers. */
interface SqlManager {
  createQueryBuilder(entity: EntityName): { select(fields: unknown): { where(condition: object): Query } }
  execute(sql: string, parameters: readonly unknown[]): Promise<readonly object[]>
}

interface Query {
  toQuery(): { readonly sql: string; readonly params: readonly unknown[] }
}

/**
 * The row that has an id, by the keys of the entities and their other generated properties that are unique; null if none
 * has it. `also` has the rows of entities that share the id.
 *
 * @throws {IdError} for a malformed id.
 *
 * @example
 * const found = await findById(em, flax.generate())
 * if (found) console.log(found.model, found.row)
 */
export async function findById<Manager extends EntityManager, AnId extends string>(
  em: Manager,
  id: AnId,
): Promise<FoundEntity<EntitiesOf<Manager>, AnId> | null> {
  // Keys of their own come before those that are another entity's.
  const keys = [...em.getMetadata().getAll().values()]
    .flatMap(keysOf)
    .sort((one, other) => Number(one.isRelation) - Number(other.isRelation))
  type Key = (typeof keys)[number]
  const look = ({ entity, column }: Key) => em.findOne(entity, { [column]: id } as never)
  const count = async (several: readonly Key[]) => {
    // As before each look-up: rows that wait for a flush are found.
    for (const { entity } of several) await em.tryFlush(entity, {})
    const sql = em as unknown as SqlManager
    const queries = several.map(({ entity, column }) =>
      sql
        .createQueryBuilder(entity)
        .select(raw('count(*)'))
        .where({ [column]: id })
        .toQuery(),
    )
    const [row = {}] = await sql.execute(
      `select ${queries.map((query, at) => `(${query.sql}) as c${at}`).join(', ')}`,
      queries.flatMap(({ params }) => params),
    )
    const counts = Object.values(row)
    // A look-up by key also finds what the identity map has.
    const isKnown = (entity: Key['entity']) => em.getUnitOfWork().getById(entity, id as never) !== undefined
    return several.map(({ entity }, at) => isKnown(entity) || counts[at])
  }
  return (await findRow(keys, id, look, count)) as never
}

/** Entities that extend another one are in its table, or have its key. */
const keysOf = ({ class: entity, className: model, root, pivotTable, virtual, props }: EntityMetadata) =>
  pivotTable || virtual || root.class !== entity
    ? []
    : props.flatMap(({ name: column, kind, primary, unique, onCreate, customType }) => {
        const family = (customType as { readonly family?: IdFamily } | undefined)?.family
        const isKey = primary || (unique && onCreate)
        return family && isKey ? [{ model, column, family, entity, isRelation: kind !== 'scalar' }] : []
      })
