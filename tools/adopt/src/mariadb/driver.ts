import type { IdStorage } from '@snoflax/core'
import { quoteName } from '@snoflax/core/adapter'
import type { Phase } from '../adoption.js'
import { type Driver, type MadeId, mapName, type Open, type Statements, type TimeColumn } from '../driver.js'
import { Obstacles, refuse } from '../obstacles.js'
import type { BackfillOptions } from '../options.js'
import {
  legacyIndex,
  legacyIndexes,
  legacyName,
  type Plan,
  pathOf,
  placeOf,
  type RootPlan,
  replacedIn,
  rootOf,
  shownName,
  tablesOf,
} from '../plan.js'
import { remadeRows } from '../remade.js'
import { readRounds, writeRound } from '../state.js'
import type { Work } from '../work.js'
import * as catalog from './catalog.js'
import { type MariadbColumn, type MariadbForeignKey, OWN } from './catalog.js'
import { literal, lockName, type MariadbClient, MariadbSession, withConnection } from './session.js'

export type { MariadbClient, MariadbConnection } from './session.js'

/** A table and its shadow, which replaces it. */
interface TablePlan {
  readonly table: string
  readonly create: string
  readonly columns: readonly Pick<MariadbColumn, 'name' | 'isText'>[]
  readonly primary: readonly string[]
  readonly foreignKeys: readonly MariadbForeignKey[]
}

interface MariadbDetails {
  readonly tables: readonly TablePlan[]
  /** Tables closed to writes during the switch: the planned ones, and those whose foreign keys' actions would change them. */
  readonly fenced: readonly string[]
  /** The next AUTO_INCREMENT of an unchanged column, by table. */
  readonly counters: Readonly<Record<string, string>>
}

type MariadbPlan = Plan<MariadbDetails>

export const openMariadb =
  (client: MariadbClient): Open<MariadbDetails> =>
  (work, isAlone = false) =>
    withConnection(client, isAlone, (connection) => work(new MariadbDriver(connection)))

const EVENTS = ['INSERT', 'UPDATE', 'DELETE'] as const
const LOCK_WAIT_TIMEOUT = 1205

/**
 * Keeps ids in the map. Shadows of the tables, with new types, are filled while the application runs; the switch makes
 * them equal to the tables while writes are refused, and one RENAME exchanges all of them.
 */
class MariadbDriver extends MariadbSession implements Driver<MariadbDetails> {
  readonly database = 'MariaDB'
  readonly catalog = catalog
  readonly hasNewColumns = false
  readonly switchedBy = 'one RENAME'
  readonly textType = 'char'

  own(name: string): string {
    return `${OWN}${name}`
  }

  *hasState(): Work<boolean> {
    const rows = yield* this.query(
      'SELECT 1 FROM information_schema.tables WHERE table_schema = database() AND table_name = $1',
      [this.own('state')],
    )
    return rows.length > 0
  }

  /** The fence belongs to the session: when it ends, others can write again. */
  *locked<Result>(plan: MariadbPlan, lockTimeoutMs: number, work: () => Work<Result>): Work<Result> {
    this.patienceMs = lockTimeoutMs
    const { fenced, tables } = plan.details
    yield* this.query(`SELECT get_lock(${lockName('fence')}, 0)`)
    try {
      // Each waits for transactions that write its table and began before the fence.
      yield* this.run(fenced.flatMap((table, i) => EVENTS.map((event) => fence(table, i, event))))
      return yield* this.once(work)
    } catch (error) {
      yield* this.trying([...tables.flatMap(dropShadowKeys), ...dropFences(fenced)])
      throw error
    } finally {
      yield* this.trying([`SELECT release_lock(${lockName('fence')})`])
    }
  }

