import { flake, flax, type IdFamily, sno, uid, uidLocal } from '@snoflax/core'
import { checkGeneratorNames, type IdSource, snakeCase, withPath } from '@snoflax/core/adapter'
import { codecFunctions } from './codec-functions.js'
import { generatorFunctions } from './generator-functions.js'
import { ownFunctions } from './own-functions.js'
import { defineFunction, defineTable, type SqliteConnection } from './sql-function.js'
import { refuse } from './values.js'

/** Options of {@link registerSnoflax}. */
export interface RegisterOptions {
  /**
   * The families to have functions for, your own too: their names begin with the family's in snake_case. By
   * default all five.
   */
  readonly families?: readonly IdFamily[]
  /**
   * Generators by the family's name: required for flake, uid and uidLocal, which have no default generator. A family
   * means its default generator. If several processes or threads write, pass one with its own partition for sno, too.
   */
  readonly generators?: Readonly<Record<string, IdSource>>
}

const FAMILIES: readonly IdFamily[] = [flax, sno, flake, uid, uidLocal]

const IDENTIFIER = /^[a-z][a-z0-9_]*$/

/**
 * Registers on the connection the functions of `@snoflax/pg-sql`, without a schema in front: `flax_generate_text()`,
 * `flax_time(id)`, `flax_lower_bound_text('2026-11-01')`, … A connection has them until it is closed; calling this
 * again replaces them.
 *
 * @returns the connection.
 * @throws {IdError} `INVALID_OPTION` for families of one name, and for generators of no family of the list, or of
 * another one than they are given for.
 *
 * @example
 * const db = registerSnoflax(new Database('app.db'), { generators: { sno: sno.generator({ partition: 7 }) } })
 * db.prepare('SELECT flax_generate_text()').pluck().get() // 'Kpcan0M1FakODT4k'
 */
export function registerSnoflax<Connection extends SqliteConnection>(
  db: Connection,
  { families = FAMILIES, generators = {} }: RegisterOptions = {},
): Connection {
  const byPrefix = prefixes(families)
  withPath('registerSnoflax', () => checkGeneratorNames(generators, families))
  for (const [prefix, family] of byPrefix) register(db, prefix, family, generators[family.name])
  return db
}

function register(db: SqliteConnection, prefix: string, family: IdFamily, generator?: IdSource): void {
  const { functions, variant, metas = 0 } = ownFunctions(family)
  const { functions: generators, many } = generatorFunctions(family, generator, metas)
  for (const one of [...codecFunctions(family, variant), ...generators, ...functions])
    defineFunction(db, `${prefix}_${one.name}`, one)
  defineTable(db, `${prefix}_generate_many`, ['n', 'meta'].slice(0, 1 + metas), many)
}

/** The families by what their functions' names begin with. */
function prefixes(families: readonly IdFamily[]): Map<string, IdFamily> {
  const found = new Map<string, IdFamily>()
  for (const family of families) {
    const prefix = snakeCase(family.name)
    const fault = found.has(prefix)
      ? 'two families would have functions of the same name; rename one with defineFamily'
      : !IDENTIFIER.test(prefix) && `functions can't be named ${prefix}_…`
    if (fault) refuse('INVALID_OPTION', family.name, 'families', fault)
    found.set(prefix, family)
  }
  return found
}
