import type { PostgresDatabase } from '@snoflax/test'

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
