import { closingOf, isWord, quoteName, readSql, type SqlToken, splitAtCommas } from '@snoflax/core/adapter'
import type { ReplacedColumn } from '../adoption.js'
import type { Work } from '../driver.js'
import { newName, shownName, tablesOf } from '../plan.js'
import { refuse } from '../refusal.js'
import { edited, replacing, textOf, uses } from '../sql-edits.js'
import {
  type Index,
  type PostgresForeignKey,
  readForeignKeys,
  readIndexes,
  refuseObstacles,
  resolveTable,
} from './catalog.js'
import type { PostgresSession } from './session.js'

/** What the switch has to know besides the columns. */
export interface PostgresDetails {
  readonly foreignKeys: readonly PostgresForeignKey[]
  readonly indexes: readonly IndexPlan[]
}

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

/** @throws {IdError} for what could not be carried over. */
export function* readDetails(
  session: PostgresSession,
  columns: readonly ReplacedColumn[],
  allowTriggers: readonly string[],
): Work<PostgresDetails> {
  const tables = tablesOf(columns)
  for (const table of tables) yield* resolveTable(session, table)
  yield* refuseObstacles(session, columns, allowTriggers)
  const indexes = yield* readIndexes(session, tables)
  const foreignKeys = yield* readForeignKeys(session)
  return {
    foreignKeys: foreignKeys.filter(({ table, columns: own }) =>
      columns.some((one) => one.table === table && own.includes(one.column)),
    ),
    indexes: planIndexes(indexes, columns),
  }
}

function planIndexes(indexes: readonly Index[], columns: readonly ReplacedColumn[]): IndexPlan[] {
  const touched = indexes.filter(({ table, columns: own, expressions }) =>
    columns.some(
      (one) =>
        one.table === table &&
        (own.includes(one.column) || uses(readSql(expressions, { dialect: 'postgres' }), one.column)),
    ),
  )
  const replaced = touched.map((index, i) => replacingIndex(index, columns, temporaryName(i)))
  const legacy = columns
    .filter(({ isRoot }) => isRoot)
    .map((root, i) => legacyIndex(root, indexes, temporaryName(touched.length + i)))
  return [...replaced, ...legacy]
}

const temporaryName = (number: number): string => `snoflax_new_${number + 1}`

function replacingIndex(index: Index, columns: readonly ReplacedColumn[], temporary: string): IndexPlan {
  const { table, schema, name, constraint, method, definition, expressions } = index
  const replaced = columns.filter((one) => one.table === table).map(({ column }) => column)
  const place = `${shownName(table)}, index ${name}`
  const special = readSql(expressions, { dialect: 'postgres' })
  const used = replaced.find((column) => uses(special, column))
  if (used !== undefined)
    refuse(
      place,
      `the index uses ${used} in an expression or predicate; drop the index and create it again after the switch`,
    )
  if (method !== 'btree') refuse(place, `an index of type ${method} cannot be copied; drop it first`)
  if (definition.includes(') NULLS NOT DISTINCT'))
    refuse(
      place,
      'the index has NULLS NOT DISTINCT, and new columns are NULL until they are filled; drop the index and create it again after the switch',
    )
  const deferral = /( DEFERRABLE.*)?$/.exec(constraint?.definition ?? '')?.[1] ?? ''
  return {
    table,
    schema,
    temporary,
    name,
    definition: onNewColumns(index, replaced, temporary),
    constraint: constraint
      ? `${constraint.kind === 'p' ? 'PRIMARY KEY' : 'UNIQUE'} USING INDEX ${quoteName(temporary)}${deferral}`
      : undefined,
    replaces: true,
  }
}

/** The same index over the new columns, built without locking writers out. */
function onNewColumns(
  { definition, columns }: Index,
  replaced: readonly string[],
  temporary: string,
): string {
  // CREATE [UNIQUE] INDEX name ON table USING btree (…) [INCLUDE (…)] …
  const tokens = readSql(definition, { dialect: 'postgres' })
  const name = tokens[tokens.findIndex(({ text }) => text === 'INDEX') + 1] as SqlToken
  const key = tokens.findIndex(({ text }) => text === '(')
  const keyEnd = closingOf(tokens, key)
  const include = isWord(tokens[keyEnd + 1], 'INCLUDE') ? keyEnd + 2 : keyEnd
  const items = [
    ...splitAtCommas(tokens.slice(key + 1, keyEnd)),
    ...(include > keyEnd ? splitAtCommas(tokens.slice(include + 1, closingOf(tokens, include))) : []),
  ]
  if (items.length !== columns.length) throw new Error(`unreadable index: ${definition}`)
  const edits = items.flatMap((item, i) => {
    const column = columns[i]
    if (column == null || !replaced.includes(column)) return []
    // Operator class and collation are the old type's.
    const direction = item.findIndex((token, j) => j > 0 && isWord(token, 'DESC', 'NULLS'))
    const kept = direction < 0 ? '' : ` ${textOf(definition, item.slice(direction))}`
    return [replacing(item, quoteName(newName(column)) + kept)]
  })
  return edited(definition, [replacing([name], `CONCURRENTLY ${quoteName(temporary)}`), ...edits])
}

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
    definition: `CREATE UNIQUE INDEX CONCURRENTLY ${quoteName(temporary)} ON ${table} (${quoteName(column)})`,
    constraint: undefined,
    replaces: false,
  }
}
