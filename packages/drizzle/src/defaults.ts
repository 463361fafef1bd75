import { IdError } from '@snoflax/core'
import { type Column, is, SQL } from 'drizzle-orm'
import type { ColumnIds } from './column-ids.js'
import type { IdDialect } from './dialect.js'
import { literal } from './literal.js'
import type { ColumnRequest } from './options.js'
import { checkMeta, sourceOf } from './source.js'

type Defaults = Partial<Pick<Column, 'default' | 'defaultFn'>>

/**
 * What fills a column that an insert leaves out: the user's own default, else for generated columns a new id,
 * made here or by the database.
 *
 * @throws {IdError} `GENERATOR_REQUIRED`, `INVALID_OPTION`, naming the column.
 */
export function defaultsOf(
  column: Column,
  ids: ColumnIds,
  request: ColumnRequest,
  dialect: IdDialect,
): Defaults {
  if (column.default !== undefined) return literalDefault(column, ids)
  if (request.role !== 'generated' || column.defaultFn !== undefined) return {}
  return ids.placed(() =>
    request.options.default === 'database'
      ? { default: databaseDefault(ids, request, dialect) }
      : { defaultFn: placedSource(ids, request) },
  )
}

/** A generator's errors name the column too. */
function placedSource(ids: ColumnIds, request: ColumnRequest): () => unknown {
  const source = sourceOf(request)
  return () => ids.placed(source)
}

/** An id given as the default, in the form of the column: drizzle-kit would write it down as text. */
function literalDefault(column: Column, ids: ColumnIds): Defaults {
  const given = column.default
  if (is(given, SQL)) return {}
  return {
    get default() {
      return literal(ids.toDatabase(given), ids.storage.database)
    },
  }
}

function databaseDefault(ids: ColumnIds, request: ColumnRequest, { generate, database }: IdDialect): SQL {
  const { family, options } = request
  if (generate === undefined) {
    throw new IdError('INVALID_OPTION', `${family.name}: ${database} can't generate ids`, {
      field: 'default',
    })
  }
  checkMeta(family, options.meta)
  return generate(ids, request)
}
