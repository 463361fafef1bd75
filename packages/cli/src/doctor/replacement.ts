import { type Database, type DatabaseValue, IdError, type IdFamily, type StorageName } from '@snoflax/core'
import { baseOf, snakeCase, sqlCall } from '@snoflax/core/adapter'
import { literal } from '../ids/forms.js'
import type { Examination } from './examination.js'
import type { IdColumn, StoredIds } from './id-columns.js'
import { type Column, type LiveDatabase, placeOf } from './live-database.js'
import type { Cure } from './report.js'
import { readStored, shown } from './stored-value.js'

export interface Faulty {
  readonly value: unknown
  /** The id that it contains in another form, which the cure keeps. */
  readonly id?: string
}

/** How many values one report has cures for. */
const KEPT = 1000

/** The number of faults, the first ones, and the reason of the very first. */
export class Faults {
  count = 0
  reason = ''
  readonly first: Faulty[] = []

  add(fault: Faulty, reason: string): void {
    if (this.count++ === 0) this.reason = reason
    if (this.first.length < KEPT) this.first.push(fault)
  }

  take({ first, reason, count }: Faults): void {
    for (const fault of first) this.add(fault, reason)
    this.count += count - first.length
  }
}

/**
 * Statements that convert each wrong value, and the values that reference it, to the correct form of its id. A value
 * that is not an id of the family is replaced only if `--new-ids` names the column.
 */
export async function replacement(
  examination: Examination,
  { idColumn, isComplete }: { readonly idColumn: StoredIds; readonly isComplete: boolean },
  { count, first }: Pick<Faults, 'count' | 'first'>,
): Promise<Cure> {
  const { database, columns, newIds } = examination
  const place = placeOf(idColumn.column)
  const taken = await takenBy(examination, idColumn, first)
  const isAsked = newIds.includes(place) && newIdSql(examination, idColumn) !== undefined
  const mended = new Map(
    first
      .filter((fault) => (fault.id === undefined ? isAsked : !taken.has(fault)))
      .map(({ value, id }) => [literal(database.kind, value as DatabaseValue), id]),
  )
  const followers = followersOf(columns, idColumn.column)
  const write = database.kind === 'postgres' ? together : updates
  const statements = [...mended].flatMap(([wrong, id]) => {
    const right =
      id === undefined
        ? newIdSql(examination, idColumn)
        : literal(database.kind, idColumn.storage.toDatabase(id))
    return write(idColumn.column, followers, right as string, wrong)
  })
  const lost = isAsked ? [] : first.filter(({ id }) => id === undefined)
  const [copy] = taken
  const leaves = [
    lost.length > 0 &&
      `${lost.length} can't be converted and stay as they are, such as ${shown(lost[0]?.value)}: ${wayOut(examination, idColumn)}`,
    copy &&
      `${taken.size} are ids that this column already contains in their correct form, such as ${copy.id}: delete one row of each pair`,
    count > first.length && `${count - first.length} more: run these statements, then doctor again`,
    !isComplete && 'only a sample was read: pass --full to find all',
  ]
    .filter(Boolean)
    .join('; ')
  const sql = (followers.length > 0 ? unchecked(database.kind, statements) : statements).join(';\n')
  return { ...(statements.length > 0 && { sql }), ...(leaves !== '' && { leaves }) }
}

const wayOut = (examination: Examination, idColumn: IdColumn): string =>
  newIdSql(examination, idColumn) === undefined
    ? `replace them yourself, since doctor can't generate ${idColumn.family.name} ids`
    : `pass --new-ids ${placeOf(idColumn.column)} to replace them with new ids, which loses the old values`

