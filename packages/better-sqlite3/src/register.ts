import { flake, flax, type IdFamily, sno } from '@snoflax/core'
import {
  checkFamily,
  checkGeneratorNames,
  checkOptions,
  type IdSource,
  snakeCase,
  withPath,
} from '@snoflax/core/adapter'
import { codecFunctions } from './codec-functions.js'
import { generatorFunctions } from './generator-functions.js'
import { ownFunctions } from './own-functions.js'
import { defineFunction, defineTable, type SqliteConnection } from './sql-function.js'
import { refuse } from './values.js'

/** Options of {@link registerSnoflax}. */
export interface RegisterOptions {
  /**
   * The families for which to register functions, including those of `@snoflax/families` and your own. The functions'
   * names begin with the family's in snake_case. Default: flax, sno and flake.
   */
  readonly families?: readonly IdFamily[]
  /**
   * Generators by the family's name: required for flake, uid and uidLocal, which have no default generator. A family
   * means its default generator. If several processes or threads write, pass one with its own partition for sno, too.
   */
  readonly generators?: Readonly<Record<string, IdSource>>
}

const FAMILIES: readonly IdFamily[] = [flax, sno, flake]

const IDENTIFIER = /^[a-z][a-z0-9_]*$/

/**
 * Registers the functions of `@snoflax/pg-sql` on the connection, without a schema: `flax_generate_text()`,
 * `flax_time(id)`, `flax_lower_bound_text('2026-11-01')`, … The connection keeps them until it is closed; calling this
 * again replaces them.
 *
 * @returns the connection.
 * @throws {IdError} `INVALID_OPTION` for unknown options, two families of one name, and a generator whose family is not in
 * the list, or is another one than its key names.
 *
 * @example
 * const db = registerSnoflax(new Database('app.db'), { generators: { sno: sno.generator({ partition: 7 }) } })
 * db.prepare('SELECT flax_generate_text()').pluck().get() // 'Kpcan0M1FakODT4k'
 */
export function registerSnoflax<Connection extends SqliteConnection>(
  db: Connection,
  options: RegisterOptions = {},
): Connection {
  const kinds = { families: 'any', generators: 'any' } as const
  const { families = FAMILIES, generators = {} } = checkOptions('registerSnoflax', options, kinds)
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

/** The families by the prefix of their functions' names. */
function prefixes(families: readonly IdFamily[]): Map<string, IdFamily> {
  const found = new Map<string, IdFamily>()
  for (const family of families) {
    checkFamily(family, 'registerSnoflax: each of families')
    const prefix = snakeCase(family.name)
    const fault = found.has(prefix)
      ? `two families would have functions named ${prefix}_…; rename one with defineFamily`
      : !IDENTIFIER.test(prefix) &&
        `SQL functions can't be named ${prefix}_…; rename the family to letters, digits and _`
    if (fault) refuse('INVALID_OPTION', family.name, 'families', fault)
    found.set(prefix, family)
  }
  return found
}
