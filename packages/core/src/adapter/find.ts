import { alphabetOf } from '../definitions.js'
import type { IdFamily, ParsedId } from '../family.js'
import { isOpaque, isPrefixed, ownOf } from '../identity.js'
import { IdError, refuseType } from '../primitives/errors.js'

/**
 * A column in which an id is looked up: one that generates ids, or that is in a primary key or a unique set, however it is
 * declared.
 */
export interface KeyColumn {
  /** The table, entity or model, as the schema names it. */
  readonly model: string
  /** The key, as code names it. */
  readonly column: string
  /** The family of its ids. */
  readonly family: IdFamily
}

const known = /* @__PURE__ */ new WeakMap<object, readonly KeyColumn[]>()

/**
 * The keys of a schema, which are read from it once.
 *
 * @example
 * const tables = { customers: prefixed(flax, 'cus') }
 * const read = () => Object.entries(tables).map(([model, family]) => ({ model, column: 'id', family }))
 * keysOf(tables, read) === keysOf(tables, read) // true
 */
export function keysOf<Key extends KeyColumn>(schema: object, read: () => readonly Key[]): readonly Key[] {
  const keys = known.get(schema) ?? read()
  known.set(schema, keys)
  return keys as readonly Key[]
}

/** One row that has an id. */
export interface FoundIn<Model extends string, Row> {
  /** The table, entity or model, as the schema names it. */
  readonly model: Model
  /** The key that has the id, as code names it. */
  readonly column: string
  /** The row, as the ORM returns it. */
  readonly row: Row
}

/** The row that has an id. */
export interface FoundRow<Model extends string, Row> extends FoundIn<Model, Row> {
  /**
   * The other rows with the same id, ten at most: of a table whose key has further columns, or of another one that shares
   * its parent's key. Usually none.
   */
  readonly also: readonly FoundIn<Model, Row>[]
  /** Whether there are more rows than in `also`. */
  readonly hasMore: boolean
}

/**
 * Whether an id of this type can be a key of that type: `Id<'cus'>` and texts such as `` `cus_${string}` `` only of
 * customers, `string` of any.
 */
export type CanBeKey<AnId extends string, Key extends string> = true extends CanBe<AnId, Key> ? true : false

type CanBe<AnId extends string, Key extends string> = string extends AnId | Key
  ? true
  : string extends Key
    ? true
    : Key extends ParsedId<infer KeyName>
      ? AnId extends ParsedId<infer Name>
        ? Name extends KeyName
          ? true
          : KeyName extends Name
            ? true
            : false
        : AnId extends `${KeyName}_${string}`
          ? true
          : AnId extends `${string}_${string}`
            ? false
            : true
      : true

/**
 * The columns that can contain the id: with a prefix, those of that prefix; without, those whose family it fits. Empty
 * for an id of no declared table.
 */
function keysFor<Key extends KeyColumn>(keys: readonly Key[], id: unknown): Key[] {
  if (typeof id !== 'string') return refuseType('find', 'an id must be a string', id)
  const fits = keys.filter(({ family }) => family.is(id))
  if (fits.length === 0) refuseMalformed(keys, id)
  // By chance the id may also be one of a family without a prefix, as tweet_1234567890 is a flax.
  const named = fits.filter(({ family }) => hasPrefixOf(family, id))
  return named.length === 0
    ? fits
    : fits.filter((key) => named.includes(key) || isOpaque(key.family) || !ownOf(key.family).is(id))
}

/** Terms of one statement: Cloudflare D1 takes no more parameters and columns. */
export const TERMS = 100

/** Rows that `also` lists. */
const ALSO = 10

/**
 * Looks an id up in the columns that can contain it; null if none has it.
 *
 * @param read reads the rows of the column's table that have the id, as many as the limit at most.
 * @param count counts the rows of the id in each column, by one statement. It is called for two columns or more, and only
 * those that have the id are read.
 * @throws {IdError} the parser's error for a malformed id of one of the columns; `INVALID_TYPE` for anything but a text.
 *
 * @example
 * const keys = [{ model: 'customers', column: 'id', family: prefixed(flax, 'cus') }]
 * const found = await findRow(keys, 'cus_Kpcan0M1FakODT4k', async () => [{ name: 'Ann' }])
 * found?.model // 'customers'
 * found?.row // { name: 'Ann' }
 */
export async function findRow<Key extends KeyColumn, Row>(
  keys: readonly Key[],
  id: unknown,
  read: (key: Key, limit: number) => PromiseLike<readonly Row[]>,
  count?: (keys: readonly Key[]) => PromiseLike<readonly unknown[]>,
): Promise<FoundRow<Key['model'], Row> | null> {
  const found: FoundIn<Key['model'], Row>[] = []
  const fits = keysFor(keys, id)
  for (const key of count && fits.length > 1 ? await counted(fits, count) : fits) {
    // The first row, those of `also`, and one to know whether there are more.
    const rows = await read(key, ALSO + 2 - found.length)
    found.push(...rows.map((row) => ({ model: key.model, column: key.column, row })))
    if (found.length > ALSO + 1) break
  }
  const [first, ...rest] = found
  return first ? { ...first, also: rest.slice(0, ALSO), hasMore: rest.length > ALSO } : null
}

async function counted<Key>(
  keys: readonly Key[],
  count: (keys: readonly Key[]) => PromiseLike<readonly unknown[]>,
): Promise<Key[]> {
  const found: Key[] = []
  for (let from = 0; from < keys.length; from += TERMS) {
    const asked = keys.slice(from, from + TERMS)
    const counts = await count(asked)
    found.push(...asked.filter((_, at) => Number(counts[at]) > 0))
  }
  return found
}

const hasPrefixOf = (family: IdFamily, id: string): boolean =>
  isPrefixed(family) && id.startsWith(`${family.prefix}_`)

/** Throws the error of the family that the id is meant for, if there is one. */
function refuseMalformed(keys: readonly KeyColumn[], id: string): void {
  const named = keys
    .map(({ family }) => family)
    .filter((family) => hasPrefixOf(family, id))
    .sort((a, b) => b.min.length - a.min.length)
  named[0]?.parse(id)
  for (const { family } of keys) if (!isPrefixed(family) && isMeant(ownOf(family), id)) family.parse(id)
}

/** Whether the text is one of the family but for a character: a wrong one, one too many, one that is missing. */
function isMeant(family: IdFamily, id: string): boolean {
  if (isOpaque(family)) return false
  if (id.includes('_') && !alphabetOf(family)?.characters.includes('_')) return false
  if (family.textLength !== undefined) return Math.abs(id.length - family.textLength) <= 1
  try {
    family.parse(id)
    return false
  } catch (error) {
    return error instanceof IdError && error.code !== 'INVALID_CHARACTER'
  }
}
