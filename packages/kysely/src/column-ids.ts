import { type Database, IdError, type IdFamily, type IdStorage, storageFor } from '@snoflax/core'
import {
  agree,
  checkColumnOptions,
  checkMismatch,
  conditionValue,
  databaseDefault,
  idSource,
  type OnMismatch,
  type SqlIdColumn,
  show,
  storedReader,
  withPath,
} from '@snoflax/core/adapter'
import type { IdColumn, IdTables } from './columns.js'

/** The ids of one column. Errors name the column. */
export class ColumnIds {
  /** Generates the id of a row that an insert has without one; undefined if the application generates none. */
  readonly generate: (() => string) | undefined
  /** As `fromDatabase`, with errors that don't name the column. */
  readonly read: (value: unknown) => string | null
  /** The SQL by which the database generates it. */
  readonly databaseDefault: string | undefined
  /** The column, as errors name it. */
  readonly named: SqlIdColumn
  readonly family: IdFamily
  /** Whether what is stored is the id itself. */
  readonly isText: boolean
  readonly isMysql: boolean
  /** Whether an id of the family is sent as it is: a text of digits could be a number too. */
  private readonly isSame: boolean

  constructor(
    readonly path: string,
    readonly storage: IdStorage<string>,
    readonly column: IdColumn,
    private readonly onMismatch: OnMismatch | undefined,
  ) {
    const { family, database, name } = storage
    this.family = family
    this.isText = !storage.converts
    this.isMysql = database === 'mysql' || database === 'mariadb'
    this.isSame = name === 'text' && !family.storages.includes('bigint')
    const { role, options } = column
    this.placed(() => checkMismatch(storage, onMismatch))
    this.named = { place: path, storage: () => storage }
    this.read = storedReader(storage)
    if (role !== 'generated') return
    const { generator, meta, schema } = options
    if (options.default === 'database') {
      this.databaseDefault = this.placed(() =>
        databaseDefault({ family, database, storage: name, schema, meta }),
      )
    } else {
      const usage = (example: string) => `{ generator: ${example} }`
      const source = this.placed(() => idSource({ family, generator, meta, usage }))
      this.generate = () => this.placed(source)
    }
  }

  /** Whether stored values of the two columns are equal exactly if their ids are. */
  isLike({ storage: { family, name } }: ColumnIds): boolean {
    return family.name === this.family.name && name === this.storage.name
  }

  /** @param isWritten whether it is the value of a write; others are those of conditions. */
  toDatabase(id: unknown, isWritten = true): unknown {
    if (this.isSame && this.family.is(id)) return id
    const value = this.placed(() => conditionValue(this.storage, isWritten ? undefined : this.onMismatch, id))
    if (!(value instanceof Uint8Array) || !this.isMysql) return value
    // mysql2 writes other bytes into the SQL as an object.
    return Buffer.from(value.buffer, value.byteOffset, value.length)
  }

  /** @throws {IdError} `NOT_CANONICAL` for a value that the column did not write, even if it can be read as an id. */
  fromDatabase(value: unknown): string | null {
    return this.placed(() => this.read(value))
  }

  placed<Result>(work: () => Result): Result {
    return withPath(this.path, work)
  }

  refuse(reason: string, value?: unknown): IdError {
    const { name } = this.column.family
    return new IdError('INVALID_OPTION', `${this.path}: ${reason}`, { family: name, path: this.path, value })
  }
}

const STORED = { storage: 'any', exactBigint: 'boolean' } as const

const noColumn = (path: string, value: unknown): IdError =>
  new IdError('INVALID_OPTION', `${path}: must be an id column such as flaxId(), not ${show(value)}`, {
    path,
    value,
  })

/** The declared tables and their columns. */
export type Declared = ReadonlyMap<string, ReadonlyMap<string, ColumnIds>>

/** @throws {IdError} `INVALID_OPTION` for a path that was not declared. */
export function idsAt(declared: Declared, path: string): ColumnIds {
  const dot = path.lastIndexOf('.')
  const ids = declared.get(path.slice(0, dot))?.get(path.slice(dot + 1))
  if (ids) return ids
  throw new IdError('INVALID_OPTION', `${path} is not an id column; declare it in the tables of idPlugin()`, {
    path,
  })
}

/** @throws {IdError} for every mistake in the declaration. */
export function declare(database: Database, tables: IdTables): Declared {
  const storages = new Map<IdColumn, IdStorage<string> | undefined>()
  const targetOf = (target: string): IdColumn | undefined => {
    const dot = target.lastIndexOf('.')
    return dot > 0 ? tables[target.slice(0, dot)]?.[target.slice(dot + 1)] : undefined
  }
  /** References with their own storage may form a cycle. */
  const mismatchOf = (column: IdColumn, seen: readonly IdColumn[] = []): OnMismatch | undefined => {
    const { options, target } = column
    const theirs = target === undefined || seen.includes(column) ? undefined : targetOf(target)
    return options.onMismatch ?? (theirs && mismatchOf(theirs, [...seen, column]))
  }
  /** A reference has its target's storage; the target may itself be a reference. */
  const storageOf = (path: string, column: IdColumn): IdStorage<string> => {
    if (typeof column?.options !== 'object') throw noColumn(path, column)
    const { family, options, target } = column
    const { storage, exactBigint } = options
    const known = storages.get(column)
    if (known !== undefined) return known
    withPath(path, () => checkColumnOptions(family, column.role, options, STORED))
    if (storages.has(column)) {
      throw new IdError(
        'INVALID_OPTION',
        `${path}: its references form a cycle; set storage on one of them`,
        { path },
      )
    }
    if (target === undefined || storage !== undefined) {
      storages.set(
        column,
        withPath(path, () => storageFor(family, database, { storage, exactBigint })),
      )
    } else storages.set(column, undefined)
    if (target !== undefined) {
      const theirs = targetOf(target)
      const own = storages.get(column)
      const found = theirs && storageOf(target, theirs)
      agree(
        { path, family, storage: own?.name },
        { path: target, ...(found && { family: found.family, storage: found.name }) },
      )
      storages.set(column, found ?? own)
    }
    return storages.get(column) as IdStorage<string>
  }
  return new Map(
    Object.entries(tables).map(([table, columns]) => [
      table,
      new Map(
        Object.entries(columns).map(([name, column]) => {
          const path = `${table}.${name}`
          const ids = new ColumnIds(path, storageOf(path, column), column, mismatchOf(column))
          if (column.role === 'list' && database !== 'postgres')
            throw ids.refuse(`${database} has no arrays; use a separate table`)
          return [name, ids]
        }),
      ),
    ]),
  )
}
