import { uuid7 } from '@snoflax/core'
import { baseOf, hexOf, isOpaque, isPrefixed } from '@snoflax/core/adapter'
import { type Column, placeOf } from '../live/database.js'
import { migrationTo } from './declaration.js'
import type { Examination } from './examination.js'
import { type Finding, finding } from './report.js'
import { bareId, formName, shown } from './stored-value.js'
import type { UuidColumn } from './uuids.js'
import type { Scan } from './values.js'

/** Finds ids that are keys of two tables without a foreign key between them, among those that were read. */
export function duplicates(scans: readonly Scan[]): Finding[] {
  const holders = new Map<string, Scan>()
  const shared = new Map<string, { readonly from: Scan; readonly to: Scan; readonly ids: string[] }>()
  for (const scan of scans.filter(isFreeKey)) {
    for (const id of scan.ids) {
      const name = `${scan.idColumn.family.name} ${id}`
      const holder = holders.get(name)
      if (holder === undefined) {
        holders.set(name, scan)
        continue
      }
      const pair = `${placeOf(holder.idColumn.column)} ${placeOf(scan.idColumn.column)}`
      const found = shared.get(pair) ?? { from: holder, to: scan, ids: [] }
      found.ids.push(id)
      shared.set(pair, found)
    }
  }
  return [...shared.values()].filter(isNoReference).map(({ from, to, ids }) => {
    const message = `ids that are also keys of ${placeOf(from.idColumn.column)}, without a foreign key: ${ids.length}; the first: ${ids[0]}`
    const leaves = 'give the rows of one table new ids, or add a foreign key if they are the same things'
    return finding('duplicate', placeOf(to.idColumn.column), message, { leaves })
  })
}

const isFreeKey = ({ idColumn: { column } }: Scan): boolean => column.isKey && column.references === undefined

/** `profile.user_id`, whose ids all exist in `user.id`, is a reference without a foreign key. */
const isNoReference = ({ from, to, ids }: { from: Scan; to: Scan; ids: readonly string[] }): boolean =>
  ![from, to].some(
    ({ idColumn: { column }, rowsRead }) => ids.length >= rowsRead && /(?:_id|[a-z]Id)$/.test(column.name),
  )

const COMPARED = 20

/** Values of a column, by the bytes that they stand for. */
interface Compared {
  readonly column: Column
  /** How the column stores them, for messages. */
  readonly form: string
  /** Columns that write equal bytes equally have the same. */
  readonly writing: string
  readonly prefix: string | undefined
  readonly bytes: readonly string[]
}

const UUID_TEXT = 'text of a UUID'
const hexOfUuid = (uuid: string): string => uuid.replaceAll('-', '').toLowerCase()

/** A column's ids by their own bytes and, where these are others, by those of the UUIDs that are stored for them. */
function comparedOf({ idColumn: { column, family, storage }, ids }: Scan): Compared[] {
  const form = formName(storage)
  const prefix = isPrefixed(family) ? family.prefix : undefined
  const base = baseOf(family)
  const writing = base.name === uuid7.name && form === 'text' ? UUID_TEXT : form
  const bytes = ids.map((id) => (isOpaque(family) ? id : hexOf(base.decode(bareId(family, id) as never))))
  const own = { column, form, writing, prefix, bytes }
  if (!storage.name.startsWith('uuid')) return [own]
  const stored = ids.map((id) => hexOfUuid(String(storage.toDatabase(id))))
  return [own, { ...own, writing: 'uuid', bytes: stored }]
}

const comparedUuids = ({ column, form, values }: UuidColumn): Compared => ({
  column,
  form,
  writing: form,
  prefix: undefined,
  bytes: values.map(hexOfUuid),
})

/** Finds columns that store another table's ids in another form, so that joins find nothing. */
export function otherStorages(scans: readonly Scan[], uuids: readonly UuidColumn[]): Finding[] {
  const all = [...scans.flatMap(comparedOf), ...uuids.map(comparedUuids)]
  const holders = new Map<string, Set<Compared>>()
  for (const key of all) {
    if (!key.column.isKey || key.column.references !== undefined) continue
    for (const one of key.bytes) {
      const known = holders.get(one)
      if (known === undefined) holders.set(one, new Set([key]))
      else known.add(key)
    }
  }
  const findings = new Map<string, Finding>()
  for (const { column, form, writing, prefix, bytes } of all) {
    if (column.isKey || column.references !== undefined || bytes.length === 0) continue
    const some = bytes.slice(0, COMPARED)
    const counts = new Map<Compared, number>()
    for (const one of some)
      for (const key of holders.get(one) ?? []) counts.set(key, (counts.get(key) ?? 0) + 1)
    for (const [key, count] of counts) {
      const isOther = prefix !== undefined && key.prefix !== undefined && prefix !== key.prefix
      if (writing === key.writing || isOther || count * 2 < some.length) continue
      const message = `stores ids of ${placeOf(key.column)} as ${form}, but that column stores them as ${key.form}: joins find nothing`
      const place = placeOf(column)
      findings.set(
        `${place} ${placeOf(key.column)}`,
        finding('reference', place, message, migrationTo(key.form)),
      )
    }
  }
  return [...findings.values()]
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
