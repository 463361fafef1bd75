import type { PostgresDatabase } from '@snoflax/test'
import { betweenSuffix, FAMILIES, suffix, TYPES } from './families.js'

export interface Plan {
  readonly 'Node Type': string
  readonly 'Index Cond'?: string
  readonly 'Index Name'?: string
  readonly 'Relation Name'?: string
  readonly 'Subplans Removed'?: number
  readonly 'Plan Rows': number
  readonly Plans?: readonly Plan[]
}

type Query = (sql: string) => Promise<{ rows: Record<string, unknown>[] }>

/** The plan's nodes, from the top down, as EXPLAIN tells them. `statement` may be `EXECUTE …`. */
export async function planOf(query: Query, statement: string): Promise<Plan[]> {
  const { rows } = await query(`EXPLAIN (FORMAT json) ${statement}`)
  const told = rows[0]?.['QUERY PLAN'] as [{ Plan: Plan }] | undefined
  if (!told) throw new Error(`no plan of ${statement}`)
  const top = told[0].Plan
  return [top, ...below(top)]
}

const below = (plan: Plan): Plan[] => (plan.Plans ?? []).flatMap((one) => [one, ...below(one)])

export const queryOf = (database: PostgresDatabase) => (sql: string) => database.pool.query(sql)

/** Ids in a column, and the functions that bound them. */
export interface Stored {
  readonly table: string
  readonly family: string
  readonly storage: string
  readonly type: string
  readonly time: string
  lower(at: string): string
  range(from: string, until: string): string
  between(from: string, until: string): string
}

function stored(family: string, storage: string, input: Partial<Stored> & { readonly type: string }): Stored {
  const ending =
    storage === 'binary' || (storage === 'uuid' && /^(uuid7|ulid|typeid)$/.test(family)) ? '' : `_${storage}`
  const lower = (at: string) => `snoflax.${family}_lower_bound${ending}(${at})`
  return {
    table: `${family}_${storage}`,
    family,
    storage,
    time: `snoflax.${family}_time(id)`,
    lower,
    range: (from, until) => `id >= ${lower(from)} AND id < ${lower(until)}`,
    between: (from, until) => `snoflax.${family}_between(id, ${from}, ${until})`,
    ...input,
  }
}

const TEXT = 'text COLLATE "C"'

/** Each family in each of its storages, and texts with a prefix. */
export const STORED: readonly Stored[] = [
  ...FAMILIES.flatMap(({ name, family }) =>
    family.storages.map((storage) => {
      const bound = (end: string, at: string) => `snoflax.${name}_${end}_bound${suffix(storage)}(${at})`
      return stored(name, storage, {
        type: storage === 'text' ? TEXT : TYPES[storage],
        between: (from, until) =>
          `snoflax.${name}_between${betweenSuffix({ name, storage })}(id, ${from}, ${until})`,
        // uid selects the whole last window, so it is rechecked.
        ...(name === 'uid' && {
          range: (from, until) =>
            `id >= ${bound('lower', from)} AND id < ${bound('upper', until)} AND snoflax.uid_time(id) < ${until}`,
        }),
      })
    }),
  ),
  stored('uuid7', 'uuid', { type: 'uuid' }),
  stored('ulid', 'uuid', { type: 'uuid' }),
  stored('ulid', 'text', { type: TEXT }),
  stored('typeid', 'uuid', { type: 'uuid' }),
  ...['flax', 'sno', 'uid', 'ulid'].map((family) =>
    stored(family, 'prefixed', {
      type: TEXT,
      time: `snoflax.${family}_time(id)`,
      lower: (at) => `snoflax.${family}_lower_bound_text(${at}, 'cus')`,
      range: (from, until) => `snoflax.${family}_between(id, ${from}, ${until}, 'cus')`,
      between: (from, until) => `snoflax.${family}_between(id, ${from}, ${until}, 'cus')`,
    }),
  ),
]

/** A column or two of each family, and each kind of column of flax; `plans.long.test.ts` has the rest. */
export const isQuick = ({ family, storage }: Stored): boolean =>
  family === 'flax' || storage === 'uuid' || storage === 'bigint'
