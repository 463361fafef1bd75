import { type IdSource, idSource } from '@snoflax/core/adapter'
import type { Table } from 'drizzle-orm'
import { idColumnsIn, isList } from './id-column/ids.js'

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
  const byKey: Readonly<Record<string, IdSource | undefined>> = generators ?? {}
  return Object.fromEntries(
    idColumnsIn(table).flatMap(({ key, column, ids }) => {
      if (ids.isReference || column.generated) return []
      const generator = byKey[key]
      const usage = (example: string) => `seedIds(table, functions, { ${key}: ${example} })`
      const own = generator === undefined ? ids.generate : undefined
      const generate = own ?? ids.placed(() => idSource({ family: ids.family, generator, usage }))
      const value = isList(column) ? () => Array.from({ length: IN_LIST }, generate) : generate
      return [[key, functions.default(repeatable(value))]]
    }),
  )
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
