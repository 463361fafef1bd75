import { quoteName, quoteText } from '@snoflax/core/adapter'
import type { ReplacedColumn, Via } from './adoption.js'
import type { DatabaseName, Driver, StoredColumn } from './driver.js'
import { type Obstacles, refuse } from './obstacles.js'
import type { AdoptionOptions, Reference } from './options.js'
import {
  type ForeignKey,
  type Key,
  type Plan,
  pathOf,
  type RootPlan,
  replacedIn,
  rootOf,
  shownName,
} from './plan.js'
import type { Work } from './work.js'

/** A column that is declared to contain keys. */
export interface DeclaredColumn {
  readonly column: StoredColumn
  readonly root: number
  readonly via: Via | undefined
}

/**
 * What the user means by a name, with its schema or without it. A whole name means only this: MariaDB's own tables have no
 * longer one, and other databases may have tables of the same name.
 */
function namedAs<Named>(all: readonly Named[], name: string, nameOf: (one: Named) => string): Named[] {
  const exact = all.filter((one) => nameOf(one) === name)
  return exact.length > 0 ? exact : all.filter((one) => nameOf(one).endsWith(`.${name}`))
}

/** The columns of the option `references`. */
export function declaredColumns(
  { references = {} }: AdoptionOptions,
  keys: readonly Key[],
  columns: readonly StoredColumn[],
  obstacles: Obstacles,
): DeclaredColumn[] {
  const indexOf = (place: string, given: string): number => {
    const [key, ...others] = namedAs(keys, shownName(given), ({ table }) => shownName(table))
    if (key === undefined) return refuse(place, `references: ${given} is not in tables; list it there`, given)
    if (others.length > 0)
      refuse(place, `references: several tables are called ${given}; name its schema`, given)
    return keys.indexOf(key)
  }
  return Object.entries(references).flatMap(([path, reference]) => {
    const declared = obstacles.attempt(() => {
      const found = namedAs(columns, shownName(path), pathOf)
      const [column] = found
      if (column === undefined) return refuse(path, 'references: no such column; write it as table.column')
      if (found.length > 1)
        refuse(path, `references: several tables have it: ${found.map(pathOf).join(', ')}`)
      return declaredColumn(column, reference, (given) => indexOf(path, given))
    })
    return declared ?? []
  })
}

function declaredColumn(
  column: StoredColumn,
  reference: Reference,
  indexOf: (given: string) => number,
): DeclaredColumn {
  const place = pathOf(column)
  if (typeof reference === 'string') {
    const root = indexOf(reference)
    return { column, root, via: column.kind.endsWith('[]') ? { kind: 'array' } : undefined }
  }
  const [own, roots] =
    'paths' in reference
      ? [reference.paths, Object.entries(reference.paths)]
      : [reference.tables, Object.entries(reference.tables ?? {})]
  const known = roots.map(([name, table]) => [name, table === null ? null : indexOf(table)] as const)
  const root = known.find(([, one]) => one !== null)?.[1]
  if (own === undefined || root == null)
    return refuse(
      place,
      "references: pass a table, { type, tables } or { paths: { '$.customer.id': 'customers' } }",
    )
  if (!('paths' in reference))
    return { column, root, via: { kind: 'type', column: reference.type, roots: Object.fromEntries(known) } }
  for (const path of Object.keys(reference.paths))
    if (!PATH.test(path))
      refuse(place, `references: ${path} is not a path such as $.customer.id or $.orders[*]`)
  return { column, root, via: { kind: 'json', paths: Object.fromEntries(known) as Record<string, number> } }
}

const PATH = /^\$(\.[A-Za-z_]\w*)*(\[\*\])?$/

/** A declared column without a further condition, as a foreign key has it. */
export const asForeignKey = ({ column, root }: DeclaredColumn, keys: readonly Key[]): ForeignKey => ({
  table: column.table,
  columns: [column.column],
  target: (keys[root] as Key).table,
  targetColumns: [(keys[root] as Key).column],
})

