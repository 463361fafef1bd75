import { quoteName } from '@snoflax/core/adapter'
import type { ReplacedColumn } from '../adoption.js'
import type { Relations } from '../code-uses.js'
import { mentions } from '../code-uses.js'
import type { Obstacles } from '../obstacles.js'
import { type AddedIndex, lastOf, newName, tablesOf } from '../plan.js'
import { isWord, readSql, type SqlToken } from '../read-sql.js'
import { type Edit, edited, firstList, replacing, textOf } from '../sql-edits.js'
import type { Work } from '../work.js'
import { type Index, type PostgresForeignKey, readForeignKeys, readIndexes } from './catalog.js'
import { noteCode } from './code.js'
import { noteObstacles, readWarnings } from './obstacles.js'
import { type Recreated, readRecreated } from './recreated.js'
import type { PostgresSession } from './session.js'
import { checkTriggers } from './triggers.js'

export interface PostgresDetails {
  readonly foreignKeys: readonly PostgresForeignKey[]
  readonly indexes: readonly IndexPlan[]
  /** Whether triggers are disabled while rows are filled. */
  readonly silenced: boolean
  /** Read again at the switch, since it may change until then. */
  readonly recreated: readonly Recreated[]
  readonly warnings: readonly string[]
}

/** An index over new columns, which have their names until the switch; it gives the index its final name. */
export interface IndexPlan extends AddedIndex {
  readonly schema: string
  readonly temporary: string
  readonly definition: string
  /** The statements by which the switch completes it. */
  readonly constraint: string | undefined
  /** Whether it replaces an index over old columns. */
  readonly replaces: boolean
  /** Whether the new types certainly support it. */
  readonly isSure: boolean
  readonly extras: readonly string[]
}

export function* readDetails(
  session: PostgresSession,
  columns: readonly ReplacedColumn[],
  relations: Relations,
  obstacles: Obstacles,
): Work<PostgresDetails> {
  const tables = tablesOf(columns)
  yield* noteObstacles(session, columns, obstacles)
  const indexes = yield* readIndexes(session, tables)
  const touched = indexes.filter((index) => touches(index, columns))
  const late = touched.filter(isLate)
  const foreignKeys = yield* readForeignKeys(session)
  const roots = columns.filter(({ isRoot }) => isRoot)
  const built = touched.filter((index) => !isLate(index))
  const others = yield* readRecreated(session, columns)
  const recreated = [...late.map(recreatedIndex), ...others.recreated]
  for (const { what } of recreated) obstacles.list(what, 'recreated', 'created again by the switch')
  for (const { name } of built) obstacles.list(`index ${name}`, 'recreated', 'built over the new keys')
  const expressions = touched
    .filter((one) => one.expressions !== '')
    .map(({ name, owner, expressions: sql }) => ({ name: `index ${name}`, of: lastOf(owner), sql }))
  yield* noteCode(session, columns, [...others.code, ...expressions], relations, obstacles)
  const silenced = yield* checkTriggers(session, columns, relations, obstacles)
  return {
    foreignKeys: foreignKeys.filter(({ table, columns: own }) =>
      columns.some((one) => one.table === table && own.includes(one.column)),
    ),
    indexes: [
      ...built.map((index, i) => replacingIndex(index, columns, newIndexName(i))),
      ...roots.map((root, i) => oldKeyIndex(root, indexes, newIndexName(built.length + i))),
    ],
    silenced,
    recreated,
    warnings: yield* readWarnings(session, columns),
  }
}

const touches = ({ table, columns: own, expressions }: Index, columns: readonly ReplacedColumn[]): boolean =>
  columns.some(
    (one) => one.table === table && (own.includes(one.column) || mentions(expressions, one.column)),
  )

/** New columns are null until they are filled, and indexes of partitioned tables can't be built concurrently. */
const isLate = ({ definition, isPartitioned }: Index): boolean =>
  isPartitioned || definition.includes(') NULLS NOT DISTINCT')

