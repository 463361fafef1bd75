import type { DatabaseValue } from '@snoflax/core'
import { baseOf } from '@snoflax/core/adapter'
import { literal } from '../ids/forms.js'
import { Pace } from '../pace.js'
import type { Examination } from './examination.js'
import type { StoredIds } from './id-columns.js'
import { type Column, placeOf } from './live-database.js'
import { Faults, lookUp, replacement } from './replacement.js'
import { type Finding, finding } from './report.js'
import { bareId, ownId, readStored, shown } from './stored-value.js'
import type { Scan } from './values.js'

/** Finds ids that are keys of two tables without a foreign key between them. */
export async function duplicates(examination: Examination, scans: readonly Scan[]): Promise<Finding[]> {
  const keys = scans.filter(({ idColumn: { column } }) => column.isKey && column.references === undefined)
  const shared = new Map<string, Shared>()
  const add = (one: Scan, other: Scan, id: string): void => {
    const [from, to] = rowsOf(one) <= rowsOf(other) ? [one, other] : [other, one]
    const place = `${placeOf(from.idColumn.column)} ${placeOf(to.idColumn.column)}`
    const pair = shared.get(place) ?? { from, to, faults: new Faults() }
    shared.set(place, pair)
    pair.faults.add({ value: to.idColumn.storage.toDatabase(ownId(to.idColumn.family, id)) }, id)
  }
  for (const group of byFamily(keys)) {
    const whole = group.filter(({ isComplete }) => isComplete)
    if (whole.length > 1) await merge(examination, whole, add)
    for (const large of group.filter((one) => !whole.includes(one))) {
      for (const other of group) {
        if (other === large || (!other.isComplete && rowsOf(other) > rowsOf(large))) continue
        const ids = spread(other.ids, Math.max(20, Math.floor(LOOKED_UP / group.length)))
        const theirs = ids.map((id) => ownId(large.idColumn.family, bareId(other.idColumn.family, id)))
        const found = await lookUp(examination.database, large.idColumn, theirs)
        for (const id of found) add(other, large, bareId(large.idColumn.family, id))
      }
    }
  }
  return Promise.all(
    [...shared.values()].filter(isNoReference).map(async ({ from, to, faults }) => {
      const message = `ids that are also keys of ${placeOf(from.idColumn.column)}, without a foreign key: ${faults.count}; the first: ${faults.reason}`
      const isComplete = from.isComplete && to.isComplete
      const cure = await replacement(examination, { idColumn: to.idColumn, isComplete }, faults)
      return finding('duplicate', placeOf(to.idColumn.column), message, cure)
    }),
  )
}

interface Shared {
  readonly from: Scan
  readonly to: Scan
  readonly faults: Faults
}

/** `profile.user_id`, whose ids all exist in `user.id`, is a reference without a foreign key. */
const isNoReference = ({ from, to, faults }: Shared): boolean =>
  faults.count < from.rowsRead ||
  ![from, to].some(({ idColumn: { column } }) => /(?:_id|[a-z]Id)$/.test(column.name))

/** How many ids are looked up in a table that is too large to read. */
const LOOKED_UP = 10_000

const rowsOf = ({ idColumn, rowsRead }: Scan): number => Math.max(idColumn.column.rows, rowsRead)

const byFamily = (keys: readonly Scan[]): Iterable<Scan[]> => {
  const groups = new Map<string, Scan[]>()
  for (const key of keys) {
    const { name } = key.idColumn.family
    groups.set(name, [...(groups.get(name) ?? []), key])
  }
  return groups.values()
}

const spread = <Item>(items: readonly Item[], count: number): Item[] => {
  const step = Math.max(1, items.length / count)
  return Array.from({ length: Math.min(count, items.length) }, (_, n) => items[Math.floor(n * step)] as Item)
}

