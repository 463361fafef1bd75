import type { DatabaseValue, IdStorage } from '@snoflax/core'
import { isBytes, quoteName, quoteText } from '@snoflax/core/adapter'
import type { Phase, ReplacedColumn } from '../adoption.js'
import {
  type Column,
  type Driver,
  type MadeId,
  mapName,
  type Open,
  type Statements,
  type TimeColumn,
  type Work,
} from '../driver.js'
import type { BackfillOptions } from '../options.js'
import {
  type ForeignKey,
  type Key,
  legacyName,
  newName,
  type Plan,
  pathOf,
  placeOf,
  type RootPlan,
  rootOf,
  shownName,
  tablesOf,
} from '../plan.js'
import { refuse } from '../refusal.js'
import { readRounds, refuseUnfilled, stateStatements, switchedStatement, writeRound } from '../state.js'
import { inCatalog, readColumns, readForeignKeys, readKey, resolveTable } from './catalog.js'
import { type IndexPlan, type PostgresDetails, readDetails } from './details.js'
import { type PostgresClient, PostgresSession, withClient } from './session.js'

export type { PostgresClient } from './session.js'

type PostgresPlan = Plan<PostgresDetails>

export const openPostgres =
  (client: PostgresClient): Open<PostgresDetails> =>
  (work, isAlone = false) =>
    withClient(client, isAlone, (lent) => work(new PostgresDriver(lent)))

const SCHEMA = 'snoflax_adoption'
/** Rows that a block of 8 kB is taken to hold, to turn a batch of rows into one of blocks. */
const ROWS_A_BLOCK = 50

/** New columns beside the old ones, filled while the application goes on; the switch exchanges their names. */
class PostgresDriver extends PostgresSession implements Driver<PostgresDetails> {
  readonly hasNewColumns = true

  own(name: string): string {
    return `${SCHEMA}.${name}`
  }

  *hasState(): Work<boolean> {
    const [found] = yield* this.query<{ there: boolean }>('SELECT to_regclass($1) IS NOT NULL AS there', [
      this.own('state'),
    ])
    return found?.there ?? false
  }

  locked<Result>(plan: PostgresPlan, lockTimeoutMs: number, work: () => Work<Result>): Work<Result> {
    const locked = function* (session: PostgresDriver): Work<Result> {
      yield* session.lock(session.statements(plan).lock)
      return yield* work()
    }
    return this.givingWay(lockTimeoutMs, () => locked(this))
  }

  *keyOf(given: string): Work<Key> {
    return yield* readKey(this, yield* resolveTable(this, given))
  }

  foreignKeys(): Work<ForeignKey[]> {
    return readForeignKeys(this)
  }

  columnsOf(table: string): Work<readonly Column[]> {
    return inCatalog(this, () => readColumns(this, table))
  }

  /** The transaction is rolled back. The search path is the switch's. */
  *checkDefault(table: string, value: string, type: string): Work<void> {
    try {
      yield* this.run([`CREATE TEMPORARY TABLE snoflax_default (id ${type} DEFAULT ${value})`])
    } catch (error) {
      refuse(table, `the database refuses the default ${value}: ${(error as Error).message}`, value)
    }
    yield* this.run(['DROP TABLE pg_temp.snoflax_default'])
  }

  detailsOf(
    { columns }: Pick<PostgresPlan, 'columns'>,
    allowTriggers: readonly string[],
  ): Work<PostgresDetails> {
    return inCatalog(this, () => readDetails(this, columns, allowTriggers))
  }

  *foreignKeyFaults({ details }: PostgresPlan, phase: Phase): Work<string[]> {
    if (phase !== 'switched') return []
    const expected = details.foreignKeys.filter(({ validated }) => validated)
    const rows = yield* this.query<{ table: string; name: string }>(
      `SELECT k.table, k.name FROM unnest($1::text[], $2::text[]) AS k ("table", name)
        WHERE NOT EXISTS (SELECT FROM pg_constraint WHERE conrelid = k.table::regclass AND conname = k.name AND convalidated)`,
      [expected.map(({ table }) => table), expected.map(({ name }) => name)],
    )
    return rows.map(
      ({ table, name }) => `${shownName(table)}: foreign key ${name} is not there or not validated`,
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
        return { timeMs: ofInstant(`(${sql}::timestamp AT TIME ZONE ${quoteText(timeZone)})`), order: sql }
      case 'integer':
      case 'bigint':
      case 'numeric':
        if (unit === undefined) return refuse(place, "a numeric column needs a unit, 's' or 'ms'")
        // No bigint: NaN, infinity and what lies far outside are refused as times, with their rows.
        return { timeMs: `floor(${sql}::numeric * ${unit === 's' ? 1000 : 1})`, order: sql }
      default:
        return refuse(
          place,
          `a column of type ${found?.type} contains no time; use a column of type timestamptz, timestamp, date or a numeric type`,
        )
    }
  }

