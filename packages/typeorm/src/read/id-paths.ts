import type { EntityMetadata } from 'typeorm'
import { idColumnFor, type PreparedColumn } from '../prepare/prepared-column.js'

export type Paths = ReadonlyMap<string, PreparedColumn>

/** A name in a query's FROM, and which paths behind it lead to id columns. */
export interface Source {
  readonly name: string
  readonly paths: Paths
}

const pathsOf = new WeakMap<EntityMetadata, Paths>()

/** Without the quotes of names. */
export const unquoted = (path: string): string => path.replaceAll(/["`]/g, '')

/** The id column that a path in a query leads to, with quotes or without. Earlier sources weigh more. */
export function idColumnAt(path: string, sources: readonly Source[]): PreparedColumn | undefined {
  return idColumnBehind(path, sources) ?? bareIdColumn(unquoted(path), sources)
}

/** Of a path that names no source, unless several have it. */
function bareIdColumn(path: string, sources: readonly Source[]): PreparedColumn | undefined {
  const found = new Set(sources.flatMap(({ paths }) => paths.get(path) ?? []))
  return found.size === 1 ? [...found][0] : undefined
}

/** The same of a path that begins with a source's name. */
export function idColumnBehind(path: string, sources: readonly Source[]): PreparedColumn | undefined {
  const plain = unquoted(path)
  for (const { name, paths } of sources) {
    const column = plain.startsWith(`${name}.`) && paths.get(plain.slice(name.length + 1))
    if (column) return column
  }
  return undefined
}

/** All that TypeORM takes for an id column of the entity: database name, property and relation. */
export function idPaths(metadata: EntityMetadata): Paths {
  const paths = pathsOf.get(metadata) ?? new Map(entriesOf(metadata))
  pathsOf.set(metadata, paths)
  return paths
}

/** As in TypeORM, later entries weigh more. */
function entriesOf({ relations, columns }: EntityMetadata): [string, PreparedColumn][] {
  const joined = relations.flatMap(({ propertyPath, joinColumns, inverseJoinColumns }) => [
    ...joinColumns.slice(0, 1).map((column) => [propertyPath, column] as const),
    ...[...joinColumns, ...inverseJoinColumns].map(
      (column) => [`${propertyPath}.${column.referencedColumn?.propertyPath}`, column] as const,
    ),
  ])
  const named = (['databaseName', 'propertyName', 'propertyPath'] as const).flatMap((name) =>
    columns.map((column) => [column[name], column] as const),
  )
  return [...joined, ...named].flatMap(([path, column]): [string, PreparedColumn][] => {
    const found = idColumnFor(column)
    return found ? [[path, found]] : []
  })
}