/** Notes declared columns that can't be converted, each with the reason. */
export function noteUnfit(
  database: DatabaseName,
  { column, root, via }: DeclaredColumn,
  roots: readonly RootPlan[],
  columns: readonly StoredColumn[],
  obstacles: Obstacles,
): void {
  const note = (message: string): void => obstacles.note(pathOf(column), message)
  const targets = targetsOf({ root, ...(via && { via }) }).map((one) => roots[one] as RootPlan)
  const kinds = targets.map(({ keyType }) => kindOf(keyType))
  if (column.isElsewhere)
    note(
      'the column is in another database, which adopt does not change; move the table, or ignore the column',
    )
  const keyTypes = targets.map(({ keyType }) => keyType).join(', ')
  if (via?.kind === 'json' && database === 'PostgreSQL' && column.type !== 'jsonb')
    note(`the column is ${column.type}; change its type to jsonb first`)
  else if (
    via?.kind !== 'json' &&
    kinds.some((kind) => ![kind + (via?.kind === 'array' ? '[]' : ''), 'any'].includes(column.kind))
  )
    note(`the column is ${column.type}, and the keys are ${keyTypes}; change its type first`)
  if (via === undefined) return
  if (column.isInKey) note('the column is part of a primary key; only plain values can be replaced there')
  if (new Set(targets.map(({ type }) => type)).size > 1)
    note('it contains ids of different types; plan these tables with the same storage')
  const isText = targets.every(({ storage }) => storage === 'text')
  const isKept = via.kind === 'type' && Object.values(via.roots).includes(null)
  if (!isText && (via.kind === 'json' || isKept))
    note(
      `${isKept ? 'values that stay need' : 'JSON needs'} ids as text; plan these tables with storage: 'text'`,
    )
  if (via.kind === 'array' && database !== 'PostgreSQL') note(`adopt replaces arrays in PostgreSQL only`)
  if (via.kind === 'type' && !columns.some((one) => one.table === column.table && one.column === via.column))
    note(`references: its table has no column ${via.column}`)
}

export const targetsOf = ({ root, via }: Pick<ReplacedColumn, 'root' | 'via'>): number[] =>
  via === undefined || via.kind === 'array'
    ? [root]
    : [...new Set(Object.values(via.kind === 'type' ? via.roots : via.paths))].filter((one) => one !== null)

/** What kind of values a type has; `json` and arrays too. Empty for others. */
export function kindOf(type: string): string {
  const array = /\[\]$/.test(type) ? '[]' : ''
  const [, kind] = KINDS.find(([pattern]) => pattern.test(type)) ?? []
  return kind === undefined ? '' : kind + array
}

const KINDS: readonly (readonly [RegExp, string])[] = [
  [/^jsonb?$/i, 'json'],
  [/^(big|medium|small|tiny)?int|^integer|^numeric|^decimal|^\S*serial/i, 'number'],
  [/^uuid/i, 'uuid'],
  [/char|text|clob/i, 'text'],
  [/^bytea|binary|blob/i, 'bytes'],
]

/** The type of a column after the switch. */
export function newTypeOf(roots: readonly RootPlan[], column: ReplacedColumn): string {
  const { type } = rootOf(roots, column)
  if (column.via?.kind === 'json') return column.type
  return column.via?.kind === 'array' ? type.replace(/^\S+/, '$&[]') : type
}

export interface RetypedColumn extends ReplacedColumn {
  readonly newType: string
}

export const retypedIn = (
  { roots, columns }: Pick<Plan, 'roots' | 'columns'>,
  table: string,
): RetypedColumn[] => replacedIn(columns, table).map((one) => ({ ...one, newType: newTypeOf(roots, one) }))

/**
 * SQL of a column's new value, over the table's alias.
 *
 * @param own the column as SQL. @param idOf SQL of the id of a key, null for none.
 */