  *detailsOf(
    { roots, columns }: Pick<MariadbPlan, 'roots' | 'columns'>,
    _: readonly string[],
    obstacles: Obstacles,
  ): Work<MariadbDetails> {
    const names = tablesOf(columns)
    if (names.length === 0) return { tables: [], fenced: [], counters: {} }
    yield* catalog.noteObstacles(this, names, columns, obstacles)
    const foreignKeys = yield* catalog.readForeignKeys(this)
    const tables: TablePlan[] = []
    const counters: Record<string, string> = {}
    for (const table of names) {
      const known = yield* catalog.readColumns(this, table)
      const retyped = replacedIn(columns, table).map((one) => ({ ...one, newType: rootOf(roots, one).type }))
      tables.push({
        table,
        create: yield* catalog.readShadow(this, shadowName(names, table), retyped, known, obstacles),
        columns: known
          .filter(({ isGenerated }) => !isGenerated)
          .map(({ name, isText }) => ({ name, isText })),
        primary: yield* catalog.readPrimary(this, table),
        foreignKeys: foreignKeys.filter((one) => one.table === table),
      })
      const { counter } = yield* catalog.readTable(this, shownName(table))
      const isKept = known.some(
        ({ name, isCounter }) => isCounter && !retyped.some(({ column }) => column === name),
      )
      if (isKept && counter !== null) counters[table] = String(counter)
    }
    return { tables, fenced: fencedTables(names, foreignKeys, obstacles), counters }
  }

  addedIndexes = legacyIndexes

  ownTables({ roots, details }: MariadbPlan): string[] {
    const { tables } = details
    return [
      ...roots.map((_, number) => this.own(mapName(number))),
      ...tables.flatMap((_, i) => [shadow(i), old(i), this.own(`rows_${i + 1}`)]),
      ...['round', 'switched', 'was', 'state'].map((name) => this.own(name)),
    ]
  }

  migration(plan: MariadbPlan, stage: 'switched' | 'finished'): string[] {
    return [stage === 'switched' ? switchMigration(plan) : finishMigration(this.own('state'), plan)]
  }

  fixedDetails({ tables, fenced }: MariadbDetails): unknown {
    return { tables, fenced }
  }

  /** Creates each shadow without rows, and drops it. */
  *rehearse({ details }: MariadbPlan, _: number, obstacles: Obstacles): Work<void> {
    const trial = this.own('trial')
    for (const [i, { table, create }] of details.tables.entries()) {
      try {
        yield* this.run([create.replace(`IF NOT EXISTS ${shadow(i)}`, trial)])
      } catch (error) {
        obstacles.note(
          shownName(table),
          `it does not fit the new keys: ${(error as Error).message}; change the table first`,
        )
      } finally {
        yield* this.run([`DROP TABLE IF EXISTS ${trial}`])
      }
    }
  }

  *foreignKeyFaults({ details }: MariadbPlan, phase: Phase): Work<string[]> {
    if (phase !== 'switched') return []
    const there = yield* catalog.readForeignKeys(this)
    return details.tables
      .flatMap(({ foreignKeys }) => foreignKeys)
      .filter(({ table, name }) => !there.some((one) => one.table === table && one.name === name))
      .map(
        ({ table, name }) =>
          `${shownName(table)}: foreign key ${name} is missing; run switchKeys() again, or create it`,
      )
  }

  *timeOf({ sql, table, column, unit, timeZone }: TimeColumn) {
    const place = pathOf({ table, column })
    const [found] = yield* this.query<{ type: string }>(
      `SELECT data_type AS type FROM information_schema.columns
        WHERE table_schema = database() AND table_name = $1 AND column_name = $2`,
      [shownName(table), column],
    )
    const ofInstant = (instant: string) =>
      `floor(timestampdiff(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', ${instant}) / 1000)`
    switch (found?.type) {
      case undefined:
        return refuse(place, 'no such column')
      case 'timestamp':
        return { timeMs: ofInstant(sql), order: sql }
      case 'datetime':
      case 'date': {
        // Without time zone tables the server knows UTC only as +00:00.
        if (timeZone === undefined || /^utc$/i.test(timeZone)) return { timeMs: ofInstant(sql), order: sql }
        const zone = literal(timeZone)
        const [known] = yield* this.query<{ time: string | null }>(
          `SELECT convert_tz('2020-01-01', ${zone}, '+00:00') AS time`,
        )
        if (known?.time == null)
          refuse(
            place,
            `the server does not know the time zone ${timeZone}; load the time zone tables with mariadb-tzinfo-to-sql`,
            timeZone,
          )
        return { timeMs: ofInstant(`convert_tz(${sql}, ${zone}, '+00:00')`), order: sql }
      }
      case 'int':
      case 'bigint':
      case 'decimal':
      case 'double':
        if (unit === undefined) return refuse(place, "a numeric column needs a unit, 's' or 'ms'")
        return { timeMs: `floor(${sql} * ${unit === 's' ? 1000 : 1})`, order: sql }
      default:
        return refuse(
          place,
          `a column of type ${found?.type} contains no time; use a column of type timestamp, datetime, date or a numeric type`,
        )
    }
  }

