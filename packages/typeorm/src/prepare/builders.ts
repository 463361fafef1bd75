import type { DataSource, EntityMetadata, ObjectLiteral } from 'typeorm'
import { around, preparedOf, prototypeOf } from '../columns/prepared.js'
import { distinguish } from '../convert/data-source.js'
import { convertingRelation, type RelationBuilder } from '../convert/relations.js'
import { storedLinks } from '../convert/trees.js'
import { generating, type InsertBuilder } from '../write/insert.js'

/** A query builder, of all kinds. */
interface Builder {
  readonly expressionMap: {
    readonly relationIdAttributes: readonly unknown[]
    readonly mainAlias?: { readonly hasMetadata: boolean; readonly metadata: EntityMetadata }
  }
  insert(): InsertBuilder
  delete(): Builder
  relation(...args: unknown[]): RelationBuilder
  clone(): Builder
  setParameters(parameters: ObjectLiteral): Builder
  loadRawResults(runner: unknown): Promise<ObjectLiteral[]>
}

/** Has the query builders of a DataSource generate ids, and convert what TypeORM binds without asking the column. */
export function watchBuilders(dataSource: DataSource): void {
  around<DataSource, unknown[], Builder>(dataSource, 'createQueryBuilder', (_, create, ...args) => {
    const builder = Object.assign(create(...args), { insert })
    return preparedOf(dataSource).converts ? converting(builder) : builder
  })
}

function insert(this: Builder): InsertBuilder {
  return generating(prototypeOf(this).insert.call(this))
}

const converting = (builder: Builder): Builder =>
  Object.assign(builder, { relation, delete: remove, clone, loadRawResults })

function relation(this: Builder, ...args: unknown[]): RelationBuilder {
  return convertingRelation(prototypeOf(this).relation.apply(this, args))
}

function remove(this: Builder): Builder {
  return Object.assign(prototypeOf(this).delete.call(this), {
    setParameters(this: Builder, parameters: ObjectLiteral) {
      const { mainAlias } = this.expressionMap
      const stored = mainAlias?.hasMetadata ? storedLinks(mainAlias.metadata, parameters) : parameters
      return prototypeOf(this).setParameters.call(this, stored)
    },
  })
}

function clone(this: Builder): Builder {
  return converting(prototypeOf(this).clone.call(this))
}

async function loadRawResults(this: Builder, runner: unknown): Promise<ObjectLiteral[]> {
  const rows = await prototypeOf(this).loadRawResults.call(this, runner)
  if (this.expressionMap.relationIdAttributes.length > 0) distinguish(rows)
  return rows
}
