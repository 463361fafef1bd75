import { IdError, type IdFamily } from '@snoflax/core'
import { arrayLiteral, checkFamily, databaseDefault, hexOf, idSource, literalOf } from '@snoflax/core/adapter'
import { type Column, entityKind, is, SQL, sql, type Table } from 'drizzle-orm'
import { addCheck } from './check.js'
import type { IdDialect } from './dialect.js'
import { ColumnIds, IDS, isList } from './ids.js'
import type { ColumnRequest, DialectName, IdColumn, IdColumns, ReferenceOptions } from './types.js'

/** Members of a builder that Drizzle declares as protected, private or only for PostgreSQL. */
interface Builder {
  readonly config: {
    readonly request: ColumnRequest
    hasDefault: boolean
    /** Whether the column is the element of an array. */
    isElement?: boolean
    readonly dimensions?: number
  }
  readonly foreignKeyConfigs: readonly { readonly ref: () => Column }[]
  array(size?: number): unknown
  references(target: () => Column, actions: object): Builder
  setName(name: string): void
}

type BuilderClass<Args extends readonly unknown[]> = new (...args: Args) => Builder

type Options = ColumnRequest['options']

const hexText = (bytes: Uint8Array): string => `\\x${hexOf(bytes)}`

/** Drizzle writes bytes into the SQL of a view by toString(). Otherwise they are any other bytes. */
const BYTEA: object = Object.create(Uint8Array.prototype, {
  toString: {
    value(this: Uint8Array) {
      return hexText(this)
    },
  },
})

/** The functions that start id columns in a dialect. */
export function idColumns<Dialect extends DialectName>(dialect: IdDialect) {
  const IdColumnBuilder = builderFor(dialect)
  type Args = readonly unknown[]
  const start = (role: ColumnRequest['role'], family: IdFamily | undefined, args: Args): Builder => {
    const [name, options = {}] = named(args) as [string, Options?]
    return new IdColumnBuilder(name, { family, role, options })
  }
  const refer = (family: IdFamily | undefined, args: Args): Builder => {
    const [name, target, options = {}] = named(args)
    if (typeof target !== 'function') return start('reference', family, args)
    const { onDelete, onUpdate, ...rest } = options as Options & ReferenceOptions
    const builder = start('reference', family, [name, rest])
    return builder.references(target as () => Column, { onDelete, onUpdate })
  }
  const define =
    (role: ColumnRequest['role']) =>
    (...args: Args): Builder => {
      const [name, family, options] = named(args)
      checkFamily(family, 'idColumn: definition')
      return start(role, family, [name, options])
    }
  const idColumn = Object.assign(define('generated'), {
    plain: define('plain'),
    ref: (...args: Args) => refer(undefined, args),
  })
  const familyColumn = (family: IdFamily) =>
    Object.assign((...args: Args) => start('generated', family, args), {
      plain: (...args: Args) => start('plain', family, args),
      ref: (...args: Args) => refer(family, args),
    })
  return { idColumn, familyColumn } as unknown as {
    readonly idColumn: IdColumns<Dialect>
    readonly familyColumn: <AnId extends string, Extra>(
      family: IdFamily<AnId>,
    ) => IdColumn<Dialect, AnId, Extra>
  }
}

/** As in Drizzle, a name comes first, is left out or is undefined. */
const named = (args: readonly unknown[]): readonly unknown[] =>
  typeof args[0] === 'string' ? args : ['', ...(args[0] === undefined ? args.slice(1) : args)]

