/// <reference types="vite/types/importMeta.d.ts" />
import { type IdFamily, type IdGenerator, ulid, uuid7 } from '@snoflax/core'
import { discord } from '@snoflax/families'
import { databases } from '@snoflax/test'
import { type Contestant, describeContract, differing, variantsOf } from '@snoflax/test/contract'
import { expect, test } from 'vitest'
import { thisAdapter } from './adapter.js'

// By pattern, since these files belong to a TypeScript project of their own.
const FAMILIES = import.meta.glob<Readonly<Record<string, unknown>>>('../../examples/own-families/src/*.ts', {
  eager: true,
})

const own = Object.values(FAMILIES)
  .flatMap(Object.values)
  .filter(isFamily)
  .map((family) => of(family.generator()))
const everywhere = [...own, of(uuid7.generator())]
const inSqlite = [...everywhere, of(ulid.generator()), of(discord.generator({ worker: 3, process: 9 }))]

/**
 * The contract for families of users and those of @snoflax/families: in SQLite those that differ in behaviour, or all in
 * each storage and some in each other database. PGlite is PostgreSQL behind another driver. Prefixes, of which each has
 * one table, are in the matrix of writes and reads.
 */
export async function describeOwnFamilies({ isWhole = false } = {}): Promise<void> {
  const adapter = await thisAdapter()
  test('the example is found', () => {
    expect(own.map(({ family }) => family.name)).toEqual(['ksuid'])
  })
  const others = databases.filter(({ name }) => name !== 'sqlite' && name !== 'pglite')
  const variants = isWhole
    ? [
        ...variantsOf('sqlite', { families: inSqlite }),
        ...others.flatMap(({ name }) => variantsOf(name, { families: everywhere })),
      ]
    : differing(variantsOf('sqlite', { families: inSqlite }))
  describeContract(
    adapter,
    variants.filter(
      (variant) => adapter.variants[variant.database] !== undefined && !adapter.refuses?.(variant),
    ),
  )
}

function isFamily(value: unknown): value is IdFamily<string> & { generator(): IdGenerator<string> } {
  return typeof value === 'object' && value !== null && '~standard' in value
}

function of<AnId extends string>(generator: IdGenerator<AnId>): Contestant {
  return { family: generator.family, generator } as unknown as Contestant
}