  /** Texts and uuids in code point order. */
  keyOrder({ keyType }: RootPlan, column: string): string {
    return isNumber(keyType) || isBinary(keyType)
      ? column
      : `CAST(CONVERT(${column} USING utf8mb4) AS BINARY)`
  }

  *keysAfter(root: RootPlan, last: unknown, limit: number) {
    if (isBinary(root.keyType))
      refuse(
        placeOf(root),
        `createdAt.key needs a key of text, not ${root.keyType}; use a column, or { from, to }`,
      )
    const order = this.keyOrder(root, quoteName(root.key))
    const rows = yield* this.query<{ key: string }>(
      `SELECT CAST(${quoteName(root.key)} AS char) AS "key" FROM ${root.table}
        ${last === undefined ? '' : `WHERE ${order} > $1`} ORDER BY ${order} LIMIT ${limit}`,
      last === undefined ? [] : [last],
    )
    const keys = rows.map(({ key }) => key)
    const end = keys.at(-1)
    return {
      keys,
      last: end !== undefined && /^(tiny|small|medium|big)?int/.test(root.keyType) ? BigInt(end) : end,
    }
  }

  *storeIds(_: RootPlan, map: string, storage: IdStorage<string>, rows: readonly MadeId[]): Work<void> {
    if (rows.length === 0) return
    const values = rows.map(({ position, id }) => `(${position}, ${literal(storage.toDatabase(id))})`)
    yield* this.query(
      `UPDATE ${map} AS m JOIN (WITH made (position, id) AS (VALUES ${values.join(', ')}) SELECT * FROM made) AS n
         ON n.position = m.position SET m.id = n.id WHERE m.round = ${rows[0]?.round}`,
    )
  }

  *isAnyTaken(_: RootPlan, map: string, storage: IdStorage<string>, ids: readonly string[]): Work<boolean> {
    const values = ids.map((id) => literal(storage.toDatabase(id)))
    const rows = yield* this.query(`SELECT 1 FROM ${map} WHERE id IN (${values.join(', ')}) LIMIT 1`)
    return rows.length > 0
  }

  /** Fills shadows with the rows that have ids; the switch copies later changes. */
  *fillReferences(plan: MariadbPlan, options: BackfillOptions): Work<void> {
    const { roots, details } = plan
    // Foreign keys left by a killed switch would refuse rows whose parents are not copied yet.
    yield* this.run(details.tables.flatMap(dropShadowKeys))
    for (const [i, one] of details.tables.entries()) {
      const root = roots.findIndex(({ table }) => table === one.table)
      if (root >= 0) {
        const list = this.own(mapName(root))
        const key = quoteName(roots[root]?.key as string)
        for (const { round, total } of yield* readRounds(this, one.table))
          yield* this.fillShadow(plan, i, { round, total }, options, {
            from: `${list} AS l JOIN ${one.table} AS t ON t.${key} = l."key"`,
            position: 'l.position',
            where: `l.round = ${round}`,
          })
      } else if (one.primary.length > 0) {
        const list = this.own(`rows_${i + 1}`)
        const primary = one.primary.map(quoteName)
        yield* this.run([
          `CREATE TABLE IF NOT EXISTS ${list} (PRIMARY KEY (snoflax_position))
  SELECT row_number() OVER (ORDER BY ${primary.join(', ')}) AS snoflax_position, ${primary.join(', ')} FROM ${one.table}`,
        ])
        const [count] = yield* this.query<{ total: string }>(`SELECT count(*) AS total FROM ${list}`)
        yield* this.fillShadow(plan, i, { round: 1, total: Number(count?.total) }, options, {
          from: `${list} AS l JOIN ${one.table} AS t ON ${primary.map((name) => `t.${name} = l.${name}`).join(' AND ')}`,
          position: 'l.snoflax_position',
          where: 'true',
        })
      }
    }
  }

