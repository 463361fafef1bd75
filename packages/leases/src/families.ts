import type {
  Clock,
  FlakeFamily,
  FlakeGenerator,
  FlakeGeneratorOptions,
  SnoFamily,
  SnoGenerator,
  SnoGeneratorOptions,
} from '@snoflax/core'
import { refuse } from '@snoflax/core/adapter'

/** The families whose generators need a number of their own: sno's partition, flake's worker id. */
export type LeasableFamily = SnoFamily | FlakeFamily

/** The generator of a family: `SnoGenerator` for sno, `FlakeGenerator` for flake. */
export type GeneratorOf<Family extends LeasableFamily> = ReturnType<Family['generator']>

/** The options of a generator that a lease doesn't decide. */
export type GeneratorOptionsOf<Family extends LeasableFamily> = Family extends SnoFamily
  ? Pick<SnoGeneratorOptions, 'meta' | 'onOverflow'>
  : Pick<FlakeGeneratorOptions, 'counterMask' | 'onOverflow' | 'onClockBack'>

/** The options of a generator that a lease decides. */
export interface Leased {
  readonly number: number
  readonly shard: number
  readonly shards: number
  readonly clock: Clock
}

interface Leasable {
  /** {@link GeneratorOptionsOf} at run time, for callers without types. */
  readonly options: readonly string[]
  create(family: LeasableFamily, leased: Leased, options: object): SnoGenerator | FlakeGenerator
}

const LEASABLE: Readonly<Record<string, Leasable>> = {
  sno: {
    options: ['meta', 'onOverflow'],
    create: (family, { number, clock, ...leased }, options) =>
      (family as SnoFamily).generator({ ...options, partition: number, ...shardOf(leased), clock }),
  },
  flake: {
    options: ['counterMask', 'onOverflow', 'onClockBack'],
    create(family, { number, shards, clock }, options) {
      if (shards !== 1) {
        const reason = `a number cannot have ${shards} shards; only sno can divide its sequence into shards`
        refuse(family.name, 'shards', shards, reason)
      }
      return (family as FlakeFamily).generator({ ...options, id: number, clock })
    },
  },
}

/** @throws {IdError} `INVALID_OPTION` for a family that can't be leased. */
export function checkLeasable(family: { readonly name: string } | undefined): void {
  const name = String(family?.name)
  if (Object.hasOwn(LEASABLE, name)) return
  refuse('lease', 'family', family, `family must be sno or flake, which have numbers to lease, not ${name}`)
}

/**
 * Creates the generator of a lease.
 *
 * @throws {IdError} `INVALID_OPTION` for options that could repeat another holder's ids, such as `backfill`.
 */
export function leasedGenerator<Family extends LeasableFamily>(
  family: Family,
  leased: Leased,
  options: GeneratorOptionsOf<Family> | undefined,
): GeneratorOf<Family> {
  const { options: allowed, create } = LEASABLE[family.name] as Leasable
  const foreign = Object.keys(options ?? {}).find((name) => !allowed.includes(name))
  if (foreign !== undefined) {
    const reason = `a leased generator has no option ${foreign}; its options are ${allowed.join(', ')}`
    refuse(family.name, foreign, undefined, reason)
  }
  return create(family, leased, options ?? {}) as GeneratorOf<Family>
}

const SEQUENCE_NUMBERS = 0x10000

/** A shard of all sequence numbers: none is left for `generateAt`, which could repeat ids of another holder. */
function shardOf({ shard, shards }: { readonly shard: number; readonly shards: number }): {
  sequenceMin: number
  sequenceMax: number
} {
  const size = Math.floor(SEQUENCE_NUMBERS / shards)
  return { sequenceMin: shard * size, sequenceMax: (shard + 1) * size - 1 }
}
