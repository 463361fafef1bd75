import { IdError, type IdFamily, type IdStorage, storageFor } from '@snoflax/core'
import {
  agree,
  checkColumnOptions,
  checkCondition,
  checkMismatch,
  checkOptions,
  checkOwnType,
  familyWith,
  type OnMismatch,
  show,
  storedReader,
  withPath,
} from '@snoflax/core/adapter'
import { Column, getTableColumns, getTableName, is, Table } from 'drizzle-orm'
import type { IdDialect } from './dialect.js'
import type { ColumnRequest } from './types.js'

/** Types of text, as Drizzle writes them. */
const TYPE = /^(?:text|tinytext|mediumtext|longtext|(?:var)?char(?:\(\d+\))?|character varying(?:\(\d+\))?)$/i

/** Where an id column keeps what it knows about its ids. Registered, so that two copies of this package agree. */
export const IDS = Symbol.for('snoflax.drizzle.ids')

const STORED = {
  storage: 'any',
  exactBigint: 'boolean',
  check: 'boolean',
  onMismatch: ['error', 'notFound'],
  type: 'any',
} as const
const OF_TARGET = {
  onMismatch: ['error', 'notFound'],
  branded: 'boolean',
  check: 'boolean',
  type: 'any',
} as const

/** The ids of one column: their family and storage. Errors name the column. */
export class ColumnIds {
  /** The family that the definition states. A reference without a prefix has that of its target. */
  readonly declared: IdFamily | undefined
  /** The options of the definition, checked. */
  readonly options: ColumnRequest['options']
  private readonly own: IdStorage<string> | undefined
  private settled: IdStorage<string> | undefined
  private isSettling = false
  private read: ((value: unknown) => unknown) | undefined
  private onMismatch: OnMismatch | undefined
  /** Generates the id of a row that an insert has without one; undefined if the application generates none. */
  generate?: () => string

  /**
   * @throws {IdError} `STORAGE_REFUSED`; `INVALID_OPTION` for a reference without a target, and for unknown options.
   */
  constructor(
    private readonly column: Column,
    readonly dialect: IdDialect,
    private readonly request: ColumnRequest,
    private readonly target: (() => Column) | undefined,
  ) {
    const { family, role } = request
    this.options = this.placed(() =>
      family === undefined
        ? checkOptions('idColumn.ref', request.options, OF_TARGET)
        : checkColumnOptions(family, role, request.options, STORED),
    )
    const { options } = this
    const declared = this.placed(() => family && familyWith(family, options))
    this.declared = declared
    const { storage, exactBigint, onMismatch, type } = options
    if (type !== undefined && !TYPE.test(type)) {
      throw this.refuse(
        `type must be that of a text column, such as varchar(36), not ${show(type)}; leave it out for the column's own type`,
      )
    }
    if (declared && (role !== 'reference' || storage !== undefined)) {
      this.own = this.placed(() => {
        const own = storageFor(declared, dialect.database, { storage, exactBigint })
        if (options.check) checkCondition(own, column.name)
        return own
      })
    } else if (target === undefined) {
      throw this.refuse('a .ref() needs .references(…), or its own storage option')
    }
    this.onMismatch = onMismatch
    if (this.own && target === undefined) this.settled = this.fitting(this.own)
  }

  /** Found on first use, since a reference's target may be defined later. */
  get storage(): IdStorage<string> {
    this.settled ??= this.fitting(this.settle())
    return this.settled
  }

  /** Whether values may be converted: true for a reference whose target is not defined yet. */
  get mayConvert(): boolean {
    return this.own?.converts ?? true
  }

  /** Table and column, as messages name them. */
  get place(): string {
    return placeOf(this.column)
  }

  get family(): IdFamily {
    return this.storage.family
  }

  /** The type that the column keeps, in SQL; undefined for that of its storage. */
  get type(): string | undefined {
    const { type } = this.options
    return type ?? (this.target && findIds(this.target())?.type)
  }

  /** Whether the column is declared to generate ids, here or in the database. */
  get generates(): boolean {
    return this.request.role === 'generated' && this.column.generated === undefined
  }

  get isReference(): boolean {
    return this.request.role === 'reference' || this.target !== undefined
  }

  /** Id → stored value. With `notFound` every text is passed on, as with a plain string key. */
  toDatabase(value: unknown): unknown {
    const { storage } = this
    if (this.onMismatch === 'notFound' && typeof value === 'string') return value
    try {
      return storage.toDatabase(value)
    } catch (error) {
      throw this.at(error)
    }
  }

