import { defined } from './definitions.js'
import type { IdFamily, LayoutField, StorageName } from './family.js'
import { readers } from './light-family.js'
import type { Alphabet } from './primitives/alphabet.js'
import { checkSpan, type Time, type TimeSpan, toUnixMs } from './primitives/clock.js'
import { checkInteger, IdError, refuseType, show } from './primitives/errors.js'
import { ownOptions, refuse } from './primitives/options.js'
import { portable } from './primitives/pattern.js'
import { standardSchema } from './primitives/standard-schema.js'
import { COLUMNS } from './storage/column.js'

/** The definition of a family. Everything else that {@link IdFamily} offers is derived from it. */
export interface FamilyDefinition<AnId extends string, Fields>
  extends TimeSpan,
    Pick<IdFamily, 'layout' | 'byteLength' | 'textLength' | 'pattern' | 'storages' | 'tag'> {
  /** The smallest id. Default: all bits zero. */
  readonly min?: AnId
  /** The largest id. Default: all bits one. */
  readonly max?: AnId
  /** False if the bytes don't sort by time alone, so that `range` also selects ids outside it. Default true. */
  readonly exactRange?: boolean
  /** Code that creates a generator, for error messages of families without a default generator. */
  readonly generatorExample?: string | undefined
  /** Bytes → text. Must throw an {@link IdError} if the number of bytes is wrong. */
  encode(bytes: Uint8Array): AnId
  /**
   * Text → bytes. Must throw an {@link IdError} for every text that `encode` does not return, and `INVALID_TYPE` if the
   * value is not a string.
   */
  decode(text: string): Uint8Array
  /**
   * Whether `decode` accepts the text, without the cost of an error for a text that it refuses. Default: calls
   * `decode`.
   */
  check?(text: string): boolean
  /**
   * `check` for the characters from `start` on, so that `prefixed` can check an id without copying it. Default: copies
   * the text behind the prefix.
   */
  checkFrom?(text: string, start: number): boolean
  /**
   * For a family whose ids are all texts of `textLength` digits: what `alphabet` of `@snoflax/core/define` returns. Columns
   * of type uuid then read ids of 16 digits in a quarter of the time. Default: they call `parse`.
   */
  readonly alphabet?: Alphabet
  /** Fields → id. Must throw an {@link IdError} if a field is out of range. */
  pack(fields: Fields): AnId
  /** Id → fields. */
  unpack(id: AnId): Fields
  /** When the id was generated, in whole Unix milliseconds. */
  timeMs(id: AnId): number
  /** The smallest id whose time is at or after this millisecond, an integer from `firstMs` to `lastMs`. */
  lowerBoundMs(timeMs: number): AnId
  /** An id larger than every id whose time is before this millisecond. Default: `lowerBoundMs`. */
  upperBoundMs?(timeMs: number): AnId
  /** Negative, zero or positive. Default: compares the texts. */
  compare?(a: AnId, b: AnId): number
}

/**
 * Creates a family from its definition, for an id specification of your own.
 *
 * @throws {IdError} `FIELD_OUT_OF_RANGE`, `INVALID_OPTION` for a definition that contradicts itself.
 *
 * @example
 * // 8 bytes, the milliseconds since 1970, as 16 hex digits
 * const encode = (bytes: Uint8Array) =>
 *   Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('') as Id<'tick'>
 * const decode = (text: string) => {
 *   if (!/^[0-9a-f]{16}$/.test(text)) throw new IdError('INVALID_CHARACTER', `tick: no id ("${text}")`)
 *   return Uint8Array.from(text.match(/../g) ?? [], (digits) => Number.parseInt(digits, 16))
 * }
 * const pack = (fields: { timeMs: number }) => fields.timeMs.toString(16).padStart(16, '0') as Id<'tick'>
 * const timeMs = (id: Id<'tick'>) => Number(`0x${encode(decode(id))}`)
 * const tick = defineFamily({
 *   name: 'tick',
 *   layout: { fields: [{ name: 'time', bits: 64 }], epochMs: 0, unitMs: 1 },
 *   byteLength: 8,
 *   textLength: 16,
 *   pattern: /^[0-9a-f]{16}$/,
 *   storages: ['uuid', 'text', 'binary'],
 *   tag: 0,
 *   firstMs: 0,
 *   lastMs: 2 ** 42 - 1,
 *   encode,
 *   decode,
 *   pack,
 *   unpack: (id) => ({ timeMs: timeMs(id) }),
 *   timeMs,
 *   lowerBoundMs: (timeMs) => pack({ timeMs }),
 * })
 * tick.lowerBound(new Date('2026-11-01')) // '000001a19467e800'
 */
