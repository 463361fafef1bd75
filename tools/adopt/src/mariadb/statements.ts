import { quoteName } from '@snoflax/core/adapter'
import { type Driver, mapOf, type Statements } from '../driver.js'
import type { Obstacles } from '../obstacles.js'
import { legacyIndex, legacyName, mappingOf, type Plan, replacedIn, shownName } from '../plan.js'
import { type RecreatedRows, recreatedRows } from '../recreated-rows.js'
import { type MariadbColumn, type MariadbForeignKey, OWN } from './catalog.js'
import { LOCK_WAIT_TIMEOUT, literal, lockName } from './session.js'

/** A table and its shadow, which replaces it. */
export interface TablePlan {
  readonly table: string
  readonly create: string
  readonly columns: readonly Pick<MariadbColumn, 'name' | 'isText'>[]
  readonly primary: readonly string[]
  readonly foreignKeys: readonly MariadbForeignKey[]
}

export interface MariadbDetails {
  readonly tables: readonly TablePlan[]
  /** Tables closed to writes during the switch: the planned ones, and those whose foreign keys' actions would change them. */
  readonly fenced: readonly string[]
  /** The next AUTO_INCREMENT of an unchanged column, by table. */
  readonly counters: Readonly<Record<string, string>>
}

export type MariadbPlan = Plan<MariadbDetails>

export const EVENTS = ['INSERT', 'UPDATE', 'DELETE'] as const

const TABLE_OPTIONS = 'ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_bin'

/** What the steps run. */
export function statementsOf(db: Pick<Driver, 'own' | 'database'>, plan: MariadbPlan): Statements {
  const { roots, details } = plan
  const { tables, fenced, counters } = details
  const names = tables.map(({ table }) => table)
  const maps = roots.map((_, number) => mapOf(db, number))
  const [state, switched, was] = ['state', 'switched', 'was'].map((name) => db.own(name)) as [
    string,
    string,
    string,
  ]
  const rows = tables.map((_, i) => db.own(`rows_${i + 1}`))
  const drop = (some: readonly string[]): string =>
    `SET STATEMENT foreign_key_checks = 0 FOR DROP TABLE IF EXISTS ${some.join(', ')}`
  // The state is dropped last: as long as it exists, the step can be repeated.
  const dropState = [drop([...maps, ...rows, db.own('round'), switched, was]), drop([state])]
  return {
    create: [
      drop([...tables.map((_, i) => shadow(i)), ...rows, switched, was]),
      `CREATE OR REPLACE TABLE ${db.own('round')} (item varchar(250), round integer, done bigint NOT NULL,
total bigint NOT NULL, last_id text, PRIMARY KEY (item, round)) ${TABLE_OPTIONS}`,
      ...roots.map(
        ({ keyType, type }, i) => `CREATE OR REPLACE TABLE ${maps[i]} (round integer, position bigint,
"key" ${keyType} UNIQUE NOT NULL, time_ms bigint, id ${type} UNIQUE, PRIMARY KEY (round, position)) ${TABLE_OPTIONS}`,
      ),
      `CREATE OR REPLACE TABLE ${state} (phase varchar(20) NOT NULL, plan longtext NOT NULL) ${TABLE_OPTIONS}`,
    ],
    expand: tables.map(({ create }) => create),
    index: [],
    lock: fenced.flatMap((table, i) => EVENTS.map((event) => fence(table, i, event))),
    takeDown: [],
    reconcile: [],
    exchange: [
      ...tables.flatMap((one, i) => reconcile(db, plan, one, i)),
      ...Object.entries(counters).map(
        ([table, counter]) => `ALTER TABLE ${shadowName(names, table)} AUTO_INCREMENT = ${counter}`,
      ),
      `CREATE OR REPLACE TABLE ${switched} ${TABLE_OPTIONS} SELECT 'switched' AS phase, plan FROM ${state}`,
      ...tables.flatMap((one, i) => addShadowKeys(one, i, names)),
      `RENAME TABLE ${[
        ...tables.flatMap(({ table }, i) => [`${table} TO ${old(i)}`, `${shadow(i)} TO ${table}`]),
        `${state} TO ${was}`,
        `${switched} TO ${state}`,
      ].join(', ')}`,
    ],
    settle: [
      drop([...tables.map((_, i) => old(i)), ...rows, was]),
      ...tables.flatMap(renameKeys),
      ...dropFences(fenced),
    ],
    keep: roots.map(
      (
        root,
        i,
      ) => `CREATE OR REPLACE TABLE ${mappingOf(root)} (old ${root.keyType} PRIMARY KEY, new ${root.type} UNIQUE NOT NULL) ${TABLE_OPTIONS}
  SELECT "key" AS old, id AS new FROM ${maps[i]} WHERE id IS NOT NULL`,
    ),
    finish: [...dropLegacy(plan), ...dropState],
    abandon: [...dropFences(fenced), drop(tables.map((_, i) => shadow(i))), ...dropState],
  }
}