const recreatedIndex = ({ owner, schema, name, constraint, definition, extras }: Index): Recreated => ({
  what: `index ${name}`,
  isIndex: true,
  takeDown: [dropIndex(owner, schema, name, constraint?.name)],
  putBack: [
    constraint
      ? `ALTER TABLE ${owner} ADD CONSTRAINT ${quoteName(constraint.name)} ${constraint.definition}`
      : definition.replace(' ON ONLY ', ' ON '),
    ...extras,
  ],
})

export const dropIndex = (
  owner: string,
  schema: string,
  name: string,
  constraint: string | undefined,
): string =>
  constraint === undefined
    ? `DROP INDEX ${schema}.${quoteName(name)}`
    : `ALTER TABLE ${owner} DROP CONSTRAINT ${quoteName(constraint)}`

const newIndexName = (number: number): string => `snoflax_new_${number + 1}`

function replacingIndex(index: Index, columns: readonly ReplacedColumn[], temporary: string): IndexPlan {
  const { owner, table, schema, name, constraint } = index
  const replaced = columns.filter((one) => one.table === table).map(({ column }) => column)
  const definition = constraint?.definition ?? ''
  const deferrable = definition.indexOf(' DEFERRABLE')
  const deferral = deferrable < 0 ? '' : definition.slice(deferrable)
  return {
    table: owner,
    schema,
    temporary,
    name,
    definition: onNewColumns(index, replaced, temporary),
    constraint: constraint
      ? `${constraint.kind === 'p' ? 'PRIMARY KEY' : 'UNIQUE'} USING INDEX ${quoteName(temporary)}${deferral}`
      : undefined,
    replaces: true,
    isPlain: index.method === 'btree' && index.expressions === '',
    isSure: index.method === 'btree' && !replaced.some((column) => mentions(index.expressions, column)),
    isUnique: index.definition.startsWith('CREATE UNIQUE'),
    columns: index.columns.map((column) =>
      column !== null && replaced.includes(column) ? newName(column) : column,
    ),
    extras: index.extras,
  }
}

/** The same index over the new columns, built without blocking writes. */
function onNewColumns(
  { definition, columns }: Index,
  replaced: readonly string[],
  temporary: string,
): string {
  // CREATE [UNIQUE] INDEX name ON table USING method (…) [INCLUDE (…)] …
  const tokens = readSql(definition, { dialect: 'postgres' })
  const name = tokens[tokens.findIndex(({ text }) => text === 'INDEX') + 1] as SqlToken
  const key = firstList(tokens)
  const rest = tokens.slice(key.close + 1)
  const include = isWord(rest[0], 'INCLUDE') ? firstList(rest) : undefined
  const items = [...key.items, ...(include?.items ?? [])]
  if (items.length !== columns.length) throw new Error(`cannot read this index definition: ${definition}`)
  const edits = items.flatMap((item, i) => {
    const column = columns[i]
    if (column == null) return renamed(item, replaced)
    if (!replaced.includes(column)) return []
    // Operator class and collation belong to the old type.
    const direction = item.findIndex((token, j) => j > 0 && isWord(token, 'DESC', 'NULLS'))
    const kept = direction < 0 ? '' : ` ${textOf(definition, item.slice(direction))}`
    return [replacing(item, quoteName(newName(column)) + kept)]
  })
  return edited(definition, [
    replacing([name], `CONCURRENTLY ${quoteName(temporary)}`),
    ...edits,
    ...renamed(include ? rest.slice(include.close + 1) : rest, replaced),
  ])
}

/** The columns in an expression or predicate, where the server writes them without their table. */
const renamed = (tokens: readonly SqlToken[], replaced: readonly string[]): Edit[] =>
  tokens.flatMap((token, i) => {
    const [column] = token.parts
    const isColumn = token.parts.length === 1 && column !== undefined && tokens[i + 1]?.text !== '('
    return isColumn && replaced.includes(column) ? [replacing([token], quoteName(newName(column)))] : []
  })

/** An index of the old keys until `finish`, so that old links can be resolved. */
function oldKeyIndex(
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
    isPlain: true,
    isSure: true,
    isUnique: true,
    columns: [column],
    extras: [],
  }
}