export function defineFamily<AnId extends string, Fields>(
  options: FamilyDefinition<AnId, Fields>,
): IdFamily<AnId, Fields> {
  const definition = ownOptions(options)
  checkDefinition(definition)
  const { name, decode, check = (text: string) => isDecodable(decode, text) } = definition
  const source = portable(definition.pattern)
  if (source === undefined) {
    const rule = 'must have no flags, and mean the same with u (JSON Schema) and v (<input pattern>)'
    refuse(
      name,
      'pattern',
      definition.pattern,
      `pattern ${rule}, unlike ${definition.pattern}; escape - in classes`,
    )
  }
  const family = deriveFamily({ ...definition, pattern: new RegExp(source) }, check)
  checkEnd(family, 'min', family.min)
  checkEnd(family, 'max', family.max)
  return family
}

/** {@link defineFamily} without its checks, for our own definitions, which all have `check`. */
export function deriveFamily<AnId extends string, Fields>(
  options: FamilyDefinition<AnId, Fields>,
  check = options.check as (text: string) => boolean,
): IdFamily<AnId, Fields> {
  const definition = ownOptions(options)
  const { name, byteLength, firstMs, lastMs, encode, decode, timeMs, lowerBoundMs, pack } = definition
  const upperBoundMs = definition.upperBoundMs ?? lowerBoundMs

  // The time of every id is an integer of milliseconds, so a bound within a millisecond is that of the next one.
  const bound = (time: Time, boundMs: (timeMs: number) => AnId): AnId => {
    const timeMs = Math.ceil(toUnixMs(name, time))
    return timeMs <= firstMs ? family.min : boundMs(checkSpan(definition, timeMs))
  }
  const { is, parse } = readers<AnId>(name, check, decode)

  const family: IdFamily<AnId, Fields> = {
    // Listed one by one: V8 stores an object created by a spread as a hash table, which slows every call.
    name,
    layout: definition.layout,
    byteLength,
    textLength: definition.textLength,
    pattern: definition.pattern,
    storages: definition.storages,
    tag: definition.tag,
    firstMs,
    lastMs,
    exactRange: definition.exactRange ?? true,
    generatorExample: definition.generatorExample,
    min: definition.min ?? encode(new Uint8Array(byteLength)),
    max: definition.max ?? encode(new Uint8Array(byteLength).fill(0xff)),
    encode,
    decode,
    pack(fields) {
      if (Object(fields) !== fields) refuseType(name, 'fields must be an object', fields, 'fields')
      return pack(fields)
    },
    unpack: definition.unpack,
    timeMs,
    time: (id) => new Date(timeMs(id)),
    compare: definition.compare ?? ((a, b) => (a < b ? -1 : a > b ? 1 : 0)),
    lowerBound: (time) => bound(time, lowerBoundMs),
    upperBound: (time) => bound(time, upperBoundMs),
    range(from, to) {
      const [fromMs, toMs] = [toUnixMs(name, from), toUnixMs(name, to)]
      if (fromMs > toMs) refuse(name, 'from', from, 'a range must go from the earlier time to the later one')
      // The smallest id fits every column; flake's largest is too large for a signed bigint.
      if (fromMs > lastMs) return { gte: family.min, lt: family.min }
      const gte = family.lowerBound(from)
      return toMs > lastMs ? { gte } : { gte, lt: family.upperBound(to) }
    },
    parse,
    is,
    '~standard': standardSchema(is, parse, definition.pattern, definition.textLength),
  } as IdFamily<AnId, Fields>
  return defined(family, definition)
}

function isDecodable(decode: (text: string) => unknown, text: string): boolean {
  try {
    decode(text)
    return true
  } catch (error) {
    if (error instanceof IdError) return false
    throw error
  }
}

const MAX_TAG = 0xff
/** The last time of a Date; error messages format times as Dates. */
const MAX_MS = 8.64e15

