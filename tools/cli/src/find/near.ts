import type { Database } from '@snoflax/core'
import { literal } from '../ids/forms.js'
import { type Column, placeOf } from '../live/database.js'
import { valueTypesIn } from '../live/value-types.js'
import { type Kept, keptIn } from './kept.js'
import { type Ask, type Leave, sourceOf } from './look-up.js'
import { boundsIn, changedIn, type Ends, likelyIn } from './similar.js'

/** An id that exists, and that the text may have meant. */
export interface Near {
  readonly place: string
  readonly id: string
}

/** More are not shown, and of what more ids begin with, none is. */
const SHOWN = 5
/** The ids of a column that tell its form. */
const TELLING = 5
/** Columns whose form is looked up, so that the search takes no longer than the answer before it. */
const LOOKED_UP = 500
/** Columns whose ids are tried by each character. */
const TRIED = 40
const AT_ONCE = 1000

interface Sought extends Kept {
  readonly column: Column
}

/**
 * Ids that exist and differ from the text by what happens to ids on their way: quotes, a URL around them, a lost or another
 * prefix, ends that were cut, another case, one character more, less, changed or swapped. By index only.
 */
export async function nearTo(
  kind: Database,
  text: string,
  columns: readonly Column[],
  ask: Ask,
  leave: Leave,
): Promise<Near[]> {
  const keys = columns.filter(
    ({ type, isIdentifying, isIndexed, unreadable }) =>
      isIdentifying &&
      isIndexed &&
      unreadable === undefined &&
      type !== 'citext' &&
      (isNumber(kind, type) ? LONG_NUMBER.test(text) : valueTypesIn(kind, type).length > 0),
  )
  const cut = <One extends { readonly column: Column }>(
    all: readonly One[],
    most: number,
  ): readonly One[] => {
    for (const { column } of all.slice(most)) leave('too many tables', placeOf(column))
    return all.slice(0, most)
  }
  const lookedUp = cut(
    keys.map((column) => ({ column })),
    LOOKED_UP,
  )
  const sought = await withForms(kind, lookedUp, ask)
  const likely = await existing(kind, ask, sought, ({ form }) => likelyIn(text, form))
  if (likely.length > 0) return likely
  // A prefix names the table, if it is one of them.
  const named = sought.filter(({ form: { head } }) => head !== '' && text.includes(head))
  const some = cut(named.length > 0 ? named : sought, TRIED)
  const ends = await endsOf(kind, some, ask)
  const changed = await existing(kind, ask, some, (one) => {
    const own = ends.get(one)
    return own ? changedIn(text, one.form, own) : []
  })
  const found = [...(await beginning(kind, text, some, ask)), ...changed]
  return [...new Map(found.map((one) => [`${one.place} ${one.id}`, one])).values()].slice(0, SHOWN)
}

const isNumber = (kind: Database, type: string): boolean => valueTypesIn(kind, type)[0] === 'number'
/** Numbers of fewer digits count rows. */
const LONG_NUMBER = /\d{9}/

const mysqlShown = (name: string, type: string): string =>
  /binary|blob/.test(type) ? `CONCAT('\\\\x', HEX(${name}))` : `CONVERT(${name} USING utf8mb4)`
/** A value as text, bytes as `\x…`. */
const SHOWN_AS: Readonly<Record<Database, (name: string, type: string) => string>> = {
  postgres: (name) => `${name}::text`,
  sqlite: (name) =>
    `CASE typeof(${name}) WHEN 'blob' THEN '\\x' || hex(${name}) ELSE CAST(${name} AS TEXT) END`,
  mysql: mysqlShown,
  mariadb: mysqlShown,
}

function select(kind: Database, column: Column, at: number): string {
  const shown = SHOWN_AS[kind](column.quotedName, column.type)
  return `SELECT ${at} AS at, ${shown} AS id FROM ${sourceOf({ column, isRead: false }, [])}`
}

