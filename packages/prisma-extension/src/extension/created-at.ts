import { IdError } from '@snoflax/core'
import { timeOf } from '@snoflax/core/adapter'
import type { IdColumn } from './columns.js'
import { isPlainObject } from './id-value.js'
import { clientName, type Model, type Omitted } from './model.js'

// Prisma's computed fields wrap each row in proxies, which costs more than the query. So creation times are plain
// properties: a query selects their ids instead, and we add the times to its result.

/** The creation times that a query selects, in its rows and in rows related to them. */
export interface Times {
  readonly own: readonly Time[]
  readonly related: ReadonlyMap<string, Times>
}

interface Time {
  readonly name: string
  readonly column: IdColumn
  /** What to do with the id if it was not selected: computed fields of other extensions may need it. */
  readonly id: 'shown' | 'hidden' | 'deleted'
}

type Selection = Readonly<Record<string, unknown>>

/** The arguments of a query for Prisma; `times` is undefined if it selects none. */
export function selectTimes(
  model: Model,
  query: unknown,
  omitted: Omitted,
): { args: unknown; times?: Times } {
  const args = isPlainObject(query) ? query : {}
  const { select, include, omit } = args as Record<string, Selection | undefined>
  const relations = relatedTimes(model, select ?? include, omitted)
  const names = model.idList.flatMap(({ settings: { createdAt } }) => createdAt ?? [])
  if (names.length === 0 && relations.times.size === 0) return { args: query }
  const own = timesOf(model, select, { ...omitted[clientName(model.name)], ...omit })
  const change = (selection: Selection | undefined, isSelected: boolean): Selection => {
    const kept = Object.entries(selection ?? {}).filter(([key]) => !names.includes(key))
    const ids = own.filter(({ id }) => id !== 'shown').map(({ column }) => [column.field, isSelected])
    return { ...Object.fromEntries([...kept, ...ids]), ...(isSelected && relations.args) }
  }
  const changed = select
    ? { select: change(select, true) }
    : { omit: change(omit, false), ...(include && { include: { ...include, ...relations.args } }) }
  return { args: { ...args, ...changed }, times: { own, related: relations.times } }
}

function timesOf(model: Model, select: Selection | undefined, omit: Selection): Time[] {
  const isAsked = (name: string) => (select ? select[name] === true : omit[name] !== true)
  const ofModel = new Set([...model.fields.keys(), '_count'])
  return model.idList.flatMap((column) => {
    const { createdAt: name } = column.settings
    if (name === undefined || !isAsked(name)) return []
    const isNeeded = select
      ? Object.keys(select).some((key) => key !== name && !ofModel.has(key))
      : model.computed.some((field) => omit[field.name] !== true && field.needs.includes(column.field))
    return [{ name, column, id: isAsked(column.field) ? 'shown' : isNeeded ? 'hidden' : 'deleted' }]
  })
}

function relatedTimes(model: Model, selection: Selection | undefined, omitted: Omitted) {
  const args: Record<string, unknown> = {}
  const times = new Map<string, Times>()
  for (const [field, selected] of Object.entries(selection ?? {})) {
    const target = model.relations.get(field)
    // Not `false` or `Prisma.skip`.
    if (target === undefined || (selected !== true && !isPlainObject(selected))) continue
    const related = selectTimes(target, selected, omitted)
    args[field] = related.args
    if (related.times) times.set(field, related.times)
  }
  return { args, times }
}

/** Adds creation times to rows whose ids were read. */
export function addTimes(times: Times, rows: unknown): void {
  if (!Array.isArray(rows)) addTo(times, rows as Row | null | undefined)
  else for (let index = 0; index < rows.length; index++) addTo(times, rows[index])
}

type Row = Record<string, unknown>

function addTo({ own, related }: Times, row: Row | null | undefined): void {
  if (row == null) return
  for (let index = 0; index < own.length; index++) {
    const { name, column, id: state } = own[index] as Time
    const id = row[column.field]
    if (id === undefined) {
      // Another extension caches this row, and returned it before.
      if (name in row) continue
      throw new IdError(
        'INVALID_OPTION',
        `${column.name}: ${name} is its creation time, but an extension after ours took the id out of the row; put that extension before ours`,
        { path: column.name, field: name },
      )
    }
    row[name] = id === null ? null : timeOf(column.storage.family, id as string)
    if (state === 'hidden') Object.defineProperty(row, column.field, { enumerable: false })
    else if (state === 'deleted') delete row[column.field]
  }
  for (const [field, times] of related) addTimes(times, row[field])
}
