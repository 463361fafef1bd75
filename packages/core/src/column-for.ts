import { checkCondition } from './adapter/check-constraint.js'
import { type IdSource, idSource } from './adapter/id-source.js'
import { readKeyset } from './adapter/keyset.js'
import type { IdFamily, IdRange } from './family.js'
import type { Time } from './primitives/clock.js'
import { fail, refuseType } from './primitives/errors.js'
import { checkOptions } from './primitives/options.js'
import type { Database } from './storage/column.js'
import { storageFor } from './storage/index.js'

/** Options of {@link columnFor}. */
export interface IdColumnOptions<AnId extends string> {
  /** What generates the ids: a generator, or a family that has a default generator. Default: the column's family. */
  readonly generator?: IdSource<AnId>
}

/** Options of a page of rows in the order of their ids. */
export interface IdPageOptions {
  /** The last id of the previous page, unchecked; undefined or null for the first page. */
  readonly after?: unknown
  /** Oldest first, or newest first. Default `asc`. */
  readonly order?: 'asc' | 'desc'
  /** Rows per page. */
  readonly take: number
}

/** A checked page: `WHERE id <operator> <after> ORDER BY id <order> LIMIT <take>`. */
export interface IdPage<AnId extends string> {
  /** The id that the page begins after; undefined for the first page, which has no condition. */
  readonly after: AnId | undefined
  /** Compares the column with `after`. */
  readonly operator: '>' | '<'
  /** The direction of ORDER BY. */
  readonly order: 'asc' | 'desc'
  /** Rows per page. */
  readonly take: number
}

/** What a library without a package of ours needs for an id column whose stored value is the id itself. */
export interface IdColumn<AnId extends string> {
  /** The family of the ids. */
  readonly family: IdFamily<AnId>
  /** The column's type, for CREATE TABLE: `text COLLATE "C"`. */
  readonly type: string
  /** A new id. */
  generate(): AnId
  /** The family's `parse`: checks a value from outside. @throws {IdError} with `statusCode` 400. */
  parse(value: unknown): AnId
  /**
   * The family's `range`, with both bounds: rows created at or after `from` and before `to` have `id >= gte AND id < lt`.
   *
   * @throws {IdError} `INVALID_OPTION` if `from` is after `to`, `INVALID_TIME`; `TIME_OUT_OF_RANGE` if `to` is after the
   * family's last time, where `lowerBound` is the only bound.
   */
  range(from: Time, to: Time): Required<Omit<IdRange<AnId>, 'lte'>>
  /**
   * A page of rows by id, which costs the same wherever it begins.
   *
   * @throws {IdError} `INVALID_OPTION`, and as `parse` for a malformed `after`.
   */
  keyset(options: IdPageOptions): IdPage<AnId>
  /**
   * The condition of a CHECK constraint: length, prefix, and in SQLite the type; with other keys that the family accepts,
   * the patterns of its ids and of the keys. NULL passes.
   *
   * @param column the column's name in SQL, quoted if it needs quotes.
   * @throws {IdError} `INVALID_OPTION` for an accepted pattern that doesn't mean the same in the database.
   */
  check(column: string): string
}

/**
 * An id column for a library without a package of ours, such as Knex, Sequelize or a plain driver. It is for columns
 * that store the id as it is: text, and `uuid` for UUIDv7 in PostgreSQL. So there is nothing to convert, in parameters
 * or in rows.
 *
 * @throws {IdError} `STORAGE_REFUSED` for a family that the database stores in another form (flake);
 * `GENERATOR_REQUIRED` for one without a default generator.
 *
 * @example
 * const id = columnFor(prefixed(flax, 'cus'), 'postgres')
 * id.type // 'text COLLATE "C"'
 * id.check('id') // "length(id) = 20 AND substr(id, 1, 4) = 'cus_'"
 * id.generate() // 'cus_Kpcan0M1FakODT4k'
 */
export function columnFor<AnId extends string>(
  family: IdFamily<AnId>,
  database: Database,
  options: IdColumnOptions<AnId> = {},
): IdColumn<AnId> {
  const storage = storageFor(family, database)
  const { name, converts, column } = storage
  const { generator } = checkOptions(family.name, options, { generator: 'any' })
  if (converts) {
    const advice = `use storageFor(${family.name}, '${database}')`
    const reason = `${database} stores these ids as ${name}, which has to be converted; ${advice}`
    fail('STORAGE_REFUSED', family.name, reason, name, 'storage')
  }
  return {
    family,
    type: column.sql,
    generate: idSource({
      family,
      generator,
      usage: (example) => `{ generator: ${example} }`,
    }),
    parse: (value) => family.parse(value),
    range(from, to) {
      const { gte, lt = family.upperBound(to) } = family.range(from, to)
      return { gte, lt }
    },
    keyset(options) {
      const { after, order, take } = readKeyset({ path: 'after', family }, options, 'required')
      return {
        after: after as AnId | undefined,
        operator: order === 'asc' ? '>' : '<',
        order,
        take: take as number,
      }
    },
    check(target) {
      if (typeof target !== 'string')
        refuseType(family.name, "check needs the column's name in SQL", target, 'target')
      return checkCondition(storage, target) ?? 'true'
    },
  }
}
