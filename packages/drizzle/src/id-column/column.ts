import { type Database, IdError, type IdFamily } from '@snoflax/core'
import {
  arrayLiteral,
  checkFamily,
  checkOptions,
  databaseDefault,
  hexOf,
  idSource,
} from '@snoflax/core/adapter'
import { type Column, entityKind, is, Param, Placeholder, SQL, sql, type Table } from 'drizzle-orm'
import { declaredIn } from '../binding/declared.js'
import { watchConstraints } from '../constraints.js'
import { checkCopy, hookInto } from '../hooks.js'
import { shared } from '../shared.js'
import type { Hooks, IdDialect } from './dialect.js'
import { ColumnIds, IDS, isList, literal } from './ids.js'
import type { ColumnDefaults, ColumnRequest, DialectName, IdColumns, ReferenceOptions } from './types.js'

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

type BuilderClass<Given extends readonly unknown[]> = new (...given: Given) => Builder

const DEFAULTS = {
  storage: 'any',
  exactBigint: 'boolean',
  onMismatch: ['error', 'notFound'],
  branded: 'boolean',
} as const

/** The functions that start id columns in a dialect. As in Drizzle, a column's name may be left out. */
export function idColumns<Dialect extends DialectName>(dialect: IdDialect): IdColumns<Dialect> {
  const IdColumnBuilder = builderFor(dialect)
  type Options = ColumnRequest['options']
  const starting =
    (family: IdFamily, role: ColumnRequest['role'], defaults: ColumnDefaults | undefined) =>
    (name?: string | Options, given?: Options): Builder => {
      const options = typeof name === 'object' ? name : given
      return new IdColumnBuilder(typeof name === 'string' ? name : '', {
        family,
        role,
        options: options === undefined ? {} : options,
        defaults,
      })
    }
  const referring = (family: IdFamily, defaults: ColumnDefaults | undefined) => {
    const start = starting(family, 'reference', defaults)
    return (...given: unknown[]): Builder => {
      const at = given.findIndex((one) => typeof one === 'function')
      if (at < 0) return start(...(given as Parameters<typeof start>))
      const { onDelete, onUpdate, ...options } = (given[at + 1] ?? {}) as Options & ReferenceOptions
      const builder = at === 0 ? start(options) : start(given[0] as string, options)
      return builder.references(given[at] as () => Column, { onDelete, onUpdate })
    }
  }
  const columns = (family: IdFamily, defaults?: ColumnDefaults) => {
    checkFamily(family, 'idColumn: family')
    checkOptions(family.name, defaults, DEFAULTS, 'defaults')
    return Object.assign(starting(family, 'generated', defaults), {
      ref: referring(family, defaults),
      plain: starting(family, 'plain', defaults),
    })
  }
  return columns as unknown as IdColumns<Dialect>
}

