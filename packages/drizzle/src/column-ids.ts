import { IdError, type IdFamily, type IdStorage } from '@snoflax/core'
import { type Column, getTableColumns, getTableName } from 'drizzle-orm'

/** Where an id column keeps what it knows about its ids. Registered, so that two copies agree. */
export const IDS = Symbol.for('snoflax.drizzle.ids')

/** A table and column, as messages name them. */
export function placeOf(column: Column): string {
  const name = column.name || nameOfList(column)
  return [getTableName(column.table), name].filter(Boolean).join('.')
}

/** The element of an array has no name of its own, and no array either while the table is being built. */
function nameOfList(element: Column): string | undefined {
  const columns: Record<string, Column & MaybeIdColumn> = getTableColumns(element.table) ?? {}
  return Object.values(columns).find(({ baseColumn }) => baseColumn === element)?.name
}

/** The ids of one column: whose they are and how they lie there. Errors name the column. */
export class ColumnIds {
  private settled: IdStorage<string> | undefined

  constructor(
    private readonly column: Column,
    private readonly settle: () => IdStorage<string>,
  ) {}

  /** Found at the first use: the target of a reference may be defined later. */
  get storage(): IdStorage<string> {
    this.settled ??= this.settle()
    return this.settled
  }

  get place(): string {
    return placeOf(this.column)
  }

  get family(): IdFamily<string> {
    return this.storage.family
  }

  toDatabase(value: unknown): unknown {
    return this.placed(() => this.storage.toDatabase(value))
  }

  fromDatabase(value: unknown): string {
    return this.placed(() =>
      this.storage.fromDatabase(value instanceof ArrayBuffer ? new Uint8Array(value) : value),
    )
  }

  /** What the action answers, its errors told with the place. */
  placed<Result>(action: () => Result): Result {
    try {
      return action()
    } catch (error) {
      if (error instanceof IdError && error.path === undefined) throw error.at(this.place)
      if (error instanceof TypeError) throw new TypeError(`${this.place}: ${error.message}`, { cause: error })
      throw error
    }
  }
}

interface MaybeIdColumn {
  readonly [IDS]?: ColumnIds
  /** Of an array. */
  readonly baseColumn?: MaybeIdColumn
}

/** What an id column, or an array of ids, knows about its ids; undefined for other columns. */
export function findIds(column: unknown): ColumnIds | undefined {
  const candidate = column as MaybeIdColumn
  return candidate[IDS] ?? candidate.baseColumn?.[IDS]
}

/** @throws {IdError} `INVALID_OPTION` for a column that holds no ids. */
export function idsOf(column: Column): ColumnIds {
  const ids = findIds(column)
  if (ids) return ids
  throw new IdError('INVALID_OPTION', `${placeOf(column)} is no id column`, { path: placeOf(column) })
}

/** @throws {IdError} `INVALID_OPTION` for a column that holds no ids, or lists of them. */
export function singleIdsOf(column: Column): ColumnIds {
  const ids = idsOf(column)
  if (column.dataType !== 'array') return ids
  throw new IdError('INVALID_OPTION', `${ids.place} is an array of ids, not one id`, { path: ids.place })
}

/** The storage of an id column's ids, or of an array's; undefined for other columns. */
export const storageName = (column: Column) => findIds(column)?.storage.name
