import { type Database, IdError, type IdFamily, type IdStorage, storageFor } from '@snoflax/core'
import {
  agree,
  checkColumnOptions,
  databaseDefault,
  idSource,
  show,
  snakeCase,
  withPath,
} from '@snoflax/core/adapter'
import { ColumnNode, type TableNode } from 'kysely'
import type { IdColumn, IdTables } from './columns.js'

const refused = (path: string, reason: string, value?: unknown): IdError =>
  new IdError('INVALID_OPTION', `${path}: ${reason}`, { path, value })

/** The ids of one column. Errors name the column. */
export class ColumnIds {
  /** The column in an insert. */
  readonly node: ColumnNode
  readonly family: IdFamily
  /** Generates the id of a row that has none; undefined if the application generates none. */
  readonly generate: (() => string) | undefined
  /** The SQL by which the database generates it. */
  readonly databaseDefault: string | undefined

  constructor(
    readonly path: string,
    name: string,
    readonly storage: IdStorage<string>,
    readonly column: IdColumn,
  ) {
    const { family, database } = storage
    this.node = ColumnNode.create(name)
    this.family = family
    const { role, options } = column
    if (role === 'list' && database !== 'postgres')
      throw refused(path, `${database} has no arrays; use a separate table`)
    if (role !== 'generated') return
    const { generator, meta, schema } = options
    if (options.default === 'database') {
      const request = { family, database, storage: storage.name, schema, meta }
      this.databaseDefault = this.placed(() => databaseDefault(request))
    } else {
      const usage = (example: string) => `{ generator: ${example} }`
      const source = this.placed(() => idSource({ family, generator, meta, usage }))
      this.generate = () => this.placed(source)
    }
  }

  /** Refuses what can't be written to the column. @throws {IdError} */
  check(value: unknown): void {
    if (this.family.is(value)) return
    const { role } = this.column
    if (value === null) {
      if (role === 'generated')
        throw this.refuse('a generated id cannot be null; leave it out to have it generated', null)
    } else for (const one of role === 'list' && Array.isArray(value) ? value : [value]) this.parse(one)
  }

  /** @throws {IdError} for what is no id of the column. */
  parse(value: unknown): string {
    return this.placed(() => this.family.parse(value))
  }

  placed<Result>(work: () => Result): Result {
    return withPath(this.path, work)
  }

  refuse(reason: string, value?: unknown): IdError {
    return refused(this.path, reason, value)
  }
}

/** The id columns of one table, and those of them whose ids are generated. */
export interface IdTable {
  readonly columns: ReadonlyMap<string, ColumnIds>
  readonly generated: readonly ColumnIds[]
}

/** The declared tables. */
export class Declared {
  private readonly tables = new Map<string, IdTable>()
  /** Tables by the names that CamelCasePlugin sends for them. */
  private readonly renamed = new Map<string, string>()

  constructor(readonly columns: ReadonlyMap<string, ReadonlyMap<string, ColumnIds>>) {
    for (const [table, own] of columns) {
      this.tables.set(table, { columns: own, generated: [...own.values()].filter((one) => one.generate) })
      this.renamed.set(snakeCase(table), table)
    }
  }

  /** @throws {IdError} `INVALID_OPTION` if another plugin has renamed the table. */
  table({ table: { schema, identifier } }: TableNode): IdTable | undefined {
    const { name } = identifier
    const found = (schema && this.tables.get(`${schema.name}.${name}`)) ?? this.tables.get(name)
    const declared = found ? undefined : this.renamed.get(name)
    if (declared === undefined) return found
    const cure = 'put the plugin of ids before plugins that rename, such as CamelCasePlugin'
    throw refused(name, `declared as ${declared}; ${cure}`)
  }

  /** @throws {IdError} `INVALID_OPTION` for a path that was not declared. */
  at(path: string): ColumnIds {
    const dot = path.lastIndexOf('.')
    const ids = this.columns.get(path.slice(0, dot))?.get(path.slice(dot + 1))
    if (ids) return ids
    throw refused(path, 'not an id column; declare it in the tables of idPlugin()')
  }
}

/** @throws {IdError} for every mistake in the declaration. */
export function declare(database: Database, tables: IdTables): Declared {
  /** A reference has its target's storage; the target may itself be a reference. */
  const storageOf = (path: string, column: IdColumn, from: readonly string[] = []): IdStorage<string> => {
    if (typeof column?.options !== 'object')
      throw refused(path, `must be an id column such as flaxId(), not ${show(column)}`, column)
    const { family, target } = column
    if (target === undefined) return withPath(path, () => ownStorage(database, column))
    if (from.includes(path)) throw refused(path, 'its references form a cycle; declare one of them as plain')
    const dot = target.lastIndexOf('.')
    const theirs = tables[target.slice(0, dot)]?.[target.slice(dot + 1)]
    if (theirs === undefined) throw refused(path, `references ${target}, which is not an id column`)
    const storage = storageOf(target, theirs, [...from, path])
    if (family) agree({ path, family }, { path: target, family: storage.family })
    return storage
  }
  const columnsOf = ([table, columns]: [string, IdTables[string]]) => {
    const own = Object.entries(columns).map(([name, column]) => {
      const path = `${table}.${name}`
      return [name, new ColumnIds(path, name, storageOf(path, column), column)] as const
    })
    return [table, new Map(own)] as const
  }
  return new Declared(new Map(Object.entries(tables).map(columnsOf)))
}

/** The storage of a column that is no reference. None may convert: Kysely's rows are those of the driver. */
function ownStorage(database: Database, { family, role, options }: IdColumn): IdStorage<string> {
  const own = family as IdFamily
  checkColumnOptions(own, role, options, { storage: 'any' })
  const hasText = own.storages.some((name) => name === 'text' || name === 'uuid')
  const isKnown = hasText || options.storage !== undefined
  const storage = isKnown ? storageFor(own, database, { storage: options.storage }) : undefined
  if (storage?.converts === false) return storage
  const cure = hasText
    ? 'use storage text'
    : 'use another family, or leave the column undeclared and convert by storageFor()'
  throw new IdError(
    'STORAGE_REFUSED',
    `${own.name}: Kysely passes values as they are stored, so ids can't be stored as ${storage?.name ?? own.storages[0]}; ${cure}`,
    { family: own.name, field: 'storage', value: options.storage },
  )
}
