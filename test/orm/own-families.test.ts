/// <reference types="vite/types/importMeta.d.ts" />
import type { IdFamily } from '@snoflax/core'
import { databases } from '@snoflax/test'
import { type Contestant, describeContract, variantsOf } from '@snoflax/test/contract'
import { expect, test } from 'vitest'
import { thisAdapter } from './adapter.js'

// Families of users go through the contract as ours do: each file of the example, in every storage that it allows.

// By pattern, since these files belong to a TypeScript project of their own.
const FAMILIES = import.meta.glob<Readonly<Record<string, unknown>>>('../../examples/own-families/src/*.ts', {
  eager: true,
})

const adapter = await thisAdapter()
const families = Object.values(FAMILIES).flatMap(Object.values).filter(isFamily).map(contestant)
// PGlite is PostgreSQL behind another driver, whose forms of values our own families show.
const selected = databases.filter(({ name }) => adapter.variants[name] !== undefined && name !== 'pglite')

test('both families are found', () => {
  expect(families.map(({ family }) => family.name).sort()).toEqual(['ulid', 'uuid7'])
})

describeContract(
  adapter,
  selected.flatMap(({ name }) => variantsOf(name, { families })),
)

function isFamily(value: unknown): value is IdFamily<string> & { generator(): Contestant['generator'] } {
  return typeof value === 'object' && value !== null && '~standard' in value
}

function contestant(family: IdFamily<string> & { generator(): Contestant['generator'] }): Contestant {
  return { family, generator: family.generator() }
}
