import {
  type Clock,
  defineFamily,
  type FlakeGenerator,
  type FlakeGeneratorOptions,
  type FlakeId,
  flake,
  type Id,
  IdError,
  type IdFamily,
  type IdGenerator,
  type IdOf,
  type Time,
  type WaitOptions,
} from '@snoflax/core'
import {
  checkInteger,
  checkOptions,
  checkSpan,
  checkTimeField,
  fail,
  systemClock,
  toUnixMs,
} from '@snoflax/core/define'

/** Names of the fields after the time, most significant first: 5, 5 and 12 bits. */
type FieldNames = readonly [upper: string, lower: string, counter: string]

/** The parts of an id. */
export type SnowflakeFields<Names extends FieldNames> = {
  /** Unix milliseconds. */
  readonly timeMs: number
} & { readonly [Name in Names[number]]: number }

/** Options of a generator: its two identity fields, 0 to 31 each, and flake's options. */
export type SnowflakeGeneratorOptions<Names extends FieldNames> = {
  readonly [Name in Names[0] | Names[1]]: number
} & Omit<FlakeGeneratorOptions, 'id' | 'datacenter' | 'worker'>

/** Generates ids with one identity, like flake's generator. */
export interface SnowflakeGenerator<AnId extends string>
  extends IdGenerator<AnId>,
    Pick<FlakeGenerator, 'snapshot'> {
  /** A new id; as flake's. */
  generate<Of extends string = string>(): IdOf<AnId, Of>
  /** `count` new ids, in order. @throws {IdError} as `generate`. */
  batch<Of extends string = string>(count: number): IdOf<AnId, Of>[]
  /** A new id, waiting without blocking; as flake's. */
  generateAsync<Of extends string = string>(
    ...args: Parameters<FlakeGenerator['generateAsync']>
  ): Promise<IdOf<AnId, Of>>
  /** An id with this time, by the counters of `backfill`; as flake's. */
  generateAt<Of extends string = string>(time: Time): IdOf<AnId, Of>
}

/** A family of snowflakes: flake with its own epoch and field names. */
export interface SnowflakeFamily<Name extends string, Names extends FieldNames>
  extends IdFamily<Id<Name>, SnowflakeFields<Names>> {
  /**
   * A generator. No other running generator may have the same identity fields.
   *
   * @throws {IdError} `GENERATOR_REQUIRED`, `FIELD_OUT_OF_RANGE`, `INVALID_OPTION`.
   */
  generator(options: SnowflakeGeneratorOptions<Names>): SnowflakeGenerator<Id<Name>>
  /** The id as a number. */
  toBigInt(id: Id<Name>): bigint
  /** The id of a number. @throws {IdError} `FIELD_OUT_OF_RANGE`. */
  fromBigInt<Of extends string = string>(value: bigint): IdOf<Id<Name>, Of>
}

const MAX_IDENTITY = 31
const MAX_COUNTER = 4095

