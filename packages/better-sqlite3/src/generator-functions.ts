import { IdError, type IdFamily, type IdGenerator } from '@snoflax/core'
import { writers } from './ids.js'
import { readMoment } from './moments.js'
import { type SqlFunction, type SqlTable, volatile } from './sql-function.js'
import { numberOf, type SqlValue, typeName } from './values.js'

/** A generator, or a family that is its own default one. */
export type IdSource = IdGenerator<string> | (IdFamily & Pick<IdGenerator<string>, 'generate'>)

/** As families with a metabyte make ids; others take no argument. */
interface IdMaker {
  generate(meta?: number): string
  generateAt?(time: number, meta?: number): string
}

/** The functions that make ids, named without the family. `metas` is 1 if they take a metabyte, else 0. */
export function generatorFunctions(
  family: IdFamily,
  source: IdSource | undefined,
  metas: 0 | 1,
): SqlFunction[] {
  const maker = makerOf(family, source)
  const make = makeWith(maker)
  const functions = writers(family).map(([ending, write]) =>
    volatile(`generate${ending}`, (meta) => write(make(meta)), 0, metas),
  )
  if (!('generateAt' in family) && !maker.generateAt) return functions
  const makeAt = (moment: SqlValue, meta: SqlValue): string =>
    maker.generateAt?.(readMoment(family.name, moment), numberOf(meta)) ?? refuseMoment(family)
  return [
    ...functions,
    volatile('generate_at', (moment, meta) => family.decode(makeAt(moment, meta)), 1, metas),
  ]
}

/** Many ids at once, as rows. */
export function generatorTable(family: IdFamily, source: IdSource | undefined, metas: 0 | 1): SqlTable {
  const make = makeWith(makerOf(family, source))
  return {
    name: 'generate_many',
    parameters: ['n', 'meta'].slice(0, 1 + metas),
    *ids(n, meta) {
      for (let left = count(family.name, n); left > 0; left--) yield family.decode(make(meta))
    },
  }
}

/** What makes the family's ids. Without a generator for a family that needs one, the first id is refused. */
function makerOf(family: IdFamily, source: IdSource | undefined): IdMaker {
  if (source) return source
  if ('generate' in family) return family as unknown as IdMaker
  return { generate: () => refuseMissing(family) }
}

/** An argument that was not given is undefined: the generator's own default. */
const makeWith =
  (maker: IdMaker) =>
  (meta: SqlValue | undefined): string =>
    maker.generate(numberOf(meta))

function refuseMissing({ name, generatorExample = 'a generator' }: IdFamily): never {
  throw new IdError(
    'GENERATOR_REQUIRED',
    `${name}: nothing makes ids on this connection; give registerSnoflax { generators: { ${name}: ${generatorExample} } }`,
    { family: name, field: 'generators' },
  )
}

/** Not left out: the function of a generator that was registered before would stay. */
function refuseMoment({ name }: IdFamily): never {
  throw new IdError('INVALID_OPTION', `${name}: this connection's generator makes no ids of other moments`, {
    family: name,
    field: 'generators',
  })
}

/** A parameter that was left out is undefined. */
function count(family: string, n: SqlValue | undefined): number {
  const number = numberOf(n)
  if (Number.isSafeInteger(number) && number >= 0) return number
  const rule = `${family}: n is a whole number from 0`
  if (n === undefined) throw new TypeError(`${rule}, not left out`)
  if (typeof number !== 'number') throw new TypeError(`${rule}, not ${typeName(n)}`)
  throw new IdError('FIELD_OUT_OF_RANGE', `${rule}, not ${n}`, { family, field: 'n', value: n })
}
