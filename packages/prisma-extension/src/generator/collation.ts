import { storageFor } from '@snoflax/core'
import { isOpaque, quoteMysqlName, quoteName } from '@snoflax/core/adapter'
import type { FoundField, ModelIds, SchemaIds } from './id-fields.js'
import { MARK } from './module.js'
import type { PrismaField, PrismaModel } from './schema.js'

interface TextColumn {
  readonly table: readonly (string | null | undefined)[]
  readonly column: string
  readonly id: FoundField
}

/**
 * Statements for a migration: Prisma's schema can't declare a collation. Without "C" PostgreSQL sorts text ids by
 * language, without `_bin` MySQL ignores case. Undefined if there is nothing to do.
 */
export function collationSql({ database, models }: SchemaIds): string | undefined {
  if (database === 'sqlite') return undefined
  const tables = models.filter(({ isView }) => !isView)
  // Opaque ids have no time to sort by.
  const columns = [...tables.flatMap(ownColumns), ...junctionColumns(models)].filter(
    ({ id }) => database === 'mysql' || !isOpaque(id.found.family),
  )
  if (columns.length === 0) return undefined
  const [end, one] =
    database === 'postgres'
      ? ['sort by time', statement]
      : ['differ by case, where no foreign key is yet: above AddForeignKey', mysqlStatement]
  return `-- ${MARK}. Put these statements into a migration, so that text ids ${end}.\n${columns.map(one).join('')}`
}

function ownColumns({ model, ids }: ModelIds): TextColumn[] {
  return ids.filter(isText).map((id) => ({
    table: [model.schema, model.dbName ?? model.name],
    column: id.field.dbName ?? id.field.name,
    id,
  }))
}

const isText = ({ storage, field, comment }: FoundField): boolean =>
  storage === 'text' && !field.isList && comment.collation !== 'binary'

/** Columns of the tables that Prisma creates for implicit many-to-many relations. */
function junctionColumns(models: readonly ModelIds[]): TextColumn[] {
  const byName = new Map(models.map((model) => [model.model.name, model]))
  const junctions = new Map<string, TextColumn[]>()
  for (const here of models) {
    for (const relation of here.model.fields.filter(({ kind }) => kind === 'object')) {
      const there = byName.get(relation.type) as ModelIds
      if (!isManyToMany(relation, here.model, there.model)) continue
      const sides = [here, there].sort((a, b) => (a.model.name < b.model.name ? -1 : 1))
      junctions.set(`_${relation.relationName}`, junction(relation, sides))
    }
  }
  return [...junctions.values()].flat()
}

function isManyToMany(relation: PrismaField, here: PrismaModel, there: PrismaModel): boolean {
  const back = there.fields.find(
    ({ name, relationName }) =>
      relationName === relation.relationName && !(here === there && name === relation.name),
  )
  return relation.isList && back?.isList === true
}

/** Its columns are A and B, by the names of the models, and it is stored in the schema of the first. */
function junction(relation: PrismaField, sides: readonly ModelIds[]): TextColumn[] {
  const table = [sides[0]?.model.schema, `_${relation.relationName}`]
  return sides.flatMap(({ ids }, side) => {
    const id = ids.find((one) => one.field.isId && isText(one))
    return id ? [{ table, column: side === 0 ? 'A' : 'B', id }] : []
  })
}

function statement({ table, column, id: { field, found } }: TextColumn): string {
  const [native, [length] = []] = field.nativeType ?? ['Text']
  const type = length === undefined ? native.toLowerCase() : `${native.toLowerCase()}(${length})`
  const { collation } = storageFor(found.family, 'postgres', { storage: 'text' }).column
  const path = table.flatMap((part) => (part == null ? [] : [quoteName(part)])).join('.')
  return `ALTER TABLE ${path} ALTER COLUMN ${quoteName(column)} TYPE ${type} COLLATE "${collation}";\n`
}

function mysqlStatement({ table, column, id: { field, comment } }: TextColumn): string {
  const { collation = 'utf8mb4_bin' } = comment
  const [native, [length] = ['191']] = field.nativeType ?? ['VarChar']
  const type = `${native.toUpperCase()}${length === undefined ? '' : `(${length})`}`
  const { args: [expression] = [] } = (field.default ?? {}) as { args?: readonly unknown[] }
  const rest = `${field.isRequired ? 'NOT NULL' : 'NULL'}${expression === undefined ? '' : ` DEFAULT (${expression})`}`
  const [path, name] = [table.at(-1) as string, column].map(quoteMysqlName)
  return `ALTER TABLE ${path} MODIFY ${name} ${type} CHARACTER SET ${collation.split('_')[0]} COLLATE ${collation} ${rest};\n`
}
