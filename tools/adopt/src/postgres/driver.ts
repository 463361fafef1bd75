import type { DatabaseValue, IdStorage } from '@snoflax/core'
import { isBytes, quoteName, quoteText } from '@snoflax/core/adapter'
import type { Phase } from '../adoption.js'
import { fillPart } from '../backfill.js'
import { relationsOf } from '../code-uses.js'
import type { Driver, MadeId, Open, Patience, Statements, StoredColumn, TimeColumn } from '../driver.js'
import { Obstacles, refuse } from '../obstacles.js'
import type { BackfillOptions } from '../options.js'
import { newName, pathOf, placeOf, type RootPlan, shownName, tablesOf } from '../plan.js'
import { refuseUnfilled } from '../state.js'
import type { Work } from '../work.js'
import {
  IN_CATALOG,
  inCatalog,
  readAllColumns,
  readColumns,
  readForeignKeys,
  readKey,
  readMembers,
} from './catalog.js'
import { type PostgresDetails, readDetails } from './details.js'
import { addedIndexes, finishMigration, switchMigration } from './migrations.js'
import { noteLeftovers, noteLegacyUses, noteRights } from './obstacles.js'
import { type PostgresClient, PostgresSession, withClient } from './session.js'
import {
  addColumn,
  exchangeColumn,
  fillBlocks,
  type PostgresPlan,
  parentsFirst,
  SCHEMA,
  statementsOf,
  takeDown,
  temporaryName,
} from './statements.js'

export const openPostgres =
  (client: PostgresClient): Open<PostgresDetails> =>
  (work, isAlone = false) =>
    withClient(client, isAlone, (lent) => work(new PostgresDriver(lent)))

const UNDEFINED_TABLE = '42P01'
const INVALID_PARAMETER_VALUE = '22023'
/** Assumed rows per block of 8 kB, to convert a batch of rows to one of blocks. */
const ROWS_A_BLOCK = 50

/** Adds new columns beside the old ones and fills them while the application runs; the switch exchanges their names. */
class PostgresDriver extends PostgresSession implements Driver<PostgresDetails> {
  readonly database = 'PostgreSQL'
  readonly catalog = { readKey, readForeignKeys, readColumns, readAllColumns }
  readonly hasNewColumns = true
  readonly switchedBy = 'one transaction'
  readonly textType = 'text'

  textOf(value: string): string {
    return `CAST(${value} AS text) COLLATE "C"`
  }

  own(name: string): string {
    return `${SCHEMA}.${name}`
  }

  /** The plan in it is SQL that the steps run, so it must come from a role that has the rights of this one anyway. */
  *hasState(): Work<boolean> {
    const [found] = yield* this.query<{ stranger: string | null }>(
      `SELECT (SELECT rolname FROM pg_roles WHERE oid IN (relowner, nspowner) AND NOT rolsuper AND rolname <> current_user
          LIMIT 1) AS stranger
        FROM pg_class JOIN pg_namespace AS s ON s.oid = relnamespace WHERE pg_class.oid = to_regclass($1)`,
      [this.own('state')],
    )
    if (found?.stranger)
      refuse(
        SCHEMA,
        `role ${found.stranger} owns the plan stored in this schema, and so could run SQL with your rights; ` +
          `run this as ${found.stranger}, or drop the schema if no adoption is in progress`,
      )
    return found !== undefined
  }

  prepare({ details }: PostgresPlan): void {
    this.silenced = details.silenced
  }

  blockedTables({ columns }: PostgresPlan): readonly string[] {
    return tablesOf(columns)
  }

  locked<Result>(plan: PostgresPlan, patience: Patience, work: () => Work<Result>): Work<Result> {
    const locked = function* (session: PostgresDriver): Work<Result> {
      yield* session.lock(parentsFirst(plan))
      return yield* work()
    }
    return this.givingWay(patience, () => locked(this))
  }