export const shadow = (number: number): string => `${OWN}new_${number + 1}`
export const old = (number: number): string => `${OWN}old_${number + 1}`
export const shadowName = (tables: readonly string[], table: string): string => shadow(tables.indexOf(table))

export const isNumber = (type: string): boolean => /^((tiny|small|medium|big)?int|decimal)/.test(type)
export const isBinary = (type: string): boolean => /^(var)?binary|blob/.test(type)

const fenceName = (number: number, event: string): string =>
  `${OWN}fence_${number + 1}_${event.toLowerCase()}`

/** Refuses writes while the switching session exists. The application gets the error of a lock timeout. */
export const fence = (
  table: string,
  number: number,
  event: string,
): string => `CREATE OR REPLACE TRIGGER ${fenceName(number, event)} BEFORE ${event} ON ${table} FOR EACH ROW
  IF is_used_lock(${lockName('fence')}) IS NOT NULL THEN
    SIGNAL SQLSTATE 'HY000' SET MYSQL_ERRNO = ${LOCK_WAIT_TIMEOUT},
      MESSAGE_TEXT = 'snoflax adopt is switching the keys of this table; try again';
  END IF`

export const dropFences = (fenced: readonly string[]): string[] =>
  fenced.flatMap((_, i) => EVENTS.map((event) => `DROP TRIGGER IF EXISTS ${fenceName(i, event)}`))

const ACTIONS = ['CASCADE', 'SET NULL']

/** InnoDB fires no triggers for rows changed by a foreign key's action, so the referenced tables are fenced too. */
export function fencedTables(
  tables: readonly string[],
  foreignKeys: readonly MariadbForeignKey[],
  obstacles: Obstacles,
): string[] {
  const fenced = [...tables]
  for (const table of fenced) {
    for (const { name, target, updateRule, deleteRule } of foreignKeys.filter((one) => one.table === table)) {
      if (fenced.includes(target) || ![updateRule, deleteRule].some((rule) => ACTIONS.includes(rule)))
        continue
      if (target.includes('"."'))
        obstacles.note(
          shownName(table),
          `foreign key ${name} would change its rows from another database; drop it, and create it again after the switch`,
        )
      else fenced.push(target)
    }
  }
  return fenced
}

/** The rows of a shadow, in SQL over the table's alias `t`. */
export function copyOf(
  db: Pick<Driver, 'own' | 'database'>,
  { columns }: MariadbPlan,
  { table, columns: own }: TablePlan,
): RecreatedRows & { readonly isReady: string; readonly isSame: string } {
  const rows = recreatedRows(
    db,
    columns,
    table,
    own.map(({ name }) => name),
  )
  return {
    ...rows,
    isReady: rows.replaced
      .map(({ column }) => `AND (t.${quoteName(column)} IS NULL OR ${rows.idOf(column)} IS NOT NULL)`)
      .join(' '),
    /** Compares bytes, regardless of the collation. */
    isSame: rows.written
      .map(({ name, from, value, isId }) => {
        const isText = !isId && own.some((one) => one.name === from && one.isText)
        const binary = isText ? 'BINARY ' : ''
        return `${binary}s.${quoteName(name)} <=> ${binary}${value}`
      })
      .join(' AND '),
  }
}