export function newValueOf(
  database: DatabaseName,
  { via, root }: Pick<ReplacedColumn, 'root' | 'via'>,
  own: string,
  alias: string,
  idOf: (root: number, key: string) => string,
): string {
  if (via === undefined) return idOf(root, own)
  if (via.kind === 'array')
    return `CASE WHEN ${own} IS NOT NULL THEN ARRAY(SELECT ${idOf(root, 'u.v')} FROM unnest(${own}) WITH ORDINALITY AS u (v, i) ORDER BY u.i) END`
  if (via.kind === 'type') {
    const cases = Object.entries(via.roots).map(
      ([name, one]) =>
        `WHEN ${quoteText(name)} THEN ${one === null ? `CAST(${own} AS ${TEXT[database]})` : idOf(one, own)}`,
    )
    return `CASE CAST(${alias}.${quoteName(via.column)} AS ${TEXT[database]}) ${cases.join(' ')} END`
  }
  return Object.entries(via.paths).reduce(
    (value, [path, one]) => JSON_VALUES[database](value, own, path, (key) => idOf(one, key)),
    own,
  )
}

const TEXT: Record<DatabaseName, 'text' | 'char'> = { PostgreSQL: 'text', SQLite: 'text', MariaDB: 'char' }

const isList = (path: string): boolean => path.endsWith('[*]')
const listOf = (path: string): string => path.replace('[*]', '')
const postgresPath = (path: string): string => `'{${listOf(path).split('.').slice(1).join(',')}}'`

/** SQL of a JSON value in which the keys at a path are replaced; a path that is missing stays so. */
const JSON_VALUES: Record<
  DatabaseName,
  (value: string, own: string, path: string, idOf: (key: string) => string) => string
> = {
  PostgreSQL: (value, own, path, idOf) => {
    const at = `${own} #> ${postgresPath(path)}`
    const ids = isList(path)
      ? `(SELECT jsonb_agg(to_jsonb(${idOf("u.v #>> '{}'")}) ORDER BY u.i)
          FROM jsonb_array_elements(CASE WHEN jsonb_typeof(${at}) = 'array' THEN ${at} END) WITH ORDINALITY AS u (v, i))`
      : `to_jsonb(${idOf(`${own} #>> ${postgresPath(path)}`)})`
    const id = `coalesce(${ids}, ${at}, 'null')`
    return /^\$(\[\*\])?$/.test(path) ? id : `jsonb_set(${value}, ${postgresPath(path)}, ${id}, false)`
  },
  MariaDB: (value, own, path, idOf) => {
    const at = quoteText(listOf(path))
    if (!isList(path)) return `json_replace(${value}, ${at}, ${idOf(`json_value(${own}, ${at})`)})`
    // Aggregating no elements is null.
    return `CASE WHEN json_type(json_extract(${own}, ${at})) = 'ARRAY' AND json_length(${own}, ${at}) > 0 THEN json_replace(${value}, ${at},
      (SELECT json_arrayagg(${idOf('u.v')} ORDER BY u.i) FROM json_table(${own}, ${quoteText(path)} COLUMNS (i FOR ORDINALITY, v varchar(250) PATH '$')) AS u)) ELSE ${value} END`
  },
  SQLite: (value, own, path, idOf) => {
    const at = quoteText(listOf(path))
    if (!isList(path)) return `json_replace(${value}, ${at}, ${idOf(`json_extract(${own}, ${at})`)})`
    return `CASE json_type(${own}, ${at}) WHEN 'array' THEN json_replace(${value}, ${at},
      json((SELECT json_group_array(${idOf('u.value')} ORDER BY u.key) FROM json_each(${own}, ${at}) AS u))) ELSE ${value} END`
  },
}

/** Finds the id of a key in the table itself, where old and new values are side by side. */
export const idBeside =
  (
    database: DatabaseName,
    roots: readonly RootPlan[],
    { via }: Pick<ReplacedColumn, 'via'>,
    oldOf: (column: string) => string,
    newOf: (column: string) => string,
  ) =>
  (root: number, value: string): string => {
    const { table, key, keyType } = roots[root] as RootPlan
    // JSON's values are texts.
    const own = via?.kind === 'json' && database === 'PostgreSQL' ? `CAST(${value} AS ${keyType})` : value
    return `(SELECT r.${newOf(key)} FROM ${table} AS r WHERE r.${oldOf(key)} = ${own})`
  }

