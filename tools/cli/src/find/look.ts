import type { Database } from '@snoflax/core'
import { generatedBy } from '../ids/defaults.js'
import { isDatabaseError } from '../live/address.js'
import { type Column, type LiveDatabase, placeOf, type Row } from '../live/database.js'
import { valueTypesIn } from '../live/value-types.js'
import { conditionOf, type Leave, type LookUp, READ, type Reference, sourceOf } from './look-up.js'
import { type Near, nearTo } from './near.js'
import { type FoundRow, rowsOf, SHOWN_ROWS } from './rows.js'
import { type Wanted, wantedFor } from './values.js'

export interface Found {
  readonly rows: readonly FoundRow[]
  /** Rows with the id in a key, besides those that are shown. */
  readonly furtherRows: readonly Reference[]
  /** Other columns that contain the id. */
  readonly alsoIn: readonly Reference[]
  /** Similar ids that exist, if no row has this one. */
  readonly near: readonly Near[]
  /** Columns that were not searched for similar ids, by the reason. */
  readonly nearUnknown: Places
  /** The tables that were asked. */
  readonly asked: readonly string[]
  /** Tables and columns that were not asked, or not all rows of them, by the reason. */
  readonly unknown: Places
}

type Places = ReadonlyMap<string, readonly string[]>

/** Counting ends here. */
export const COUNTED = 10_000
const BRANCHES = 100

interface Hit extends LookUp {
  readonly count: number
}

/**
 * Looks an id up in the columns that identify rows, and in other indexed columns, which may refer to them. Where no
 * index begins with a column that identifies rows, the first rows of its table are read.
 */
export async function look(database: LiveDatabase, id: string): Promise<Found> {
  const { kind } = database
  const wanted = wantedFor(id, kind)
  const columns = await database.columns(false)
  const [unknown, leave] = leaving()
  const [nearUnknown, leaveNear] = leaving()
  for (const [why, places] of await database.unlisted()) for (const place of places) leave(why, place)
  const lookUps = lookUpsIn(kind, columns, wanted, leave)
  await limitTime(database)
  const hits = await hitsOf(database, lookUps, leave)
  const keys = keysAmong(hits)
  const others = hits.filter((hit) => !keys.includes(hit))
  const toReference = ({ column, count }: Hit): Reference => ({ place: placeOf(column), count })
  const rows: FoundRow[] = []
  for (const key of keys) {
    const own = columns.filter(({ table }) => table === key.column.table)
    const referencedBy = hits
      .filter(({ column }) => column.references === placeOf(key.column))
      .map(toReference)
    try {
      rows.push(...(await rowsOf(database, key, own, referencedBy)))
    } catch (error) {
      if (!isDatabaseError(error)) throw error
      leave(error.message, placeOf(key.column))
    }
  }
  const isReference = ({ column }: Hit): boolean =>
    keys.some((key) => column.references === placeOf(key.column))
  const alsoIn = isNumber(wanted) ? [] : others.filter((hit) => !isReference(hit)).map(toReference)
  const near =
    rows.length > 0 || alsoIn.length > 0
      ? []
      : await nearTo(
          database.kind,
          id,
          columns,
          (some, toSql) => branches(database, some, leaveNear, toSql),
          leaveNear,
        )
  return {
    rows,
    furtherRows: keys
      .filter(({ count }) => count > SHOWN_ROWS)
      .map(({ column, count }) => ({ place: placeOf(column), count: count - SHOWN_ROWS })),
    alsoIn,
    near,
    nearUnknown,
    asked: [...new Set(lookUps.map(({ column }) => column.table))],
    unknown,
  }
}

/** Places by reason, each once, and what notes them. */
function leaving(): [Places, Leave] {
  const left = new Map<string, string[]>()
  const leave: Leave = (why, what) => {
    const places = left.get(why)
    if (places === undefined) left.set(why, [what])
    else if (!places.includes(what)) places.push(what)
  }
  return [left, leave]
}

const ID_LIKE = /(?:^|_)id$|[a-z]Id$/
/** Columns that are named after another table: `user_id`. */
const OF_ANOTHER = /_id$|[a-z]Id$/

/** A small number is in any column of numbers. */
const isNumber = (wanted: readonly Wanted[]): boolean =>
  wanted.every(({ type }) => type === 'number' || type === 'text')

/** Whether it identifies rows, alone or with other columns of a key, or generates ids. */
const isIdentifying = (column: Column): boolean =>
  column.isIdentifying || generatedBy(column.defaultSql) !== undefined

