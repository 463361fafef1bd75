import type { Database, DatabaseValue } from '@snoflax/core'
import { literal } from '../../ids/forms.js'
import { type Column, type IdColumn, placeOf } from '../columns/column.js'
import type { Fault } from '../columns/scan.js'
import { exactStorage } from '../columns/stored-value.js'
import type { Examination } from '../examination.js'
import type { Cure } from '../finding.js'
import { newIdSql } from './new-id.js'

/** Statements that put an id in the place of each faulty value, and of what references it: its own id or a new one. */
export function replacement(
  examination: Examination,
  idColumn: IdColumn,
  faults: readonly Fault[],
  keepIds: boolean,
): Cure {
  const { database, columns } = examination
  const followers = followersOf(columns, idColumn.column)
  const statements = faults.flatMap((fault) => {
    const wrong = literal(database.kind, fault.value as DatabaseValue)
    const right = rightSql(examination, idColumn, keepIds ? fault.id : undefined)
    return WRITERS[database.kind](idColumn.column, followers, right, wrong)
  })
  const [before, after] = followers.length > 0 ? AROUND[database.kind] : NOTHING
  return { sql: [...before, ...statements, ...after].join(';\n') }
}

function rightSql(examination: Examination, idColumn: IdColumn, id: string | undefined): string {
  const { family, storage } = idColumn
  const { kind } = examination.database
  if (id === undefined || storage === undefined) return newIdSql(examination, idColumn)
  return literal(kind, exactStorage(family, kind, storage).toDatabase(id))
}

/** The columns that reference this one, over however many steps. */
function followersOf(columns: readonly IdColumn[], target: Column): Column[] {
  const found = new Set([target])
  for (const one of found) {
    for (const { column } of columns) if (column.references === placeOf(one)) found.add(column)
  }
  found.delete(target)
  return [...found]
}

type Writer = (target: Column, followers: readonly Column[], right: string, wrong: string) => string[]

/** In one statement, at whose end the foreign keys are looked at; a generator is called once. */
const together: Writer = (target, followers, right, wrong) => {
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

const WRITERS: Readonly<Record<Database, Writer>> = {
  postgres: together,
  sqlite: updates,
  mysql: updates,
  mariadb: updates,
}

type Around = readonly [before: readonly string[], after: readonly string[]]

const NOTHING: Around = [[], []]
const UNCHECKED: Around = [['SET foreign_key_checks = 0'], ['SET foreign_key_checks = 1']]
const AROUND: Readonly<Record<Database, Around>> = {
  postgres: NOTHING,
  sqlite: [['BEGIN', 'PRAGMA defer_foreign_keys = ON'], ['COMMIT']],
  mysql: UNCHECKED,
  mariadb: UNCHECKED,
}