/** Merges all keys in id order, one page of each at a time, so that equal ids meet in memory. */
async function merge(
  examination: Examination,
  scans: readonly Scan[],
  add: (one: Scan, other: Scan, id: string) => void,
): Promise<void> {
  const { compare } = baseOf((scans[0] as Scan).idColumn.family)
  let sources = scans.map((scan) => ({
    scan,
    pages: pagesOf(examination, scan.idColumn),
    ids: [] as string[],
  }))
  const total = scans.reduce((sum, scan) => sum + rowsOf(scan), 0)
  const pace = new Pace('ids compared')
  let read = 0
  while (sources.length > 1) {
    for (const source of sources) {
      if (source.ids.length > 0) continue
      const { value, done } = await source.pages.next()
      source.ids = done ? [] : value
    }
    sources = sources.filter(({ ids }) => ids.length > 0)
    const horizon = sources.map(({ ids }) => ids.at(-1) as string).sort(compare)[0] as string
    const holders = new Map<string, Scan>()
    for (const source of sources) {
      const end = source.ids.findIndex((id) => compare(id, horizon) > 0)
      const ids = end < 0 ? source.ids : source.ids.slice(0, end)
      source.ids = end < 0 ? [] : source.ids.slice(end)
      for (const id of ids) {
        const holder = holders.get(id)
        if (holder) add(holder, source.scan, id)
        else holders.set(id, source.scan)
      }
      read += ids.length
    }
    examination.progress(`keys of several tables: ${pace.after(read, total)}`)
  }
}

const PAGE = 2000

/** The ids of a key in order, without the prefix. */
async function* pagesOf(
  { database }: Examination,
  { column: { quotedName, quotedTable }, storage, family }: StoredIds,
): AsyncGenerator<string[], undefined> {
  const page = (condition: string): string =>
    `SELECT ${quotedName} AS value FROM ${quotedTable} WHERE ${condition} ORDER BY ${quotedName} LIMIT ${PAGE}`
  let condition = `${quotedName} IS NOT NULL`
  while (true) {
    const rows = await database.query(page(condition))
    const ids = rows.flatMap(({ value }) => {
      const read = readStored(storage, value)
      return read.is === 'id' ? [bareId(family, read.id)] : []
    })
    if (ids.length > 0) yield ids
    if (rows.length < PAGE) return undefined
    condition = `${quotedName} > ${literal(database.kind, rows.at(-1)?.['value'] as DatabaseValue)}`
  }
}

/** Finds repeated ids in a column without a unique index in which each row should have its own. */
export async function repeated(
  { database, sample, full }: Examination,
  { idColumn }: Scan,
): Promise<Finding[]> {
  const { column, evidence } = idColumn
  const isLikely = column.name.toLowerCase() === 'id' && !COPIES.test(column.table)
  if (column.isUnique || column.references !== undefined) return []
  if (!idColumn.isPrimary && evidence !== 'default' && !isLikely) return []
  const { quotedName, quotedTable } = column
  const limit = full || column.rows <= MANY ? '' : ` LIMIT ${sample}`
  const rows = await database.query(
    `SELECT value, count(*) AS count FROM (SELECT ${quotedName} AS value FROM ${quotedTable}
      WHERE ${quotedName} IS NOT NULL${limit}) AS looked_at GROUP BY value HAVING count(*) > 1 ORDER BY value LIMIT ${SHOWN + 1}`,
  )
  const [first] = rows
  if (first === undefined) return []
  const more = rows.length > SHOWN ? 'more than ' : ''
  const message = `ids in several rows, without a unique index: ${more}${Math.min(rows.length, SHOWN)}; the first: ${shown(first['value'])}, in ${first['count']} rows`
  const severity = isLikely && !idColumn.isPrimary && evidence !== 'default' ? 'warning' : 'error'
  const leaves = `decide which row keeps the id and change or delete the others, then ${uniqueIndex(column)}`
  return [finding('duplicate', placeOf(column), message, { leaves }, severity)]
}

/** Tables whose rows are versions of other rows. */
const COPIES = /log|audit|histor|archiv|version|event|snapshot|backup|staging|import/i
const MANY = 1_000_000
const SHOWN = 100

const uniqueIndex = ({ table, name, quotedTable, quotedName }: Column): string =>
  `CREATE UNIQUE INDEX ${`${table}_${name}_key`.replace(/\W/g, '_').slice(0, 60)} ON ${quotedTable} (${quotedName})`