  private *fillShadow(
    plan: MariadbPlan,
    number: number,
    { round, total }: { round: number; total: number },
    { batchSize = 1000, onProgress, signal }: BackfillOptions,
    { from, position, where }: { from: string; position: string; where: string },
  ): Work<void> {
    const one = plan.details.tables[number] as TablePlan
    const copy = copyOf(this, plan, one)
    const item = `${one.table} rows`
    const known = (yield* readRounds(this, item)).find((other) => other.round === round)
    const write = (done: number) => writeRound(this, { item, round, done, total, lastId: null })
    for (let done = known?.done ?? 0; done < total; ) {
      signal?.throwIfAborted()
      const end = Math.min(done + batchSize, total)
      const fill = function* (session: MariadbDriver): Work<void> {
        // A row with a unique value that a copied row has had since is left to the switch.
        yield* session.query(
          `INSERT IGNORE INTO ${shadow(number)} (${copy.names}) SELECT ${copy.values} FROM ${from} ${copy.joins}
            WHERE ${where} AND ${position} > ${done} AND ${position} <= ${end} ${copy.isReady}`,
        )
        yield* write(end)
      }
      yield* this.transaction(() => fill(this))
      done = end
      const columns = replacedIn(plan.columns, one.table).map(({ column }) => column)
      onProgress?.({ table: shownName(one.table), columns, done, total, round })
    }
  }

  /** Copies rows inserted since the backfill, so that the switch has less to do. */
  prepareSwitch(plan: MariadbPlan): Work<void> {
    return this.fillReferences(plan, {})
  }

  *finish(plan: MariadbPlan, lockTimeoutMs: number): Work<void> {
    const obstacles = new Obstacles()
    yield* catalog.noteLegacyUses(this, plan.columns, obstacles)
    obstacles.refuse()
    this.patienceMs = lockTimeoutMs
    yield* this.run(this.statements(plan).finish)
  }

