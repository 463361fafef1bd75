import { type IdSource, idSource } from '@snoflax/core/adapter'
import { type Column, getTableColumns, type Table } from 'drizzle-orm'
import { findIds, isList } from './id-column/ids.js'

/** What drizzle-seed passes to the callback of `refine`, as far as it is used here. */
export interface SeedFunctions<Generator> {
  /** drizzle-seed's generator of a fixed value. */
  default(parameters: { defaultValue: unknown }): Generator
}

/** How many ids a list has. */
const IN_LIST = 2

/**
 * Generators of a table's ids for drizzle-seed. The ids are different in each run. drizzle-seed itself fills references
 * with ids of the rows that they reference.
 *
 * @param generators by the column's key, for columns without a generator whose family has no default generator.
 *
 * @throws {IdError} `GENERATOR_REQUIRED` for such a column without one, `INVALID_OPTION` for a generator of another family.
 *
 * @example
 * await seed(db, { orders }).refine((functions) => ({ orders: { columns: seedIds(orders, functions) } }))
 */
export function seedIds<ATable extends Table, Generator>(
  table: ATable,
  functions: SeedFunctions<Generator>,
  generators?: Readonly<Partial<Record<keyof ATable['_']['columns'], IdSource>>>,
): Record<string, Generator> {
  const given: Readonly<Record<string, IdSource | undefined>> = generators ?? {}
  return Object.fromEntries(
    Object.entries<Column>(getTableColumns(table)).flatMap(([key, column]) => {
      const ids = findIds(column)
      if (ids === undefined || ids.isReference || column.generated) return []
      const generate = ids.placed(() => newIds(ids, key, given[key]))
      const value = isList(column) ? () => Array.from({ length: IN_LIST }, generate) : generate
      return [[key, functions.default(repeatable(value))]]
    }),
  )
}

function newIds(
  ids: NonNullable<ReturnType<typeof findIds>>,
  key: string,
  generator?: IdSource,
): () => string {
  if (ids.generate && generator === undefined) return ids.generate
  const usage = (example: string) => `seedIds(table, functions, { ${key}: ${example} })`
  return idSource({ family: ids.family, generator, usage })
}

/**
 * drizzle-seed has no custom generators, so this is a fixed value that changes each time it is read. For a table that
 * references itself it generates twice and expects equal values, so each start, which reads `arraySize`, begins again.
 */
function repeatable(generate: () => unknown): { readonly defaultValue: unknown } {
  const values: unknown[] = []
  let at = 0
  return {
    get arraySize(): undefined {
      at = 0
      return undefined
    },
    get defaultValue() {
      values[at] ??= generate()
      return values[at++]
    },
  } as { readonly defaultValue: unknown }
}
