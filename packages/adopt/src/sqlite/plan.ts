import type { ReplacedColumn } from '../adoption.js'
import { checkGenerators } from '../check-generators.js'
import { legacyName } from '../column-names.js'
import type { KeyRecipe } from '../key-recipe.js'
import type { AdoptionOptions, TableOptions } from '../options.js'
import { refuse } from '../refusal.js'
import { replacedColumns } from '../replaced-columns.js'
import { type RootPlan, rootPlan } from '../root-plan.js'
import { itemList, mentions, quote, uses } from '../sql-text.js'
import { type Attachment, Catalog, readAttachments } from './catalog.js'
import type { Connection } from './connection.js'
import { retypedTable } from './create-table.js'

/** A table that is made anew, with new types. */
export interface TablePlan {
  readonly table: string
  /** Its statement, for a table named `newTable(table)`. */
  readonly create: string
  /** The columns that are written; of the new table, too. */
  readonly columns: readonly string[]
  readonly attachments: readonly string[]
}

/** What the schema says of an adoption. JSON, so that the plan begun with can be kept and compared. */
export interface Plan {
  readonly roots: readonly RootPlan[]
  readonly columns: readonly ReplacedColumn[]
  readonly tables: readonly TablePlan[]
}

export const newTable = (table: string): string => `snoflax_new_${table}`

/** Reads the schema. @throws {IdError} for what stands in the way. */
export function readPlan(
  connection: Connection,
  options: AdoptionOptions,
  recipes: readonly KeyRecipe[],
): Plan {
  if (options.tables.length === 0) refuse('tables', 'give at least one table')
  for (const table of options.tables) refuseDefault(table)
  const catalog = new Catalog(connection)
  const keys = options.tables.map(({ table }) => catalog.keyOf(table))
  const roots = keys.map((key, i) => {
    const [table, { storage }] = [options.tables[i] as TableOptions, recipes[i] as KeyRecipe]
    return rootPlan(table, storage, key, catalog.column(key.table, key.column).type)
  })
  const columns = replacedColumns(keys, catalog.foreignKeys, ({ table, column }) => {
    const { notNull, key } = catalog.column(table, column)
    return notNull > 0 || key > 0
  })
  checkGenerators(
    keys.map(({ table }) => table),
    recipes,
  )
  const attachments = readAttachments(connection)
  const tables = [...new Set(columns.map(({ table }) => table))].sort()
  refuseVirtualTables(catalog, tables)
  return {
    roots,
    columns,
    tables: tables.map((table) =>
      tablePlan(catalog, table, columns, roots, attachments, options.allowTriggers ?? []),
    ),
  }
}

function refuseDefault({ table, default: value }: TableOptions): void {
  if (value !== undefined) refuse(table, 'SQLite columns get no default here; leave it out', value)
}

function tablePlan(
  catalog: Catalog,
  table: string,
  columns: readonly ReplacedColumn[],
  roots: readonly RootPlan[],
  attachments: readonly Attachment[],
  allowTriggers: readonly string[],
): TablePlan {
  const retyped = columns
    .filter((one) => one.table === table)
    .map(({ column, isRoot, root }) => ({ column, isRoot, type: roots[root]?.type as string }))
  const known = catalog.columnsOf(table)
  for (const { column } of retyped) {
    if (known.some(({ name }) => name === legacyName(column)))
      refuse(`${table}.${column}`, `the table already has a column ${legacyName(column)}`)
  }
  const own = attachments.filter((one) => one.table === table)
  for (const one of own) {
    if (one.kind === 'index')
      refuseIndex(
        one,
        retyped.map(({ column }) => column),
      )
    else if (!allowTriggers.includes(one.name)) {
      refuse(
        table,
        `trigger ${one.name} may know the old key; drop it, or name it in allowTriggers once you have looked at it`,
      )
    }
  }
  return {
    table,
    create: retypedTable(table, catalog.table(table).sql, newTable(table), retyped),
    columns: known.filter(({ hidden }) => hidden === 0).map(({ name }) => name),
    attachments: own.map(({ sql }) => sql),
  }
}

/** An index over the column itself carries over as it is written; one over an expression may mean its old values. */
function refuseIndex({ table, name, sql }: Attachment, columns: readonly string[]): void {
  const list = itemList(sql, sql.search(/\bON\b/i))
  const special = [
    ...(list?.items ?? []).filter((item) => /[(]|\bCOLLATE\b/i.test(item)),
    sql.slice(list?.end),
  ]
  const used = columns.find((column) => special.some((text) => uses(text, column)))
  if (used === undefined) return
  refuse(
    `${table}, index ${name}`,
    `it has ${used} in an expression, predicate or collation; drop it, and create it again after the switch`,
  )
}

/** A full-text table finds its rows by the integer keys that are to go. */
function refuseVirtualTables(catalog: Catalog, tables: readonly string[]): void {
  for (const { name, sql } of catalog.tables) {
    const table = /^CREATE VIRTUAL/i.test(sql) && tables.find((one) => mentions(sql, one))
    if (table)
      refuse(table, `the virtual table ${name} refers to it; drop it, and create it again after the switch`)
  }
}

export const quoted = (names: readonly string[]): string => names.map(quote).join(', ')
