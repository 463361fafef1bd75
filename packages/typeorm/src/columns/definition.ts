import { IdError, type IdFamily, isSameFamily, type StorageName } from '@snoflax/core'
import type { ValueTransformer } from 'typeorm'

/** What makes the ids of a column. Every generator of @snoflax/core is one. */
export interface IdSource<AnId extends string> {
  /** The family of the ids, so that a generator of another one is refused. */
  readonly family?: IdFamily<AnId> | undefined
  /** A new id, for each row that is inserted without one. */
  generate(): AnId
}

/** Options of an id column that is not generated. */
export interface PlainIdColumnOptions {
  /** Whether the column takes null. Default false. */
  readonly nullable?: boolean
  /** Whether the column has a unique constraint. Default false. */
  readonly unique?: boolean
  /** The column's name in the database. By default the naming strategy gives it. */
  readonly name?: string
  /** The column's comment in the database. */
  readonly comment?: string
  /** How the ids lie in the column. By default the best storage that the database has for the family. */
  readonly storage?: StorageName
  /** Whether find options and query builders select the column by default. Default true. */
  readonly select?: boolean
}

/** Options of an id column whose ids are made when a row is inserted without one. */
export interface IdColumnOptions<AnId extends string> extends PlainIdColumnOptions {
  /** Whether the column is the primary key, or a part of it. Default true. */
  readonly primary?: boolean
  /** What makes the ids. By default the family's own generator, where it has one. */
  readonly generator?: IdSource<AnId>
  /** `'database'`: PostgreSQL makes the ids, with the function of @snoflax/pg-sql. */
  readonly default?: 'database'
  /** Schema of the functions of @snoflax/pg-sql. Default `snoflax`. */
  readonly schema?: string
  /** Arguments of the SQL function, such as sno's metabyte. Default none. */
  readonly functionArguments?: readonly number[]
  /** Name of the primary key's constraint. */
  readonly primaryKeyConstraintName?: string
}

/** Where a generated column's ids come from. */
export type Origin =
  | { readonly kind: 'application'; readonly source: IdSource<string> }
  | { readonly kind: 'database'; readonly schema: string; readonly arguments: readonly number[] }

/**
 * What an id column is, until a DataSource is built and its database known. It stands in for the column's
 * transformer, so that a column that was never prepared fails and says what to call.
 */
export class IdColumnDefinition implements ValueTransformer {
  constructor(
    readonly family: IdFamily<string>,
    readonly storage: StorageName | undefined,
    /** Undefined for a plain column. */
    readonly origin: Origin | undefined,
  ) {}

  to(): never {
    return this.refuse()
  }

  from(): never {
    return this.refuse()
  }

  refuse(): never {
    throw new IdError(
      'INVALID_OPTION',
      `${this.family.name}: this DataSource was never prepared for id columns; call prepareDataSource(dataSource) ` +
        'of @snoflax/typeorm before dataSource.initialize()',
      { family: this.family.name },
    )
  }
}

/** Options for TypeORM of a column of ids that are neither a key nor generated. */
export function plainColumn(family: IdFamily<string>, options: PlainIdColumnOptions): PreliminaryColumn {
  return preliminary(new IdColumnDefinition(family, options.storage, undefined), options)
}

/**
 * Options for TypeORM of a column of generated ids.
 *
 * @throws {IdError} `GENERATOR_REQUIRED` where nothing makes the ids, `INVALID_OPTION` for a generator of
 * another family.
 */
export function generatedColumn<AnId extends string>(
  family: IdFamily<AnId>,
  options: IdColumnOptions<AnId>,
): PreliminaryColumn {
  const { primary = true, primaryKeyConstraintName } = options
  const definition = new IdColumnDefinition(
    family as unknown as IdFamily<string>,
    options.storage,
    originOf(family, options),
  )
  return {
    ...preliminary(definition, options),
    primary,
    ...(primaryKeyConstraintName !== undefined && { primaryKeyConstraintName }),
  }
}

/** Column options that are valid for every database. */
export interface PreliminaryColumn {
  type: 'varchar'
  transformer: IdColumnDefinition
  default: () => string
  nullable: boolean
  unique: boolean
  select: boolean
  name?: string
  comment?: string
  primary?: boolean
  primaryKeyConstraintName?: string
}

function preliminary(definition: IdColumnDefinition, options: PlainIdColumnOptions): PreliminaryColumn {
  const { nullable = false, unique = false, select = true, name, comment } = options
  return {
    type: 'varchar',
    transformer: definition,
    // Asked for by schema builders: a DataSource that was never prepared makes no table.
    default: () => definition.refuse(),
    nullable,
    unique,
    select,
    ...(name !== undefined && { name }),
    ...(comment !== undefined && { comment }),
  }
}

function originOf<AnId extends string>(family: IdFamily<AnId>, options: IdColumnOptions<AnId>): Origin {
  if (options.default === 'database') {
    return {
      kind: 'database',
      schema: options.schema ?? 'snoflax',
      arguments: options.functionArguments ?? [],
    }
  }
  return { kind: 'application', source: sourceOf(family, options.generator) }
}

function sourceOf<AnId extends string>(
  family: IdFamily<AnId>,
  generator: IdSource<AnId> | undefined,
): IdSource<AnId> {
  if (generator === undefined) return defaultSource(family)
  const made = generator.family ?? family
  if (isSameFamily(made, family)) return generator
  const other = made.name === family.name ? ' with other bits or another epoch' : ''
  throw new IdError('INVALID_OPTION', `${family.name}: the generator makes ids of ${made.name}${other}`, {
    family: family.name,
    field: 'generator',
  })
}

function defaultSource<AnId extends string>(family: IdFamily<AnId>): IdSource<AnId> {
  if ('generate' in family && typeof family.generate === 'function') {
    return family as IdFamily<AnId> & IdSource<AnId>
  }
  const example = family.generatorExample === undefined ? '' : `, such as ${family.generatorExample}`
  throw new IdError(
    'GENERATOR_REQUIRED',
    `${family.name}: a generated column needs a generator${example}; a column that is not generated is .plain()`,
    { family: family.name, field: 'generator' },
  )
}
