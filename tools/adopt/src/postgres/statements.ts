import { keyStatistics, quoteName } from '@snoflax/core/adapter'
import type { ReplacedColumn } from '../adoption.js'
import { type Driver, mapOf, type Statements } from '../driver.js'
import { legacyName, mappingOf, newName, type Plan, type RootPlan, rootOf, tablesOf } from '../plan.js'
import { idBeside, newTypeOf, newValueOf } from '../references.js'
import { stateStatements, switchedStatement } from '../state.js'
import { IN_CATALOG } from './catalog.js'
import { dropIndex, type IndexPlan, type PostgresDetails } from './details.js'
import type { Recreated } from './recreated.js'
import { lockStatements } from './session.js'
import { END_SILENCE } from './triggers.js'

export type PostgresPlan = Plan<PostgresDetails>

export const SCHEMA = 'snoflax_adoption'

/** What the steps run. */
export function statementsOf(db: Pick<Driver, 'own'>, { roots, columns, details }: PostgresPlan): Statements {
  const { foreignKeys, indexes, recreated, silenced } = details
  const late = recreated.filter(({ isIndex }) => isIndex)
  const others = recreated.filter(({ isIndex }) => !isIndex)
  return {
    create: [
      `CREATE SCHEMA ${SCHEMA}`,
      KEEP_OUT,
      ...stateStatements(db),
      ...roots.flatMap((root, number) => createMap(mapOf(db, number), root)),
    ],
    expand: columns.map((one) => addColumn(one, roots)),
    index: indexes.map(({ definition }) => definition),
    lock: lockStatements(parentsFirst({ columns, details })),
    takeDown: takeDown(others),
    reconcile: columns.filter(({ isRoot }) => !isRoot).flatMap((one) => reconcileStatements(one, roots)),
    exchange: [
      // Pending deferred triggers of rows filled in this transaction would prevent ALTER TABLE.
      'SET CONSTRAINTS ALL IMMEDIATE',
      ...(silenced ? [END_SILENCE] : []),
      ...foreignKeys.map(({ owner, name }) => `ALTER TABLE ${owner} DROP CONSTRAINT ${quoteName(name)}`),
      ...takeDown(late),
      ...indexes
        .filter(({ replaces }) => replaces)
        .map(({ table, schema, name, constraint }) =>
          dropIndex(table, schema, name, constraint === undefined ? undefined : name),
        ),
      ...columns.flatMap(exchangeColumn),
      ...indexes.flatMap((index) => [renameTemporary(index), ...index.extras]),
      ...late.flatMap(({ putBack }) => putBack),
      ...roots.flatMap(({ table, key, default: value }) =>
        value === undefined
          ? []
          : [`ALTER TABLE ${table} ALTER COLUMN ${quoteName(key)} SET DEFAULT ${value}`],
      ),
      // Before PostgreSQL 18, foreign keys of partitioned tables are validated at once.
      ...foreignKeys.map(
        ({ owner, name, definition, isPartitioned }) =>
          `ALTER TABLE ${owner} ADD CONSTRAINT ${quoteName(name)} ${definition}${isPartitioned ? '' : ' NOT VALID'}`,
      ),
      ...foreignKeys.flatMap(({ comment }) => comment ?? []),
      ...(others.length > 0 ? [IN_CATALOG, ...others.flatMap(({ putBack }) => putBack)] : []),
      switchedStatement(db),
    ],
    // Reads the tables without blocking other sessions.
    settle: foreignKeys
      .filter(({ validated, isPartitioned }) => validated && !isPartitioned)
      .map(({ owner, name }) => `ALTER TABLE ${owner} VALIDATE CONSTRAINT ${quoteName(name)}`),
    keep: roots.flatMap((root) => {
      const mapping = mappingOf(root)
      return [
        `DROP TABLE IF EXISTS ${mapping}`,
        `CREATE TABLE ${mapping} AS SELECT ${quoteName(legacyName(root.key))} AS old, ${quoteName(root.key)} AS new
  FROM ${root.table} WHERE ${quoteName(legacyName(root.key))} IS NOT NULL`,
        `ALTER TABLE ${mapping} ADD PRIMARY KEY (old), ADD UNIQUE (new)`,
      ]
    }),
    finish: [...columns.map((one) => dropColumn(one, legacyName)), DROP_STATE],
    abandon: [
      ...columns.map((one) => dropColumn(one, newName)),
      ...indexes.map((index) => `DROP INDEX IF EXISTS ${temporaryName(index)}`),
      DROP_STATE,
    ],
  }
}

/** Default privileges of the adopting role may let others into its schemas, where they could change the plan. */
const KEEP_OUT = `DO $$
DECLARE
  other text;
BEGIN
  FOR other IN
    SELECT DISTINCT CASE grantee WHEN 0 THEN 'PUBLIC' ELSE grantee::regrole::text END
      FROM pg_namespace, aclexplode(nspacl) WHERE nspname = '${SCHEMA}' AND grantee <> nspowner
  LOOP
    EXECUTE format('REVOKE ALL ON SCHEMA ${SCHEMA} FROM %s CASCADE', other);
  END LOOP;
END $$`