  /** In a transaction that is rolled back, with the search path of the switch. */
  *checkDefault(table: string, value: string, type: string): Work<void> {
    const refusal = yield* this.refusalOf([
      `CREATE TEMPORARY TABLE snoflax_default (id ${type} DEFAULT ${value})`,
      'DROP TABLE pg_temp.snoflax_default',
    ])
    if (refusal) refuse(table, `PostgreSQL refuses the default ${value}: ${refusal.message}`, value)
  }

  noteRights(tables: readonly string[], obstacles: Obstacles): Work<void> {
    return noteRights(this, tables, obstacles)
  }

  detailsOf(
    { columns }: Pick<PostgresPlan, 'columns'>,
    obstacles: Obstacles,
    all: readonly StoredColumn[],
  ): Work<PostgresDetails> {
    return inCatalog(this, () => readDetails(this, columns, relationsOf(all, columns), obstacles))
  }

  *rehearse(plan: PostgresPlan, lockTimeoutMs: number, obstacles: Obstacles): Work<void> {
    const { recreated, indexes } = plan.details
    yield* noteLeftovers(this, plan.columns, indexes, obstacles)
    if (recreated.length === 0 && indexes.every(({ isSure }) => isSure)) return
    const rehearse = function* (session: PostgresDriver): Work<void> {
      yield* session.lock(parentsFirst(plan))
      yield* session.run([IN_CATALOG])
      const stuck = yield* session.refusalOf(takeDown(recreated))
      if (stuck) return obstacles.note('switchKeys', `${stuck.message}; drop that first`)
      const members = yield* readMembers(session, tablesOf(plan.columns))
      for (const [i, { own, schema }] of members.entries()) {
        const real = quoteName(`snoflax_real_${i}`)
        yield* session.run([
          `ALTER TABLE ${own} RENAME TO ${real}`,
          `CREATE TABLE ${own} (LIKE ${schema}.${real})`,
        ])
      }
      const copies = members.flatMap(({ table, own }) =>
        plan.columns.filter((one) => one.table === table).map((one) => ({ ...one, table: own })),
      )
      yield* session.run(copies.map((one) => addColumn(one, plan.roots)))
      for (const { table, name, definition, temporary, constraint } of indexes) {
        const kept = constraint
          ? [`ALTER TABLE ${table} ADD CONSTRAINT ${quoteName(temporary)} ${constraint}`]
          : []
        const what = `${shownName(table)}, index ${name}`
        yield* session.rehearseOne(what, [definition.replace(' CONCURRENTLY', ''), ...kept], obstacles)
      }
      yield* session.run(copies.flatMap(exchangeColumn))
      for (const { what, putBack } of recreated) {
        // Refreshing takes too long, and is pointless if the tables are empty.
        const statements = putBack.filter((one) => !one.startsWith('REFRESH '))
        yield* session.rehearseOne(what, statements, obstacles)
      }
    }
    yield* this.givingWay({ lockTimeoutMs, blockForMs: undefined }, () => rehearse(this), 'ROLLBACK')
  }

  private *rehearseOne(what: string, statements: readonly string[], obstacles: Obstacles): Work<void> {
    const refusal = yield* this.refusalOf(statements)
    if (refusal === undefined || (refusal.code === UNDEFINED_TABLE && !obstacles.isEmpty)) return
    obstacles.note(
      what,
      `it does not fit the new keys: ${refusal.message}; drop it, and create it again after the switch`,
    )
  }

  *finish(plan: PostgresPlan, patience: Patience): Work<void> {
    const refuseUses = function* (session: PostgresDriver): Work<void> {
      const obstacles = new Obstacles()
      yield* inCatalog(session, () => noteLegacyUses(session, plan.columns, obstacles))
      obstacles.refuse()
    }
    const finish = function* (session: PostgresDriver): Work<void> {
      yield* refuseUses(session)
      yield* session.run(session.statements(plan).finish)
    }
    const keep = this.statements(plan).keep
    yield* this.peek(() => refuseUses(this))
    // Before the locks: it reads all keys, which nobody changes.
    yield* this.transaction(() => this.run(keep))
    yield* this.locked(plan, patience, () => finish(this))
  }

