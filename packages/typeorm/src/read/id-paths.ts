import type { EntityMetadata } from 'typeorm'
import { idColumnFor, type PreparedColumn } from '../prepare/prepared-column.js'

/** What is known of a name in a query's FROM. */
interface Alias {
  readonly name: string
  readonly hasMetadata: boolean
  readonly metadata: EntityMetadata
}

type Paths = ReadonlyMap<string, PreparedColumn>

const pathsOf = new WeakMap<EntityMetadata, Paths>()

/** The id column that a path in a query leads to, with quotes or without. */
export function idColumnAt(path: string, aliases: readonly Alias[]): PreparedColumn | undefined {
  const plain = path.replaceAll(/["`]/g, '')
  const known = aliases.filter(({ hasMetadata }) => hasMetadata)
  for (const { name, metadata } of known) {
    for (const prefix of [name, metadata.tableName]) {
      const column = plain.startsWith(`${prefix}.`) && idPaths(metadata).get(plain.slice(prefix.length + 1))
      if (column) return column
    }
  }
  const bare = known.flatMap(({ metadata }) => idPaths(metadata).get(plain) ?? [])
  return bare.length === 1 || bare.every((column) => column === bare[0]) ? bare[0] : undefined
}

/** All that TypeORM takes for an id column of the entity: database name, property and relation. */
function idPaths(metadata: EntityMetadata): Paths {
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