  /** Texts by their code. */
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
    // Rows that are gone by now need no id.
    const unfilled = yield* this.query(
      `SELECT FROM ${map} AS o JOIN ${root.table} AS t ON t.${quoteName(root.key)} = o.key
        WHERE o.round = ${first.round} AND o.position BETWEEN ${first.position} AND ${last.position}
          AND t.${quoteName(newName(root.key))} IS NULL LIMIT 1`,
    )
    if (unfilled.length > 0) refuseUnfilled(placeOf(root))
  }

  *isTaken({ table, key }: RootPlan, _: string, storage: IdStorage<string>, id: string): Work<boolean> {
    const rows = yield* this.query(
      `SELECT FROM ${table} WHERE ${quoteName(newName(key))} = $1::text::${storage.column.type}`,
      [asText(storage.toDatabase(id))],
    )
    return rows.length > 0
  }

  *fillReferences(plan: PostgresPlan, options: BackfillOptions): Work<void> {
    for (const table of tablesOf(plan.columns.filter(({ isRoot }) => !isRoot)))
      yield* this.fillForeignKeys(plan, table, options)
    yield* this.prepareSwitch(plan)
  }

  /** Fills the new foreign keys of a table, some blocks at a time; rows that came later are the switch's. */
  private *fillForeignKeys(
    { roots, columns }: PostgresPlan,
    table: string,
    { batchSize = 1000, onProgress, signal }: BackfillOptions,
  ): Work<void> {
    const followers = columns.filter((one) => one.table === table && !one.isRoot)
    const item = `${table} foreign keys`
    const [size] = yield* this.query<{ blocks: string }>(
      "SELECT pg_relation_size($1::regclass) / current_setting('block_size')::bigint AS blocks",
      [table],
    )
    const [known] = yield* readRounds(this, item)
    const total = known?.total ?? Number(size?.blocks)
    const step = Math.max(1, Math.round(batchSize / ROWS_A_BLOCK))
    for (let done = known?.done ?? 0; done < total; ) {
      signal?.throwIfAborted()
      const end = Math.min(done + step, total)
      const fill = function* (session: PostgresDriver): Work<void> {
        yield* session.query(fillBlocks(roots, table, followers), [`(${done},0)`, `(${end},0)`])
        yield* writeRound(session, { item, round: 1, done: end, total, lastId: null })
      }
      yield* this.transaction(() => fill(this))
      done = end
      const names = followers.map(({ column }) => column)
      onProgress?.({ table: shownName(table), columns: names, done, total, round: 1 })
    }
  }

  /** Builds the indexes that are not there yet. One whose building was cut short is there but invalid: it goes first. */
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

  statements({ roots, columns, details }: PostgresPlan): Statements {
    const { foreignKeys, indexes } = details
    return {
      create: [
        `CREATE SCHEMA ${SCHEMA}`,
        ...stateStatements(this),
        ...roots.flatMap((root, number) => createMap(this.own(mapName(number)), root)),
      ],
      expand: columns.map(
        (one) =>
          `ALTER TABLE ${one.table} ADD COLUMN IF NOT EXISTS ${quoteName(newName(one.column))} ${rootOf(roots, one).type}`,
      ),
      index: indexes.map(({ definition }) => definition),
      lock: tablesOf(columns).map((table) => `LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`),
      reconcile: columns
        .filter(({ isRoot }) => !isRoot)
        .flatMap((one) => reconcileStatements(one, rootOf(roots, one))),
      exchange: [
        // What is deferred for rows filled in this transaction would stand in the way of ALTER TABLE.
        'SET CONSTRAINTS ALL IMMEDIATE',
        ...foreignKeys.map(({ table, name }) => `ALTER TABLE ${table} DROP CONSTRAINT ${quoteName(name)}`),
        ...indexes.filter(({ replaces }) => replaces).map(dropReplaced),
        ...columns.flatMap(exchangeColumn),
        ...indexes.map(renameTemporary),
        ...roots.flatMap(({ table, key, default: value }) =>
          value === undefined
            ? []
            : [`ALTER TABLE ${table} ALTER COLUMN ${quoteName(key)} SET DEFAULT ${value}`],
        ),
        ...foreignKeys.map(
          ({ table, name, definition }) =>
            `ALTER TABLE ${table} ADD CONSTRAINT ${quoteName(name)} ${definition} NOT VALID`,
        ),
        switchedStatement(this),
      ],
      // Reads the tables without keeping anyone out.
      settle: foreignKeys
        .filter(({ validated }) => validated)
        .map(({ table, name }) => `ALTER TABLE ${table} VALIDATE CONSTRAINT ${quoteName(name)}`),
      finish: [...columns.map((one) => dropColumn(one, legacyName)), DROP_STATE],
      abandon: [
        ...columns.map((one) => dropColumn(one, newName)),
        ...indexes.map((index) => `DROP INDEX IF EXISTS ${temporaryName(index)}`),
        DROP_STATE,
      ],
    }
  }
}

