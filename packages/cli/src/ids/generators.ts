import { flake, flax, sno, uid, uidLocal } from '@snoflax/core'
import { UsageError } from '../exit.js'
import { parseTime } from './time.js'

/** What can be said about new ids; each family takes some of it. */
export interface GeneratorOptions {
  readonly meta?: number | undefined
  readonly partition?: number | undefined
  readonly node?: string | undefined
  readonly datacenter?: number | undefined
  readonly worker?: number | undefined
  readonly epoch?: string | undefined
  readonly neighbourhood?: number | undefined
}

type OptionName = keyof GeneratorOptions

interface Maker {
  readonly options: readonly OptionName[]
  /** A function that makes ids: of the moment, or of now. */
  make(options: GeneratorOptions, atMs: number | undefined): () => string
}

const clockAt = (atMs: number | undefined) => (atMs === undefined ? {} : { clock: () => atMs })

const MAKERS: Readonly<Record<string, Maker>> = {
  flax: {
    options: [],
    make: (_, atMs) => (atMs === undefined ? flax.generate : () => flax.generateAt(atMs)),
  },
  sno: {
    options: ['meta', 'partition'],
    make({ meta = 0, partition }, atMs) {
      const generator = partition === undefined ? sno.generator() : sno.generator({ partition })
      return () => (atMs === undefined ? generator.generate(meta) : generator.generateAt(atMs, meta))
    },
  },
  flake: {
    options: ['datacenter', 'worker', 'epoch'],
    make({ datacenter = 0, worker, epoch }, atMs) {
      if (worker === undefined)
        throw new UsageError('flake ids need --worker, a number that no other generator has')
      const family = epoch === undefined ? flake : flake.withEpoch(parseTime(epoch))
      const generator = family.generator({ datacenter, worker, ...clockAt(atMs) })
      return () => generator.generate()
    },
  },
  uid: {
    options: ['node', 'neighbourhood'],
    make({ node, neighbourhood }, atMs) {
      if (node === undefined) throw new UsageError('uid ids need --node, a name that no other generator has')
      const family = neighbourhood === undefined ? uid : uid.withNeighbourhood(neighbourhood)
      const generator = family.generator({ node, ...clockAt(atMs) })
      return () => generator.generate()
    },
  },
  uidLocal: {
    options: [],
    make(_, atMs) {
      const generator = uidLocal.generator(clockAt(atMs))
      return () => generator.generate()
    },
  },
}

/**
 * A function that makes ids of the family.
 *
 * @throws {UsageError} if the family needs an option that is missing, or is given one that it doesn't take.
 * @throws {IdError} for a number out of range.
 */
export function idMaker(family: string, options: GeneratorOptions, at: string | undefined): () => string {
  const maker = MAKERS[family]
  if (!maker) throw new UsageError(`there is no generator of ${family}`)
  for (const name of Object.keys(options) as OptionName[]) {
    if (options[name] !== undefined && !maker.options.includes(name)) {
      throw new UsageError(`${family} takes no --${name}; it takes ${describe(maker)}`)
    }
  }
  return maker.make(options, at === undefined ? undefined : parseTime(at))
}

const describe = ({ options }: Maker): string => options.map((name) => `--${name}`).join(', ') || 'none'
