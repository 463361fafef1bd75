import { flake, flax, IdError, type IdFamily, type IdGenerator, sno, uid, uidLocal } from '@snoflax/core'
import { codecFunctions } from './codec-functions.js'
import { defineFunction, defineTable, type SqliteConnection } from './connection.js'
import { generatorFunctions, generatorTable } from './generator-functions.js'
import { snakeCase } from './names.js'
import { ownFunctions } from './own-functions.js'

export interface RegisterOptions {
  /**
   * The families to have functions for, your own too: their names begin with the family's in snake_case. By
   * default all five.
   */
  readonly families?: readonly IdFamily[]
  /**
   * What makes the ids, by the family's name: needed for flake, uid and uidLocal, which can't have a default
   * one. Where several processes or threads write, give sno's a partition too.
   */
  readonly generators?: Readonly<Record<string, IdGenerator<string>>>
}

const FAMILIES: readonly IdFamily[] = [flax, sno, flake, uid, uidLocal]

const IDENTIFIER = /^[a-z][a-z0-9_]*$/

/**
 * Gives the connection the functions of `@snoflax/pg-sql`, without a schema in front: `flax_generate_text()`,
 * `flax_time(id)`, `flax_lower_bound_text('2026-11-01')`, … A connection has them until it is closed; calling
 * this again replaces them.
 *
 * @returns the connection.
 * @throws {IdError} `INVALID_OPTION` for families of one name, and for generators of no family of the list.
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
  checkGenerators(families, generators)
  for (const [prefix, family] of byPrefix) register(db, prefix, family, generators[family.name])
  return db
}

function register(
  db: SqliteConnection,
  prefix: string,
  family: IdFamily,
  generator: IdGenerator<string> | undefined,
): void {
  const { functions, variant, metas = 0 } = ownFunctions(family)
  const all = [
    ...codecFunctions(family, variant),
    ...generatorFunctions(family, generator, metas),
    ...functions,
  ]
  const table = generatorTable(family, generator, metas)
  for (const one of all) defineFunction(db, { ...one, name: `${prefix}_${one.name}` })
  defineTable(db, { ...table, name: `${prefix}_${table.name}` })
}

/** The families by what their functions' names begin with. */
function prefixes(families: readonly IdFamily[]): Map<string, IdFamily> {
  const found = new Map<string, IdFamily>()
  for (const family of families) {
    const prefix = snakeCase(family.name)
    if (found.has(prefix)) refuse(family.name, 'families', 'two families have functions of the same names')
    if (!IDENTIFIER.test(prefix)) refuse(family.name, 'families', `functions can't be named ${prefix}_…`)
    found.set(prefix, family)
  }
  return found
}

function checkGenerators(
  families: readonly IdFamily[],
  generators: Readonly<Record<string, IdGenerator<string>>>,
): void {
  for (const [name, generator] of Object.entries(generators)) {
    const family = families.find((one) => one.name === name)
    if (!family) refuse(name, 'generators', `none of the families has this name: ${namesOf(families)}`)
    if (!isSame(generator.family, family)) {
      const theirs = `${generator.family.name} with other bits, epoch or neighbourhood`
      refuse(name, 'generators', `the generator's family is ${theirs}`)
    }
  }
}

const namesOf = (families: readonly IdFamily[]): string => families.map(({ name }) => name).join(', ')

const isSame = (a: IdFamily, b: IdFamily): boolean =>
  a.name === b.name && JSON.stringify(a.layout) === JSON.stringify(b.layout)

function refuse(family: string, field: string, reason: string): never {
  throw new IdError('INVALID_OPTION', `${family}: ${reason}`, { family, field })
}