const DROP_STATE = `DROP SCHEMA ${SCHEMA} CASCADE`

/** The key keeps its type and collation, so that it can be compared by an index. */
const createMap = (map: string, { table, key }: RootPlan): string[] => [
  `CREATE TABLE ${map} AS SELECT 0 AS round, 0::bigint AS position, ${quoteName(key)} AS key, 0::numeric AS time_ms
  FROM ${table} WITH NO DATA`,
  `ALTER TABLE ${map} ADD PRIMARY KEY (round, position)`,
]

const temporaryName = ({ schema, temporary }: IndexPlan): string => `${schema}.${quoteName(temporary)}`

const dropReplaced = ({ table, schema, name, constraint }: IndexPlan): string =>
  constraint
    ? `ALTER TABLE ${table} DROP CONSTRAINT ${quoteName(name)}`
    : `DROP INDEX ${schema}.${quoteName(name)}`

const renameTemporary = (index: IndexPlan): string =>
  index.constraint
    ? `ALTER TABLE ${index.table} ADD CONSTRAINT ${quoteName(index.name)} ${index.constraint}`
    : `ALTER INDEX ${temporaryName(index)} RENAME TO ${quoteName(index.name)}`

function exchangeColumn({ table, column, notNull }: ReplacedColumn): string[] {
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

function fillBlocks(roots: readonly RootPlan[], table: string, followers: readonly ReplacedColumn[]): string {
  const set = followers.map((one) => {
    const { table: target, key } = rootOf(roots, one)
    return `${quoteName(newName(one.column))} = (SELECT r.${quoteName(newName(key))} FROM ${target} AS r WHERE r.${quoteName(key)} = t.${quoteName(one.column)})`
  })
  const isEmpty = followers.map(
    ({ column }) => `t.${quoteName(newName(column))} IS NULL AND t.${quoteName(column)} IS NOT NULL`,
  )
  return `UPDATE ${table} AS t SET ${set.join(', ')}
   WHERE t.ctid >= $1::tid AND t.ctid < $2::tid AND (${isEmpty.join(' OR ')})`
}

/** Sets what differs from what the old values say: rows that came, and values that changed, meanwhile. */
function reconcileStatements({ table, column }: ReplacedColumn, { table: target, key }: RootPlan): string[] {
  const [own, added, id] = [quoteName(column), quoteName(newName(column)), quoteName(newName(key))]
  return [
    `UPDATE ${table} AS t SET ${added} = r.${id} FROM ${target} AS r WHERE r.${quoteName(key)} = t.${own} AND t.${added} IS DISTINCT FROM r.${id}`,
    `UPDATE ${table} SET ${added} = NULL WHERE ${own} IS NULL AND ${added} IS NOT NULL`,
  ]
}

/** A value as text that the server casts to the column's type, whatever the driver. */
const asText = (value: DatabaseValue): string =>
  isBytes(value) ? `\\x${Buffer.from(value).toString('hex')}` : String(value)
