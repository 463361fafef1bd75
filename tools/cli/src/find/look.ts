import type { Database } from '@snoflax/core'
import { literal } from '../ids/forms.js'
import { isDatabaseError } from '../live/address.js'
import { type Column, type LiveDatabase, placeOf, type Row } from '../live/database.js'
import { heldIn, type Wanted, wantedFor } from './values.js'

/** A row whose key the id is. */
export interface FoundRow {
  readonly table: string
  readonly column: string
  readonly wanted: Wanted
  /** Its first columns as text; secrets are left out, long values cut and end in `…`. */
  readonly row: Readonly<Record<string, string | null>>
  /** How many columns the row has besides. */
  readonly more: number
  /** Columns that refer to the row, and how often: at most {@link COUNTED}. */
  readonly referencedBy: readonly Reference[]
}

export interface Reference {
  readonly place: string
  readonly count: number
}

export interface Found {
  readonly rows: readonly FoundRow[]
  /** Other indexed columns that contain the id. */
  readonly alsoIn: readonly Reference[]
  /** The tables that were asked. */
  readonly asked: readonly string[]
  /** Tables and columns that were not, by the reason. */
  readonly notAsked: ReadonlyMap<string, readonly string[]>
}

/** Counting ends here. */
export const COUNTED = 10_000
/** How many columns of a row are shown, and how much of a value. */
const SHOWN = 8
const WIDTH = 40
const BRANCHES = 100

interface LookUp {
  readonly column: Column
  readonly wanted: Wanted
}

/** Looks an id up in keys, and in other indexed columns, which may refer to them; never without an index. */
export async function look(database: LiveDatabase, id: string): Promise<Found> {
  const { kind } = database
  await limitTime(database)
  const columns = await database.columns(false)
  const wanted = wantedFor(id, kind)
  const notAsked = new Map<string, string[]>()
  const leave = (why: string, what: string): void => {
    const places = notAsked.get(why) ?? []
    if (!places.includes(what)) notAsked.set(why, [...places, what])
  }
  const isNumber = wanted.every(({ held }) => held === 'number' || held === 'text')
  const lookUps: LookUp[] = []
  for (const column of columns) {
    const held = heldIn(kind, column.type)
    const able = wanted.filter((one) => held.includes(one.held))
    // Where SQLite compares numbers, a text of digits is one.
    const fitting = able.some((one) => one.held === 'number')
      ? able.filter((one) => one.held !== 'text')
      : able
    if (fitting.length === 0 || column.isGenerated) {
      if (column.type === 'citext' && column.isIndexed) leave('of type citext', placeOf(column))
      continue
    }
    const isIdLike = column.isUnique || column.references !== undefined || ID_LIKE.test(column.name)
    if (column.hidden !== undefined && !SOME_ROWS.test(column.hidden)) {
      if (isIdLike) leave(column.hidden, column.table)
      continue
    }
    if (column.hidden !== undefined) leave(`asked, but ${column.hidden}`, column.table)
    // A small number is in any column of numbers.
    const isWorthIt = column.isKey || column.references !== undefined || !isNumber
    if (column.isIndexed && isWorthIt) lookUps.push(...fitting.map((one) => ({ column, wanted: one })))
    else if (!column.isIndexed && isIdLike) leave('no index begins with it', placeOf(column))
  }
  const counts = await countAll(database, lookUps, leave)
  const hits = lookUps.flatMap((one, n) =>
    (counts.get(n) ?? 0) > 0 ? [{ ...one, count: counts.get(n) as number }] : [],
  )
  const keys = hits.filter(({ column }) => column.isKey)
  const isReference = (column: Column): boolean =>
    keys.some((key) => column.references === placeOf(key.column))
  const references = hits.map(({ column, count }) => ({ column, place: placeOf(column), count }))
  const rows: FoundRow[] = []
  for (const key of keys) {
    const own = columns.filter(({ table, hidden }) => table === key.column.table && !hidden)
    const row = await rowOf(database, key, own)
    rows.push({
      table: key.column.table,
      column: key.column.name,
      wanted: key.wanted,
      ...row,
      referencedBy: references
        .filter(({ column }) => column.references === placeOf(key.column))
        .map(({ place, count }) => ({ place, count })),
    })
  }
  return {
    rows,
    alsoIn: isNumber
      ? []
      : references
          .filter(({ column }) => !column.isKey && !isReference(column))
          .map(({ place, count }) => ({ place, count })),
    asked: [...new Set(lookUps.map(({ column }) => column.table))],
    notAsked,
  }
}

