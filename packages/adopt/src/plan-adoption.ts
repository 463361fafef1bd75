import type { Adoption, Phase } from './adoption.js'
import { fillKeys } from './backfill.js'
import type { Column, Driver, Open, Work } from './driver.js'
import { type AdoptionOptions, checkBatchSize } from './options.js'
import {
  type Key,
  legacyName,
  type Plan,
  pathOf,
  placeOf,
  replacedColumns,
  shownName,
  tablesOf,
} from './plan.js'
import { openPostgres, type PostgresClient } from './postgres/driver.js'
import { checkGenerators, type KeyRecipe, keyRecipes } from './recipes.js'
import { refuse } from './refusal.js'
import { openSqlite, type SqliteConnection } from './sqlite/driver.js'
import { type Begun, readBegun, readRounds, refuseOther, refuseStrays, writeBegun } from './state.js'
import { checkTimes } from './times.js'
import { verify } from './verify.js'

/**
 * Reads the schema and the data and plans the move, or finds the one that is under way. Changes nothing.
 *
 * @throws {IdError} for whatever stands in the way: a row without a time, a view, a trigger, an orphan.
 *
 * @example
 * const adoption = await planAdoption(pool, {
 *   tables: [{ table: 'orders', createdAt: 'created_at', generator: (clock) => sno.generator({ partition: 900, clock }) }],
 * })
 * await adoption.backfill({ onProgress: console.log })
 * await adoption.switchKeys()
 */
export async function planAdoption(
  client: PostgresClient | SqliteConnection,
  options: AdoptionOptions,
): Promise<Adoption> {
  return 'prepare' in client
    ? planIn(openSqlite(client), options, keyRecipes(options, 'sqlite'))
    : planIn(openPostgres(client), options, keyRecipes(options, 'postgres'))
}

const planIn = <Details>(
  open: Open<Details>,
  options: AdoptionOptions,
  recipes: readonly KeyRecipe[],
): Promise<Adoption> =>
  open(function* (db) {
    const begun = yield* readBegun(db)
    if (begun !== undefined) refuseOther(begun.plan, recipes)
    const plan = begun?.plan ?? (yield* newPlan(db, options, recipes))
    return adoptionOf(open, options, recipes, plan, begun?.phase ?? 'planned', script(db, plan))
  })

function* newPlan<Details>(
  db: Driver<Details>,
  options: AdoptionOptions,
  recipes: readonly KeyRecipe[],
): Work<Plan<Details>> {
  if (options.tables.length === 0) refuse('tables', 'pass at least one table')
  const plan = yield* db.peek(function* () {
    for (const [i, table] of options.tables.entries()) {
      if (table.default !== undefined)
        yield* db.checkDefault(table.table, table.default, recipes[i]?.storage.column.sql as string)
    }
    return yield* readPlan(db, options, recipes)
  })
  for (const [i, root] of plan.roots.entries()) yield* checkTimes(db, root, recipes[i] as KeyRecipe)
  yield* refuseStrays(db, plan, false)
  yield* refuseBroken(db, plan, 'planned')
  return plan
}

/** What the schema says. @throws {IdError} for what stands in the way. */
function* readPlan<Details>(
  db: Driver<Details>,
  { tables, allowTriggers = [] }: AdoptionOptions,
  recipes: readonly KeyRecipe[],
): Work<Plan<Details>> {
  const keys: Key[] = []
  for (const { table } of tables) keys.push(yield* db.keyOf(table))
  const found = replacedColumns(keys, yield* db.foreignKeys())
  const known = new Map<string, Column>()
  for (const table of tablesOf(found)) {
    for (const column of yield* db.columnsOf(table)) known.set(pathOf({ table, column: column.name }), column)
  }
  checkGenerators(
    keys.map(({ table }) => shownName(table)),
    recipes,
  )
  const columns = found.map((column) => {
    const legacy = legacyName(column.column)
    if (known.has(pathOf({ ...column, column: legacy })))
      refuse(pathOf(column), `the table already has a column ${legacy}`)
    return { ...column, notNull: known.get(pathOf(column))?.notNull ?? false }
  })
  const roots = keys.map((key, i) => {
    const { storage } = recipes[i] as KeyRecipe
    return {
      table: key.table,
      key: key.column,
      keyType: known.get(pathOf(key))?.type as string,
      family: storage.family.name,
      layout: JSON.stringify(storage.family.layout),
      storage: storage.name,
      type: storage.column.sql,
      default: tables[i]?.default,
    }
  })
  return { roots, columns, details: yield* db.detailsOf({ roots, columns }, allowTriggers) }
}

/** Foreign keys that are none of ours too: they could not be told from those that the switch broke. */
function* refuseBroken<Details>(db: Driver<Details>, plan: Plan<Details>, phase: Phase): Work<void> {
  const [fault] = yield* db.foreignKeyFaults(plan, phase)
  if (fault !== undefined) refuse('foreign_key_check', fault)
}

