import { flake, flax, type IdFamily, sno } from '@snoflax/core'
import { uid, uidLocal } from '@snoflax/families'
import { type BitTable, type RawFields, Twin } from './twin.js'

/** A family next to its twin, with what the bits mean in whole numbers. */
export interface TwinFamily {
  readonly label: string
  readonly family: IdFamily
  readonly twin: Twin
  readonly epochMs: bigint
  /** Time, in Unix ms, of the raw fields. */
  timeMs(raw: RawFields): bigint
  /** The fields themselves, or those of the nearest id below that a clock can give. All others decode all the same. */
  fromClock(raw: RawFields): RawFields
  /** The time fields of the first time that starts at or after a whole millisecond. */
  firstAt(timeMs: bigint): RawFields
  /** Seconds of a window within which ids don't sort by time; 0 where they always do. */
  readonly windowSeconds: bigint
}

const TEXT_64 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz'

export const FLAX_TABLE: BitTable = [
  ['time', 40],
  ['random', 56],
]
export const SNO_TABLE: BitTable = [
  ['time', 39],
  ['tickTock', 1],
  ['meta', 8],
  ['partition', 16],
  ['sequence', 16],
]
export const FLAKE_TABLE: BitTable = [
  ['time', 42],
  ['datacenter', 5],
  ['worker', 5],
  ['counter', 12],
]
export const UID_LOCAL_TABLE: BitTable = [
  ['megaSeconds', 20],
  ['seconds', 20],
  ['step', 10],
  ['sequence', 14],
]
export const uidTable = (neighbourhood: number): BitTable => [
  ['megaSeconds', 20],
  ['secondsHigh', 20 - neighbourhood],
  ['node', 32],
  ['secondsLow', neighbourhood],
  ['step', 10],
  ['sequence', 14],
]

const field = (raw: RawFields, name: string): bigint => {
  const value = raw[name]
  if (value === undefined) throw new Error(`no field ${name}`)
  return value
}
const ceilDiv = (a: bigint, b: bigint): bigint => (a + b - 1n) / b

/** A family whose time is one field, counting units from an epoch. */
const simple = (
  label: string,
  family: IdFamily,
  twin: Twin,
  epochMs: bigint,
  unitMs: bigint,
): TwinFamily => ({
  label,
  family,
  twin,
  epochMs,
  timeMs: (raw) => epochMs + field(raw, 'time') * unitMs,
  fromClock: (raw) => raw,
  firstAt: (time) => ({ time: ceilDiv(time - epochMs, unitMs) }),
  windowSeconds: 0n,
})

const twinFlake = (epochMs: number): TwinFamily =>
  simple(
    `flake since ${epochMs}`,
    flake.withEpoch(epochMs),
    new Twin(FLAKE_TABLE, undefined),
    BigInt(epochMs),
    1n,
  )

const uidTimeMs = (megaSeconds: bigint, seconds: bigint, step: bigint): bigint =>
  (megaSeconds * 1_000_000n + seconds) * 1000n + (step * 1024n) / 1000n

/** The fields, from the first one that is above its maximum on all at their maxima. Maxima are in the order of the bits. */
function clamped(raw: RawFields, maxima: RawFields): RawFields {
  const names = Object.keys(maxima)
  const above = names.findIndex((name) => field(raw, name) > field(maxima, name))
  const lowered = above < 0 ? [] : names.slice(above)
  return { ...raw, ...Object.fromEntries(lowered.map((name) => [name, field(maxima, name)])) }
}

/** Walks through the second's steps, of which there are 977, instead of reckoning. */
function firstStepAt(timeMs: bigint): { megaSeconds: bigint; seconds: bigint; step: bigint } {
  const second = timeMs / 1000n
  const microSeconds = Number(timeMs % 1000n) * 1000
  let step = 0
  while (step < 977 && step * 1024 < microSeconds) step++
  const start = step < 977 ? { second, step } : { second: second + 1n, step: 0 }
  return {
    megaSeconds: start.second / 1_000_000n,
    seconds: start.second % 1_000_000n,
    step: BigInt(start.step),
  }
}

const twinUidLocal = (): TwinFamily => ({
  label: 'uidLocal',
  family: uidLocal,
  twin: new Twin(UID_LOCAL_TABLE, `.${TEXT_64}`),
  epochMs: 0n,
  timeMs: (raw) => uidTimeMs(field(raw, 'megaSeconds'), field(raw, 'seconds'), field(raw, 'step')),
  fromClock: (raw) => clamped(raw, { seconds: 999_999n, step: 976n, sequence: 16383n }),
  firstAt: firstStepAt,
  windowSeconds: 0n,
})

function twinUid(neighbourhood: number): TwinFamily {
  const windowSeconds = 2n ** BigInt(neighbourhood)
  const seconds = (raw: RawFields): bigint =>
    field(raw, 'secondsHigh') * windowSeconds + field(raw, 'secondsLow')
  return {
    label: `uid with neighbourhood ${neighbourhood}`,
    family: uid.withNeighbourhood(neighbourhood),
    twin: new Twin(uidTable(neighbourhood), `.${TEXT_64}`),
    epochMs: 0n,
    timeMs: (raw) => uidTimeMs(field(raw, 'megaSeconds'), seconds(raw), field(raw, 'step')),
    fromClock(raw) {
      const secondsHigh = 999_999n / windowSeconds
      const inLastWindow = field(raw, 'secondsHigh') >= secondsHigh
      const secondsLow = inLastWindow ? 999_999n % windowSeconds : windowSeconds - 1n
      return clamped(raw, { secondsHigh, node: 0xffff_ffffn, secondsLow, step: 976n, sequence: 16383n })
    },
    firstAt(time) {
      const { megaSeconds, seconds, step } = firstStepAt(time)
      return {
        megaSeconds,
        secondsHigh: seconds / windowSeconds,
        secondsLow: seconds % windowSeconds,
        step,
      }
    },
    windowSeconds,
  }
}

/** Unix time, a snowflake epoch, one before 1970, and the ends of what a Date can tell. */
const FLAKE_EPOCHS = [0, 1288834974657, -1_000_000_000_001, -8.64e15, 8.64e15 - 2 ** 42 + 1]

export const TWIN_FAMILIES: readonly TwinFamily[] = [
  simple('flax', flax, new Twin(FLAX_TABLE, `-${TEXT_64}`), 1420070400000n, 1n),
  simple('sno', sno, new Twin(SNO_TABLE, '23456789abcdefghijklmnopqrstuvwx'), 1262304000000n, 4n),
  ...FLAKE_EPOCHS.map(twinFlake),
  twinUidLocal(),
  ...[5, 6, 7, 8, 9, 10].map(twinUid),
]

/** The raw fields with zeros for those that are not given. */
export const zeroed = (twin: Twin, raw: RawFields): RawFields => ({
  ...Object.fromEntries(twin.table.map(([name]) => [name, 0n])),
  ...raw,
})
