import type { ReplacedColumn } from './adoption.js'
import { refuse } from './refusal.js'
import { shownName } from './sql-text.js'

/** A foreign key, as both databases have it. */
export interface ForeignKey {
  readonly table: string
  readonly columns: readonly string[]
  readonly target: string
  readonly targetColumns: readonly string[]
}

export interface Key {
  readonly table: string
  readonly column: string
}

/**
 * The keys, and every column that a chain of foreign keys leads to one of them: self references, shared
 * primary keys, and foreign keys of several columns among them.
 */
export function replacedColumns(
  keys: readonly Key[],
  foreignKeys: readonly ForeignKey[],
  isNotNull: (column: Key) => boolean,
): ReplacedColumn[] {
  const found = new Map<string, ReplacedColumn>()
  const add = (column: Key, root: number, isRoot: boolean): boolean => {
    const known = found.get(pathOf(column))
    if (known === undefined) {
      found.set(pathOf(column), { ...column, root, isRoot, notNull: isNotNull(column) })
      return true
    }
    if (known.root !== root) refuseTwoRoots(column, keys[known.root] as Key, keys[root] as Key)
    return false
  }
  const follow = (): boolean =>
    foreignKeys
      .flatMap(({ table, columns, target, targetColumns }) =>
        columns.map((column, i) => ({
          column: { table, column },
          root: found.get(pathOf({ table: target, column: targetColumns[i] as string }))?.root,
        })),
      )
      .map(({ column, root }) => root !== undefined && add(column, root, false))
      .some(Boolean)

  for (const [root, key] of keys.entries()) add(key, root, true)
  while (follow());
  return [...found.values()]
}

export const pathOf = ({ table, column }: Key): string => `${shownName(table)}.${column}`

function refuseTwoRoots(column: Key, one: Key, other: Key): never {
  if (pathOf(one) === pathOf(other)) refuse(shownName(one.table), 'the table is given twice')
  return refuse(
    pathOf(column),
    `the column is a foreign key to ${pathOf(one)} and to ${pathOf(other)}, so no one id can stand in it`,
  )
}
