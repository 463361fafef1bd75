import { type IdSource, idSource } from './adapter/id-source.js'
import { withPath } from './adapter/path.js'
import { flax } from './flax/index.js'
import { checkFamily } from './identity.js'
import { show } from './primitives/errors.js'
import { checkOptions, refuse } from './primitives/options.js'

/** Options of {@link betterAuthIds}. */
export interface BetterAuthOptions {
  /** What generates the ids of models that are not named, such as those of plugins. Default: flax. */
  readonly others?: IdSource
}

/**
 * The function for better-auth's `advanced.database.generateId`, with a family for each model. better-auth stores the
 * ids as they are, through any of its adapters, so columns of text are all that it needs.
 *
 * @param models families or generators by better-auth's names of its models: `user`, `session`, `account`,
 * `verification` and those of plugins, whatever their tables are called.
 * @throws {IdError} `GENERATOR_REQUIRED` for a family without a default generator, `INVALID_OPTION` for a value that is
 * neither a family nor a generator, with the model as `path`.
 *
 * @example
 * const generateId = betterAuthIds({ user: prefixed(flax, 'usr'), session: prefixed(flax, 'ses') })
 * // betterAuth({ advanced: { database: { generateId } } })
 * generateId({ model: 'user' }) // 'usr_Kpcan0M1FakODT4k'
 */
export function betterAuthIds(
  models: Readonly<Record<string, IdSource>>,
  options: BetterAuthOptions = {},
): (request: { readonly model: string }) => string {
  const { others = flax } = checkOptions('betterAuthIds', options, { others: 'any' })
  if (Object(models) !== models) {
    refuse(
      'betterAuthIds',
      'models',
      models,
      `models must be an object such as { user: flax }, not ${show(models)}`,
    )
  }
  const byModel = new Map(Object.entries(models).map(([model, source]) => [model, sourceOf(model, source)]))
  const ofOthers = sourceOf('others', others)
  return ({ model }) => (byModel.get(model) ?? ofOthers)()
}

const sourceOf = (model: string, source: IdSource): (() => string) =>
  withPath(model, () => {
    const family: unknown = source?.family ?? source
    checkFamily(family)
    const generator = source.family && source
    return idSource({ family, generator, usage: (example) => example })
  })
