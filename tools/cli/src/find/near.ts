import type { Database } from '@snoflax/core'
import { literal } from '../ids/forms.js'
import { type Column, placeOf } from '../live/database.js'
import { heldIn } from '../live/held.js'
import { type Ask, type Leave, sourceOf } from './look-up.js'
import { changedIn, type Ends, formOf, type IdForm, likelyIn, rangesIn } from './similar.js'

/** An id that exists, and that the text may have meant. */
export interface Near {
  readonly place: string
  readonly id: string
}

/** More are not shown, and of what more ids begin with, none is. */
const SHOWN = 5
/** The ids of a column that tell its form. */
const TELLING = 5
/** Columns whose form is told, so that the search takes no longer than the answer before it. */
const TOLD = 500
/** Columns whose ids are tried by each character. */
const TRIED = 40
const AT_ONCE = 1000

interface Sought {
  readonly column: Column
  readonly form: IdForm
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
      isIdentifying && isIndexed && unreadable === undefined && type !== 'citext' && isText(kind, type),
  )
  const cut = <One extends { readonly column: Column }>(
    all: readonly One[],
    most: number,
  ): readonly One[] => {
    for (const { column } of all.slice(most)) leave('too many tables', placeOf(column))
    return all.slice(0, most)
  }
  const told = cut(
    keys.map((column) => ({ column })),
    TOLD,
  )
  const sought = await withForms(kind, told, ask)
  const likely = await existing(kind, ask, sought, ({ form }) => likelyIn(text, form))
  if (likely.length > 0) return likely
  // A prefix names the table, if it is one of them.
  const named = sought.filter(({ form: { head } }) => head !== '' && text.includes(head))
  const some = cut(named.length > 0 ? named : sought, TRIED)
  const ends = await endsOf(kind, some, ask)
  const changed = await existing(kind, ask, some, ({ column, form }) => {
    const own = ends.get(column)
    return own ? changedIn(text, form, own) : []
  })
  const found = [...(await beginning(kind, text, some, ask)), ...changed]
  return [...new Map(found.map((one) => [`${one.place} ${one.id}`, one])).values()].slice(0, SHOWN)
}

const isText = (kind: Database, type: string): boolean => /^(?:text|uuid)$/.test(heldIn(kind, type)[0] ?? '')

function select(kind: Database, column: Column, at: number): string {
  const { quotedName, type } = column
  const id = type === 'uuid' && kind === 'postgres' ? `${quotedName}::text` : quotedName
  return `SELECT ${at} AS at, ${id} AS id FROM ${sourceOf({ column, isRead: false }, [])}`
}

const nearIn = (column: Column, row: Readonly<Record<string, unknown>>): Near => ({
  place: placeOf(column),
  id: String(row['id']),
})

/** Those of the ids that rows have. */
async function existing(
  kind: Database,
  ask: Ask,
  sought: readonly Sought[],
  idsOf: (one: Sought) => readonly string[],
): Promise<Near[]> {
  const parts = sought.flatMap((one) => {
    const ids = idsOf(one)
    return Array.from({ length: Math.ceil(ids.length / AT_ONCE) }, (_, part) => ({
      column: one.column,
      ids: ids.slice(part * AT_ONCE, (part + 1) * AT_ONCE),
    }))
  })
  const rows = await ask(parts, ({ column, ids }, at) => {
    const list = ids.map((id) => literal(kind, id)).join(', ')
    return `${select(kind, column, at)} WHERE ${column.quotedName} IN (${list}) LIMIT ${SHOWN}`
  })
  return rows.map(({ one, row }) => nearIn(one.column, row)).slice(0, SHOWN)
}

/** Ids that begin as the text does, if they are few. */
async function beginning(kind: Database, text: string, sought: readonly Sought[], ask: Ask): Promise<Near[]> {
  const parts = sought.flatMap(({ column, form }) => rangesIn(text, form).map((range) => ({ column, range })))
  const rows = await ask(parts, ({ column, range: [from, to] }, at) => {
    const [gte, lte] = [literal(kind, from), literal(kind, to)]
    return `${select(kind, column, at)} WHERE ${column.quotedName} BETWEEN ${gte} AND ${lte} LIMIT ${SHOWN + 1}`
  })
  return parts.flatMap((part) => {
    const own = rows.filter(({ one }) => one === part)
    return own.length > SHOWN ? [] : own.map(({ row }) => nearIn(part.column, row))
  })
}

/** The columns that have ids of one form, told by their first ones. */
async function withForms(
  kind: Database,
  parts: readonly { readonly column: Column }[],
  ask: Ask,
): Promise<Sought[]> {
  const rows = await ask(
    parts,
    ({ column }, at) => `${select(kind, column, at)} ORDER BY ${column.quotedName} LIMIT ${TELLING}`,
  )
  const ids = new Map<Column, string[]>()
  for (const { one, row } of rows) ids.set(one.column, [...(ids.get(one.column) ?? []), String(row['id'])])
  return [...ids].flatMap(([column, some]) => {
    const form = formOf(some)
    return form ? [{ column, form }] : []
  })
}

async function endsOf(kind: Database, sought: readonly Sought[], ask: Ask): Promise<Map<Column, Ends>> {
  const parts = sought.flatMap(({ column }) => ['', ' DESC'].map((order) => ({ column, order })))
  const rows = await ask(
    parts,
    ({ column, order }, at) => `${select(kind, column, at)} ORDER BY ${column.quotedName}${order} LIMIT 1`,
  )
  const ends = new Map<Column, Ends>()
  for (const { one, row } of rows) {
    const id = String(row['id'])
    // Other collations sort otherwise than by character.
    const sorted = [...(ends.get(one.column) ?? []), id].sort()
    ends.set(one.column, [sorted[0] as string, sorted.at(-1) as string])
  }
  return ends
}