function adoptionOf<Details>(
  open: Open<Details>,
  options: AdoptionOptions,
  recipes: readonly KeyRecipe[],
  plan: Plan<Details>,
  begunPhase: Phase,
  sql: string,
): Adoption {
  let phase = begunPhase

  function* readOwn(db: Driver<Details>): Work<Begun<Details> | undefined> {
    const begun = yield* readBegun(db)
    if (begun !== undefined && !isSame(begun.plan, plan))
      refuse('adoption', 'another adoption was started after this one was planned; call planAdoption() again')
    return begun
  }

  function* own(db: Driver<Details>): Work<Begun<Details>> {
    return (yield* readOwn(db)) ?? refuse('adoption', 'no adoption in progress; call backfill()')
  }

  return {
    get phase() {
      return phase
    },
    sql,
    columns: plan.columns.map((column) => ({ ...column, table: shownName(column.table) })),
    backfill: (backfillOptions = {}) =>
      open(function* (db) {
        checkBatchSize(backfillOptions)
        const { create, expand, reconcile } = db.statements(plan)
        const begun = yield* readOwn(db)
        if (begun === undefined) {
          yield* db.transaction(function* () {
            yield* db.run(create)
            yield* writeBegun(db, plan)
          })
        }
        phase = begun?.phase ?? 'backfilling'
        if (phase === 'switched') return
        yield* db.apply(expand)
        yield* fillKeys(db, plan, recipes, 'first', backfillOptions)
        yield* db.fillReferences(plan, backfillOptions)
        yield* fillKeys(db, plan, recipes, 'until few are left', backfillOptions)
        yield* db.apply(reconcile)
      }, true),
    switchKeys: ({ lockTimeoutMs = 5000 } = {}) =>
      open(function* (db) {
        const { reconcile, exchange, settle } = db.statements(plan)
        if ((yield* own(db)).phase === 'backfilling') {
          for (const { table } of plan.roots) {
            const [first] = yield* readRounds(db, table)
            if (first === undefined || first.done < first.total)
              refuse(shownName(table), 'backfill not finished; run it again')
          }
          yield* db.prepareSwitch(plan)
          yield* db.locked(plan, lockTimeoutMs, function* () {
            // A table, foreign key or index that came since the plan was made would be missed.
            if (!isSame(plan, yield* readPlan(db, options, recipes)))
              refuse(
                'switchKeys',
                'the schema changed during the backfill; abandon this adoption and plan it again',
              )
            yield* fillKeys(db, plan, recipes, 'last, in a transaction')
            yield* db.run(reconcile)
            yield* refuseStrays(db, plan, db.hasNewColumns)
            yield* db.run(exchange)
            yield* refuseBroken(db, plan, 'backfilling')
          })
        }
        phase = 'switched'
        yield* db.run(settle)
      }, true),
    verify: () =>
      open(function* (db) {
        return yield* verify(db, yield* own(db), recipes)
      }),
    finish: () =>
      open(function* (db) {
        if ((yield* own(db)).phase === 'backfilling')
          refuse('finish', 'the keys are not switched yet; call switchKeys()')
        yield* db.apply(db.statements(plan).finish)
      }, true),
    abandon: () =>
      open(function* (db) {
        if ((yield* own(db)).phase === 'switched')
          refuse('abandon', 'the keys are already switched; to go back, restore a backup')
        yield* db.apply(db.statements(plan).abandon)
        phase = 'planned'
      }, true),
  }
}

const isSame = (one: Plan, other: Plan): boolean => JSON.stringify(one) === JSON.stringify(other)

/** The whole move, to be read before it is made. */
function script<Details>(db: Driver<Details>, plan: Plan<Details>): string {
  const { create, expand, index, lock, reconcile, exchange, settle, finish } = db.statements(plan)
  return [
    section('backfill: one transaction', create),
    section('backfill: each on its own', expand),
    section('backfill: in batches', [
      ...plan.roots.map((root) => `-- ids: ${placeOf(root)}`),
      ...(db.hasNewColumns
        ? plan.columns.filter(({ isRoot }) => !isRoot).map((one) => `-- foreign keys: ${pathOf(one)}`)
        : []),
    ]),
    section('backfill: each on its own', index),
    section('switchKeys: one transaction', [
      ...lock,
      '-- ids for rows that came meanwhile',
      ...reconcile,
      ...exchange,
    ]),
    section('switchKeys: each on its own', settle),
    section('finish', finish),
  ].join('')
}

/** A heading, and statements or remarks; nothing where there are none. */
const section = (title: string, statements: readonly string[]): string =>
  statements.length === 0
    ? ''
    : `-- ${title}\n${statements.map((one) => (one.startsWith('--') ? one : `${one};`)).join('\n')}\n\n`