/** The faults whose correct form already exists in a unique column. */
async function takenBy(
  { database }: Examination,
  idColumn: StoredIds,
  faults: readonly Faulty[],
): Promise<ReadonlySet<Faulty>> {
  if (!idColumn.column.isKey) return new Set()
  const ids = faults.flatMap(({ id }) => id ?? [])
  const seen = new Set(await lookUp(database, idColumn, ids))
  return new Set(
    faults.filter(({ id }) => {
      const isTaken = id !== undefined && seen.has(id)
      if (id !== undefined) seen.add(id)
      return isTaken
    }),
  )
}

/** SQL of a new id: from the family's default generator, or from the server's if it has one. */
export function newIdSql(
  { database: { kind }, schema, installed }: Examination,
  { family, storage }: IdColumn,
): string | undefined {
  if (storage === undefined) return undefined
  const id = (family as { generate?: () => string }).generate?.()
  if (id !== undefined) return literal(kind, storage.toDatabase(id))
  const hasGenerator = installed?.families.some((one) => one === snakeCase(baseOf(family).name))
  return hasGenerator ? generateCall(family, storage.name, schema) : undefined
}

/** SQL that generates an id by pg-sql; undefined for ids that its functions can't generate. */
export function generateCall(family: IdFamily, storage: StorageName, schema: string): string | undefined {
  try {
    return sqlCall(family, storage, schema)
  } catch (error) {
    if (error instanceof IdError) return undefined
    throw error
  }
}

/** The columns that reference this one, directly or indirectly. */
function followersOf(columns: readonly IdColumn[], target: Column): Column[] {
  const found = new Set([target])
  for (const one of found) {
    for (const { column } of columns) if (column.references === placeOf(one)) found.add(column)
  }
  found.delete(target)
  return [...found]
}

/** One statement, since foreign keys are checked at its end. The generator is called once. */
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
 * One statement per table, the target's last. PostgreSQL updates a row only once per statement, and SQLite miscounts
 * violations if a row that references itself is updated in two.
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

function update(columns: readonly Column[], right: string, wrong: string): string {
  const table = columns[0]?.quotedTable
  const names = columns.map(({ quotedName }) => quotedName)
  const value = (name: string): string =>
    names.length === 1 ? right : `CASE ${name} WHEN ${wrong} THEN ${right} ELSE ${name} END`
  const sets = names.map((name) => `${name} = ${value(name)}`)
  return `UPDATE ${table} SET ${sets.join(', ')} WHERE ${names.map((name) => `${name} = ${wrong}`).join(' OR ')}`
}

/** The statements, with what allows changing a key that foreign keys reference. */
function unchecked(kind: Database, statements: readonly string[]): readonly string[] {
  if (kind === 'postgres') return statements
  if (kind === 'sqlite') return ['BEGIN', 'PRAGMA defer_foreign_keys = ON', ...statements, 'COMMIT']
  const unchecked = ['SET foreign_key_checks = 0', ...statements, 'SET foreign_key_checks = 1']
  return ['START TRANSACTION', ...unchecked, 'COMMIT']
}

const AT_ONCE = 500

export async function lookUp(
  database: LiveDatabase,
  { column: { quotedName, quotedTable }, storage }: StoredIds,
  ids: readonly string[],
): Promise<string[]> {
  const found: string[] = []
  for (let start = 0; start < ids.length; start += AT_ONCE) {
    const some = ids.slice(start, start + AT_ONCE)
    const parameters = some.map((_, n) => (database.kind === 'postgres' ? `$${n + 1}` : '?'))
    const rows = await database.query(
      `SELECT ${quotedName} AS value FROM ${quotedTable} WHERE ${quotedName} IN (${parameters.join(', ')})`,
      some.map((id) => parameterOf(storage.toDatabase(id))),
    )
    // A collation may also find similar texts.
    const read = rows.map((row) => readStored(storage, row['value']))
    found.push(...read.flatMap((one) => (one.is === 'id' ? [one.id] : [])))
  }
  return found
}

/** mysql2 accepts bytes only as Buffer. */
const parameterOf = (value: DatabaseValue): unknown =>
  typeof value === 'object' ? Buffer.from(value) : value
