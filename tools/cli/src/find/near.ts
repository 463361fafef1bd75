import type { Database } from '@snoflax/core'
import { literal } from '../ids/forms.js'
import { type Column, placeOf } from '../live/database.js'
import { heldIn } from '../live/held.js'
import type { Ask, Leave } from './look-up.js'
import { formOf, type IdForm, type Similar, similarTo } from './similar.js'

/** An id that exists, and that the text may have meant. */
export interface Near {
  readonly place: string
  readonly id: string
}

/** More are not shown, and of what more ids begin with, none is. */
const SHOWN = 5
/** The ids at each end of a column's index that tell its form. */
const ENDS = 5
/** Columns whose ids are tried by each character. */
const TRIED = 40
const AT_ONCE = 1000

interface Sought {
  readonly column: Column
  readonly form: IdForm
  readonly similar: Similar
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
      sorts(heldIn(kind, type)[0]),
  )
  const forms = await formsOf(keys, ask)
  const sought = [...forms].map(([column, form]) => ({ column, form, similar: similarTo(text, form) }))
  const likely = await existing(sought, ({ similar }) => similar.likely)
  if (likely.length > 0) return likely
  // A prefix names the table, if it is one of them.
  const named = sought.filter(({ form: { head } }) => head !== '' && text.includes(head))
  const tried = named.length > 0 ? named : sought
  for (const { column } of tried.slice(TRIED)) leave('not searched for similar ids', placeOf(column))
  const some = tried.slice(0, TRIED)
  const found = [...(await beginning(some)), ...(await existing(some, ({ similar }) => similar.changed))]
  return [...new Map(found.map((one) => [`${one.place} ${one.id}`, one])).values()].slice(0, SHOWN)

  async function existing(
    all: readonly Sought[],
    idsOf: (one: Sought) => readonly string[],
  ): Promise<Near[]> {
    const parts = all.flatMap((one) => {
      const ids = idsOf(one)
      return Array.from({ length: Math.ceil(ids.length / AT_ONCE) }, (_, part) => ({
        column: one.column,
        ids: ids.slice(part * AT_ONCE, (part + 1) * AT_ONCE),
      }))
    })
    const rows = await ask(parts, ({ column, ids }, at) => {
      const list = ids.map((id) => literal(kind, id)).join(', ')
      return `${select(column, at)} WHERE ${column.quotedName} IN (${list}) LIMIT ${SHOWN}`
    })
    return rows.map(({ one, row }) => ({ place: placeOf(one.column), id: String(row['id']) })).slice(0, SHOWN)
  }

  async function beginning(all: readonly Sought[]): Promise<Near[]> {
    const parts = all.flatMap(({ column, similar }) => similar.ranges.map((range) => ({ column, range })))
    const rows = await ask(parts, ({ column, range: [from, to] }, at) => {
      const [gte, lte] = [literal(kind, from), literal(kind, to)]
      return `${select(column, at)} WHERE ${column.quotedName} BETWEEN ${gte} AND ${lte} LIMIT ${SHOWN + 1}`
    })
    return parts.flatMap((part) => {
      const own = rows.filter(({ one }) => one === part)
      return own.length > SHOWN
        ? []
        : own.map(({ row }) => ({ place: placeOf(part.column), id: String(row['id']) }))
    })
  }

  function select({ quotedName, quotedTable, isParent, type }: Column, at: number): string {
    const id = type === 'uuid' && kind === 'postgres' ? `${quotedName}::text` : quotedName
    return `SELECT ${at} AS at, ${id} AS id FROM ${isParent ? 'ONLY ' : ''}${quotedTable}`
  }

  async function formsOf(all: readonly Column[], ask: Ask): Promise<Map<Column, IdForm>> {
    const ends = all.flatMap((column) => ['', ' DESC'].map((order) => ({ column, order })))
    const rows = await ask(
      ends,
      ({ column, order }, at) => `${select(column, at)} ORDER BY ${column.quotedName}${order} LIMIT ${ENDS}`,
    )
    const byColumn = new Map<Column, string[]>()
    for (const { one, row } of rows)
      byColumn.set(one.column, [...(byColumn.get(one.column) ?? []), String(row['id'])])
    const forms = new Map<Column, IdForm>()
    for (const [column, ids] of byColumn) {
      const form = formOf(ids)
      if (form !== undefined) forms.set(column, form)
    }
    return forms
  }
}

const sorts = (held: string | undefined): boolean => held === 'text' || held === 'uuid'
