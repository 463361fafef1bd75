import { IdError, type IdErrorCode } from '@snoflax/core'

/** Arguments and results of SQLite functions. JavaScript numbers are REAL, so integers are bigints. */
export type SqlValue = string | bigint | number | Uint8Array | null

/** SQLite's name of the value's type. */
export function typeName(value: unknown): string {
  if (typeof value === 'string') return 'text'
  if (typeof value === 'bigint') return 'an integer'
  return typeof value === 'number' ? 'a REAL' : 'a blob'
}

/**
 * @param field the argument that the value was passed for; undefined for an id.
 * @throws {IdError} `INVALID_TYPE` always.
 */
export function refuseType(family: string, what: string, value: unknown, field?: string): never {
  const passed = value === undefined ? 'left out' : typeName(value)
  return refuse('INVALID_TYPE', family, field, `${what}, not ${passed}`, value)
}

/**
 * A number from INTEGER, or from REAL, to which better-sqlite3 converts JavaScript's numbers. Above 2^53 it may be
 * rounded, but all arguments refuse such numbers.
 */
export const numberOf = (value: SqlValue | undefined): number =>
  (typeof value === 'bigint' ? Number(value) : value) as number

/** @throws {IdError} always: the family, then the rule. */
export function refuse(
  code: IdErrorCode,
  family: string,
  field: string | undefined,
  rule: string,
  value?: unknown,
): never {
  throw new IdError(code, `${family}: ${rule}`, { family, field, value })
}
