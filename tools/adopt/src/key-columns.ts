import { quoteName } from '@snoflax/core/adapter'
import type { Driver, StoredColumn } from './driver.js'
import type { Obstacles } from './obstacles.js'
import { type ForeignKey, type Key, legacyName, newName, pathOf, type RootPlan, shownName } from './plan.js'
import { kindOf } from './references.js'
import type { Work } from './work.js'

const SUFFIX = '(ids?|refs?|keys?|uuids?|fk)'
const NOUNS =
  'parent|owner|author|creator|assignee|manager|user|member|target|source|subject|actor|reviewer|approver|sender|recipient|receiver|editor|admin'
/** Names of columns that may reference any table. */
const REFERENCE = new RegExp(`(^|_)(${SUFFIX}|by|${NOUNS})$`)
/** A member of a JSON object with such a name. */
const MEMBER = '"[A-Za-z0-9_]*([Ii][Dd]s?|[Rr]efs?|[Kk]eys?)" *:'

const words = (name: string): string => name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase()

/** The table's name, and in the singular. */
function namesOf(table: string): string[] {
  const name = words(shownName(table).split('.').at(-1) as string)
  return [name, name.replace(/s$/, ''), name.replace(/es$/, ''), name.replace(/ies$/, 'y')]
}

const isNamedAfter = (column: string, table: string): boolean =>
  namesOf(table).some((name) =>
    new RegExp(`(^|_)${name.replace(/\W/g, '.')}(_${SUFFIX})?$`).test(words(column)),
  )

/**
 * Notes columns that may contain keys, by name, type and values, but are neither foreign keys nor declared: each must be
 * declared or ignored.
 *
 * @param settled paths of the columns that are replaced.
 */
export function* noteCandidates(
  db: Driver,
  roots: readonly RootPlan[],
  columns: readonly StoredColumn[],
  foreignKeys: readonly ForeignKey[],
  settled: ReadonlySet<string>,
  obstacles: Obstacles,
): Work<void> {
  const known = new Set([
    ...settled,
    ...foreignKeys.flatMap(({ table, columns: own }) => own.map((column) => pathOf({ table, column }))),
  ])
  const [others, untyped]: [string[], string[]] = [[], []]
  const far = columns.filter(({ isElsewhere }) => isElsewhere).length
  if (far > 0)
    obstacles.list('columns of other databases', 'not examined', `${far}, of which adopt could change none`)
  for (const column of columns.filter(({ isElsewhere }) => !isElsewhere)) {
    const path = pathOf(column)
    if (!column.hasRows || known.has(path) || isItsOwnKey(column, columns)) continue
    if (isOurs(column, settled)) continue
    const fitting = roots.filter(({ keyType }) => fits(column, kindOf(keyType)))
    const name = `column ${path}`
    const named = fitting.filter(({ table }) => isNamedAfter(column.column, table))
    const isNamed = named.length > 0 || REFERENCE.test(words(column.column))
    if (column.kind === '' && isNamed) untyped.push(`${path} (${column.type})`)
    if (fitting.length === 0) continue
    if (!isNamed && !mayBeJson(db, column)) {
      others.push(path)
      continue
    }
    if (column.hidden !== null) {
      obstacles.ask(name, `it may contain keys, but its rows can't be read: ${column.hidden}`)
      continue
    }
    if (mayBeJson(db, column)) {
      if (yield* hasMembers(db, column, isNamed))
        obstacles.ask(
          name,
          `it contains JSON, in which there may be keys of ${list(roots)}; declare it: references: { ${JSON.stringify(path)}: { paths: { '$.…': '…' } } }`,
        )
      else if (column.kind === 'json')
        obstacles.list(name, 'unaffected', 'no row has a member called …id, …ref or …key')
      if (column.kind === 'json') continue
    }
    const found: RootPlan[] = []
    for (const root of isNamed ? fitting : []) {
      if (yield* mayContain(db, column, root, named.includes(root), typeColumnOf(column, columns)))
        found.push(root)
    }
    if (found.length > 0) {
      const target = `${shownName((found.find((one) => named.includes(one)) ?? (found[0] as RootPlan)).table)}`
      obstacles.ask(
        name,
        `it may contain keys of ${list(found)}, and has no foreign key; declare it: references: { ${JSON.stringify(path)}: ${JSON.stringify(target)} }`,
      )
    } else if (isNamed) obstacles.list(name, 'unaffected', `its values are not keys of ${list(fitting)}`)
  }
  if (untyped.length > 0)
    obstacles.list(
      'columns of other types',
      'not examined',
      `${untyped.length} with the name of a reference: ${untyped.join(', ')}`,
    )
  if (others.length > 0)
    obstacles.list(
      'other columns',
      'not examined',
      `${others.length} without a name like …_id, which suggests a reference: ${others.join(', ')}`,
    )
}