const ID_LIKE = /(?:^|_)id$|[a-z]Id$/
const SOME_ROWS = /^row-level/

/** So that no look-up takes long, should the server not use the index. SQLite has no such limit. */
async function limitTime(database: LiveDatabase): Promise<void> {
  const limit = LIMITS[database.kind]
  if (limit !== undefined) await database.query(limit)
}

const LIMITS: Partial<Record<Database, string>> = {
  postgres: "SET LOCAL statement_timeout = '5s'",
  mariadb: 'SET SESSION max_statement_time = 5',
  mysql: 'SET SESSION max_execution_time = 5000',
}

/** How often each is stored, by its position; what failed is left out and named. */
async function countAll(
  database: LiveDatabase,
  lookUps: readonly LookUp[],
  leave: (why: string, what: string) => void,
): Promise<Map<number, number>> {
  const counts = new Map<number, number>()
  const branches = lookUps.map(({ column, wanted }, n) => ({
    column,
    sql: `SELECT ${n} AS at, count(*) AS count FROM (SELECT 1 AS one FROM ${column.quotedTable}
      WHERE ${conditionOf(database.kind, column, wanted)} LIMIT ${COUNTED + 1}) AS found`,
  }))
  const count = async (some: typeof branches): Promise<void> => {
    try {
      const rows = await database.query(some.map(({ sql }) => sql).join(' UNION ALL '))
      for (const row of rows) counts.set(Number(row['at']), Number(row['count']))
    } catch (error) {
      if (!isDatabaseError(error)) throw error
      const [first, ...others] = some
      if (others.length === 0) leave(error.message, placeOf((first as (typeof some)[number]).column))
      // One by one, so that a table that fails hides no other.
      else for (const one of some) await count([one])
    }
  }
  for (let start = 0; start < branches.length; start += BRANCHES)
    await count(branches.slice(start, start + BRANCHES))
  return counts
}

/** A condition for the index, and for texts one that no collation widens. */
function conditionOf(kind: Database, { quotedName }: Column, { held, value }: Wanted): string {
  const given = literal(kind, value)
  const equal = `${quotedName} = ${given}`
  return held === 'text' ? `${equal} AND ${EXACT[kind](quotedName, given)}` : equal
}

const inMysql = (name: string, text: string): string =>
  `CONVERT(${name} USING utf8mb4) = ${text} COLLATE utf8mb4_bin`
const EXACT: Readonly<Record<Database, (name: string, text: string) => string>> = {
  postgres: (name, text) => `${name}::text COLLATE "C" = ${text}`,
  sqlite: (name, text) => `${name} COLLATE BINARY = ${text}`,
  mysql: inMysql,
  mariadb: inMysql,
}

/** Names of columns whose values are nobody's business in a terminal. */
const SECRET = /pass(?:w|phrase|_?hash)|secret|token|salt|hash|credential|private|api_?key|otp|cvv|iban|ssn/i

async function rowOf(
  database: LiveDatabase,
  { column: key, wanted }: LookUp,
  own: readonly Column[],
): Promise<Pick<FoundRow, 'row' | 'more'>> {
  const open = own.filter((one) => one !== key && !SECRET.test(one.name))
  const shown = [key, ...open].slice(0, SHOWN)
  const list = shown.map(({ quotedName, type }, n) => `${START[database.kind](quotedName, type)} AS c${n}`)
  const [row = {}] = await database.query(
    `SELECT ${list.join(', ')} FROM ${key.quotedTable} WHERE ${conditionOf(database.kind, key, wanted)} LIMIT 1`,
  )
  return {
    row: Object.fromEntries(shown.map(({ name }, n) => [name, cut(row, `c${n}`)])),
    more: own.length - shown.length,
  }
}

const mysqlStart = (name: string): string => `LEFT(${name}, ${WIDTH + 1})`
/** The beginning of a value, so that large ones stay in the database. */
const START: Readonly<Record<Database, (name: string, type: string) => string>> = {
  postgres: (name) => `left(${name}::text, ${WIDTH + 1})`,
  sqlite: (name) => `substr(${name}, 1, ${WIDTH + 1})`,
  mysql: mysqlStart,
  mariadb: mysqlStart,
}

function cut(row: Row, name: string): string | null {
  const value = row[name]
  if (value == null) return null
  const text = Buffer.isBuffer(value) ? `\\x${value.toString('hex')}` : String(value)
  return text.length > WIDTH ? `${text.slice(0, WIDTH)}…` : text
}
