import { flake, IdError, type IdFamily, type StorageName, storageFor } from '@snoflax/core'
import { uid } from '@snoflax/families'
import type { Checks } from './checks.js'
import { betweenSuffix, hexLiteral, sqlFields, stored, suffix, type TestedFamily, TYPES } from './families.js'
import { packOf } from './id-checks.js'
import { timestamptz, usOf } from './moments.js'
import type { Random } from './random.js'
import { sqlState } from './specification.js'

interface Variant {
  readonly family: TestedFamily['family']
  /** A last argument of the SQL functions. */
  readonly option: string
}

const EPOCHS = [0, 1_262_304_000_000, 1_420_070_400_001, -62_135_596_800_000, -1, 253_402_300_799_999]
const NEIGHBOURHOODS = [5, 6, 7, 8, 9, 10]

/** The family with an epoch or a neighbourhood, where it has one. */
export function variantOf({ name, family }: TestedFamily, epoch: number, neighbourhood: number): Variant {
  if (name === 'flake') return { family: flake.withEpoch(epoch) as never, option: `, ${epoch}` }
  if (name !== 'uid') return { family, option: '' }
  return { family: uid.withNeighbourhood(neighbourhood) as never, option: `, ${neighbourhood}` }
}

const anyVariant = (tested: TestedFamily, random: Random): Variant =>
  variantOf(tested, random.pick(EPOCHS), random.pick(NEIGHBOURHOODS))

/** The column's value as text. */
export function storedText(family: TestedFamily['family'], storage: StorageName, id: string): string {
  const value = storageFor(family, 'postgres', { storage }).toDatabase(id)
  return value instanceof Uint8Array ? hexLiteral(value) : String(value)
}

/** A random id through every function that takes one, from TypeScript to SQL and back. */
export function checkRandomId(checks: Checks, tested: TestedFamily, random: Random): void {
  const variant = anyVariant(tested, random)
  checkKnownId(checks, tested, variant, random.bytes(variant.family.byteLength))
}

/** An id through every function that takes one. */
export function checkKnownId(
  checks: Checks,
  tested: TestedFamily,
  { family, option }: Variant,
  bytes: Uint8Array,
): void {
  const { name } = tested
  const hex = hexLiteral(bytes)
  const id = family.encode(bytes)
  const time = String(BigInt(family.timeMs(id)) * 1000n)
  const fields = sqlFields(tested, family.unpack(id) as object)

  checks.gives(`snoflax.${name}_encode($1::bytea)`, hex, id)
  checks.gives(`snoflax.${name}_encode($1)`, id, id)
  checks.gives(`snoflax.${name}_decode($1)`, id, hex)
  checks.gives(`snoflax.${name}_is_valid($1)`, id, 'true')
  checks.gives(usOf(`snoflax.${name}_time($1${option})`), id, time)
  checks.gives(`row_to_json(snoflax.${name}_unpack($1${option}))`, id, fields)
  checks.gives(packOf(tested, option), fields, hex)
  for (const storage of family.storages) {
    const passed = `$1::${TYPES[storage]}`
    if (storage === 'bigint' && bytes[0] !== undefined && bytes[0] >= 128) {
      checks.refuses(stored(name, storage, '$1'), id, '22003')
      checks.refuses(stored(name, storage, '$1::bytea'), hex, '22003')
      continue
    }
    const value = storedText(family, storage, id)
    checks.gives(stored(name, storage, '$1'), id, value)
    if (storage !== 'text' && storage !== 'binary') {
      checks.gives(stored(name, storage, '$1::bytea'), hex, value)
      checks.gives(`snoflax.${name}_from_${storage}(${passed})`, value, hex)
    }
    checks.gives(`snoflax.${name}_encode(${passed})`, value, id)
    checks.gives(`snoflax.${name}_is_valid(${passed})`, value, 'true')
    checks.gives(`${passed}::snoflax.${name}_${storage}`, value, value)
    checks.gives(usOf(`snoflax.${name}_time(${passed}${option})`), value, time)
    checks.gives(`row_to_json(snoflax.${name}_unpack(${passed}${option}))`, value, fields)
    if (family === tested.family) {
      const single = storage === 'uuid8' ? 'uuid' : storage
      checks.gives(usOf(`snoflax.${name}_time_${single}(${passed})`), value, time)
    }
  }
}