const DROP_STATE = `DROP SCHEMA ${SCHEMA} CASCADE`

/** The key keeps its type and collation, so that it can be compared by an index. */
const createMap = (map: string, { table, key }: RootPlan): string[] => [
  `CREATE TABLE ${map} AS SELECT 0 AS round, 0::bigint AS position, ${quoteName(key)} AS key, 0::numeric AS time_ms
  FROM ${table} WITH NO DATA`,
  `ALTER TABLE ${map} ADD PRIMARY KEY (round, position)`,
]

export const temporaryName = ({ schema, temporary }: IndexPlan): string => `${schema}.${quoteName(temporary)}`

/** Sorts views last, and those that read others first. */
export const takeDown = (recreated: readonly Recreated[]): string[] =>
  [...recreated].reverse().flatMap((one) => one.takeDown)

export function addColumn(one: ReplacedColumn, roots: readonly RootPlan[]): string {
  const name = quoteName(newName(one.column))
  const type = newTypeOf(roots, one)
  const statistics = one.isRoot && type === 'uuid' ? `, ${keyStatistics(name)}` : ''
  return `ALTER TABLE ${one.table} ADD COLUMN IF NOT EXISTS ${name} ${type}${statistics}`
}

const renameTemporary = (index: IndexPlan): string =>
  index.constraint
    ? `ALTER TABLE ${index.table} ADD CONSTRAINT ${quoteName(index.name)} ${index.constraint}`
    : `ALTER INDEX ${temporaryName(index)} RENAME TO ${quoteName(index.name)}`

export function exchangeColumn({ table, column, notNull }: ReplacedColumn): string[] {
  const [own, legacy] = [quoteName(column), quoteName(legacyName(column))]
  return [
    `ALTER TABLE ${table} RENAME COLUMN ${own} TO ${legacy}`,
    `ALTER TABLE ${table} RENAME COLUMN ${quoteName(newName(column))} TO ${own}`,
    `ALTER TABLE ${table} ALTER COLUMN ${legacy} DROP IDENTITY IF EXISTS, ALTER COLUMN ${legacy} DROP DEFAULT`,
    `ALTER TABLE ${table} ALTER COLUMN ${legacy} DROP NOT NULL`,
    ...(notNull ? [`ALTER TABLE ${table} ALTER COLUMN ${own} SET NOT NULL`] : []),
  ]
}

const dropColumn = ({ table, column }: ReplacedColumn, nameOf: (column: string) => string): string =>
  `ALTER TABLE ${table} DROP COLUMN IF EXISTS ${quoteName(nameOf(column))}`

/** Tables, each after those that it refers to. */
export function parentsFirst({
  columns,
  details: { foreignKeys },
}: Pick<PostgresPlan, 'columns' | 'details'>): string[] {
  const rest = new Set(tablesOf(columns))
  const ordered: string[] = []
  while (rest.size > 0) {
    const isChild = (table: string): boolean =>
      foreignKeys.some((one) => one.table === table && one.target !== table && rest.has(one.target))
    // Tables that refer to each other have no order.
    const free = [...rest].filter((table) => !isChild(table))
    for (const table of free.length > 0 ? free : [...rest].slice(0, 1)) {
      ordered.push(table)
      rest.delete(table)
    }
  }
  return ordered
}

export function fillBlocks(
  roots: readonly RootPlan[],
  table: string,
  followers: readonly ReplacedColumn[],
): string {
  const set = followers.map((one) => `${quoteName(newName(one.column))} = ${newValue(roots, one)}`)
  const isEmpty = followers.map(
    ({ column }) => `t.${quoteName(newName(column))} IS NULL AND t.${quoteName(column)} IS NOT NULL`,
  )
  return `UPDATE ${table} AS t SET ${set.join(', ')}
   WHERE t.ctid >= $1::tid AND t.ctid < $2::tid AND (${isEmpty.join(' OR ')})`
}

const newValue = (roots: readonly RootPlan[], one: ReplacedColumn): string =>
  newValueOf(
    'PostgreSQL',
    one,
    `t.${quoteName(one.column)}`,
    't',
    idBeside('PostgreSQL', roots, one, quoteName, (name) => quoteName(newName(name))),
  )

/** Sets new values that differ from those for the old ones, in rows inserted or updated since. */
function reconcileStatements(one: ReplacedColumn, roots: readonly RootPlan[]): string[] {
  const { table, column } = one
  const { table: target, key } = rootOf(roots, one)
  if (one.via !== undefined) {
    const [added, value] = [quoteName(newName(column)), newValue(roots, one)]
    return [`UPDATE ${table} AS t SET ${added} = ${value} WHERE t.${added} IS DISTINCT FROM ${value}`]
  }
  const [own, added, id] = [quoteName(column), quoteName(newName(column)), quoteName(newName(key))]
  return [
    `UPDATE ${table} AS t SET ${added} = r.${id} FROM ${target} AS r WHERE r.${quoteName(key)} = t.${own} AND t.${added} IS DISTINCT FROM r.${id}`,
    `UPDATE ${table} SET ${added} = NULL WHERE ${own} IS NULL AND ${added} IS NOT NULL`,
  ]
}
