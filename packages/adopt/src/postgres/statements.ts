import type { ReplacedColumn } from '../adoption.js'
import { legacyName, newName } from '../column-names.js'
import type { RootPlan } from '../root-plan.js'
import { section } from '../script.js'
import { quote } from '../sql-text.js'
import { followersOf, reconcile, tablesOf } from './foreign-keys.js'
import type { Plan } from './plan.js'
import { CREATE_STATE, DROP_STATE } from './state.js'

/** The new columns, empty, beside the old ones. */
export function expandStatements({ roots, columns }: Plan): string[] {
  return columns.map(({ table, column, root }) => {
    const { type } = roots[root] as RootPlan
    return `ALTER TABLE ${table} ADD COLUMN IF NOT EXISTS ${quote(newName(column))} ${type}`
  })
}

export const lockStatements = (plan: Plan): string[] =>
  tablesOf(plan).map((table) => `LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`)

/** New columns take the names, constraints, indexes and defaults of the old ones. */
export function switchStatements(plan: Plan): string[] {
  const { roots, columns, foreignKeys, indexes } = plan
  const replacing = indexes.filter(({ replaces }) => replaces)
  return [
    // What is deferred for rows filled in this transaction would stand in the way of ALTER TABLE.
    'SET CONSTRAINTS ALL IMMEDIATE',
    ...foreignKeys.map(({ table, name }) => `ALTER TABLE ${table} DROP CONSTRAINT ${quote(name)}`),
    ...replacing.map(({ table, schema, name, constraint }) =>
      constraint
        ? `ALTER TABLE ${table} DROP CONSTRAINT ${quote(name)}`
        : `DROP INDEX ${schema}.${quote(name)}`,
    ),
    ...columns.flatMap(exchange),
    ...replacing.map(({ table, schema, temporary, name, constraint }) =>
      constraint
        ? `ALTER TABLE ${table} ADD CONSTRAINT ${quote(name)} ${constraint}`
        : `ALTER INDEX ${schema}.${quote(temporary)} RENAME TO ${quote(name)}`,
    ),
    ...indexes
      .filter(({ replaces }) => !replaces)
      .map(
        ({ schema, temporary, name }) => `ALTER INDEX ${schema}.${quote(temporary)} RENAME TO ${quote(name)}`,
      ),
    ...roots.flatMap(({ table, key, default: value }) =>
      value === undefined ? [] : [`ALTER TABLE ${table} ALTER COLUMN ${quote(key)} SET DEFAULT ${value}`],
    ),
    ...foreignKeys.map(
      ({ table, name, definition }) =>
        `ALTER TABLE ${table} ADD CONSTRAINT ${quote(name)} ${definition} NOT VALID`,
    ),
    "UPDATE snoflax_adoption.state SET phase = 'switched'",
  ]
}

function exchange({ table, column, notNull }: ReplacedColumn): string[] {
  const legacy = quote(legacyName(column))
  return [
    `ALTER TABLE ${table} RENAME COLUMN ${quote(column)} TO ${legacy}`,
    `ALTER TABLE ${table} RENAME COLUMN ${quote(newName(column))} TO ${quote(column)}`,
    `ALTER TABLE ${table} ALTER COLUMN ${legacy} DROP IDENTITY IF EXISTS, ALTER COLUMN ${legacy} DROP DEFAULT`,
    `ALTER TABLE ${table} ALTER COLUMN ${legacy} DROP NOT NULL`,
    ...(notNull ? [`ALTER TABLE ${table} ALTER COLUMN ${quote(column)} SET NOT NULL`] : []),
  ]
}

/** Reads the tables without keeping anyone out. */
export const validateStatements = ({ foreignKeys }: Plan): string[] =>
  foreignKeys
    .filter(({ validated }) => validated)
    .map(({ table, name }) => `ALTER TABLE ${table} VALIDATE CONSTRAINT ${quote(name)}`)

export const finishStatements = ({ columns }: Plan): string[] => [
  ...columns.map(
    ({ table, column }) => `ALTER TABLE ${table} DROP COLUMN IF EXISTS ${quote(legacyName(column))}`,
  ),
  DROP_STATE,
]

export const abandonStatements = ({ columns, indexes }: Plan): string[] => [
  ...columns.map(
    ({ table, column }) => `ALTER TABLE ${table} DROP COLUMN IF EXISTS ${quote(newName(column))}`,
  ),
  ...indexes.map(({ schema, temporary }) => `DROP INDEX IF EXISTS ${schema}.${quote(temporary)}`),
  DROP_STATE,
]

/** The whole move, to be read before it is made. */
export function script(plan: Plan): string {
  const filled = tablesOf(plan).flatMap((table) =>
    followersOf(plan, table).map(({ column }) => `${table}.${column}`),
  )
  return [
    section('backfill: one transaction', CREATE_STATE),
    section('backfill: each on its own', expandStatements(plan)),
    ...plan.roots.map(({ table, key }) => `-- ids in batches: ${table}.${key}`),
    `-- foreign keys in batches: ${filled.join(', ') || 'none'}`,
    section(
      'backfill: each on its own',
      plan.indexes.map(({ definition }) => definition),
    ),
    section('switchKeys: one transaction', [
      ...lockStatements(plan),
      '-- ids for rows that came meanwhile',
      ...reconcile(plan),
      ...switchStatements(plan),
    ]),
    section('switchKeys: each on its own', validateStatements(plan)),
    section('finish: each on its own', finishStatements(plan)),
  ].join('\n')
}