  statements(plan: MariadbPlan): Statements {
    const { roots, details } = plan
    const { tables, fenced, counters } = details
    const maps = roots.map((_, number) => this.own(mapName(number)))
    const [state, switched, was] = ['state', 'switched', 'was'].map((name) => this.own(name)) as [
      string,
      string,
      string,
    ]
    const rows = tables.map((_, i) => this.own(`rows_${i + 1}`))
    const drop = (names: readonly string[]): string =>
      `SET STATEMENT foreign_key_checks = 0 FOR DROP TABLE IF EXISTS ${names.join(', ')}`
    // The state is dropped last: as long as it exists, the step can be repeated.
    const dropState = [drop([...maps, ...rows, this.own('round'), switched, was]), drop([state])]
    return {
      create: [
        drop([...tables.map((_, i) => shadow(i)), ...rows, switched, was]),
        `CREATE OR REPLACE TABLE ${this.own('round')} (item varchar(250), round integer, done bigint NOT NULL,
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
        ...tables.flatMap((one, i) => reconcile(this, plan, one, i)),
        ...Object.entries(counters).map(
          ([table, counter]) => `ALTER TABLE ${shadowName(names(tables), table)} AUTO_INCREMENT = ${counter}`,
        ),
        `CREATE OR REPLACE TABLE ${switched} ${TABLE_OPTIONS} SELECT 'switched' AS phase, plan FROM ${state}`,
        ...tables.flatMap((one, i) => addShadowKeys(one, i, names(tables))),
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
      finish: [...dropLegacy(plan), ...dropState],
      abandon: [...dropFences(fenced), drop(tables.map((_, i) => shadow(i))), ...dropState],
    }
  }
}

const TABLE_OPTIONS = 'ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_bin'

const names = (tables: readonly TablePlan[]): string[] => tables.map(({ table }) => table)

const shadow = (number: number): string => `${OWN}new_${number + 1}`
const old = (number: number): string => `${OWN}old_${number + 1}`
const shadowName = (tables: readonly string[], table: string): string => shadow(tables.indexOf(table))

const isNumber = (type: string): boolean => /^((tiny|small|medium|big)?int|decimal)/.test(type)
const isBinary = (type: string): boolean => /^(var)?binary|blob/.test(type)

const fenceName = (number: number, event: string): string =>
  `${OWN}fence_${number + 1}_${event.toLowerCase()}`

/** Refuses writes while the switching session exists. The application gets the error of a lock timeout. */
const fence = (
  table: string,
  number: number,
  event: string,
): string => `CREATE OR REPLACE TRIGGER ${fenceName(number, event)} BEFORE ${event} ON ${table} FOR EACH ROW
  IF is_used_lock(${lockName('fence')}) IS NOT NULL THEN
    SIGNAL SQLSTATE 'HY000' SET MYSQL_ERRNO = ${LOCK_WAIT_TIMEOUT},
      MESSAGE_TEXT = 'snoflax adopt is switching the keys of this table; try again';
  END IF`

const dropFences = (fenced: readonly string[]): string[] =>
  fenced.flatMap((_, i) => EVENTS.map((event) => `DROP TRIGGER IF EXISTS ${fenceName(i, event)}`))

const ACTIONS = ['CASCADE', 'SET NULL']

/** InnoDB fires no triggers for rows changed by a foreign key's action, so the referenced tables are fenced too. */
function fencedTables(
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
function copyOf(driver: MariadbDriver, { columns }: MariadbPlan, { table, columns: own }: TablePlan) {
  const rows = remadeRows(
    driver,
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
function reconcile(driver: MariadbDriver, plan: MariadbPlan, one: TablePlan, number: number): string[] {
  const { table, primary } = one
  const { replaced, names: into, values, joins, isSame, idOf } = copyOf(driver, plan, one)
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
const withoutChecks = (table: string, changes: readonly string[]): string[] =>
  changes.length === 0
    ? []
    : [`SET STATEMENT foreign_key_checks = 0 FOR ALTER TABLE ${table} ${changes.join(', ')}`]

const dropShadowKeys = ({ foreignKeys }: TablePlan, number: number): string[] =>
  withoutChecks(
    shadow(number),
    foreignKeys.map((_, k) => `DROP FOREIGN KEY IF EXISTS ${temporaryKey(number, k)}`),
  )

const addKey = (
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

const dropLegacy = ({ columns, details }: MariadbPlan): string[] =>
  details.tables.map(({ table }) => {
    const own = replacedIn(columns, table)
    return `ALTER TABLE ${table} ${[
      ...own
        .filter(({ isRoot }) => isRoot)
        .map(({ root }) => `DROP INDEX IF EXISTS ${quoteName(legacyIndex(root))}`),
      ...own.map(({ column }) => `DROP COLUMN IF EXISTS ${quoteName(legacyName(column))}`),
    ].join(', ')}`
  })

/** One statement for any client, with quotes around names that every sql_mode accepts. */
const block = (lines: readonly string[]): string =>
  `BEGIN NOT ATOMIC\n${lines.map((line) => `  ${withBackticks(line)}`).join('\n')}\nEND`

const withBackticks = (sql: string): string =>
  sql.replace(
    /'(?:[^'\\]|''|\\.)*(?:'|$)|`(?:[^`]|``)*(?:`|$)|"((?:[^"]|"")*)(?:"|$)/gs,
    (text, name?: string) =>
      name === undefined ? text : `\`${name.replaceAll('""', '"').replaceAll('`', '``')}\``,
  )

const signal = (message: string): string => `SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = ${literal(message)};`

/** Makes the same change in a database whose tables are empty, and none in one that has been adopted. */
function switchMigration({ roots, columns, details: { tables } }: MariadbPlan): string {
  const [first] = roots as [RootPlan]
  const create = tables.map((one, i) => one.create.replace(`IF NOT EXISTS ${shadow(i)}`, () => one.table))
  const keys = tables.flatMap(({ table, foreignKeys }) =>
    withoutChecks(
      table,
      foreignKeys.map((key) => addKey(key, quoteName(key.name), key.target)),
    ),
  )
  return block([
    'IF NOT EXISTS (SELECT 1 FROM information_schema.columns WHERE table_schema = database()',
    `    AND table_name = ${literal(shownName(first.table))} AND (column_name = ${literal(legacyName(first.key))}`,
    `      OR column_name = ${literal(first.key)} AND ${catalog.COLUMN_TYPE} <> ${literal(first.keyType)})) THEN`,
    `  IF ${tablesOf(columns)
      .map((table) => `EXISTS (SELECT 1 FROM ${table})`)
      .join(' OR ')} THEN`,
    `    ${signal('these tables have rows; run snoflax adopt backfill and switch on this database first')}`,
    '  END IF;',
    ...[
      `SET STATEMENT foreign_key_checks = 0 FOR DROP TABLE ${names(tables).join(', ')}`,
      ...create,
      ...keys,
    ].map((statement) => `  ${statement};`),
    'END IF;',
  ])
}

const finishMigration = (state: string, plan: MariadbPlan): string =>
  block([
    `IF EXISTS (SELECT 1 FROM information_schema.tables WHERE table_schema = database() AND table_name = ${literal(state)}) THEN`,
    `  ${signal('run snoflax adopt finish on this database first')}`,
    'END IF;',
    ...dropLegacy(plan).map((statement) => `${statement};`),
  ])