const list = (roots: readonly RootPlan[]): string => roots.map(({ table }) => shownName(table)).join(', ')

/** A key under its own name: `id`, or `invoice_id` in `invoices` if no other column is the key. */
function isItsOwnKey(
  { table, column, isInKey, isKey }: StoredColumn,
  columns: readonly StoredColumn[],
): boolean {
  const name = words(column)
  const isOwn = namesOf(table).some(
    (own) => name === own || new RegExp(`^_?${SUFFIX}$`).test(name.replace(own, '')),
  )
  const isPlain = new RegExp(`^${SUFFIX}$`).test(name)
  return isInKey
    ? isOwn || (isPlain && isKey)
    : isOwn && !isPlain && !columns.some((one) => one.table === table && one.isKey)
}

/** A name that the adoption needs itself, which is an obstacle anyway. */
const isOurs = ({ table, column }: Key, settled: ReadonlySet<string>): boolean =>
  [newName(''), legacyName('')].some(
    (prefix) =>
      column.startsWith(prefix) && settled.has(pathOf({ table, column: column.slice(prefix.length) })),
  )

/** Texts may contain keys of any kind. */
const fits = ({ kind }: StoredColumn, key: string): boolean =>
  ['text', 'text[]', 'any', 'json', key, `${key}[]`].includes(kind)

/** SQLite has no type of its own for JSON. */
const mayBeJson = ({ database }: Driver, { kind }: StoredColumn): boolean =>
  kind === 'json' || (database === 'SQLite' && kind === 'text')

function* hasMembers(db: Driver, { table, column }: Key, isNamed: boolean): Work<boolean> {
  const own = `CAST(c.${quoteName(column)} AS ${db.textType})`
  const contains =
    db.database === 'SQLite'
      ? SQLITE_MEMBER(own)
      : `${own} ${db.database === 'MariaDB' ? 'REGEXP' : '~'} '${MEMBER}'`
  const rows = yield* db.query(
    `SELECT 1 FROM ${table} AS c WHERE (${own} LIKE '{%' OR ${own} LIKE '[%') AND (${contains}${isNamed ? ' OR true' : ''}) LIMIT 1`,
  )
  return rows.length > 0
}

const SQLITE_MEMBER = (own: string): string =>
  ['id', 'ids', 'ref', 'refs', 'key', 'keys']
    .flatMap((name) => [`${own} LIKE '%${name}":%'`, `${own} LIKE '%${name}" :%'`])
    .join(' OR ')

/** The column beside a polymorphic one that names the table: `target_type` beside `target_id`. */
const typeColumnOf = ({ table, column }: Key, columns: readonly StoredColumn[]): string | undefined => {
  const stem = words(column).replace(new RegExp(`_?${SUFFIX}$`), '')
  return columns.find((one) => one.table === table && words(one.column) === `${stem}_type`)?.column
}

/**
 * By its name the column references this table: unless no value is a key. By its name it references some table: if all
 * values are keys, or some if there is a type column. Zeros and empty texts mean no row.
 */
function* mayContain(
  db: Driver,
  column: StoredColumn,
  root: RootPlan,
  isNamed: boolean,
  typeColumn: string | undefined,
): Work<boolean> {
  const own = `c.${quoteName(column.column)}`
  const isArray = column.kind.endsWith('[]')
  const from = isArray ? `${column.table} AS c CROSS JOIN unnest(${own}) AS u (v)` : `${column.table} AS c`
  const value = isArray ? 'u.v' : own
  const isValue = `${value} IS NOT NULL AND ${db.textOf(value)} NOT IN ('0', '')`
  const isSameKind =
    column.kind.replace('[]', '') === kindOf(root.keyType) && column.kind.startsWith('number')
  const key = `r.${quoteName(root.key)}`
  const isKey = isSameKind ? `${key} = ${value}` : `${db.textOf(key)} = ${db.textOf(value)}`
  const [found] = yield* db.query<Record<'some' | 'stray' | 'filled', number | boolean | string>>(
    `SELECT EXISTS (SELECT 1 FROM ${from} JOIN ${root.table} AS r ON ${isKey} WHERE ${isValue}) AS "some",
            EXISTS (SELECT 1 FROM ${from} WHERE ${isValue} AND NOT EXISTS (SELECT 1 FROM ${root.table} AS r WHERE ${isKey})) AS stray,
            EXISTS (SELECT 1 FROM ${from} WHERE ${isValue}) AS filled`,
  )
  const [some, stray, filled] = [found?.some, found?.stray, found?.filled].map((one) => Number(one) === 1)
  return !filled || (isNamed || typeColumn !== undefined ? some === true : !stray)
}