/** Makes a shadow equal to its table while writes are refused. */
function reconcile(
  db: Pick<Driver, 'own' | 'database'>,
  plan: MariadbPlan,
  one: TablePlan,
  number: number,
): string[] {
  const { table, primary } = one
  const { replaced, names: into, values, joins, isSame, idOf } = copyOf(db, plan, one)
  const [first] = primary
  const oldOf = (name: string): string =>
    quoteName(replaced.some(({ column }) => column === name) ? legacyName(name) : name)
  const insert = `INSERT INTO ${shadow(number)} (${into}) SELECT ${values} FROM ${table} AS t ${joins}`
  const copy =
    first === undefined
      ? [`DELETE FROM ${shadow(number)}`, insert]
      : [
          `DELETE s FROM ${shadow(number)} AS s LEFT JOIN ${table} AS t
  ON ${primary.map((name) => `t.${quoteName(name)} = s.${oldOf(name)}`).join(' AND ')} ${joins}
  WHERE t.${quoteName(first)} IS NULL OR NOT (${isSame})`,
          `${insert} WHERE NOT EXISTS (SELECT 1 FROM ${shadow(number)} AS s
  WHERE ${primary.map((name) => `s.${quoteName(name)} = ${idOf(name) ?? `t.${quoteName(name)}`}`).join(' AND ')})`,
        ]
  const message = `${shownName(table)}: its copy has other rows; nothing was switched`.slice(0, 128)
  return [
    ...copy,
    `BEGIN NOT ATOMIC
  IF (SELECT count(*) FROM ${table}) <> (SELECT count(*) FROM ${shadow(number)}) THEN
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = ${literal(message)};
  END IF;
END`,
  ]
}

const temporaryKey = (table: number, key: number): string => `${OWN}fk_${table + 1}_${key + 1}`

/** Adds foreign keys without reading rows, since no row violates them. */
export const withoutChecks = (table: string, changes: readonly string[]): string[] =>
  changes.length === 0
    ? []
    : [`SET STATEMENT foreign_key_checks = 0 FOR ALTER TABLE ${table} ${changes.join(', ')}`]

export const dropShadowKeys = ({ foreignKeys }: TablePlan, number: number): string[] =>
  withoutChecks(
    shadow(number),
    foreignKeys.map((_, k) => `DROP FOREIGN KEY IF EXISTS ${temporaryKey(number, k)}`),
  )

export const addKey = (
  { columns, targetColumns, updateRule, deleteRule }: MariadbForeignKey,
  name: string,
  target: string,
): string => {
  // The server reports RESTRICT for a foreign key without an action, and NO ACTION only if it was written.
  const on = (event: string, rule: string): string => (rule === 'RESTRICT' ? '' : ` ON ${event} ${rule}`)
  return (
    `ADD CONSTRAINT ${name} FOREIGN KEY IF NOT EXISTS (${columns.map(quoteName).join(', ')}) REFERENCES ${target}` +
    ` (${targetColumns.map(quoteName).join(', ')})${on('DELETE', deleteRule)}${on('UPDATE', updateRule)}`
  )
}

const addShadowKeys = ({ foreignKeys }: TablePlan, number: number, tables: readonly string[]): string[] =>
  withoutChecks(
    shadow(number),
    foreignKeys.map((key, k) => {
      const target = tables.includes(key.target) ? shadowName(tables, key.target) : key.target
      return addKey(key, temporaryKey(number, k), target)
    }),
  )

/** Names of foreign keys are unique in a database, so they are free once the old tables are dropped. */
const renameKeys = ({ table, foreignKeys }: TablePlan, number: number): string[] =>
  withoutChecks(
    table,
    foreignKeys.flatMap((key, k) => [
      `DROP FOREIGN KEY IF EXISTS ${temporaryKey(number, k)}`,
      addKey(key, quoteName(key.name), key.target),
    ]),
  )

export const dropLegacy = ({ columns, details }: MariadbPlan): string[] =>
  details.tables.map(({ table }) => {
    const own = replacedIn(columns, table)
    return `ALTER TABLE ${table} ${[
      ...own
        .filter(({ isRoot }) => isRoot)
        .map(({ root }) => `DROP INDEX IF EXISTS ${quoteName(legacyIndex(root))}`),
      ...own.map(({ column }) => `DROP COLUMN IF EXISTS ${quoteName(legacyName(column))}`),
    ].join(', ')}`
  })
