import { IdError, type IdFamily, type StorageName } from '@snoflax/core'
import {
  checkColumnOptions,
  checkFamily,
  checkMeta,
  checkSchema,
  DEFAULT_SCHEMA,
  familyWith,
  type IdSource,
  idSource,
  type KeyOptions,
  type OnMismatch,
} from '@snoflax/core/adapter'
import type { ColumnType, ValueTransformer } from 'typeorm'

/** Options of an id column that is not generated. */
export interface PlainIdColumnOptions<IsArray extends boolean = boolean> {
  /** Whether the column is nullable. Default false. */
  readonly nullable?: boolean
  /** Whether the column has a unique constraint. Default false. */
  readonly unique?: boolean
  /** The column's name in the database. Default: the naming strategy's. */
  readonly name?: string
  /** The column's comment in the database. */
  readonly comment?: string
  /** How the ids are stored. Default: the best storage that the database has for the family. */
  readonly storage?: StorageName
  /**
   * The type of a column that exists, such as `varchar`, so that a migration changes nothing: its type, length and
   * collation, and those of its foreign keys, stay as TypeORM has them, and aren't compared with the database. For ids of
   * `opaque`. Default: the type of the storage.
   */
  readonly type?: ColumnType
  /** With `type`: the length. */
  readonly length?: number | string
  /**
   * What a write of a text does that can't be an id of the column: it is an error, or with `notFound` it is written, as to a
   * plain string key. Conditions never check. `notFound` needs storage `text`. Default: `error`; foreign keys follow their key.
   */
  readonly onMismatch?: OnMismatch
  /** Adds a CHECK of length and prefix, in SQLite of the type too, so that other programs can't write what is no id. */
  readonly check?: boolean
  /** Whether find options and query builders select the column by default. Default true. */
  readonly select?: boolean
  /** Whether the column is a part of the primary key. Default false. */
  readonly primary?: boolean
  /** Whether the column stores arrays of ids; PostgreSQL only. Default false. */
  readonly array?: IsArray
}

/** Options of an id column whose ids are generated when a row is inserted without one. */
export interface IdColumnOptions<AnId extends string>
  extends Omit<PlainIdColumnOptions, 'array' | 'primary'> {
  /** Whether the column is the primary key, or a part of it. Default true. */
  readonly primary?: boolean
  /** What generates the ids: a generator, or a family that has a default generator. Default: the column's family. */
  readonly generator?: IdSource<AnId>
  /** The metabyte of the column's ids, 0 to 255, for families whose ids have one. */
  readonly meta?: number
  /** `'database'`: PostgreSQL generates the ids, by the function of @snoflax/pg-sql, or MariaDB by built-in functions. */
  readonly default?: 'database'
  /**
   * `'uuid'`, with `type`: TypeORM generates the ids, as for `@PrimaryGeneratedColumn('uuid')`; in PostgreSQL by a DEFAULT.
   */
  readonly generated?: 'uuid'
  /** PostgreSQL: the schema of the functions of @snoflax/pg-sql. Default `snoflax`. */
  readonly schema?: string
  /** Name of the primary key's constraint. */
  readonly primaryKeyConstraintName?: string
}

/** How the database generates the ids of a column. */
interface DatabaseDefault {
  readonly schema?: string | undefined
  readonly meta?: number | undefined
}

/** The same in all copies of this package. */
const DEFINITION: unique symbol = Symbol.for('@snoflax/typeorm column') as never

/** The definition that stands in for a column's transformer. */
export const definitionOf = (transformer: object | undefined): IdColumnDefinition | undefined =>
  transformer && DEFINITION in transformer ? (transformer as IdColumnDefinition) : undefined

/**
 * The declaration of an id column, before a DataSource decides on its database. It takes the place of the column's
 * transformer, so that a column that was never prepared throws an error that says what to call.
 */
export class IdColumnDefinition implements ValueTransformer {
  readonly [DEFINITION] = true

  constructor(
    readonly family: IdFamily,
    readonly storage: StorageName | undefined,
    /** Generates its ids; undefined if the application does not. */
    readonly generate: (() => string) | undefined,
    readonly databaseDefault: DatabaseDefault | undefined,
    readonly check: boolean | undefined,
    /** Whether TypeORM decides on the type, as for any column. */
    readonly keepsType: boolean,
    /** Whether TypeORM generates its ids. */
    readonly isGeneratedByTypeorm: boolean,
    readonly onMismatch: OnMismatch | undefined,
  ) {}

  /** Whether the application, the database or TypeORM generates its ids. */
  get isGenerated(): boolean {
    return this.generate !== undefined || this.databaseDefault !== undefined || this.isGeneratedByTypeorm
  }

