import { installSql } from '@snoflax/pg-sql'
import type { PostgresDatabase } from '@snoflax/test'

/** A generator that keeps its state in the database. */
export interface Generator {
  readonly family: 'sno' | 'flake' | 'uid' | 'uid_local'
  /** An expression that makes an id, as hex. */
  readonly generate: string
  readonly state: string
  readonly unitUs: number
  /** The first moment that ids can carry, in Unix microseconds. */
  readonly firstUs: number
  /** A statement that gives the database its number. */
  readonly number: (n: number) => string | undefined
  /** The number in an id, as hex. */
  readonly numberIn?: (hex: string) => number
}

const generator = (
  family: Generator['family'],
  rest: Omit<Generator, 'family' | 'generate' | 'state'>,
): Generator => ({
  family,
  generate: `encode(snoflax.${family}_generate(), 'hex')`,
  state: `snoflax.${family}_state`,
  ...rest,
})

export const generators: readonly Generator[] = [
  generator('sno', {
    unitUs: 4000,
    firstUs: 1_262_304_000_000_000,
    number: (n) => `SELECT snoflax.sno_set_partition(${n})`,
    numberIn: (id) => Number.parseInt(id.slice(12, 16), 16),
  }),
  generator('flake', {
    unitUs: 1000,
    firstUs: 0,
    number: (n) => `SELECT snoflax.flake_set_worker(0, ${n})`,
    numberIn: (id) => Number.parseInt(id.slice(10, 13), 16) % 32,
  }),
  generator('uid', {
    unitUs: 1024,
    firstUs: 0,
    number: (n) => `SELECT snoflax.uid_set_node(${n})`,
    numberIn: (id) => Number.parseInt(id.slice(8, 16), 16),
  }),
  generator('uid_local', { unitUs: 1024, firstUs: 0, number: () => undefined }),
]

/** Those whose ids carry a number of the database. */
export const numbered = generators.filter(
  (one): one is Generator & Required<Pick<Generator, 'numberIn'>> => one.numberIn !== undefined,
)

/** Installs all families and gives each generator the number 7. */
export async function installGenerators(database: PostgresDatabase): Promise<void> {
  await database.query(installSql())
  await setNumbers(database, 7)
}

export async function setNumbers(database: Pick<PostgresDatabase, 'query'>, n: number): Promise<void> {
  for (const { number } of generators) {
    const statement = number(n)
    if (statement) await database.query(statement)
  }
}