function lookUpsIn(
  kind: Database,
  columns: readonly Column[],
  wanted: readonly Wanted[],
  leave: Leave,
): LookUp[] {
  const readable = new Set(columns.filter((one) => one.unreadable === undefined).map(({ table }) => table))
  return columns.flatMap((column) => {
    const { isKey, references, unreadable, isFiltered, table } = column
    const types = valueTypesIn(kind, column.type)
    const able = wanted.filter((one) => types.includes(one.type))
    // Where SQLite compares numbers, a text of digits is one.
    const fitting = able.some((one) => one.type === 'number')
      ? able.filter((one) => one.type !== 'text')
      : able
    const isIdLike = ID_LIKE.test(column.name) || references !== undefined
    const identifies = isKey || (isIdentifying(column) && (isIdLike || !isNumber(wanted)))
    // The operators of citext are in the schema of its extension, and ignore case.
    const isIndexed = column.isIndexed && column.type !== 'citext'
    const isSought = identifies || (column.isIndexed && (references !== undefined || !isNumber(wanted)))
    if (fitting.length === 0 || !(isSought || isIdLike)) return []
    if (unreadable !== undefined) leave(unreadable, readable.has(table) ? placeOf(column) : table)
    else if (!isIndexed && !identifies)
      leave(column.isIndexed ? 'of type citext' : 'no index begins with it', placeOf(column))
    else if (isSought) {
      if (isFiltered) leave("row security is on, so rows may exist that this role can't see", table)
      return fitting.map((one) => ({ column, wanted: one, isRead: !isIndexed }))
    }
    return []
  })
}

/**
 * The keys that have the id: columns that identify rows. A column such as `tenant_id` of a key of several columns
 * refers to another table's rows, if another column identifies rows by this id.
 */
function keysAmong(hits: readonly Hit[]): readonly Hit[] {
  const keys = hits.filter(({ column }) => isIdentifying(column))
  const own = keys.filter(
    ({ column }) => column.isKey || (column.references === undefined && !OF_ANOTHER.test(column.name)),
  )
  return own.length > 0 ? own : keys
}

/** So that no look-up takes long, should the server not use the index. SQLite has no such limit. */
async function limitTime(database: LiveDatabase): Promise<void> {
  const limit = LIMITS[database.kind]
  if (limit !== undefined) await database.query(limit)
}

const LIMITS: Partial<Record<Database, string>> = {
  postgres: "SET LOCAL statement_timeout = '5s'",
  mariadb: 'SET SESSION max_statement_time = 5, lock_wait_timeout = 5',
  mysql: 'SET SESSION max_execution_time = 5000, lock_wait_timeout = 5',
}

/** Those that are stored, and how often; what failed is left out and named. */
async function hitsOf(
  database: LiveDatabase,
  lookUps: readonly LookUp[],
  leave: Leave,
): Promise<readonly Hit[]> {
  const { kind } = database
  const [read, indexed] = [lookUps.filter((one) => one.isRead), lookUps.filter((one) => !one.isRead)]
  // Counting each would take half as long again.
  const stored = await branches(database, indexed, leave, (one, at) => existsSql(kind, one, at))
  const toCount = [...stored.map(({ one }) => one), ...read]
  const counted = await branches(database, toCount, leave, (one, at) => countSql(kind, one, at))
  for (const { one: lookUp, row } of counted)
    if (Number(row['looked']) > READ)
      leave(`no index begins with it: only its first ${READ} rows were read`, placeOf(lookUp.column))
  return counted.flatMap(({ one: lookUp, row }) =>
    Number(row['count']) > 0 ? { ...lookUp, count: Number(row['count']) } : [],
  )
}

/** The rows that a query of each returns, a hundred in a statement; what failed is left out and named. */
async function branches<Part extends { readonly column: Column }>(
  database: LiveDatabase,
  parts: readonly Part[],
  leave: Leave,
  toSql: (part: Part, at: number) => string,
): Promise<readonly { readonly one: Part; readonly row: Row }[]> {
  const found: { one: Part; row: Row }[] = []
  const ask = async (some: readonly Part[]): Promise<void> => {
    // SQLite has no parentheses in a UNION; elsewhere a query around each takes half as long again.
    const [open, close] = database.kind === 'sqlite' ? ['SELECT * FROM (', ')'] : ['(', ')']
    const queries = some.map((one, at) => `${open}${toSql(one, at)}${close}`)
    try {
      for (const row of await database.query(queries.join(' UNION ALL ')))
        found.push({ one: some[Number(row['at'])] as Part, row })
    } catch (error) {
      if (!isDatabaseError(error)) throw error
      const [first] = some
      if (first && some.length === 1) return leave(error.message, placeOf(first.column))
      // One by one, so that a table that fails hides no other.
      for (const one of some) await ask([one])
    }
  }
  for (let start = 0; start < parts.length; start += BRANCHES) await ask(parts.slice(start, start + BRANCHES))
  return found
}

const existsSql = (kind: Database, lookUp: LookUp, at: number): string =>
  `SELECT ${at} AS at FROM ${sourceOf(lookUp, [lookUp.column])} WHERE ${conditionOf(kind, lookUp)} LIMIT 1`

function countSql(kind: Database, lookUp: LookUp, at: number): string {
  const condition = conditionOf(kind, lookUp)
  const source = sourceOf(lookUp, [lookUp.column])
  return lookUp.isRead
    ? `SELECT ${at} AS at, count(CASE WHEN ${condition} THEN 1 END) AS count, count(*) AS looked FROM ${source}`
    : `SELECT ${at} AS at, count(*) AS count, 0 AS looked FROM (SELECT 1 AS one FROM ${source}
      WHERE ${condition} LIMIT ${COUNTED + 1}) AS counted`
}
