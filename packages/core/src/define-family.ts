import type { IdFamily, Layout, LayoutField, StorageName } from './family.js'
import { checkSpan, type Time, toUnixMs } from './primitives/clock.js'
import { checkInteger, checkString, IdError, refuseType, show } from './primitives/errors.js'
import { standardSchema } from './primitives/standard-schema.js'
import { COLUMNS } from './storage/column.js'

/** The definition of a family. Everything else that {@link IdFamily} offers is derived from it. */
export interface FamilyDefinition<AnId extends string, Fields> {
  /** The word that errors and options use for it, such as `flax`. */
  readonly name: string
  /** The fields and their bits. It only describes; `encode` and `decode` do the work. */
  readonly layout: Layout
  /** Bytes of an id. */
  readonly byteLength: number
  /** Characters of the canonical text; undefined where they vary. */
  readonly textLength: number | undefined
  /** The canonical text, anchored. */
  readonly pattern: RegExp
  /** Allowed storages, the preferred one first. */
  readonly storages: readonly StorageName[]
  /** Last octet of the `uuid8` storage; 0 is for families of your own. */
  readonly tag: number
  /** The first Unix millisecond that an id can contain. */
  readonly firstMs: number
  /** The last one. */
  readonly lastMs: number
  /** The smallest id. Left out where it is all zeros. */
  readonly min?: AnId
  /** The largest id. Left out where it is all ones. */
  readonly max?: AnId
  /** False where the bytes don't sort by time alone, so that `range` selects more than was asked for. */
  readonly exactRange?: boolean
  /** How to create a generator, for families that can't have a default one. */
  readonly generatorExample?: string | undefined
  /** Bytes → text. It throws an {@link IdError} for bytes of another length. */
  encode(bytes: Uint8Array): AnId
  /**
   * Text → bytes. It throws an {@link IdError} for whatever `encode` would not write, `INVALID_TYPE` for what is no
   * string.
   */
  decode(text: string): Uint8Array
  /**
   * Whether `decode` takes the text: the same answer without an error, so that refusing costs what accepting does.
   * Left out, `decode` is tried.
   */
  check?(text: string): boolean
  /**
   * The same of the characters from `start` on, so that `prefixed` needn't cut the prefix off to check what is behind
   * it. Left out, it cuts.
   */
  checkFrom?(text: string, start: number): boolean
  /** Fields → id. It throws an {@link IdError} for a field out of range. */
  pack(fields: Fields): AnId
  /** Id → fields. */
  unpack(id: AnId): Fields
  /** When the id was generated, in whole Unix milliseconds. */
  timeMs(id: AnId): number
  /** The smallest id whose time is at or after this whole millisecond, which is within the span. */
  lowerBoundMs(timeMs: number): AnId
  /** An id above every id whose time is before this millisecond. Left out where it is `lowerBoundMs`. */
  upperBoundMs?(timeMs: number): AnId
  /** Left out where text order is id order. */
  compare?(a: AnId, b: AnId): number
}

/**
 * A family out of its definition. Use it to bring an id specification of your own.
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
  definition: FamilyDefinition<AnId, Fields>,
): IdFamily<AnId, Fields> {
  checkDefinition(definition)
  return checkEnds(deriveFamily(definition))
}

/** What {@link defineFamily} gives, of a definition that is known to be right. */
export function deriveFamily<AnId extends string, Fields>(
  definition: FamilyDefinition<AnId, Fields>,
): IdFamily<AnId, Fields> {
  const { name, byteLength, firstMs, lastMs, encode, decode, timeMs, lowerBoundMs } = definition
  const upperBoundMs = definition.upperBoundMs ?? lowerBoundMs

  // Every family's time is a whole millisecond, so a bound inside a millisecond is the bound of the next one.
  const bound = (time: Time, boundMs: (timeMs: number) => AnId): AnId => {
    const timeMs = Math.ceil(toUnixMs(name, time))
    return timeMs <= firstMs ? family.min : boundMs(checkSpan(definition, timeMs))
  }
  const check = definition.check ?? ((text: string) => isDecodable(decode, text))
  const is = (value: unknown): value is AnId => typeof value === 'string' && check(value)
  const parse = (value: unknown): AnId => {
    if (!is(value)) decode(checkString(name, value))
    return value as AnId
  }

  const family: IdFamily<AnId, Fields> = {
    // Written out: V8 keeps an object that was put together by a spread as a hash table, which slows every
    // call.
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
      return definition.pack(fields)
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
      // By the smallest id, which every column can hold; flake's largest is too large for a signed bigint.
      if (fromMs > lastMs) return { gte: family.min, lt: family.min }
      const gte = family.lowerBound(from)
      return toMs > lastMs ? { gte } : { gte, lt: family.upperBound(to) }
    },
    parse,
    is,
    '~standard': standardSchema(is, parse, definition.pattern, definition.textLength),
  } as IdFamily<AnId, Fields>
  if (definition.checkFrom !== undefined) checksFrom.set(family, definition.checkFrom)
  return family
}

type CheckFrom = (text: string, start: number) => boolean

const checksFrom = /* @__PURE__ */ new WeakMap<object, CheckFrom>()

/** The family's `is` of the characters from `start` on. */
export const checkFrom = (family: IdFamily): CheckFrom =>
  checksFrom.get(family) ?? ((text, start) => family.is(text.slice(start)))

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
/** Of a Date, which errors show. */
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
 * Refuses what would otherwise show late: as ids in a database that can't be read.
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
  checkStorages(name, storages)
  checkInteger(name, 'tag', tag, 0, MAX_TAG)
  const firstMs = checkInteger(name, 'firstMs', definition.firstMs, -MAX_MS, MAX_MS)
  checkInteger(name, 'lastMs', definition.lastMs, firstMs, MAX_MS)
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
  const given = isList ? storages.join(', ') || 'none' : show(storages)
  const message = `storages must be one or more of ${known}, not ${given}`
  refuse(family, 'storages', storages, message)
}

/** Whether the smallest and the largest id have the form that the definition tells of. */
function checkEnds<AnId extends string, Fields>(family: IdFamily<AnId, Fields>): IdFamily<AnId, Fields> {
  checkForm(family, 'min', family.min)
  checkForm(family, 'max', family.max)
  return family
}

function checkForm({ name, textLength, pattern }: IdFamily, end: string, id: string): void {
  if (textLength !== undefined && id.length !== textLength) {
    refuse(name, end, id, `${end} has ${id.length} characters (${show(id)}), but textLength is ${textLength}`)
  }
  // Unlike `test`, `search` neither minds nor moves the lastIndex of a pattern with flag g.
  if (id.search(pattern) !== 0) refuse(name, end, id, `${end} (${show(id)}) does not match ${pattern}`)
}

function refuse(family: string, field: string, value: unknown, message: string): never {
  throw new IdError('INVALID_OPTION', `${family}: ${message}`, { family, field, value })
}