function builderFor(dialect: IdDialect): BuilderClass<[name: string, request: ColumnRequest]> {
  class IdColumn extends dialect.Column {
    static readonly [entityKind]: string = 'SnoflaxIdColumn'

    readonly [IDS]: ColumnIds
    /** The element of an array: in Drizzle 0.45 a separate column; in 1.0 the column has dimensions. */
    private readonly isElement: boolean

    constructor(table: Table, { config, foreignKeyConfigs: [reference] }: Builder) {
      super(table as never, config as never)
      this.isElement = config.isElement || (config.dimensions ?? 0) > 0
      const ids = new ColumnIds(this, dialect, config.request, reference?.ref)
      this[IDS] = ids
      if (ids.mayConvert) this.convert(ids)
      // Drizzle 1.0 reads these for its drivers and for JSON.
      Object.defineProperties(this, {
        codec: { get: () => dialect.codecOf(ids.storage.name) },
        jsonSelectIdentifier: { get: () => dialect.jsonOf?.(ids.storage.name) },
      })
      setDefault(this, ids, config.request)
    }

    /** Reads ids from their storage. Once it is known this is a plain property, since it is read for every value. */
    private convert(ids: ColumnIds): void {
      const plain = this.mapFromDriverValue
      const convert = (value: unknown) => ids.fromDatabase(value)
      Object.defineProperty(this, 'mapFromDriverValue', {
        get: () => (this.mapFromDriverValue = ids.storage.converts ? convert : plain),
        set: (value) => Object.defineProperty(this, 'mapFromDriverValue', { value, writable: true }),
        configurable: true,
      })
    }

    getSQLType(): string {
      const { storage, type: kept } = this[IDS]
      if (kept !== undefined && storage.name === 'text') return kept
      const { type, sql } = storage.column
      // A collation would have to follow the brackets of the array.
      if (this.isElement) return type
      return dialect.database === 'postgres' ? sql : sql.toLowerCase()
    }

    // A field, not a method: Drizzle 1.0 looks for it on the instance.
    override mapToDriverValue = (id: unknown): unknown => {
      const value = this[IDS].toDatabase(id)
      if (typeof value === 'string' || dialect.database !== 'postgres') return value
      // As text, as PostgreSQL's drivers send it: the key of a cached query is JSON, which has no bigints.
      if (typeof value === 'bigint') return String(value)
      if (!(value instanceof Uint8Array)) return value
      return this.isElement ? hexText(value) : Object.setPrototypeOf(value, BYTEA)
    }

    /** Called by Drizzle 1.0, whose drivers disagree about bytes in arrays, but all send text unchanged. */
    postBuild(): Column {
      const { postBuild } = dialect.Column.prototype as { readonly postBuild: () => Column }
      const column = postBuild.call(this)
      const { mapToDriverValue } = column
      if (isList(column)) {
        column.mapToDriverValue = (values) => {
          const list = mapToDriverValue(values)
          return Array.isArray(list) && this[IDS].storage.name === 'binary' ? arrayLiteral(list) : list
        }
      }
      return column
    }
  }

  const Base = dialect.Builder as unknown as BuilderClass<[name: string, dataType: string, type: string]>
  return class IdColumnBuilder extends Base {
    static readonly [entityKind]: string = 'SnoflaxIdColumnBuilder'

    constructor(name: string, request: ColumnRequest) {
      super(name, 'string', 'SnoflaxId')
      Object.assign(this.config, { request, hasDefault: request.role === 'generated' })
    }

    override array(size?: number): unknown {
      const { family, role } = this.config.request
      if (role !== 'plain') {
        const message =
          'a column of arrays can be neither generated nor a reference; use .plain().array(), as in flaxId.plain().array()'
        throw new IdError('INVALID_OPTION', `${family?.name ?? 'idColumn.ref'}: ${message}`)
      }
      const list = super.array(size) as Builder
      if (list === this) return list
      this.config.isElement = true
      return namingElement(list, this)
    }

    /** Called by Drizzle. */
    build(table: Table): Column {
      const column = new IdColumn(table, this)
      if (column[IDS].options.check) addCheck(table, column, column[IDS])
      return column
    }
  }
}

/** In Drizzle 0.45 an array without a name gets that of its key, but its element, a separate column, gets none. */
function namingElement(list: Builder, element: Builder): Builder {
  const { setName, array } = list
  return Object.assign(list, {
    setName(name: string) {
      element.setName(name)
      setName.call(list, name)
    },
    array: (size?: number) => namingElement(array.call(list, size) as Builder, element),
  })
}

/**
 * The default of a column: the user's own, else for generated columns a new id, generated here or by the database. An
 * id as default becomes a getter, since a reference gets its storage later, and drizzle-kit would write it as text.
 */
function setDefault(column: Column, ids: ColumnIds, { role }: ColumnRequest): void {
  const { default: value } = column
  const { database } = ids.dialect
  if (value !== undefined && !is(value, SQL)) {
    const get = () => sql.raw(literalOf(ids.toDatabase(value), database))
    Object.defineProperty(column, 'default', { get, enumerable: true })
  } else if (value === undefined && role === 'generated' && column.defaultFn === undefined) {
    const { options } = ids
    const { schema, meta, generator } = options
    const family = ids.declared as IdFamily
    const defaults = ids.placed(() => {
      if (options.default === 'database') {
        const storage = ids.storage.name
        return { default: sql.raw(databaseDefault({ family, database, storage, schema, meta })) }
      }
      const usage = (example: string) => `{ generator: ${example} }`
      const source = idSource({ family, generator, meta, usage })
      ids.generate = () => ids.placed(source)
      return { defaultFn: ids.generate }
    })
    Object.assign(column, defaults)
  }
}
