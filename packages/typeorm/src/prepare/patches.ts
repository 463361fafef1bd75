import type { DataSource, EntityMetadata, QueryRunner } from 'typeorm'
import type { ColumnMetadata } from 'typeorm/metadata/ColumnMetadata.js'
import type { Subject } from 'typeorm/persistence/Subject.js'
import {
  around,
  type Belonging,
  convertingFor,
  dataSourceOf,
  idColumnFor,
  isIdTransformer,
  preparedOf,
  state,
} from '../columns/prepared.js'
import type { Builder } from '../read/names.js'
import { convertIn, logReadably } from '../read/runners.js'
import { inOneParameter, markParameters, statementOf } from '../read/statements.js'
import { asStored, converting } from '../write/trees.js'
import { type Prototypes, prototypesOf } from './typeorm.js'

/** A builder that has its main entity. */
interface MainBuilder {
  readonly expressionMap: { readonly mainAlias: { readonly metadata: EntityMetadata } }
}

/**
 * Patches TypeORM where ids are converted, in the prototypes of the DataSource's copy. DataSources without such columns are
 * not affected.
 */
export function patchTypeorm(dataSource: DataSource): void {
  const prototypes = prototypesOf(dataSource)
  if (!state.patched.has(prototypes.QueryBuilder)) patchPrototypes(prototypes)
  state.patched.add(prototypes.QueryBuilder)
}

/** Wraps the driver of a DataSource and its logger: checks the ids that are written, and converts those that are read. */
export function wrapDriver(dataSource: DataSource): void {
  const { driver } = dataSource
  around<object, unknown[], QueryRunner>(driver, 'createQueryRunner', (_, create, ...given) => {
    const runner = create(...given)
    if (preparedOf(dataSource).converts || state.hasTexts) convertIn(runner)
    return runner
  })
  // TypeORM prepares the values of inserts and updates by this method, but not those of conditions on columns of text.
  around<object, [unknown, ColumnMetadata], unknown>(
    driver,
    'preparePersistentValue',
    (_, prepare, value, column) => {
      const idColumn = idColumnFor(column)
      if (idColumn && !idColumn.storage.converts) idColumn.check(value)
      return prepare(value, column)
    },
  )
  if (!preparedOf(dataSource).converts) return
  logReadably(dataSource)
  around<object, [unknown, ColumnMetadata], unknown>(
    driver,
    'prepareHydratedValue',
    (_, read, value, column) => {
      const idColumn = convertingFor(column)
      return idColumn ? idColumn.from(value) : read(value, column)
    },
  )
}

function patchPrototypes(of: Prototypes): void {
  around<Builder, [], [string, unknown[]]>(of.QueryBuilder, 'getQueryAndParameters', (builder, make) =>
    converts(builder) ? statementOf(builder) : make(),
  )
  around<Builder, [string], string>(
    of.QueryBuilder,
    'replacePropertyNamesForTheWholeQuery',
    (builder, replace, query) =>
      converts(builder) ? markParameters(replace(query), builder) : replace(query),
  )
  around<Builder, [string, unknown], unknown>(
    of.QueryBuilder,
    'getWherePredicateCondition',
    (builder, conditionOf, path, value) =>
      (converts(builder) ? inOneParameter(builder, path, value) : undefined) ?? conditionOf(path, value),
  )
  around<MainBuilder, [unknown], unknown>(
    of.QueryBuilder,
    'getWhereInIdsCondition',
    ({ expressionMap: { mainAlias } }, conditionOf, ids) =>
      asPlainKey(mainAlias.metadata.primaryColumns, () => conditionOf(ids)),
  )
  // TypeORM overwrites the value in the caller's operator, which may be used again for other columns.
  around<object, [object], void>(of.FindOperator, 'transformValue', (operator, transform, transformer) => {
    const held = { ...operator }
    transform(transformer)
    if (isIdTransformer(transformer)) Object.assign(operator, held)
  })
  for (const kind of ['Closure', 'MaterializedPath', 'NestedSet'] as const) {
    for (const name of ['insert', 'update']) {
      around<{ queryRunner: QueryRunner }, [Subject], Promise<void>>(
        of[`${kind}SubjectExecutor`],
        name,
        (executor, write, subject) => {
          if (!converts(executor.queryRunner)) return write(subject)
          executor.queryRunner = converting(executor.queryRunner)
          return write(asStored(subject))
        },
      )
    }
  }
}

const converts = (one: Belonging): boolean => preparedOf(dataSourceOf(one)).converts

/**
 * Runs TypeORM's own code for conditions by id as for a key without a transformer. With one it compares all of an object's
 * properties, and matches every row if there is nothing to compare.
 */
function asPlainKey<Condition>([key]: readonly ColumnMetadata[], conditionOf: () => Condition): Condition {
  const idColumn = key && convertingFor(key)
  if (!idColumn) return conditionOf()
  delete key.transformer
  try {
    return conditionOf()
  } finally {
    key.transformer = idColumn
  }
}