  warningsOf = ({ warnings }: PostgresDetails): readonly string[] => warnings

  addedIndexes = addedIndexes

  /** They have a schema of their own. */
  ownTables(): string[] {
    return []
  }

  migration(plan: PostgresPlan, stage: 'switched' | 'finished'): string[] {
    const statements = this.statements(plan)
    return [stage === 'switched' ? switchMigration(plan, statements) : finishMigration(statements)]
  }

  fixedDetails({ foreignKeys, indexes }: PostgresDetails): unknown {
    return { foreignKeys, indexes }
  }

  *foreignKeyFaults({ details }: PostgresPlan, phase: Phase): Work<string[]> {
    if (phase !== 'switched') return []
    const expected = details.foreignKeys.filter(({ validated }) => validated)
    const rows = yield* this.query<{ table: string; name: string }>(
      `SELECT k.table, k.name FROM unnest($1::text[], $2::text[]) AS k ("table", name)
        WHERE NOT EXISTS (SELECT FROM pg_constraint WHERE conrelid = k.table::regclass AND conname = k.name AND convalidated)`,
      [expected.map(({ owner }) => owner), expected.map(({ name }) => name)],
    )
    return rows.map(
      ({ table, name }) =>
        `${shownName(table)}: foreign key ${name} is missing or not validated; run switchKeys() again, or create it`,
    )
  }

  *timeOf({ sql, table, column, unit, timeZone = 'UTC' }: TimeColumn) {
    const [found] = yield* this.query<{ type: string }>(
      'SELECT atttypid::regtype::text AS type FROM pg_attribute WHERE attrelid = $1::regclass AND attname = $2 AND attnum > 0',
      [table, column],
    )
    const place = pathOf({ table, column })
    const ofInstant = (instant: string) =>
      `CASE WHEN isfinite(${sql}) THEN floor(extract(epoch FROM ${instant}) * 1000)::bigint END`
    switch (found?.type) {
      case undefined:
        return refuse(place, 'no such column')
      case 'timestamp with time zone':
        return { timeMs: ofInstant(sql), order: sql }
      case 'timestamp without time zone':
      case 'date':
        yield* this.checkTimeZone(place, timeZone)
        return { timeMs: ofInstant(`(${sql}::timestamp AT TIME ZONE ${quoteText(timeZone)})`), order: sql }
      case 'integer':
      case 'bigint':
      case 'numeric':
        if (unit === undefined) return refuse(place, "a numeric column needs a unit, 's' or 'ms'")
        // Not as bigint: NaN, infinity and values out of range are refused as times, with their rows.
        return { timeMs: `floor(${sql}::numeric * ${unit === 's' ? 1000 : 1})`, order: sql }
      default:
        return refuse(
          place,
          `a column of type ${found?.type} contains no time; use a column of type timestamptz, timestamp, date or a numeric type`,
        )
    }
  }

  private *checkTimeZone(place: string, timeZone: string): Work<void> {
    try {
      yield* this.query('SELECT now() AT TIME ZONE $1', [timeZone])
    } catch (error) {
      if ((error as { code?: string }).code !== INVALID_PARAMETER_VALUE) throw error
      refuse(place, `the server does not know the time zone ${timeZone}; see pg_timezone_names`, timeZone)
    }
  }

  /** Texts in code point order. */
  keyOrder({ keyType }: RootPlan, column: string): string {
    return /^(text|character|(\S+\.)?citext)/.test(keyType) ? `${column} COLLATE "C"` : column
  }

  *keysAfter(root: RootPlan, last: unknown, limit: number) {
    const order = this.keyOrder(root, quoteName(root.key))
    const rows = yield* this.query<{ key: string }>(
      `SELECT ${quoteName(root.key)}::text AS key FROM ${root.table}
        WHERE $1::text IS NULL OR ${order} > $1::text::${root.keyType} ORDER BY ${order} LIMIT ${limit}`,
      [last ?? null],
    )
    const keys = rows.map(({ key }) => key)
    return { keys, last: keys.at(-1) }
  }