  /** @throws {IdError} `NOT_CANONICAL` for a value that the column did not write, even if it can be read as an id. */
  fromDatabase(value: unknown): string {
    try {
      this.read ??= storedReader(this.storage)
      return this.read(value) as string
    } catch (error) {
      throw this.at(error)
    }
  }

  /** Runs the work; its errors name the column. */
  placed<Result>(work: () => Result): Result {
    return withPath(() => this.place, work)
  }

  /** The error, which names the column. A closure for each value would take as long as converting it. */
  private at(error: unknown): unknown {
    return error instanceof IdError && error.path === undefined ? error.at(this.place) : error
  }

  private fitting(storage: IdStorage<string>): IdStorage<string> {
    this.placed(() => {
      checkMismatch(storage, this.onMismatch)
      checkOwnType(storage, this.options.type)
    })
    return storage
  }

  private settle(): IdStorage<string> {
    const { own, isSettling } = this
    if (own && isSettling) return own
    if (isSettling) throw this.refuse('its references form a cycle; set storage on one of them')
    this.isSettling = true
    try {
      return this.storageBeside((this.target as () => Column)())
    } finally {
      this.isSettling = false
    }
  }

  /** The storage of a foreign key to the column. A key with its own `storage` may reference a column without ids. */
  private storageBeside(target: Column): IdStorage<string> {
    const { own, declared, request } = this
    const theirs = findIds(target)
    if (theirs === undefined && own !== undefined) return own
    const storage = theirs?.storage
    this.onMismatch ??= theirs?.onMismatch
    const path = placeOf(target)
    if (declared) {
      const ofTarget = storage && { family: storage.family, storage: storage.name }
      agree({ path: this.place, family: declared, storage: own?.name }, { path, ...ofTarget })
    } else if (!storage) {
      throw this.refuse(`references ${path}, which is not an id column`)
    }
    const { family } = storage as IdStorage<string>
    if (request.role === 'generated' && family.name !== declared?.name) {
      throw this.refuse(
        `generates ids without the prefix of ${path}; pass { prefix: '${family.name}' }, or use .ref()`,
      )
    }
    return storage as IdStorage<string>
  }

  private refuse(reason: string): IdError {
    const { place: path, declared } = this
    return new IdError('INVALID_OPTION', `${path}: ${reason}`, { family: declared?.name, path })
  }
}

/** A table, with its schema if it names one, and a column, as messages name them. */
export function placeOf(column: Column): string {
  const { table, name } = column
  return [schemaOf(table), getTableName(table), name].filter(Boolean).join('.')
}

const SCHEMA = Symbol.for('drizzle:Schema')

/** The schema that the table names. */
export const schemaOf = (table: Table): string | undefined =>
  (table as unknown as Readonly<Record<typeof SCHEMA, string | undefined>>)[SCHEMA]

interface MaybeIdColumn {
  readonly [IDS]?: ColumnIds
  /** The element of an array in Drizzle 0.45. */
  readonly baseColumn?: MaybeIdColumn
}

/** What an id column, or an array of ids, knows about its ids; undefined for other columns. */
export function findIds(column: unknown): ColumnIds | undefined {
  const { [IDS]: ids, baseColumn } = column as MaybeIdColumn
  return ids ?? (baseColumn && findIds(baseColumn))
}

/** Whether a column stores arrays: in Drizzle 0.45 they have their own type, in 1.0 dimensions. */
export const isList = (column: Column): boolean =>
  column.dataType === 'array' || Boolean((column as { readonly dimensions?: number }).dimensions)

interface IdColumnIn {
  readonly key: string
  readonly column: Column
  readonly ids: ColumnIds
}

/** The id columns of a table, by key. */
export const idColumnsIn = (table: Table): IdColumnIn[] =>
  Object.entries<Column>(getTableColumns(table)).flatMap(([key, column]) => {
    const ids = findIds(column)
    return ids ? [{ key, column, ids }] : []
  })

/** @throws {IdError} `INVALID_OPTION` for a column without ids. */
export function idsOf(column: Column): ColumnIds {
  if (!is(column, Column)) {
    const actual = is(column, Table) ? `the table ${getTableName(column)}` : show(column)
    throw new IdError('INVALID_OPTION', `expected a column, such as orders.id, not ${actual}`, {
      value: column,
    })
  }
  const ids = findIds(column)
  if (ids) return ids
  const path = placeOf(column)
  throw new IdError('INVALID_OPTION', `${path} is not an id column`, { path })
}

/** @throws {IdError} `INVALID_OPTION` for a column without ids, and for an array column. */
export function singleIdsOf(column: Column): ColumnIds {
  const ids = idsOf(column)
  if (!isList(column)) return ids
  throw new IdError('INVALID_OPTION', `${ids.place} is an array of ids, not one id`, { path: ids.place })
}