  to(): never {
    return this.refuse()
  }

  from(): never {
    return this.refuse()
  }

  refuse(): never {
    throw new IdError(
      'INVALID_OPTION',
      `${this.family.name}: this DataSource is not prepared for id columns; call prepareDataSource(dataSource) ` +
        'of @snoflax/typeorm before dataSource.initialize()',
      { family: this.family.name },
    )
  }
}

/** Column options that are valid for every database. */
export interface PreliminaryColumn
  extends Required<Pick<PlainIdColumnOptions, 'nullable' | 'unique' | 'select'>>,
    Pick<PlainIdColumnOptions, 'array' | 'name' | 'comment'>,
    Pick<IdColumnOptions<string>, 'primary' | 'primaryKeyConstraintName' | 'length' | 'generated'> {
  /** Until the database is known. */
  type: ColumnType
  /** The family and options of the ids. */
  transformer: IdColumnDefinition
  /** Throws, so that schema builders create no table for a DataSource that was never prepared. */
  default: () => string
}

const STORED = {
  storage: 'any',
  check: 'boolean',
  nullable: 'boolean',
  unique: 'boolean',
  select: 'boolean',
  primary: 'boolean',
  name: 'any',
  comment: 'any',
  type: 'any',
  length: 'any',
  onMismatch: ['error', 'notFound'],
} as const

/** As TypeORM and databases generate them. */
const UUID = '9b2e4c1a-3f5d-4e6b-8a7c-0d1e2f3a4b5c'

/**
 * TypeORM's options of a column of ids that are neither a key nor generated.
 *
 * @throws {IdError} `INVALID_OPTION`.
 */
export function plainColumn(base: IdFamily, passed: PlainIdColumnOptions & KeyOptions): PreliminaryColumn {
  checkFamily(base)
  const options = checkColumnOptions(base, 'plain', passed, { ...STORED, array: 'boolean' })
  const family = familyWith(base, options)
  return preliminary(
    new IdColumnDefinition(
      family,
      options.storage,
      undefined,
      undefined,
      options.check,
      options.type !== undefined,
      false,
      options.onMismatch,
    ),
    options,
  )
}

/**
 * TypeORM's options of a column of generated ids.
 *
 * @throws {IdError} `INVALID_OPTION`, and as {@link idSource}.
 */
export function generatedColumn<AnId extends string>(
  base: IdFamily<AnId>,
  passed: IdColumnOptions<AnId> & KeyOptions,
): PreliminaryColumn {
  checkFamily(base)
  const options = checkColumnOptions(base, 'generated', passed, {
    ...STORED,
    primaryKeyConstraintName: 'any',
    generated: ['uuid'],
  })
  const family = familyWith(base, options)
  const { primary = true, primaryKeyConstraintName, generator, meta, schema, storage, type } = options
  const byTypeorm = options.generated === 'uuid'
  if (byTypeorm && (type === undefined || !family.is(UUID))) {
    throw new IdError(
      'INVALID_OPTION',
      `${family.name}: generated: 'uuid' needs ${type === undefined ? "type, such as 'uuid'" : 'a definition whose ids are UUIDs of any version'}`,
      { family: family.name, field: 'generated', value: 'uuid' },
    )
  }
  const inDatabase = options.default === 'database'
  if (inDatabase) {
    checkMeta(family, meta)
    checkSchema(schema ?? DEFAULT_SCHEMA)
  }
  const usage = (example: string) => `{ generator: ${example} }; a column that is not generated is .plain()`
  const generate = inDatabase || byTypeorm ? undefined : idSource({ family, generator, meta, usage })
  const definition = new IdColumnDefinition(
    family,
    storage,
    generate,
    inDatabase ? { schema, meta } : undefined,
    options.check,
    type !== undefined,
    byTypeorm,
    options.onMismatch,
  )
  return {
    ...preliminary(definition, { ...options, primary }),
    ...(byTypeorm && { generated: 'uuid' as const }),
    ...(primaryKeyConstraintName !== undefined && { primaryKeyConstraintName }),
  }
}

function preliminary(transformer: IdColumnDefinition, options: PlainIdColumnOptions): PreliminaryColumn {
  const {
    nullable = false,
    unique = false,
    select = true,
    primary = false,
    array = false,
    name,
    comment,
    type = 'varchar',
    length,
  } = options
  return {
    type,
    ...(length !== undefined && { length }),
    transformer,
    default: () => transformer.refuse(),
    nullable,
    unique,
    select,
    ...(primary && { primary }),
    ...(array && { array }),
    ...(name !== undefined && { name }),
    ...(comment !== undefined && { comment }),
  }
}
