import type { ReplacedColumn } from '../adoption.js'
import { checkGenerators } from '../check-generators.js'
import { newName } from '../column-names.js'
import type { KeyRecipe } from '../key-recipe.js'
import type { AdoptionOptions, TableOptions } from '../options.js'
import { refuse } from '../refusal.js'
import { pathOf, replacedColumns } from '../replaced-columns.js'
import { type RootPlan, rootPlan } from '../root-plan.js'
import { type ItemList, itemList, quote, shownName, uses } from '../sql-text.js'
import {
  type Index,
  keyOf,
  type PostgresForeignKey,
  readColumns,
  readForeignKeys,
  readIndexes,
  resolveTable,
} from './catalog.js'
import { refuseObstacles } from './obstacles.js'
import type { Session } from './session.js'

/** An index over new columns, built under a name of its own that the switch changes. */
export interface IndexPlan {
  readonly table: string
  readonly schema: string
  readonly temporary: string
  readonly name: string
  readonly definition: string
  /** What the switch makes of it. */
  readonly constraint: string | undefined
  /** Whether it takes the place of an index over old columns. */
  readonly replaces: boolean
}

/** What the catalog says of an adoption. JSON, so that the plan begun with can be kept and compared. */
export interface Plan {
  readonly roots: readonly RootPlan[]
  readonly columns: readonly ReplacedColumn[]
  readonly foreignKeys: readonly PostgresForeignKey[]
  readonly indexes: readonly IndexPlan[]
}

/** Reads the catalog. @throws {IdError} for what stands in the way. */
export async function readPlan(
  session: Session,
  options: AdoptionOptions,
  recipes: readonly KeyRecipe[],
): Promise<Plan> {
  if (options.tables.length === 0) refuse('tables', 'give at least one table')
  // With nothing on the search path but the catalog, the definitions that the server writes name their schemas.
  const tables: string[] = []
  for (const { table } of options.tables) tables.push(await resolveTable(session, table))
  await session.query('SET LOCAL search_path TO pg_catalog')

  const keys = []
  for (const table of tables) keys.push(await keyOf(session, table))
  const foreignKeys = await readForeignKeys(session)
  const columnsOf = await readColumns(session, [
    ...new Set([...tables, ...foreignKeys.map((one) => one.table)]),
  ])
  const columns = replacedColumns(keys, foreignKeys, (key) => columnsOf.get(pathOf(key))?.notNull ?? false)
  for (const { table } of columns) await resolveTable(session, table)
  await refuseObstacles(session, columns, options.allowTriggers ?? [])

  checkGenerators(tables.map(shownName), recipes)
  const roots = keys.map((key, i) => {
    const [table, { storage }] = [options.tables[i] as TableOptions, recipes[i] as KeyRecipe]
    return rootPlan(table, storage, key, columnsOf.get(pathOf(key))?.type as string)
  })
  const indexes = await readIndexes(session, [...new Set(columns.map(({ table }) => table))])
  const touched = foreignKeys.filter(({ table, columns: own }) =>
    own.some((column) => isReplaced(columns, table, column)),
  )
  return { roots, columns, foreignKeys: touched, indexes: planIndexes(indexes, columns) }
}

const isReplaced = (columns: readonly ReplacedColumn[], table: string, column: string): boolean =>
  columns.some((one) => one.table === table && one.column === column)

function planIndexes(indexes: readonly Index[], columns: readonly ReplacedColumn[]): IndexPlan[] {
  const touched = indexes.filter(({ table, columns: own, expressions }) =>
    columns.some((one) => one.table === table && (own.includes(one.column) || uses(expressions, one.column))),
  )
  const replacing = touched.map((index, i) => replacingIndex(index, columns, temporaryName(i)))
  const legacy = columns
    .filter(({ isRoot }) => isRoot)
    .map((root, i) => legacyIndex(root, indexes, temporaryName(touched.length + i)))
  return [...replacing, ...legacy]
}

const temporaryName = (number: number): string => `snoflax_new_${number + 1}`

function replacingIndex(index: Index, columns: readonly ReplacedColumn[], temporary: string): IndexPlan {
  const replaced = columns.filter(({ table }) => table === index.table).map(({ column }) => column)
  const place = `${shownName(index.table)}, index ${index.name}`
  const used = replaced.find((column) => uses(index.expressions, column))
  if (used !== undefined)
    refuse(
      place,
      `it has ${used} in an expression or predicate; drop it, and create it again after the switch`,
    )
  if (index.method !== 'btree') refuse(place, `a ${index.method} index cannot be carried over; drop it first`)
  if (index.definition.includes(') NULLS NOT DISTINCT'))
    refuse(
      place,
      'it takes nulls for equal, and new columns have null until they are filled; drop it, and create it again after the switch',
    )
  const { table, schema, name, constraint } = index
  return {
    table,
    schema,
    temporary,
    name,
    definition: onNewColumns(index, replaced, temporary),
    constraint: constraint
      ? `${constraint.kind === 'p' ? 'PRIMARY KEY' : 'UNIQUE'} USING INDEX ${quote(temporary)}${deferral(constraint.definition)}`
      : undefined,
    replaces: true,
  }
}

const deferral = (definition: string): string => /( DEFERRABLE.*)?$/.exec(definition)?.[1] ?? ''

/** How the server begins an index's definition: whether it is unique, and where it lies. */
const HEAD = /^CREATE (UNIQUE )?INDEX (?:"(?:[^"]|"")*"|[^\s"]+)( ON (?:"(?:[^"]|"")*"|[^\s"])+ USING \w+ )/

/** The same index over the new columns, built without locking writers out. */
function onNewColumns(
  { definition, columns }: Index,
  replaced: readonly string[],
  temporary: string,
): string {
  const [head, unique = '', place] = HEAD.exec(definition) as unknown as [string, string | undefined, string]
  const key = itemList(definition, head.length) as ItemList
  const hasInclude = definition.slice(key.end).startsWith(') INCLUDE (')
  const lists = hasInclude ? [key, itemList(definition, key.end + 1) as ItemList] : [key]
  const items = lists.flatMap((list) => list.items)
  if (items.length !== columns.length) throw new Error(`unreadable index: ${definition}`)

  const item = (text: string, column: string | null | undefined): string =>
    column != null && replaced.includes(column) ? `${quote(newName(column))}${direction(text)}` : text
  let [text, from, number] = [place, head.length, 0]
  for (const list of lists) {
    const written = list.items.map((one) => item(one, columns[number++]))
    text += `${definition.slice(from, list.start)}${written.join(', ')}`
    from = list.end
  }
  return `CREATE ${unique}INDEX CONCURRENTLY ${quote(temporary)}${text}${definition.slice(from)}`
}

/** What follows an item's column, without operator classes and collations, which are the old type's. */
const direction = (item: string): string => /((?: DESC)?(?: NULLS (?:FIRST|LAST))?)$/.exec(item)?.[1] ?? ''

/** Old keys stay searchable, for links out there, until the end. */
function legacyIndex(
  { table, column }: ReplacedColumn,
  indexes: readonly Index[],
  temporary: string,
): IndexPlan {
  const { schema } = indexes.find((one) => one.table === table && one.constraint?.kind === 'p') as Index
  return {
    table,
    schema,
    temporary,
    name: temporary.replace('new', 'legacy'),
    definition: `CREATE UNIQUE INDEX CONCURRENTLY ${quote(temporary)} ON ${table} (${quote(column)})`,
    constraint: undefined,
    replaces: false,
  }
}
