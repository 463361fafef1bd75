import { type Database, IdError, type IdFamily, type IdStorage } from '@snoflax/core'
import {
  agree,
  checkColumnOptions,
  checkMismatch,
  databaseDefault,
  idSource,
  type OnMismatch,
  plainStorage,
  show,
  withPath,
} from '@snoflax/core/adapter'
import { ColumnNode } from 'kysely'
import type { IdColumn, IdTables, Role } from './columns.js'

/** A declared column. */
export class ColumnIds {
  readonly family: IdFamily
  /** The column in an insert. */
  readonly node: ColumnNode
  /** Generates an id; undefined if the application generates none. */
  readonly generate: (() => string) | undefined
  /** The SQL by which the database generates ids. */
  readonly databaseDefault: string | undefined

  constructor(
    readonly table: string,
    readonly name: string,
    readonly role: Role,
    readonly storage: IdStorage<string>,
    /** The path of the column that it references. */
    readonly target: string | undefined,
    private readonly onMismatch: OnMismatch | undefined,
    { generator, meta, schema, default: byDatabase }: IdColumn['options'],
  ) {
    const { family, database } = storage
    this.family = family
    this.node = ColumnNode.create(name)
    if (role === 'list' && database !== 'postgres')
      throw new IdError('INVALID_OPTION', `${database} has no arrays; use a separate table`)
    if (role !== 'generated') return
    const usage = (example: string) => `{ generator: ${example} }`
    if (byDatabase)
      this.databaseDefault = databaseDefault({ family, database, storage: storage.name, schema, meta })
    else this.generate = idSource({ family, generator, meta, usage })
  }

  get path(): string {
    return `${this.table}.${this.name}`
  }

  /** Runs the work; its errors name the column. */
  placed<Result>(work: (family: IdFamily) => Result): Result {
    return withPath(this.path, () => work(this.family))
  }

  refused(reason: string, value?: unknown): IdError {
    return new IdError('INVALID_OPTION', `${this.path}: ${reason}`, { path: this.path, value })
  }

  /** Refuses what can't be written to the column. @throws {IdError} */
  check(value: unknown): void {
    const { family, role, onMismatch } = this
    if (family.is(value)) return
    if (value === null && role === 'generated')
      throw this.refused('a generated id cannot be null; leave it out to have it generated', null)
    const ids = role === 'list' && Array.isArray(value) ? value : [value]
    if (value === null) return
    for (const one of ids)
      if (onMismatch !== 'notFound' || typeof one !== 'string') this.placed(() => family.parse(one))
  }
}

const OPTIONS = { storage: 'any', onMismatch: ['error', 'notFound'] } as const

interface Stored {
  readonly storage: IdStorage<string>
  readonly onMismatch: OnMismatch | undefined
}

/** The declared columns, by table and name as `orders.id`. @throws {IdError} for every mistake in the declaration. */
export function declare(database: Database, tables: IdTables): ReadonlyMap<string, ColumnIds> {
  const all = Object.entries(tables).flatMap(([table, columns]) =>
    Object.entries(columns).map(([name, column]) => ({ path: `${table}.${name}`, table, name, column })),
  )
  const byPath = new Map(all.map(({ path, column }) => [path, column]))
  /** A reference is stored as its target is; the target may itself be a reference. */
  const storedAs = (path: string, column: IdColumn, from: readonly string[] = []): Stored =>
    withPath(path, () => {
      const refuse = (reason: string): never => {
        throw new IdError('INVALID_OPTION', reason, { value: column })
      }
      if (typeof column?.options !== 'object')
        refuse(`must be an id column such as flaxId(), not ${show(column)}`)
      const { family, role, options, target } = column
      if (target === undefined) {
        const own = family as IdFamily
        const { storage: wanted, onMismatch } = checkColumnOptions(own, role, options, OPTIONS)
        const storage = plainStorage(own, database, wanted, 'Kysely passes ids as they are stored')
        checkMismatch(storage, onMismatch)
        return { storage, onMismatch }
      }
      if (from.includes(path)) refuse('its references form a cycle; declare one of them as plain')
      const theirs = byPath.get(target) ?? refuse(`references ${target}, which is not an id column`)
      const stored = storedAs(target, theirs, [...from, path])
      if (family) agree({ path, family }, { path: target, family: stored.storage.family })
      return stored
    })
  return new Map(
    all.map(({ path, table, name, column }) => {
      const { storage, onMismatch } = storedAs(path, column)
      const { role, target } = column
      const options = { __proto__: null, ...column.options }
      const ids = () => new ColumnIds(table, name, role, storage, target, onMismatch, options)
      return [path, withPath(path, ids)]
    }),
  )
}