const FIRST_US = BigInt(Date.UTC(-4712, 0, 1)) * 1000n
const LAST_US = BigInt(Date.UTC(275_000, 0, 1)) * 1000n

/** Unix microseconds: mostly within the family's span, and around its ends, long before and after, and infinities. */
export function anyMoment(
  { firstMs, lastMs }: Pick<IdFamily, 'firstMs' | 'lastMs'>,
  random: Random,
): bigint | number {
  const [first, last] = [BigInt(firstMs) * 1000n, BigInt(lastMs) * 1000n]
  const near = random.bigint(-5000n, 5000n)
  const chosen = random.below(12)
  if (chosen === 0) return random.pick([Infinity, -Infinity])
  if (chosen === 1) return first + near
  if (chosen === 2) return last + near
  if (chosen === 3) return random.bigint(FIRST_US, LAST_US)
  const inSpan = random.bigint(first, last)
  // Whole milliseconds and seconds, and one microsecond beside them.
  const whole = random.pick([1n, 1000n, 1_000_000n, 1_000_000n << 8n])
  return inSpan - (inSpan % whole) + random.bigint(-1n, 1n)
}

/** Rounded up, as bounds take it. */
export function ceilMs(us: bigint | number): number {
  if (typeof us === 'number') return us
  const cut = us / 1000n
  return Number(us > 0n && us % 1000n !== 0n ? cut + 1n : cut)
}

export function checkRandomBound(checks: Checks, tested: TestedFamily, random: Random): void {
  const { name } = tested
  const { family, option } = anyVariant(tested, random)
  const us = anyMoment(family, random)
  const ends = family.exactRange ? (['lower'] as const) : (['lower', 'upper'] as const)
  for (const end of ends) {
    const bound = attempt(() => family[`${end}Bound`](ceilMs(us)))
    for (const storage of family.storages) {
      const call = `snoflax.${name}_${end}_bound${suffix(storage)}($1::timestamptz${option})`
      const expected = typeof bound === 'string' ? attempt(() => storedText(family, storage, bound)) : bound
      if (typeof expected === 'string') checks.gives(call, timestamptz(us), expected)
      else checks.refuses(call, timestamptz(us), sqlState(expected.code))
    }
  }
}

/** The id with parts of a time that a clock gives, for uid has room for more, which its ranges need not find. */
function ofClock(family: TestedFamily['family'], id: string): string {
  const fields = family.unpack(id)
  const { seconds, microSeconds } = fields
  if (typeof seconds !== 'number' || typeof microSeconds !== 'number') return id
  return family.pack({ ...fields, seconds: seconds % 1_000_000, microSeconds: microSeconds % (977 * 1024) })
}

/** A random id, and whether it was made between two moments, by the time that core tells. */
export function checkRandomBetween(checks: Checks, tested: TestedFamily, random: Random): void {
  const { name } = tested
  const { family, option } = anyVariant(tested, random)
  const id = ofClock(family, family.encode(random.bytes(family.byteLength)))
  const us = BigInt(family.timeMs(id)) * 1000n
  const end = () => (random.chance(2) ? us + random.bigint(-2000n, 2000n) : anyMoment(family, random))
  const [from, until] = [end(), end()]
  for (const storage of family.storages) {
    const value = attempt(() => storedText(family, storage, id))
    if (typeof value !== 'string') continue
    const call = `snoflax.${name}_between${betweenSuffix({ name, storage })}`
    const passed = `split_part($1, '|', 1)::${TYPES[storage]}`
    const ends = "split_part($1, '|', 2)::timestamptz, split_part($1, '|', 3)::timestamptz"
    const input = [value, timestamptz(from), timestamptz(until)].join('|')
    const isBetween = String(from <= us && us < until)
    checks.gives(`${call}(${passed}, ${ends}${option})`, input, isBetween)
    if (storage === 'text') {
      const prefixed = `snoflax.${name}_between('cus_' || ${passed}, ${ends}, 'cus'${option})`
      checks.gives(prefixed, input, isBetween)
    }
  }
}

/** What core gives, or how it refuses. */
export function attempt<Result>(work: () => Result): Result | IdError {
  try {
    return work()
  } catch (error) {
    if (error instanceof IdError) return error
    throw error
  }
}
