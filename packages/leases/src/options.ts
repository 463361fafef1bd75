import type { Clock } from '@snoflax/core'
import { checkInteger, checkOptions, type OptionKind, refuse } from '@snoflax/core/adapter'
import { checkLeasable, type GeneratorOptionsOf, type LeasableFamily, leasedGenerator } from './families.js'
import type { LeaseNumbers, LeaseRequest } from './store.js'
import type { Signal } from './timing.js'

/** The argument of `onWait`. */
export interface LeaseWait {
  /** Milliseconds since the call. */
  readonly waitedMs: number
  /** Milliseconds until a number may be free; undefined if no running lease could end. */
  readonly retryMs: number | undefined
}

/** Options of a lease. */
export interface LeaseOptions<Family extends LeasableFamily> {
  /** sno, flake, or `flake.withEpoch(…)`. */
  readonly family: Family
  /** The numbers to choose from: partitions of sno, 0 to 65535, or worker ids of flake, 0 to 1023. */
  readonly numbers: LeaseNumbers
  /** sno: how many generators share a partition, each with its part of the sequence; 1 to 1024. Default 1. */
  readonly shards?: number
  /**
   * How long the lease lasts without a renewal, in milliseconds. Default 30,000, which is also the maximum
   * unless the owner of the database allows more.
   */
  readonly ttlMs?: number
  /** The holder's name, for people only. Default: host name and process id. */
  readonly holder?: string
  /**
   * How long to wait for a free number, and for the clock to reach its window, in milliseconds. Default
   * 10,000.
   */
  readonly waitMs?: number
  /** Called before each pause while waiting. */
  readonly onWait?: (wait: LeaseWait) => void
  /** Aborts the wait. */
  readonly signal?: Signal
  /** Called when a renewal fails. Renewals are retried in any case. */
  readonly onRenewalFailed?: (error: unknown) => void
  /** The clock of the generator, in Unix milliseconds. Default `Date.now`. */
  readonly clock?: Clock
  /** More options of the generator, such as sno's metabyte. */
  readonly generator?: GeneratorOptionsOf<Family>
}

const KINDS: Readonly<Record<keyof LeaseOptions<LeasableFamily>, OptionKind>> = {
  family: 'any',
  numbers: 'any',
  shards: 'number',
  ttlMs: 'number',
  holder: 'any',
  waitMs: 'number',
  onWait: 'function',
  signal: 'any',
  onRenewalFailed: 'function',
  clock: 'function',
  generator: 'any',
}

/** A copy of the options. @throws {IdError} `INVALID_OPTION` for unknown names and values of the wrong kind. */
export const checkLeaseOptions = <Family extends LeasableFamily>(
  options: LeaseOptions<Family>,
  ofStore: Readonly<Record<string, OptionKind>>,
): LeaseOptions<Family> => checkOptions('lease', options, { ...KINDS, ...ofStore })

declare const process: { pid: number; getBuiltinModule(name: string): { hostname(): string } } | undefined

const thisProcess = (): string =>
  typeof process === 'object' ? `${process.getBuiltinModule('node:os').hostname()}:${process.pid}` : 'unnamed'

const DEFAULT_TTL_MS = 30_000

/**
 * The request to the store. Options that the generator would refuse are refused here, before a number is leased.
 *
 * @throws {IdError} `INVALID_OPTION`, `INVALID_TYPE`, `FIELD_OUT_OF_RANGE`.
 */
export function requestOf<Family extends LeasableFamily>(options: LeaseOptions<Family>): LeaseRequest {
  const { family, ttlMs, holder, waitMs = 0, generator } = options
  checkLeasable(family)
  const numbers = checkNumbers(family, options.numbers)
  const shards = checkNumber(family, 'shards', options.shards ?? 1, 1)
  checkNumber(family, 'waitMs', waitMs, 0)
  leasedGenerator(family, { number: numbers.max, shard: 0, shards, clock: Date.now }, generator)
  return {
    family: family.name,
    epochMs: family.layout.epochMs,
    numbers,
    shards,
    ttlMs: checkNumber(family, 'ttlMs', ttlMs ?? DEFAULT_TTL_MS, 1),
    holder: holder ?? thisProcess(),
  }
}

function checkNumbers(family: LeasableFamily, numbers: LeaseNumbers): LeaseNumbers {
  const { min, max } = checkOptions(family.name, numbers, { min: 'number', max: 'number' }, 'numbers')
  checkNumber(family, 'numbers.min', min, 0)
  checkNumber(family, 'numbers.max', max, 0)
  if (min <= max) return { min, max }
  refuse(family.name, 'numbers', { min, max }, `numbers.min ${min} is above numbers.max ${max}`)
}

/** Checks a number that is sent to the store: databases take 32 bits. */
const checkNumber = ({ name }: LeasableFamily, field: string, value: number, minimum: number): number =>
  checkInteger(name, field, value, minimum, 2 ** 31 - 1)