/** @param timeBits 42, or 41 if the first bit is always 0. */
export function snowflake<const Name extends string, const Names extends FieldNames>(
  name: Name,
  epochMs: number,
  timeBits: 41 | 42,
  names: Names,
): SnowflakeFamily<Name, Names> {
  const [upper, lower, counter] = names
  const base = flake.withEpoch(epochMs)
  const span = { name, firstMs: epochMs, lastMs: epochMs + 2 ** timeBits - 1 }
  const max = timeBits === 42 ? base.max : SIGNED_MAX
  const own = (id: string): Id<Name> => id as Id<Name>
  const theirs = (id: string): FlakeId => id as FlakeId

  /** Replaces flake's name in errors. */
  const named = <Result>(work: () => Result): Result => {
    try {
      return work()
    } catch (error) {
      throw renamed(error, name)
    }
  }
  const checkMax = (id: FlakeId): Id<Name> => {
    if (base.compare(id, theirs(max)) <= 0) return own(id)
    return fail('FIELD_OUT_OF_RANGE', name, `an id must be an integer from 0 to 2^63 - 1, not ${id}`, id)
  }
  const check = (text: string): boolean => base.is(text) && base.compare(text, theirs(max)) <= 0
  const fieldsOf = (fields: SnowflakeFields<Names>): Readonly<Record<string, number>> => fields

  const family = defineFamily<Id<Name>, SnowflakeFields<Names>>({
    name,
    layout: {
      fields: [
        ...(timeBits === 41 ? [{ name: 'sign', bits: 1 }] : []),
        { name: 'time', bits: timeBits },
        { name: upper, bits: 5 },
        { name: lower, bits: 5 },
        { name: counter, bits: 12 },
      ],
      epochMs,
      unitMs: 1,
    },
    byteLength: base.byteLength,
    textLength: undefined,
    pattern: base.pattern,
    storages: ['bigint', 'binary'],
    tag: 0,
    firstMs: span.firstMs,
    lastMs: span.lastMs,
    max: own(max),
    generatorExample: `${name}.generator({ ${upper}: 1, ${lower}: 2 })`,
    encode: (bytes) => named(() => checkMax(base.encode(bytes))),
    decode: (text) => named(() => base.decode(checkMax(base.parse(text)))),
    check,
    pack(passed) {
      const fields = fieldsOf(passed)
      return own(
        base.pack({
          timeMs: checkTimeField(span, passed.timeMs),
          datacenter: checkInteger(name, upper, fields[upper], 0, MAX_IDENTITY),
          worker: checkInteger(name, lower, fields[lower], 0, MAX_IDENTITY),
          counter: checkInteger(name, counter, fields[counter], 0, MAX_COUNTER),
        }),
      )
    },
    unpack(id) {
      const fields = named(() => base.unpack(theirs(checkMax(base.parse(id)))))
      return {
        timeMs: fields.timeMs,
        [upper]: fields.datacenter,
        [lower]: fields.worker,
        [counter]: fields.counter,
      } as SnowflakeFields<Names>
    },
    timeMs: (id) => named(() => base.timeMs(theirs(checkMax(base.parse(id))))),
    lowerBoundMs: (timeMs) => own(base.lowerBound(timeMs)),
    compare: (a, b) => base.compare(theirs(a), theirs(b)),
  })

  const inSpan = (time: Time): number => checkSpan(span, toUnixMs(name, time))
  return Object.assign(family, {
    generator(passed: SnowflakeGeneratorOptions<Names>): SnowflakeGenerator<Id<Name>> {
      const options = checkOptions(name, passed, {
        [upper]: 'any',
        [lower]: 'any',
        counterMask: 'number',
        onOverflow: ['wait', 'throw'],
        onClockBack: ['wait', 'throw'],
        backfill: 'any',
        snapshot: 'any',
        clock: 'function',
      })
      const { [upper]: datacenter, [lower]: worker, ...rest } = options as Record<string, unknown>
      if (datacenter === undefined || worker === undefined) {
        const missing = datacenter === undefined ? upper : lower
        const reason = `a generator needs its own ${upper} and ${lower}; pass { ${upper}, ${lower} }, 0 to ${MAX_IDENTITY} each`
        fail('GENERATOR_REQUIRED', name, reason, undefined, missing)
      }
      const { clock = systemClock } = options as { clock?: Clock }
      const inner = named(() =>
        base.generator({
          ...rest,
          datacenter: checkInteger(name, upper, datacenter, 0, MAX_IDENTITY),
          worker: checkInteger(name, lower, worker, 0, MAX_IDENTITY),
          clock: () => inSpan(clock()),
        }),
      )
      return {
        family,
        generate: () => own(named(inner.generate)),
        generateAsync: (options: WaitOptions) =>
          inner.generateAsync(options).then(own, (error) => {
            throw renamed(error, name)
          }),
        generateAt: (time: Time) => own(named(() => inner.generateAt(inSpan(time)))),
        batch: (count: number) => named(() => inner.batch(count)).map(own),
        snapshot: inner.snapshot,
      } as SnowflakeGenerator<Id<Name>>
    },
    toBigInt: (id: Id<Name>) => named(() => base.toBigInt(theirs(checkMax(base.parse(id))))),
    fromBigInt: (value: bigint) => named(() => checkMax(base.fromBigInt(value))),
  }) as SnowflakeFamily<Name, Names>
}

const SIGNED_MAX = '9223372036854775807'

function renamed(error: unknown, name: string): unknown {
  if (!(error instanceof IdError) || error.family !== flake.name) return error
  return new IdError(error.code, error.message.replace(/^flake:/, `${name}:`), { ...error, family: name })
}
