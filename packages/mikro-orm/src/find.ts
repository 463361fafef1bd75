import type { EntityManager, EntityMetadata, InferEntity } from '@mikro-orm/core'
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
    ? Row extends Keyed
      ? CanBeKey<AnId, Row['id']> extends true
        ? FoundRow<NameOf<Each>, Row>
        : never
      : FoundRow<NameOf<Each>, Row>
    : never
  : never

/**
 * The entity that has an id: its name, its key and the row, or null. Keys are looked up, and other generated properties that
 * are unique. `also` has further rows, of entities that share an id.
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
  const look = ({ entity, column }: (typeof keys)[number]) => em.findOne(entity, { [column]: id } as never)
  return (await findRow(keys, id, look)) as never
}

/** Entities that extend another one are in its table, or have its key. */
const keysOf = ({ class: entity, className: model, root, pivotTable, props }: EntityMetadata) =>
  pivotTable || root.class !== entity
    ? []
    : props.flatMap(({ name: column, kind, primary, unique, onCreate, customType }) => {
        const family = (customType as { readonly family?: IdFamily } | undefined)?.family
        const isKey = primary || (unique && onCreate)
        return family && isKey ? [{ model, column, family, entity, isRelation: kind !== 'scalar' }] : []
      })
