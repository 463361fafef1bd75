import type { IdFamily } from '../family.js'
import { baseOf, checkFamily, generatorExampleOf, isOpaque, isPrefixed, isSameFamily } from '../identity.js'
import { IdError, show } from '../primitives/errors.js'
import { ownOptions, refuse } from '../primitives/options.js'

/** Generates the ids of a column: a generator of @snoflax/core, a family, or an object of your own. */
export interface IdSource<AnId extends string = string> {
  /** The family of the ids, so that a generator of another family is refused. */
  readonly family?: IdFamily<AnId> | undefined
  /** A new id. `meta` is passed for families whose ids have a metabyte. */
  generate(meta?: number): AnId
}

/** The options of a column from which {@link idSource} finds its generator. */
interface IdSourceRequest<AnId extends string> {
  /** The family of the column's ids. */
  readonly family: IdFamily<AnId>
  /**
   * The generator. A family means its default generator. For a column with a prefix it may be one without, which gets the
   * prefix. Default: the column's family.
   */
  readonly generator?: IdSource | undefined
  /** The metabyte of every id of the column, 0 to 255. */
  readonly meta?: number | undefined
  /** For messages, the code that sets a generator: ``(example) => `{ generator: ${example} }` ``. */
  usage(example: string): string
}

/** A family with a default generator. Some also have a monotonic one, for columns. */
type GeneratingFamily<AnId extends string> = IdFamily<AnId> &
  IdSource<AnId> & { readonly monotonic?: IdSource<AnId> }

interface MetaFamily extends IdFamily {
  withMeta(id: string, meta: number): string
}

/**
 * Returns the function that generates the ids of a column. Without a generator it is the family's default: for flax the
 * monotonic one of this process, so that rows sort in insert order.
 *
 * @throws {IdError} `GENERATOR_REQUIRED` for a family without a default generator; `INVALID_OPTION` for a
 * generator of another family, a value that is not a generator, and a metabyte for ids without one;
 * `FIELD_OUT_OF_RANGE` for a metabyte above 255.
 *
 * @example
 * const usage = (example: string) => `idColumn({ generator: ${example} })`
 * const newId = idSource({ family: sno, meta: 2, usage })
 * sno.meta(newId()) // 2
 */
export function idSource<AnId extends string>(request: IdSourceRequest<AnId>): () => AnId {
  const { family, generator, meta, usage } = ownOptions(request)
  checkFamily(family)
  checkMeta(family, meta)
  if (generator !== undefined) checkGenerator(family, generator)
  const source = defaultOf<AnId>(generator === undefined ? family : withPrefix(family, generator))
  if (source === undefined) {
    const example = generatorExampleOf(family) ?? 'an IdGenerator'
    const message = `${family.name} has no default generator; pass ${usage(example)}`
    throw new IdError('GENERATOR_REQUIRED', message, { family: family.name, field: 'generator' })
  }
  if (generator !== undefined && isOpaque(family)) return () => family.parse(source.generate())
  return meta === undefined ? () => source.generate() : () => source.generate(meta)
}

/** A generator of the base generates ids of the prefixed family. */
function withPrefix<AnId extends string>(
  family: IdFamily<AnId>,
  generator: IdSource,
): IdFamily<AnId> | IdSource<AnId> {
  const theirs = familyOf(generator)
  if (theirs === undefined || !isPrefixed(family) || !isSameFamily(theirs, family.base)) {
    return generator as IdSource<AnId>
  }
  if (isFamily(generator)) return family
  return family.fromGenerator(generator) as IdSource<AnId>
}

const isFamily = (value: object): value is IdFamily => 'decode' in value

/** The family that a generator names, or that the generator is. */
const familyOf = (value: Partial<IdSource & IdFamily>): IdFamily | undefined =>
  value.family ?? (isFamily(value) ? value : undefined)

/** A family's default generator; undefined if it has none. */
function defaultOf<AnId extends string>(source: IdFamily<AnId> | IdSource<AnId>): IdSource<AnId> | undefined {
  if (!('generate' in source)) return undefined
  const { monotonic } = source as GeneratingFamily<AnId>
  return typeof monotonic?.generate === 'function' ? monotonic : source
}

/**
 * Checks that the value is a generator of this family's ids.
 *
 * @throws {IdError} `INVALID_OPTION`.
 *
 * @example
 * checkGenerator(sno, sno.generator({ partition: 7 }))
 */
export function checkGenerator(family: IdFamily, generator: unknown): void {
  const { name } = family
  const source = generator as Partial<IdSource & IdFamily> | null | undefined
  const refuseIt: (reason: string) => never = (reason) => refuse(name, 'generator', source, reason)
  if (typeof source?.generate !== 'function') {
    const example = generatorExampleOf(family) ?? `${name}.generator()`
    refuseIt(`generator must be an id generator such as ${example}, not ${show(source)}`)
  }
  const theirs = familyOf(source)
  if (theirs === undefined || isSameFamily(theirs, family)) return
  if (isPrefixed(family) && isSameFamily(theirs, family.base)) return
  refuseIt(
    theirs.name === name
      ? `the generator generates ${name} ids with another layout or epoch; pass a generator of the same family`
      : `the generator generates ${theirs.name} ids; pass a ${name} generator`,
  )
}

/**
 * Checks generators by family name, as in `generators: { sno: … }`. A key with the value undefined is refused, since it
 * comes from an unset variable.
 *
 * @throws {IdError} `INVALID_OPTION` for a name that no family has, for undefined, and as {@link checkGenerator}.
 *
 * @example
 * checkGeneratorNames({ sno: sno.generator({ partition: 7 }) }, [flax, sno])
 */
export function checkGeneratorNames(
  generators: Readonly<Record<string, unknown>>,
  families: Iterable<IdFamily>,
): void {
  const byName = new Map(Array.from(families, (family) => [family.name, family]))
  for (const [name, generator] of Object.entries(generators)) {
    const refuse: (reason: string) => never = (reason) => {
      const facts = { family: name, field: 'generators', value: generator }
      throw new IdError('INVALID_OPTION', `generators.${name}${reason}`, facts)
    }
    const family = byName.get(name)
    const known = byName.size > 0 ? `only ${[...byName.keys()].join(', ')}` : 'and none of any other family'
    if (family === undefined) refuse(`: no column generates ${name} ids, ${known}`)
    if (generator === undefined) refuse(' is undefined; pass a generator, or leave it out')
    checkGenerator(family, generator)
  }
}

/**
 * Checks a column's metabyte when the column is defined, not at its first insert.
 *
 * @throws {IdError} `INVALID_OPTION` for a family whose ids have no metabyte, `FIELD_OUT_OF_RANGE`, `INVALID_TYPE`.
 *
 * @example
 * checkMeta(sno, 255)
 */
export function checkMeta(family: IdFamily, meta: number | undefined): void {
  if (meta === undefined) return
  const base = baseOf(family)
  if (!('withMeta' in base)) refuse(family.name, 'meta', meta, 'ids have no metabyte; leave meta out')
  const { withMeta, min } = base as MetaFamily
  withMeta(min, meta)
}