function builderFor(dialect: IdDialect): BuilderClass<[name: string, request: ColumnRequest]> {
  class IdColumn extends dialect.Column {
    static readonly [entityKind]: string = 'SnoflaxIdColumn'

    readonly [IDS]: ColumnIds
    /** The element of an array: in Drizzle 0.45 a separate column; in 1.0 the column has dimensions. */
    private readonly isElement: boolean

    constructor(table: Table, { config, foreignKeyConfigs: [reference] }: Builder, hooks: Hooks) {
      super(table as never, config as never)
      this.isElement = config.isElement || (config.dimensions ?? 0) > 0
      const ids = new ColumnIds(this, dialect.database, config.request, reference?.ref, hooks)
      this[IDS] = ids
      declaredIn(dialect.database).add(ids)
      if (ids.mayConvert) this.convert(ids)
      // Drizzle 1.0 reads these for its drivers and for JSON.
      Object.defineProperties(this, {
        codec: { get: () => dialect.codecOf(this[IDS].storage.name) },
        jsonSelectIdentifier: { get: () => dialect.jsonOf?.(this[IDS].storage.name) },
      })
      setDefault(this, ids, dialect.database, config.request)
    }

    /** Reads ids from their storage, and lets no copy of Drizzle that we don't know build SQL with the column. */
    private convert(ids: ColumnIds): void {
      const plain = this.mapFromDriverValue
      const convert = (value: unknown) => ids.fromDatabase(value)
      // Drizzle reads it for each column that SQL names: 0.45 to see whether there was a name, 1.0 to use it.
      const read = 'isAlias' in this ? 'name' : 'keyAsName'
      const value = this[read]
      const get = () => {
        checkCopy(ids)
        return value
      }
      Object.defineProperties(this, {
        [read]: { get, enumerable: true },
        // Once known it is a plain property, since it is read for every value.
        mapFromDriverValue: {
          get: () => (this.mapFromDriverValue = ids.storage.converts ? convert : plain),
          set: (value) => Object.defineProperty(this, 'mapFromDriverValue', { value, writable: true }),
          configurable: true,
        },
      })
    }

    getSQLType(): string {
      const { type, sql } = this[IDS].storage.column
      // A collation would have to follow the brackets of the array.
      if (this.isElement) return type
      return dialect.database === 'postgres' ? sql : sql.toLowerCase()
    }

    // A field, not a method: Drizzle 1.0 looks for it on the instance.
    override mapToDriverValue = (id: unknown): unknown => {
      const value = this[IDS].toCondition(id)
      // As text, as PostgreSQL's drivers send it: the key of a cached query is JSON, which has no bigints.
      if (typeof value === 'bigint' && dialect.database === 'postgres') return String(value)
      return this.isElement && value instanceof Uint8Array ? `\\x${hexOf(value)}` : value
    }

    /** Called by Drizzle 1.0, whose drivers disagree about bytes in arrays, but all send text unchanged. */
    postBuild(): Column {
      const { postBuild } = dialect.Column.prototype as { readonly postBuild: () => Column }
      const column = postBuild.call(this)
      const { mapToDriverValue } = column
      if (isList(column)) {
        column.mapToDriverValue = (given) => {
          const list = mapToDriverValue(given)
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
        throw new IdError(
          'INVALID_OPTION',
          `${family.name}: a column of arrays can be neither generated nor a reference; use .plain().array(), as in flaxId.plain().array()`,
          { family: family.name },
        )
      }
      const list = super.array(size) as Builder
      if (list === this) return list
      this.config.isElement = true
      return namingElement(list, this)
    }

    /** Called by Drizzle. */
    build(table: Table): Column {
      const column = new IdColumn(table, this, hookInto(dialect, table, this))
      watchConstraints(dialect, table, column, this.config.request.options.check ?? false)
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
 * In place of an id in a prepared insert: generates one at each execution, where Drizzle would repeat the one of its
 * preparation. A placeholder's value is encoded at each execution, and every object has a property of this name.
 */
function freshId(column: Column, generate: () => string): SQL {
  const mapToDriverValue = () => column.mapToDriverValue(generate())
  return sql`${new Param(new Placeholder('constructor'), { mapToDriverValue })}`
}

/**
 * The default of a column: the user's own, else for generated columns a new id, generated here or by the database. An
 * id as default becomes a getter, since a reference gets its storage later, and drizzle-kit would write it as text.
 */
function setDefault(column: Column, ids: ColumnIds, database: Database, request: ColumnRequest): void {
  const { role, options } = request
  const { declared: family } = ids
  const { default: given } = column
  if (given !== undefined && !is(given, SQL)) {
    const get = () => literal(ids.toDatabase(given), database)
    Object.defineProperty(column, 'default', { get, enumerable: true })
  } else if (given === undefined && role === 'generated' && column.defaultFn === undefined) {
    const { schema, meta, generator } = options
    const made = ids.placed(() => {
      if (options.default === 'database') {
        const storage = ids.storage.name
        return { default: sql.raw(databaseDefault({ family, database, storage, schema, meta })) }
      }
      const usage = (example: string) => `{ generator: ${example} }`
      const source = idSource({ family, generator, meta, usage })
      const generate = () => ids.placed(source)
      ids.generate = generate
      return { defaultFn: () => (shared.isPreparing ? freshId(column, generate) : generate()) }
    })
    Object.assign(column, made)
  }
}
