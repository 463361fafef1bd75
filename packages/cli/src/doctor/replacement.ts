import type { Database, DatabaseValue, IdFamily, StorageName } from '@snoflax/core'
import { snakeCase, sqlFunction } from '@snoflax/core/adapter'
import { literal } from '../ids/forms.js'
import type { Examination } from './examination.js'
import type { IdColumn } from './id-columns.js'
import { type Column, placeOf } from './live-database.js'
import type { Cure } from './report.js'

/** A value that should not be where it is. */
export interface Faulty {
  readonly value: unknown
  /** The id that it is in another form, to be kept. */
  readonly id?: string
}

/** Statements that put an id in the place of each faulty value, and of what references it: its own id or a new one. */
export function replacement(examination: Examination, idColumn: IdColumn, faults: readonly Faulty[]): Cure {
  const { database, columns } = examination
  const followers = followersOf(columns, idColumn.column)
  const write = database.kind === 'postgres' ? together : updates
  const statements = faults.flatMap(({ value, id }) => {
    const wrong = literal(database.kind, value as DatabaseValue)
    return write(idColumn.column, followers, rightSql(examination, idColumn, id), wrong)
  })
  return { sql: (followers.length > 0 ? unchecked(database.kind, statements) : statements).join(';\n') }
}

/**
 * The id, or a new one of the moment: from the family's default generator or that of the server, if it has one. Others
 * are for the reader to make.
 */
function rightSql(
  { database: { kind }, schema, installed }: Examination,
  { family, storage }: IdColumn,
  kept: string | undefined,
): string {
  const id = kept ?? (family as { generate?: () => string }).generate?.()
  if (storage === undefined) return '<a new id>'
  if (id !== undefined) return literal(kind, storage.toDatabase(id))
  const hasGenerator = installed?.families.some((one) => one === snakeCase(family.name))
  return hasGenerator ? generateCall(family, storage.name, schema) : '<a new id>'
}

/** The call of pg-sql's generator of this storage. */
export const generateCall = (family: IdFamily, storage: StorageName, schema: string): string =>
  `${sqlFunction(family, storage === 'binary' ? 'generate' : `generate_${storage}`, schema)}()`

/** The columns that reference this one, over however many steps. */
function followersOf(columns: readonly IdColumn[], target: Column): Column[] {
  const found = new Set([target])
  for (const one of found) {
    for (const { column } of columns) if (column.references === placeOf(one)) found.add(column)
  }
  found.delete(target)
  return [...found]
}

/** In one statement, at whose end the foreign keys are looked at; a generator is called once. */
function together(target: Column, followers: readonly Column[], right: string, wrong: string): string[] {
  if (followers.length === 0) return updates(target, followers, right, wrong)
  const isLiteral = !right.endsWith(')')
  const statements = updates(target, followers, isLiteral ? right : '(SELECT id FROM fresh)', wrong)
  const parts = [
    ...(isLiteral ? [] : [`fresh AS (SELECT ${right} AS id)`]),
    ...statements.slice(0, -1).map((sql, n) => `follower${n + 1} AS (${sql})`),
  ]
  return [`${parts.length > 0 ? `WITH ${parts.join(', ')} ` : ''}${statements.at(-1)}`]
}

/**
 * A statement for each table, that of the target last. PostgreSQL changes a row but once in a statement, and SQLite
 * counts wrongly where a row that references itself is changed in two.
 */
function updates(target: Column, followers: readonly Column[], right: string, wrong: string): string[] {
  const all = [...followers, target]
  const others = followers.map(({ quotedTable }) => quotedTable).filter((one) => one !== target.quotedTable)
  return [...new Set([...others, target.quotedTable])].map((table) =>
    update(
      all.filter(({ quotedTable }) => quotedTable === table),
      right,
      wrong,
    ),
  )
}

/** Of one table. */
function update(columns: readonly Column[], right: string, wrong: string): string {
  const table = columns[0]?.quotedTable
  const names = columns.map(({ quotedName }) => quotedName)
  const value = (name: string): string =>
    names.length === 1 ? right : `CASE ${name} WHEN ${wrong} THEN ${right} ELSE ${name} END`
  const sets = names.map((name) => `${name} = ${value(name)}`)
  return `UPDATE ${table} SET ${sets.join(', ')} WHERE ${names.map((name) => `${name} = ${wrong}`).join(' OR ')}`
}

/** The statements, with what lets a key change under the foreign keys that lead to it. */
function unchecked(kind: Database, statements: readonly string[]): readonly string[] {
  if (kind === 'postgres') return statements
  if (kind === 'sqlite') return ['BEGIN', 'PRAGMA defer_foreign_keys = ON', ...statements, 'COMMIT']
  return ['SET foreign_key_checks = 0', ...statements, 'SET foreign_key_checks = 1']
}