/** With its table, for without it an ORDER BY means what is selected. */
const orderOf = ({ quotedTable, quotedName }: Column): string => `ORDER BY ${quotedTable}.${quotedName}`

function nearIn({ column, idOf }: Sought, row: Readonly<Record<string, unknown>>): Near[] {
  const id = idOf(String(row['id']))
  return id === undefined ? [] : [{ place: placeOf(column), id }]
}

/** Those of the ids that rows have. */
async function existing(
  kind: Database,
  ask: Ask,
  sought: readonly Sought[],
  idsOf: (one: Sought) => readonly string[],
): Promise<Near[]> {
  const parts = sought.flatMap((one) => {
    const values = idsOf(one).flatMap((id) => one.storedFor(id) ?? [])
    return Array.from({ length: Math.ceil(values.length / AT_ONCE) }, (_, part) => ({
      ...one,
      values: values.slice(part * AT_ONCE, (part + 1) * AT_ONCE),
    }))
  })
  const rows = await ask(parts, ({ column, values }, at) => {
    const list = values.map((value) => literal(kind, value)).join(', ')
    return `${select(kind, column, at)} WHERE ${column.quotedName} IN (${list}) LIMIT ${SHOWN}`
  })
  return rows.flatMap(({ one, row }) => nearIn(one, row)).slice(0, SHOWN)
}

/** Ids that begin as the text does, if they are few. */
async function beginning(kind: Database, text: string, sought: readonly Sought[], ask: Ask): Promise<Near[]> {
  const parts = sought.flatMap((one) =>
    boundsIn(text, one.form).flatMap((bounds) => {
      const [from, ...to] = bounds.flatMap((id) => one.storedFor(id) ?? [])
      return from === undefined || to.length < bounds.length - 1 ? [] : [{ ...one, from, to }]
    }),
  )
  const rows = await ask(parts, ({ column, from, to }, at) => {
    const within = to.map(
      (last) => `${column.quotedName} BETWEEN ${literal(kind, from)} AND ${literal(kind, last)}`,
    )
    return `${select(kind, column, at)} WHERE ${within.join(' OR ')} LIMIT ${SHOWN + 1}`
  })
  return parts.flatMap((part) => {
    const own = rows.filter(({ one }) => one === part)
    return own.length > SHOWN ? [] : own.flatMap(({ row }) => nearIn(part, row))
  })
}

/** The columns that have ids of one form, by their first ids. */
async function withForms(
  kind: Database,
  parts: readonly { readonly column: Column }[],
  ask: Ask,
): Promise<Sought[]> {
  const rows = await ask(
    parts,
    ({ column }, at) => `${select(kind, column, at)} ${orderOf(column)} LIMIT ${TELLING}`,
  )
  const ids = new Map<Column, string[]>()
  for (const { one, row } of rows) ids.set(one.column, [...(ids.get(one.column) ?? []), String(row['id'])])
  return [...ids].flatMap(([column, some]) =>
    keptIn(kind, isNumber(kind, column.type), some).map((kept) => ({ ...kept, column })),
  )
}

async function endsOf(kind: Database, sought: readonly Sought[], ask: Ask): Promise<Map<Sought, Ends>> {
  const parts = sought.flatMap((one) => ['', ' DESC'].map((order) => ({ column: one.column, one, order })))
  const rows = await ask(
    parts,
    ({ column, order }, at) => `${select(kind, column, at)} ${orderOf(column)}${order} LIMIT 1`,
  )
  const ends = new Map<Sought, Ends>()
  for (const {
    one: { one },
    row,
  } of rows) {
    const id = one.idOf(String(row['id']))
    if (id === undefined) continue
    // Other collations sort otherwise than by character.
    const sorted = [...(ends.get(one) ?? []), id].sort()
    ends.set(one, [sorted[0] as string, sorted.at(-1) as string])
  }
  return ends
}
