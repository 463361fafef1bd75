import type { IdFamily } from '@snoflax/core'
import { baseOf, isPrefixed, quoteName } from '@snoflax/core/adapter'
import type { ReplacedColumn, Stage } from './adoption.js'
import type { InventoryRow } from './inventory.js'
import { type Obstacles, refuse } from './obstacles.js'

/** A column, and its table as SQL: quoted, with its schema if the database has schemas. */
export interface Key {
  readonly table: string
  readonly column: string
}

/** A foreign key in any database. */
export interface ForeignKey {
  readonly table: string
  readonly columns: readonly string[]
  readonly target: string
  readonly targetColumns: readonly string[]
}

interface FamilyFacts {
  readonly family: string
  readonly prefix: string | undefined
  /** The layout as JSON: its epoch and bits. */
  readonly layout: string
}

export function familyFacts(family: IdFamily): FamilyFacts {
  const prefix = isPrefixed(family) ? family.prefix : undefined
  return { family: baseOf(family).name, prefix, layout: JSON.stringify(family.layout) }
}

export interface RootPlan extends FamilyFacts {
  readonly table: string
  readonly key: string
  readonly keyType: string
  readonly storage: string
  /** Whether an option named the storage. */
  readonly isNamed: boolean
  readonly type: string
  readonly default: string | undefined
}

/** The plan of an adoption. It is JSON, so that it can be stored and compared. */
export interface Plan<Details = unknown> {
  readonly roots: readonly RootPlan[]
  readonly columns: readonly ReplacedColumn[]
  /** More facts for the database's driver. */
  readonly details: Details
  /** As it was when the adoption was planned. */
  readonly inventory: readonly InventoryRow[]
}

/** The column of the new values until the switch, and of the old ones after it. */
export const newName = (column: string): string => `snoflax_new_${column}`
export const legacyName = (column: string): string => `legacy_${column}`
/** The index of a root's old keys, in databases where tables are created again. */
export const legacyIndex = (root: number): string => `snoflax_legacy_${root + 1}`

/** SQL's name of a table, without its quotes. */
export const shownName = (table: string): string =>
  table.replace(/"((?:[^"]|"")*)"/g, (_, name: string) => name.replaceAll('""', '"'))

/** The parts of a name in SQL, and the dots between them. */
const PARTS = /"(?:[^"]|"")*"?|[^."]+|\./g

const lastPart = (table: string): string => table.match(PARTS)?.at(-1) ?? table

/** A table's own name, without its schema. */
export const lastOf = (table: string): string => shownName(lastPart(table))

/** The table of a root's old and new keys, which stays after `finish`. */
export function mappingOf({ table }: Pick<RootPlan, 'table'>): string {
  const name = `_adopted_${lastOf(table)}`
  const schema = table.slice(0, table.length - lastPart(table).length)
  return schema + (/^[a-z_0-9]+$/.test(name) ? name : quoteName(name))
}

export interface AddedIndex {
  readonly table: string
  readonly name: string
  /** Null for an expression. */
  readonly columns: readonly (string | null)[]
  readonly isUnique: boolean
  /** Whether it is a btree over columns only. */
  readonly isPlain: boolean
}

/** In databases where tables are created again, the switch adds an index of each root's old keys. */
export const legacyIndexes = ({ roots }: Plan, stage: Stage): AddedIndex[] =>
  stage !== 'switched'
    ? []
    : roots.map(({ table, key }, i) => ({
        table,
        name: legacyIndex(i),
        columns: [legacyName(key)],
        isUnique: true,
        isPlain: true,
      }))

export const pathOf = ({ table, column }: Key): string => `${shownName(table)}.${column}`

export const placeOf = ({ table, key }: RootPlan): string => pathOf({ table, column: key })

export const tablesOf = (columns: readonly Key[]): string[] =>
  [...new Set(columns.map(({ table }) => table))].sort()

/** SQL for whether one of the tables has rows. */
export const haveRows = (columns: readonly Key[]): string =>
  tablesOf(columns)
    .map((table) => `EXISTS (SELECT 1 FROM ${table})`)
    .join(' OR ')

/** SQL for whether two values differ, with null as a value. */
export const differs = (one: string, other: string): string =>
  `coalesce(${one} <> ${other}, (${one} IS NULL) <> (${other} IS NULL))`

export function onlyColumn(table: string, columns: readonly string[]): string {
  const [column, ...others] = columns
  if (column === undefined) return refuse(shownName(table), 'the table has no primary key')
  if (others.length === 0) return column
  return refuse(
    shownName(table),
    `the primary key is composite (${columns.join(', ')}); list the tables that these columns reference instead, and this key changes with them`,
  )
}

export const replacedIn = (columns: readonly ReplacedColumn[], table: string): ReplacedColumn[] =>
  columns.filter((one) => one.table === table)

/** The table whose key a column contains. */
export const rootOf = (roots: readonly RootPlan[], { root }: ReplacedColumn): RootPlan =>
  roots[root] as RootPlan

type Found = Omit<ReplacedColumn, 'notNull' | 'type'>

/**
 * The keys, and every column that references one of them through a chain of foreign keys, including self references,
 * shared primary keys and foreign keys of several columns.
 */
export function replacedColumns(
  keys: readonly Key[],
  foreignKeys: readonly ForeignKey[],
  obstacles: Obstacles,
): Found[] {
  const found = new Map<string, Found>()
  const pairs = foreignKeys.flatMap(({ table, columns, target, targetColumns }) =>
    columns.map((column, i) => ({
      own: { table, column },
      target: { table: target, column: targetColumns[i] as string },
    })),
  )
  const add = (column: Key, root: number, isRoot: boolean): boolean => {
    const known = found.get(pathOf(column))
    if (known === undefined) found.set(pathOf(column), { ...column, root, isRoot })
    else if (known.root !== root)
      obstacles.attempt(() => refuseTwoRoots(column, keys[known.root] as Key, keys[root] as Key))
    return known === undefined
  }
  const follow = (): boolean =>
    pairs
      .map(({ own, target }) => ({ own, root: found.get(pathOf(target))?.root }))
      .map(({ own, root }) => root !== undefined && add(own, root, false))
      .some(Boolean)

  for (const [root, key] of keys.entries()) add(key, root, true)
  while (follow());
  for (const { own, target } of pairs) {
    if (found.has(pathOf(own)) && !found.has(pathOf(target)))
      obstacles.note(
        pathOf(own),
        `it is a foreign key to ${pathOf(target)}, which keeps its keys; list that table too, or drop the foreign key`,
      )
  }
  return [...found.values()]
}

function refuseTwoRoots(column: Key, one: Key, other: Key): never {
  if (pathOf(one) === pathOf(other)) refuse(shownName(one.table), 'the table is listed twice')
  return refuse(
    pathOf(column),
    `the column is a foreign key to ${pathOf(one)} and to ${pathOf(other)}, so one id cannot match both; drop one of the foreign keys`,
  )
}
