import { IdError } from '@snoflax/core'
import { checkGenerating, type GeneratingColumn, type KeyColumn, labelOf } from '@snoflax/core/adapter'
import { type Column, getTableColumns, getTableName, is, Table } from 'drizzle-orm'
import { type ColumnIds, idColumnsIn, isList, placeOf } from './ids.js'

/** The tables among the exports of a schema. */
export const tablesIn = (
  schema: Readonly<Record<string, unknown>>,
): (readonly [name: string, table: Table])[] =>
  Object.entries(schema).flatMap(([name, table]) => (is(table, Table) ? [[name, table] as const] : []))

/** Foreign keys of a table, each with the columns of both sides. */
export const foreignKeysOf = (
  table: Table,
  { dialect }: ColumnIds,
): (readonly [own: Column, target: Column])[][] =>
  dialect.core.getTableConfig(table as never).foreignKeys.map(({ reference }) => {
    const { columns, foreignColumns } = reference()
    return columns.map((column, at) => [declared(column), declared(foreignColumns[at] as Column)])
  })

/** PostgreSQL's `foreignKey()` has stand-ins for columns, without what an id column knows. */
const declared = (column: Column): Column =>
  Object.values<Column>(getTableColumns(column.table)).find(({ name }) => name === column.name) ?? column

/** Names of the columns that are in the table's primary key, and in it or a unique set. */
function keySetsOf(table: Table, { dialect }: ColumnIds) {
  const { columns, primaryKeys, uniqueConstraints, indexes } = dialect.core.getTableConfig(table as never)
  const primary = [
    ...columns.filter((column) => column.primary),
    ...primaryKeys.flatMap(({ columns }) => columns),
  ]
  const unique: readonly object[] = [
    ...columns.filter(({ isUnique }) => isUnique),
    ...uniqueConstraints.flatMap(({ columns }) => columns),
    ...indexes.flatMap(({ config }) => (config.unique ? config.columns : [])),
  ]
  const namesOf = (some: readonly object[]) =>
    new Set(some.map((one) => (one as { readonly name?: string }).name))
  return { primary: namesOf(primary), all: namesOf([...primary, ...unique]) }
}

/** A column by which a row is found. */
interface Key extends KeyColumn {
  readonly table: Table
  readonly key: Column
  readonly ids: ColumnIds
}

/**
 * The columns of a schema by which a row is found: those that generate their ids first, then references and others that
 * are in a primary key or a unique set. A table that the schema has under two names is asked once.
 */
export function keysIn(schema: Readonly<Record<string, unknown>>): Key[] {
  const keys = tablesIn(schema).flatMap(([model, table]) => {
    const columns = idColumnsIn(table).filter(({ column }) => !isList(column))
    const [first] = columns
    const inSets = first && keySetsOf(table, first.ids).all
    return columns.flatMap(({ key: column, column: key, ids }) =>
      ids.generates || inSets?.has(key.name) ? [{ model, column, family: ids.family, table, key, ids }] : [],
    )
  })
  const places = keys.map(({ key }) => placeOf(key))
  return keys
    .filter((_, at) => places.indexOf(places[at] as string) === at)
    .sort((a, b) => Number(b.ids.generates) - Number(a.ids.generates))
}

/**
 * Checks that one column generates the ids of each prefix, that no foreign key generates ids, and that a primary key has
 * one generated id without a prefix.
 *
 * @throws {IdError} `INVALID_OPTION`, with the column and how to declare it.
 */
export function checkGenerated(tables: readonly Table[]): void {
  const generating: GeneratingColumn[] = []
  for (const table of tables) {
    const columns = idColumnsIn(table).filter(({ ids }) => ids.generates)
    const [first] = columns
    if (first === undefined) continue
    const references = foreignKeysOf(table, first.ids).flat()
    for (const { column, ids } of columns) {
      const target = references.find(([own, target]) => own === column && !leadsTo(target, column))?.[1]
      const place = `${getTableName(table)}.${column.name}`
      generating.push({ path: ids.place, place, family: ids.family, target: target && placeOf(target) })
    }
    const { primary } = keySetsOf(table, first.ids)
    const [one, other] = columns.filter(
      ({ column, ids }) => primary.has(column.name) && labelOf(ids.family) === undefined,
    )
    if (one === undefined || other === undefined) continue
    const { family, place: path } = other.ids
    const message =
      `${path}: the primary key has two generated ids, this one and ${one.ids.place}; declare references as ` +
      'idColumn.ref(() => target), and ids that you supply as idColumn.plain(definition)'
    throw new IdError('INVALID_OPTION', message, { family: family.name, path })
  }
  checkGenerating(generating, (target) =>
    target === undefined ? 'idColumn.plain(definition)' : `idColumn.ref(() => ${target})`,
  )
}

/** Whether the column references the other one, directly or by other columns: then its ids are those of the other one. */
function leadsTo(from: Column, to: Column, passed: ReadonlySet<Column> = new Set([from])): boolean {
  if (from === to) return true
  const [ids] = idColumnsIn(from.table).flatMap(({ ids }) => ids)
  if (ids === undefined) return false
  return foreignKeysOf(from.table, ids)
    .flat()
    .some(
      ([own, target]) =>
        own === from && !passed.has(target) && leadsTo(target, to, new Set([...passed, target])),
    )
}
