import type { EntityMetadata, EntityProperty, MetadataStorage } from '@mikro-orm/core'
import { IdError } from '@snoflax/core'
import { checkGenerating, type GeneratingColumn } from '@snoflax/core/adapter'
import { idTypeOf, isGenerated, isToOne, pathOf } from './checks.js'

/**
 * Checks that one column generates the ids of a prefix, and that no foreign key does.
 *
 * @throws {IdError} `INVALID_OPTION`.
 */
export function checkGenerators(all: MetadataStorage): void {
  // A key first, so that its copies are refused.
  const columns = [...all.getAll().values()]
    .flatMap(generatingIn)
    .sort((one, other) => Number(other.isKey) - Number(one.isKey) || (one.path < other.path ? -1 : 1))
  checkGenerating(columns, (target) =>
    target === undefined
      ? 'idProperty.plain(definition)'
      : `a relation, () => p.manyToOne(${target.split('.')[0]}), or as idProperty.plain(definition)`,
  )
}

interface GeneratingProperty extends GeneratingColumn {
  readonly isKey: boolean
}

function generatingIn(meta: EntityMetadata): readonly GeneratingProperty[] {
  const { tableName, tptParent } = meta
  const isTable = !meta.embeddable && !meta.virtual && !meta.view && (!meta.abstract || meta.inheritanceType)
  if (!isTable) return []
  const columns = meta.props.flatMap((prop) => {
    const type = idTypeOf(prop)
    // A hierarchy of tables shares what its root declares.
    const isOwn = prop.persist !== false && !tptParent?.properties[prop.name as never]
    if (!type || !isGenerated(prop) || !isOwn) return []
    const [column = prop.name] = prop.fieldNames
    const place = `${tableName}.${column}`
    const target = targetOf(meta, prop)
    return [{ path: pathOf(meta, prop), place, family: type.family, target, isKey: prop.primary === true }]
  })
  const [first, second] = columns.filter(({ isKey }) => isKey)
  if (second) {
    const reason =
      `generates ids, as ${first?.path} does, and both are in one primary key; declare those that refer to other rows as ` +
      'relations, () => p.manyToOne(Customer).primary(), or as idProperty.plain(definition)'
    throw new IdError('INVALID_OPTION', `${second.path}: ${reason}`, {
      family: second.family.name,
      path: second.path,
    })
  }
  return columns
}

/** The column that a property references by a constraint of its own: a composite one may contain a row's own id. */
function targetOf(meta: EntityMetadata, prop: EntityProperty): string | undefined {
  const [column] = prop.fieldNames
  const relation = isToOne(prop)
    ? prop
    : meta.relations.find(
        (one) =>
          isToOne(one) &&
          one.fieldNames?.length === 1 &&
          one.fieldNames[0] === column &&
          one.createForeignKeyConstraint !== false &&
          one.targetMeta?.tableName !== meta.tableName,
      )
  const target = relation?.targetMeta
  return target && `${target.className}.${relation.targetKey ?? target.primaryKeys[0]}`
}