  *storeIds(root: RootPlan, map: string, storage: IdStorage<string>, rows: readonly MadeId[]): Work<void> {
    const stored = yield* this.query(
      `UPDATE ${root.table} AS t SET ${quoteName(newName(root.key))} = made.id::${storage.column.type}
         FROM unnest($1::integer[], $2::bigint[], $3::text[]) AS made (round, position, id)
         JOIN ${map} AS o ON o.round = made.round AND o.position = made.position
        WHERE t.${quoteName(root.key)} = o.key RETURNING 1`,
      [
        rows.map(({ round }) => round),
        rows.map(({ position }) => String(position)),
        rows.map(({ id }) => asText(storage.toDatabase(id))),
      ],
    )
    const [first, last] = [rows[0], rows.at(-1)]
    if (first === undefined || last === undefined || stored.length === rows.length) return
    // Rows deleted by now need no id.
    const unfilled = yield* this.query(
      `SELECT FROM ${map} AS o JOIN ${root.table} AS t ON t.${quoteName(root.key)} = o.key
        WHERE o.round = ${first.round} AND o.position BETWEEN ${first.position} AND ${last.position}
          AND t.${quoteName(newName(root.key))} IS NULL LIMIT 1`,
    )
    if (unfilled.length > 0) refuseUnfilled(placeOf(root))
  }

  *isAnyTaken(
    { table, key }: RootPlan,
    _: string,
    storage: IdStorage<string>,
    ids: readonly string[],
  ): Work<boolean> {
    // Forces the index: the new column has no statistics, so a join would read the whole table.
    const rows = yield* this.query(
      `SELECT FROM unnest($1::text[]) AS made(id) CROSS JOIN LATERAL (
         SELECT FROM ${table} WHERE ${quoteName(newName(key))} = made.id::${storage.column.type} LIMIT 1) AS taken LIMIT 1`,
      [ids.map((id) => asText(storage.toDatabase(id)))],
    )
    return rows.length > 0
  }

  *fillReferences(plan: PostgresPlan, options: BackfillOptions): Work<void> {
    const tables = tablesOf(plan.columns.filter(({ isRoot }) => !isRoot))
    for (const { table, own, isLeaf } of yield* readMembers(this, tables))
      if (isLeaf) yield* this.fillForeignKeys(plan, table, own, options)
    yield* this.prepareSwitch(plan)
  }

  /** Fills the new foreign keys of a table or partition, some blocks at a time; the switch does rows inserted since. */
  private *fillForeignKeys(
    { roots, columns }: PostgresPlan,
    table: string,
    own: string,
    options: BackfillOptions,
  ): Work<void> {
    const followers = columns.filter((one) => one.table === table && !one.isRoot)
    const [size] = yield* this.query<{ blocks: string }>(
      "SELECT pg_relation_size($1::regclass) / current_setting('block_size')::bigint AS blocks",
      [own],
    )
    const total = Number(size?.blocks)
    const part = { table: own, columns: followers, round: 1, total, rowsAUnit: ROWS_A_BLOCK }
    const sql = fillBlocks(roots, own, followers)
    yield* fillPart(this, part, options, (from, to) => this.query(sql, [`(${from},0)`, `(${to},0)`]))
  }

  /** Builds the missing indexes. One whose build was interrupted exists but is invalid, so it is dropped first. */
  *prepareSwitch({ details }: PostgresPlan): Work<void> {
    for (const index of details.indexes) {
      const [found] = yield* this.query<{ valid: boolean }>(
        'SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = to_regclass($1)',
        [temporaryName(index)],
      )
      if (found?.valid) continue
      yield* this.run([...(found ? [`DROP INDEX ${temporaryName(index)}`] : []), index.definition])
    }
  }

  statements = (plan: PostgresPlan): Statements => statementsOf(this, plan)
}

/** A value as text that the server casts to the column's type, for any driver. */
const asText = (value: DatabaseValue): string =>
  isBytes(value) ? `\\x${Buffer.from(value).toString('hex')}` : String(value)
