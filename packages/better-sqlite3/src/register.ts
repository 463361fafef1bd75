import { flake, flax, IdError, type IdFamily, isSameFamily, sno, uid, uidLocal } from '@snoflax/core'
import { codecFunctions } from './codec-functions.js'
import { defineFunction, defineTable, type SqliteConnection } from './connection.js'
import { generatorFunctions, generatorTable, type IdSource } from './generator-functions.js'
import { snakeCase } from './names.js'
import { ownFunctions } from './own-functions.js'

/** Which families have functions, and what makes their ids. */
export interface RegisterOptions {
  /**
   * The families to have functions for, your own too: their names begin with the family's in snake_case. By
   * default all five.
   */
  readonly families?: readonly IdFamily[]
  /**
   * What makes the ids, by the family's name: needed for flake, uid and uidLocal, which can't have a default
   * one. A family with one of its own stands for that. Where several processes or threads write, give sno's
   * a partition too.
   */
  readonly generators?: Readonly<Record<string, IdSource>>
}

const FAMILIES: readonly IdFamily[] = [flax, sno, flake, uid, uidLocal]

const IDENTIFIER = /^[a-z][a-z0-9_]*$/

/**
 * Gives the connection the functions of `@snoflax/pg-sql`, without a schema in front: `flax_generate_text()`,
 * `flax_time(id)`, `flax_lower_bound_text('2026-11-01')`, … A connection has them until it is closed; calling
 * this again replaces them.
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
  checkGenerators(families, generators)
  for (const [prefix, family] of byPrefix) register(db, prefix, family, generators[family.name])
  return db
}

function register(
  db: SqliteConnection,
  prefix: string,
  family: IdFamily,
  source: IdSource | undefined,
): void {
  const { functions, variant, metas = 0 } = ownFunctions(family)
  const all = [...codecFunctions(family, variant), ...generatorFunctions(family, source, metas), ...functions]
  const table = generatorTable(family, source, metas)
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
  generators: Readonly<Record<string, IdSource>>,
): void {
  for (const [name, source] of Object.entries(generators)) {
    const family = families.find((one) => one.name === name)
    if (!family) refuse(name, 'generators', `none of the families has this name: ${namesOf(families)}`)
    checkSource(family, source)
  }
}

function checkSource(family: IdFamily, source: IdSource): void {
  const { name, generatorExample = 'a generator' } = family
  if (typeof source?.generate !== 'function') {
    refuse(name, 'generators', `what was given makes no ids; give ${generatorExample}`)
  }
  const theirs = 'family' in source ? source.family : source
  if (theirs.name !== name) refuse(name, 'generators', `the generator makes ids of ${theirs.name}`)
  if (!isSameFamily(theirs, family)) {
    refuse(name, 'generators', `the generator's family is ${name} with other bits, epoch or neighbourhood`)
  }
}

const namesOf = (families: readonly IdFamily[]): string => families.map(({ name }) => name).join(', ')

function refuse(family: string, field: string, reason: string): never {
  throw new IdError('INVALID_OPTION', `${family}: ${reason}`, { family, field })
}
