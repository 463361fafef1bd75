import type { IdStorage } from '@snoflax/core'
import { quoteName } from '@snoflax/core/adapter'
import type { Phase } from '../adoption.js'
import { fillPart } from '../backfill.js'
import { relationsOf } from '../code-uses.js'
import {
  type Driver,
  type MadeId,
  mapOf,
  type Open,
  type Patience,
  type Statements,
  type StoredColumn,
  type TimeColumn,
} from '../driver.js'
import { Obstacles, refuse } from '../obstacles.js'
import type { BackfillOptions } from '../options.js'
import { legacyIndexes, pathOf, placeOf, type RootPlan, shownName, tablesOf } from '../plan.js'
import { retypedIn } from '../references.js'
import { type Round, readRounds } from '../state.js'
import type { Work } from '../work.js'
import * as catalog from './catalog.js'
import { OWN } from './catalog.js'
import { noteCode } from './code.js'
import { readShadow } from './create-table.js'
import { finishMigration, switchMigration, withBackticks } from './migrations.js'
import { noteLegacyUses, noteObstacles } from './obstacles.js'
import { noteRights } from './rights.js'
import { literal, lockName, type MariadbClient, MariadbSession, withConnection } from './session.js'
import {
  copyOf,
  dropFences,
  dropShadowKeys,
  EVENTS,
  fence,
  fencedTables,
  isBinary,
  isNumber,
  type MariadbDetails,
  type MariadbPlan,
  old,
  shadow,
  shadowName,
  statementsOf,
  type TablePlan,
} from './statements.js'

export const openMariadb =
  (client: MariadbClient): Open<MariadbDetails> =>
  (work, isAlone = false) =>
    withConnection(client, isAlone, (connection) => work(new MariadbDriver(connection)))

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

  textOf(value: string): string {
    return `CAST(CONVERT(${value} USING utf8mb4) AS BINARY)`
  }

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

  forClients = withBackticks

  blockedTables({ details }: MariadbPlan): readonly string[] {
    return details.fenced
  }

  /** The fence belongs to the session: when it ends, others can write again. */
  *locked<Result>(plan: MariadbPlan, patience: Patience, work: () => Work<Result>): Work<Result> {
    yield* this.waitFor(patience)
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

  noteRights(_: readonly string[], obstacles: Obstacles): Work<void> {
    return noteRights(this, obstacles)
  }

  *detailsOf(
    plan: Pick<MariadbPlan, 'roots' | 'columns'>,
    obstacles: Obstacles,
    all: readonly StoredColumn[],
  ): Work<MariadbDetails> {
    const names = tablesOf(plan.columns)
    if (names.length === 0) return { tables: [], fenced: [], counters: {} }
    yield* noteObstacles(this, names, obstacles)
    const relations = relationsOf(all, plan.columns)
    yield* noteCode(this, names, relations, obstacles)
    const foreignKeys = yield* catalog.readForeignKeys(this)
    const tables: TablePlan[] = []
    const counters: Record<string, string> = {}
    for (const table of names) {
      const known = yield* catalog.readColumns(this, table)
      const retyped = retypedIn(plan, table)
      tables.push({
        table,
        create: yield* readShadow(this, shadowName(names, table), retyped, known, relations, obstacles),
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
      ...roots.map((_, number) => mapOf(this, number)),
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
    return isNumber(keyType) || isBinary(keyType) ? column : this.textOf(column)
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
        const list = mapOf(this, root)
        const key = quoteName(roots[root]?.key as string)
        for (const { round, total } of yield* readRounds(this, one.table)) {
          const from = `${list} AS l JOIN ${one.table} AS t ON l.round = ${round} AND t.${key} = l."key"`
          yield* this.fillShadow(plan, i, { round, total, from, position: 'l.position' }, options)
        }
      } else if (one.primary.length > 0) {
        const list = this.own(`rows_${i + 1}`)
        const primary = one.primary.map(quoteName)
        yield* this.run([
          `CREATE TABLE IF NOT EXISTS ${list} (PRIMARY KEY (snoflax_position))
  SELECT row_number() OVER (ORDER BY ${primary.join(', ')}) AS snoflax_position, ${primary.join(', ')} FROM ${one.table}`,
        ])
        const [count] = yield* this.query<{ total: string }>(`SELECT count(*) AS total FROM ${list}`)
        const total = Number(count?.total)
        const from = `${list} AS l JOIN ${one.table} AS t ON ${primary.map((name) => `t.${name} = l.${name}`).join(' AND ')}`
        yield* this.fillShadow(plan, i, { round: 1, total, from, position: 'l.snoflax_position' }, options)
      }
    }
  }

  private *fillShadow(
    plan: MariadbPlan,
    number: number,
    { from, position, ...round }: Pick<Round, 'round' | 'total'> & { from: string; position: string },
    options: BackfillOptions,
  ): Work<void> {
    const one = plan.details.tables[number] as TablePlan
    const { replaced, names, values, joins, isReady } = copyOf(this, plan, one)
    const part = { table: one.table, columns: replaced, ...round, rowsAUnit: 1 }
    // A row with a unique value that a copied row has had since is left to the switch.
    yield* fillPart(this, part, options, (after, to) =>
      this.query(
        `INSERT IGNORE INTO ${shadow(number)} (${names}) SELECT ${values} FROM ${from} ${joins}
          WHERE ${position} > ${after} AND ${position} <= ${to} ${isReady}`,
      ),
    )
  }

  /** Copies rows inserted since the backfill, so that the switch has less to do. */
  prepareSwitch(plan: MariadbPlan): Work<void> {
    return this.fillReferences(plan, {})
  }

  *finish(plan: MariadbPlan, patience: Patience): Work<void> {
    const obstacles = new Obstacles()
    yield* noteLegacyUses(this, plan.columns, obstacles)
    obstacles.refuse()
    yield* this.waitFor(patience)
    const { keep, finish } = this.statements(plan)
    yield* this.run([...keep, ...finish])
  }

  statements = (plan: MariadbPlan): Statements => statementsOf(this, plan)
}