/** Where the keys of one table are in a column: what follows FROM, with the table as `c`, and each value. */
interface Occurrence {
  readonly root: number
  readonly from: string
  readonly value: string
  readonly where: string
}

export function occurrencesOf(
  database: DatabaseName,
  { table, column, root, via }: Pick<ReplacedColumn, 'table' | 'column' | 'root' | 'via'>,
): Occurrence[] {
  const own = `c.${quoteName(column)}`
  const from = `${table} AS c`
  if (via === undefined) return [{ root, from, value: own, where: 'true' }]
  if (via.kind === 'array')
    return [{ root, from: `${from} CROSS JOIN unnest(${own}) AS u (v)`, value: 'u.v', where: 'true' }]
  if (via.kind === 'type')
    return Object.entries(via.roots).flatMap(([name, one]) =>
      one === null
        ? []
        : [
            {
              root: one,
              from,
              value: own,
              where: `CAST(c.${quoteName(via.column)} AS ${TEXT[database]}) = ${quoteText(name)}`,
            },
          ],
    )
  return Object.entries(via.paths).map(([path, one]) => ({
    root: one,
    ...ELEMENTS[database](from, own, path),
  }))
}

const ELEMENTS: Record<DatabaseName, (from: string, own: string, path: string) => Omit<Occurrence, 'root'>> =
  {
    PostgreSQL: (from, own, path) => {
      const at = `${own} #> ${postgresPath(path)}`
      return isList(path)
        ? {
            from: `${from} CROSS JOIN LATERAL jsonb_array_elements_text(CASE WHEN jsonb_typeof(${at}) = 'array' THEN ${at} END) AS u (v)`,
            value: 'u.v',
            where: 'true',
          }
        : { from, value: `(${own} #>> ${postgresPath(path)})`, where: 'true' }
    },
    MariaDB: (from, own, path) => ({
      from: `${from} JOIN json_table(${own}, ${quoteText(path)} COLUMNS (v varchar(250) PATH '$')) AS u`,
      value: 'u.v',
      where: 'true',
    }),
    SQLite: (from, own, path) => ({
      from: `${from}, json_each(${own}, ${quoteText(listOf(path))}) AS u`,
      value: 'u.value',
      where: isList(path) ? `json_type(${own}, ${quoteText(listOf(path))}) = 'array'` : 'true',
    }),
  }

/** @throws {IdError} for a value of a declared column that is no key, and for a type that is not listed. */
export function* refuseStrayKeys(db: Driver, { roots }: Plan, column: ReplacedColumn): Work<void> {
  const own = `c.${quoteName(column.column)}`
  if (column.via?.kind === 'type') {
    const type = `CAST(c.${quoteName(column.via.column)} AS ${db.textType})`
    const names = Object.keys(column.via.roots).map(quoteText).join(', ')
    const [row] = yield* db.query<{ type: string | null }>(
      `SELECT ${type} AS type FROM ${column.table} AS c WHERE ${own} IS NOT NULL AND (${type} IS NULL OR ${type} NOT IN (${names})) LIMIT 1`,
    )
    if (row)
      refuse(
        pathOf(column),
        `references: ${column.via.column} is ${row.type} in a row; list its table, or null if those values stay`,
      )
  }
  for (const { root, from, value, where } of occurrencesOf(db.database, column)) {
    const { table, key } = roots[root] as RootPlan
    const isKey =
      column.via === undefined || column.via.kind === 'json'
        ? `${db.textOf(`r.${quoteName(key)}`)} = ${db.textOf(value)}`
        : `r.${quoteName(key)} = ${value}`
    const [row] = yield* db.query<{ value: string }>(
      `SELECT CAST(${value} AS ${db.textType}) AS value FROM ${from} LEFT JOIN ${table} AS r ON ${isKey}
        WHERE ${where} AND ${value} IS NOT NULL AND r.${quoteName(key)} IS NULL LIMIT 1`,
    )
    if (row)
      refuse(
        pathOf(column),
        `the value ${row.value} references no row of ${shownName(table)}; correct it first`,
        row.value,
      )
  }
}
