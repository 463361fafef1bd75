/// <reference types="vite/types/importMeta.d.ts" />
import type { IdFamily } from '@snoflax/core'
import { databases } from '@snoflax/test'
import {
  type Contestant,
  type ContractAdapter,
  describeContract,
  type Variant,
  variantsOf,
} from '@snoflax/test/contract'
import { expect, test } from 'vitest'
import { plain } from './plain/adapter.js'

// Families of users go through the contract as ours do: each file of the example, in every storage that it allows,
// by hand and through every ORM's own adapter.

type Exports = Readonly<Record<string, unknown>>

// By pattern, since these files belong to TypeScript projects of their own.
const FAMILIES = import.meta.glob<Exports>('../examples/own-families/src/*.ts', { eager: true })
const ADAPTERS = import.meta.glob<Exports>('../packages/*/test/contract/adapter.ts', { eager: true })

const families = Object.values(FAMILIES).flatMap(Object.values).filter(isFamily).map(contestant)

test('both families are found', () => {
  expect(families.map(({ family }) => family.name).sort()).toEqual(['ulid', 'uuid7'])
})

run(plain, ['sqlite', 'postgres', 'mysql'])
run(adapterOf('typeorm', 'adapter'), ['sqlite', 'postgres', 'mysql'])
run(adapterOf('drizzle', 'drizzleAdapter'), ['sqlite', 'postgres'])
run(adapterOf('drizzle', 'mysqlAdapter'), ['mysql'])
run(adapterOf('prisma-extension', 'prismaAdapter'), ['sqlite', 'postgres'])

/** Over those databases of the run that the adapter is for. */
function run<Session>(adapter: ContractAdapter<Session>, kinds: readonly Variant['database'][]): void {
  const selected = databases.map(({ name }) => name).filter((name) => kinds.includes(name))
  const variants = selected.flatMap((name) => variantsOf(name, { families }))
  if (variants.length > 0) describeContract(adapter, variants)
}

function adapterOf(folder: string, name: string): ContractAdapter<unknown> {
  const adapter = ADAPTERS[`../packages/${folder}/test/contract/adapter.ts`]?.[name]
  if (adapter === undefined) throw new Error(`packages/${folder} has no adapter of that name: ${name}`)
  return adapter as ContractAdapter<unknown>
}

function isFamily(value: unknown): value is IdFamily<string> & { generator(): Contestant['generator'] } {
  return typeof value === 'object' && value !== null && '~standard' in value
}

function contestant(family: IdFamily<string> & { generator(): Contestant['generator'] }): Contestant {
  return { family, generator: family.generator() }
}