/** The functions of a definition, and whether they may be left out. */
const FUNCTIONS = {
  encode: false,
  decode: false,
  pack: false,
  unpack: false,
  timeMs: false,
  lowerBoundMs: false,
  upperBoundMs: true,
  check: true,
  checkFrom: true,
  compare: true,
} as const

/**
 * Refuses faults of a definition that would otherwise show late, as ids in a database that can't be read.
 *
 * @throws {IdError} `FIELD_OUT_OF_RANGE`, `INVALID_OPTION`.
 */
function checkDefinition<AnId extends string, Fields>(definition: FamilyDefinition<AnId, Fields>): void {
  const { name, byteLength, layout, pattern, storages, tag } = definition
  if (typeof name !== 'string' || name === '')
    refuse('a family', 'name', name, `name must be a word, not ${show(name)}`)
  for (const [field, isOptional] of Object.entries(FUNCTIONS)) {
    const value: unknown = definition[field as keyof typeof FUNCTIONS]
    if (typeof value === 'function' || (isOptional && value === undefined)) continue
    refuse(name, field, value, `${field} must be a function, not ${show(value)}`)
  }
  checkInteger(name, 'byteLength', byteLength, 1, Number.MAX_SAFE_INTEGER)
  checkLayout(name, layout?.fields, byteLength)
  if (typeof pattern?.exec !== 'function') {
    refuse(name, 'pattern', pattern, `pattern must be a RegExp, not ${show(pattern)}`)
  }
  checkAlphabet(definition)
  checkStorages(name, storages)
  checkInteger(name, 'tag', tag, 0, MAX_TAG)
  const firstMs = checkInteger(name, 'firstMs', definition.firstMs, -MAX_MS, MAX_MS)
  checkInteger(name, 'lastMs', definition.lastMs, firstMs, MAX_MS)
}

function checkAlphabet({
  name,
  alphabet,
  textLength,
  byteLength,
}: Pick<FamilyDefinition<string, never>, 'name' | 'alphabet' | 'textLength' | 'byteLength'>): void {
  if (alphabet === undefined) return
  const digits = alphabet?.codes?.length
  if (digits === undefined) refuse(name, 'alphabet', alphabet, 'alphabet must be what alphabet() returns')
  const bits = Math.log2(digits) * (textLength ?? Number.NaN)
  if (bits === 8 * byteLength) return
  const reason = `${textLength} digits of an alphabet of ${digits} have ${bits} bits, but an id has ${8 * byteLength}`
  refuse(name, 'alphabet', alphabet, `${reason}; leave alphabet out, and define check`)
}

function checkLayout(family: string, fields: readonly LayoutField[], byteLength: number): void {
  if (!Array.isArray(fields))
    refuse(family, 'layout', fields, `layout.fields must be an array, not ${show(fields)}`)
  const wanted = 8 * byteLength
  let sum = 0
  for (const { name, bits } of fields) sum += checkInteger(family, `layout.${name}.bits`, bits, 1, wanted)
  if (sum === wanted) return
  const message = `the layout's fields add up to ${sum} bits, but ${byteLength} bytes have ${wanted}`
  refuse(family, 'layout', fields, message)
}

function checkStorages(family: string, storages: readonly StorageName[]): void {
  const isList = Array.isArray(storages)
  if (isList && storages.length > 0 && storages.every((storage) => Object.hasOwn(COLUMNS.postgres, storage)))
    return
  const known = Object.keys(COLUMNS.postgres).join(', ')
  const shown = isList ? storages.join(', ') || 'none' : show(storages)
  const message = `storages must be one or more of ${known}, not ${shown}`
  refuse(family, 'storages', storages, message)
}

/** Refuses a family whose smallest or largest id contradicts its definition. */
function checkEnd({ name, textLength, pattern }: IdFamily, end: string, id: string): void {
  if (textLength !== undefined && id.length !== textLength) {
    refuse(name, end, id, `${end} has ${id.length} characters (${show(id)}), but textLength is ${textLength}`)
  }
  // Unlike `test`, `search` neither minds nor moves the lastIndex of a pattern with flag g.
  if (id.search(pattern) !== 0) refuse(name, end, id, `${end} (${show(id)}) does not match ${pattern}`)
}
