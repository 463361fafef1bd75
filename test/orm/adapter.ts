import { databases } from '@snoflax/test'
import {
  type ContractAdapter,
  describeContract,
  describeRawSql,
  differing,
  type Variant,
} from '@snoflax/test/contract'
import { inject, test } from 'vitest'

declare module 'vitest' {
  interface ProvidedContext {
    /** The file of the project's adapter. */
    snoflaxAdapter: string
  }
}

/** The adapter of the vitest project that runs this file: a package's `test/contract/adapter.ts`, by default export. */
export async function thisAdapter(): Promise<ContractAdapter<unknown>> {
  const { default: adapter } = await import(/* @vite-ignore */ inject('snoflaxAdapter'))
  return adapter
}

/** The contract on one database, in all variants that the adapter names or in those that differ in behaviour. */
export async function describeContractOn(
  database: Variant['database'],
  { isWhole = false } = {},
): Promise<void> {
  const adapter = await thisAdapter()
  const variants = adapter.variants[database]
  if (variants === undefined) return test.skip(`${adapter.orm} names no variants on ${database}`)
  if (!databases.some(({ name }) => name === database)) return test.skip(`this run has no ${database}`)
  describeContract(adapter, isWhole ? variants : differing(variants))
}

/** Raw SQL on one database: on text, and on PostgreSQL's `uuid`. */
export async function describeRawSqlOn(database: Variant['database']): Promise<void> {
  const adapter = await thisAdapter()
  const { raw, variants } = adapter
  const tested = ['text', 'uuid'].flatMap(
    (storage) => variants[database]?.find((variant) => variant.storage === storage) ?? [],
  )
  if (raw === undefined || tested.length === 0)
    return test.skip(`${adapter.orm} has no raw SQL on ${database}`)
  if (!databases.some(({ name }) => name === database)) return test.skip(`this run has no ${database}`)
  describeRawSql(adapter, raw, tested)
}
