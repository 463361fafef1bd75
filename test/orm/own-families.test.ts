/// <reference types="vite/types/importMeta.d.ts" />
import type { IdFamily, IdGenerator } from '@snoflax/core'
import { discord, typeid, ulid, uuid7 } from '@snoflax/families'
import { databases } from '@snoflax/test'
import {
  type Contestant,
  describeContract,
  prefixedContestants,
  type Variant,
  variantsOf,
} from '@snoflax/test/contract'
import { expect, test } from 'vitest'
import { thisAdapter } from './adapter.js'

// Families of users go through the contract as core's do: each file of the example, in every storage that it allows. So
// do prefixed families, and those of @snoflax/families.

// By pattern, since these files belong to a TypeScript project of their own.
const FAMILIES = import.meta.glob<Readonly<Record<string, unknown>>>('../../examples/own-families/src/*.ts', {
  eager: true,
})

const adapter = await thisAdapter()
const GIVEN: readonly IdGenerator<string>[] = [
  ulid.generator(),
  typeid('user').generator(),
  discord.generator({ worker: 3, process: 9 }),
]
const own = Object.values(FAMILIES).flatMap(Object.values).filter(isFamily).map(contestant)
const everywhere = [...own, { family: uuid7, generator: uuid7.generator() }] as unknown as Contestant[]
const given = GIVEN.map((generator) => ({ family: generator.family, generator }))
// PGlite is PostgreSQL behind another driver, whose forms of values our own families show.
const selected = databases.filter(({ name }) => adapter.variants[name] !== undefined && name !== 'pglite')

test('the example is found', () => {
  expect(own.map(({ family }) => family.name)).toEqual(['ksuid'])
})

// Prefixed families differ in the application alone, so that one database shows them all and one of them each other
// database, unless all are asked for.
const all = process.env['SNOFLAX_PREFIXED'] === 'all'
const prefixedVariants = (name: Variant['database']): Variant[] => {
  const variants = variantsOf(name, { families: prefixedContestants })
  return all || name === 'sqlite' ? variants : variants.slice(0, 1)
}

describeContract(
  adapter,
  selected
    .flatMap(({ name }) => [
      ...variantsOf(name, { families: all || name === 'sqlite' ? [...everywhere, ...given] : everywhere }),
      ...prefixedVariants(name),
    ])
    .filter((variant) => !adapter.refuses?.(variant)),
)

function isFamily(value: unknown): value is IdFamily<string> & { generator(): Contestant['generator'] } {
  return typeof value === 'object' && value !== null && '~standard' in value
}

function contestant(family: IdFamily<string> & { generator(): Contestant['generator'] }): Contestant {
  return { family, generator: family.generator() }
}
