import { databases } from '@snoflax/test'
import {
  type ContractAdapter,
  converts,
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

/** The forms of raw SQL on one database: on one variant of each storage. */
export async function describeRawSqlOn(database: Variant['database']): Promise<void> {
  const adapter = await thisAdapter()
  const { raw, variants } = adapter
  const ofStorages = variants[database]?.filter(
    (variant, at, all) =>
      all.findIndex((one) => one.storage === variant.storage) === at &&
      !(raw?.isUntouched && converts(variant)),
  )
  if (raw === undefined || ofStorages === undefined)
    return test.skip(`${adapter.orm} has no raw SQL on ${database}`)
  if (!databases.some(({ name }) => name === database)) return test.skip(`this run has no ${database}`)
  describeRawSql(adapter, raw, ofStorages)
}
