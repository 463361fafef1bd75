import type { PostgresDatabase } from '@snoflax/test'
import { FAMILIES, suffix, TYPES } from './families.js'

export interface Plan {
  readonly 'Node Type': string
  readonly 'Index Cond'?: string
  readonly 'Index Name'?: string
  readonly 'Relation Name'?: string
  readonly 'Subplans Removed'?: number
  readonly Plans?: readonly Plan[]
}

/** The plan's nodes, from the top down, as EXPLAIN tells them. `statement` may be `EXECUTE …`. */
export async function planOf(
  query: (sql: string) => Promise<{ rows: Record<string, unknown>[] }>,
  statement: string,
): Promise<Plan[]> {
  const { rows } = await query(`EXPLAIN (COSTS OFF, FORMAT json) ${statement}`)
  const told = rows[0]?.['QUERY PLAN'] as [{ Plan: Plan }] | undefined
  if (!told) throw new Error(`no plan of ${statement}`)
  const top = told[0].Plan
  return [top, ...below(top)]
}

const below = (plan: Plan): Plan[] => (plan.Plans ?? []).flatMap((one) => [one, ...below(one)])

export const scanned = (nodes: readonly Plan[]): string[] =>
  nodes.flatMap((node) => node['Relation Name'] ?? []).sort()

export const queryOf = (database: PostgresDatabase) => (sql: string) => database.pool.query(sql)

/** Each family in each of its storages, with the functions that bound its ids. */
export const STORED = FAMILIES.flatMap(({ name, family }) =>
  family.storages.map((storage) => ({
    name,
    storage,
    exact: family.exactRange,
    type: TYPES[storage] + (storage === 'text' ? ' COLLATE "C"' : ''),
    lower: `snoflax.${name}_lower_bound${suffix(storage)}`,
    upper: `snoflax.${name}_${family.exactRange ? 'lower' : 'upper'}_bound${suffix(storage)}`,
  })),
)
