import { type IdFamily, type StorageName, storageFor, type Time } from '@snoflax/core'
import { checkOptions, literalOf, refuse, unixMs } from '@snoflax/core/adapter'

/** A column of ids. */
export interface IdColumnName {
  /** The column, as SQL writes it. */
  readonly column: string
  /** How it stores ids. Default: the family's preferred storage, `text` for flax and sno, `bigint` for flake. */
  readonly storage?: StorageName
}

const STORAGES = ['binary', 'bigint']

/**
 * The creation time of an id, DATETIME(6) in UTC, as an expression of built-in functions: for generated columns, which
 * can't call stored functions.
 *
 * @throws {IdError} `INVALID_OPTION` for storage `text`, whose digits built-in functions can't read; `STORAGE_REFUSED`.
 *
 * @example
 * const createdAt = timeSql(flax, { column: 'id', storage: 'binary' })
 * const change = `ALTER TABLE log ADD COLUMN created_at datetime(6) AS (${createdAt}) STORED`
 */
export function timeSql(family: IdFamily, options: IdColumnName): string {
  const { column, storage } = checkOptions('timeSql', options, { column: 'any', storage: 'any' })
  const { name } = storageFor(family, 'mysql', { storage })
  const [first, next] = family.layout.fields
  if (!STORAGES.includes(name) || first?.name !== 'time' || next === undefined) {
    refuse(
      family.name,
      'storage',
      name,
      `built-in functions read the time of ids in ${STORAGES.join(' or ')}, not in ${name}; ` +
        'conditions on the range of the id itself need no such column',
    )
  }
  const { epochMs, unitMs } = family.layout
  const bytes = Math.ceil(first.bits / 8)
  const number =
    name === 'bigint'
      ? `(${column} >> ${8 * family.byteLength - first.bits})`
      : leading(column, bytes, 8 * bytes - first.bits)
  return `TIMESTAMP'1970-01-01 00:00:00' + INTERVAL (${number} * ${unitMs * 1000} + ${epochMs * 1000}) MICROSECOND`
}

const leading = (column: string, bytes: number, shift: number): string =>
  `(cast(conv(hex(left(${column},${bytes})),16,10) as signed) DIV ${2 ** shift})`

/** Partitions of a table. */
export interface PartitionOptions {
  /** The storage. Default: the family's preferred one. */
  readonly storage?: StorageName
  /** Start of the first partition. */
  readonly from: Time
  /** End of the last partition. */
  readonly until: Time
}

/**
 * Partitions by the UTC month in which ids were generated, for `PARTITION BY RANGE COLUMNS`: the table is partitioned
 * by the id itself, so the id can stay the primary key. Rows from before `from` go into the first partition. Later ones
 * are refused until there is a partition for them.
 *
 * @throws {IdError} `INVALID_OPTION` if `until` is not after `from`; `STORAGE_REFUSED`, `INVALID_TIME`, `TIME_OUT_OF_RANGE`.
 *
 * @example
 * const months = partitionsSql(flax, { storage: 'binary', from: new Date('2026-11-01'), until: new Date('2027-02-01') })
 * const change = `ALTER TABLE log PARTITION BY RANGE COLUMNS (id) (${months})`
 * const more = partitionsSql(flax, { storage: 'binary', from: new Date('2027-02-01'), until: new Date('2027-03-01') })
 * const later = `ALTER TABLE log ADD PARTITION (${more})`
 */
export function partitionsSql(family: IdFamily, options: PartitionOptions): string {
  const kinds = { storage: 'any', from: 'any', until: 'any' } as const
  const { storage, from, until } = checkOptions('partitionsSql', options, kinds)
  const { toDatabase } = storageFor(family, 'mysql', { storage })
  const [fromMs, untilMs] = [unixMs(from), unixMs(until)]
  if (fromMs >= untilMs) {
    refuse(family.name, 'until', undefined, 'until must be after from')
  }
  const partitions: string[] = []
  for (let month = new Date(fromMs); month.getTime() < untilMs; ) {
    const next = new Date(Date.UTC(month.getUTCFullYear(), month.getUTCMonth() + 1))
    const end = toDatabase(family.lowerBound(new Date(Math.min(next.getTime(), untilMs))))
    partitions.push(
      `PARTITION p${month.toISOString().slice(0, 7).replace('-', '')} VALUES LESS THAN (${literalOf(end, 'mysql')})`,
    )
    month = next
  }
  return partitions.join(', ')
}
