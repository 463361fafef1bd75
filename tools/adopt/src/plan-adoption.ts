import { checkInteger, checkOptions } from '@snoflax/core/adapter'
import type { Adoption, Phase, ReplacedColumn } from './adoption.js'
import { fillKeys } from './backfill.js'
import type { Column, Driver, Open, Patience, StoredColumn } from './driver.js'
import { noteCandidates } from './key-columns.js'
import { openMariadb } from './mariadb/driver.js'
import type { MariadbClient } from './mariadb/session.js'
import { Obstacles, refuse } from './obstacles.js'
import { type AdoptionOptions, checkBackfill, type SwitchOptions, type TableOptions } from './options.js'
import { schemaChange } from './orms.js'
import {
  familyFacts,
  type Key,
  lastOf,
  legacyName,
  mappingOf,
  type Plan,
  pathOf,
  placeOf,
  type RootPlan,
  replacedColumns,
  shownName,
  tablesOf,
} from './plan.js'
import { openPostgres } from './postgres/driver.js'
import type { PostgresClient } from './postgres/session.js'
import { checkGenerators, type KeyRecipe, keyRecipes } from './recipes.js'
import { asForeignKey, declaredColumns, noteUnfit, targetsOf } from './references.js'
import { openSqlite } from './sqlite/driver.js'
import type { SqliteConnection } from './sqlite/session.js'
import { type Begun, readBegun, readRounds, refuseOther, refuseStrays, writeBegun } from './state.js'
import { checkTimes } from './times.js'
import { verify } from './verify.js'
import type { Work } from './work.js'

/**
 * Reads schema and data and plans an adoption, or finds the one in progress. Changes nothing.
 *
 * @throws {IdError} listing all obstacles, such as rows without a time or orphaned foreign keys: see {@link obstaclesOf}.
 *
 * @example
 * const adoption = await planAdoption(pool, {
 *   tables: [{ table: 'orders', createdAt: 'created_at', generator: (clock) => sno.generator({ partition: 900, clock }) }],
 * })
 * await adoption.backfill({ onProgress: console.log })
 * await adoption.switchKeys()
 */
export async function planAdoption(client: AdoptionClient, options: AdoptionOptions): Promise<Adoption> {
  if ('execute' in client) return planIn(openMariadb(client), options, keyRecipes(options, 'mariadb'))
  return 'prepare' in client
    ? planIn(openSqlite(client), options, keyRecipes(options, 'sqlite'))
    : planIn(openPostgres(client), options, keyRecipes(options, 'postgres'))
}

/** A client of a database, as it is passed to {@link planAdoption}. */
export type AdoptionClient = PostgresClient | SqliteConnection | MariadbClient

/** Runs work that only reads. */
export function withDriver<Result>(
  client: AdoptionClient,
  work: (db: Driver) => Work<Result>,
): Promise<Result> {
  if ('execute' in client) return openMariadb(client)((db) => work(db as Driver))
  return 'prepare' in client
    ? openSqlite(client)((db) => work(db as Driver))
    : openPostgres(client)((db) => work(db as Driver))
}

const LOCK_TIMEOUT_MS = 5000

const planIn = <Details>(
  open: Open<Details>,
  options: AdoptionOptions,
  recipes: readonly KeyRecipe[],
): Promise<Adoption> =>
  open(function* (db) {
    const begun = yield* readBegun(db)
    if (begun !== undefined) refuseOther(begun.plan, recipes)
    const plan = begun?.plan ?? (yield* newPlan(db, options, recipes))
    const facts: Facts = {
      inventory: plan.inventory,
      mappings: plan.roots.map(mappingOf).map((name) => db.forClients?.(name) ?? name),
      blocked: db.blockedTables(plan).map(shownName),
      warnings: db.warningsOf?.(plan.details) ?? [],
      sql: script(db, plan),
      schemaChange: (orm, stage) => schemaChange(db, plan, orm, stage),
    }
    return adoptionOf(open, options, recipes, plan, begun?.phase ?? 'planned', facts)
  })

function patienceOf(caller: string, options: SwitchOptions): Patience {
  checkOptions(caller, options, { lockTimeoutMs: 'number', blockForMs: 'number' })
  const { lockTimeoutMs = LOCK_TIMEOUT_MS, blockForMs } = options
  for (const [name, ms] of Object.entries({ lockTimeoutMs, blockForMs }))
    if (ms !== undefined) checkInteger(caller, name, ms, 1, 86_400_000)
  return { lockTimeoutMs, blockForMs }
}

interface Given {
  readonly table: TableOptions
  readonly recipe: KeyRecipe
  readonly key: Key
}

function* newPlan<Details>(
  db: Driver<Details>,
  options: AdoptionOptions,
  recipes: readonly KeyRecipe[],
): Work<Plan<Details>> {
  if (options.tables.length === 0) refuse('tables', 'pass at least one table')
  const obstacles = new Obstacles(options.ignore)
  const { plan, given, columns } = yield* db.peek(() => readPlan(db, options, recipes, obstacles))
  // What the role can't see would look as if it weren't there.
  if (db.noteRights) yield* db.noteRights(tablesOf(plan.columns), obstacles)
  obstacles.refuseRights()
  const foreignKeys = yield* db.catalog.readForeignKeys(db)
  const settled = new Set(plan.columns.map(pathOf))
  yield* noteCandidates(db, plan.roots, columns, foreignKeys, settled, obstacles)
  obstacles.noteUnknown()
  for (const [i, root] of plan.roots.entries())
    yield* obstacles.tryStep(() => checkTimes(db, root, given[i]?.recipe as KeyRecipe))
  for (const column of followersOf(plan).filter((one) => !obstacles.isNoted(pathOf(one))))
    yield* obstacles.tryStep(() => refuseStrays(db, plan, column, false))
  // All foreign keys are checked: after the switch, one broken before couldn't be distinguished from one that it broke.
  for (const fault of yield* db.foreignKeyFaults(plan, 'planned')) obstacles.note('foreign_key_check', fault)
  obstacles.refuse()
  if (db.rehearse) yield* db.rehearse(plan, LOCK_TIMEOUT_MS, obstacles)
  obstacles.refuse()
  return { ...plan, inventory: obstacles.inventory }
}

const followersOf = ({ columns }: Plan): ReplacedColumn[] => columns.filter(({ isRoot }) => !isRoot)

/** Reads the plan from the schema, and notes obstacles. */
function* readPlan<Details>(
  db: Driver<Details>,
  options: AdoptionOptions,
  recipes: readonly KeyRecipe[],
  obstacles: Obstacles,
): Work<{ plan: Plan<Details>; given: Given[]; columns: readonly StoredColumn[] }> {
  const { tables } = options
  const given: Given[] = []
  for (const [i, table] of tables.entries()) {
    const recipe = recipes[i] as KeyRecipe
    const { default: value } = table
    if (value !== undefined)
      yield* obstacles.tryStep(
        () =>
          db.checkDefault?.(table.table, value, recipe.storage.column.sql) ??
          refuse(table.table, `default is not supported for ${db.database}; leave it out`, value),
      )
    const key = yield* obstacles.tryStep(() => db.catalog.readKey(db, table.table))
    if (key === undefined) continue
    if (given.some((other) => other.key.table === key.table))
      obstacles.note(shownName(key.table), 'the table is listed twice; leave one out')
    else given.push({ table, recipe, key })
  }
  const keys = given.map(({ key }) => key)
  const all = yield* db.catalog.readAllColumns(db)
  const declared = declaredColumns(options, keys, all, obstacles)
  const plain = declared.filter(({ via, column }) => via === undefined && !column.isElsewhere)
  const foreignKeys = yield* db.catalog.readForeignKeys(db)
  const references = [...foreignKeys, ...plain.map((one) => asForeignKey(one, keys))]
  const found = [
    ...replacedColumns(keys, references, obstacles),
    ...declared.flatMap(({ column: { table, column }, root, via }) =>
      via === undefined ? [] : [{ table, column, root, isRoot: false, via }],
    ),
  ]
  const known = new Map<string, Column>()
  for (const table of tablesOf(found)) {
    for (const column of yield* db.catalog.readColumns(db, table))
      known.set(pathOf({ table, column: column.name }), column)
  }
  checkGenerators(
    keys.map(({ table }) => shownName(table)),
    given.map(({ recipe }) => recipe),
    obstacles,
  )
  const columns = found.map((column) => {
    const legacy = legacyName(column.column)
    if (known.has(pathOf({ ...column, column: legacy })))
      obstacles.note(pathOf(column), `the table already has a column ${legacy}; rename or drop it`)
    const { type = '', notNull = false } = known.get(pathOf(column)) ?? {}
    const isDeclared =
      declared.some((one) => pathOf(one.column) === pathOf(column)) &&
      !foreignKeys.some(({ table, columns }) => table === column.table && columns.includes(column.column))
    return { ...column, type, notNull, ...(isDeclared && { isDeclared: true as const }) }
  })
  const roots = given.map(({ key, table, recipe: { storage } }) => ({
    table: key.table,
    key: key.column,
    keyType: known.get(pathOf(key))?.type as string,
    ...familyFacts(storage.family),
    storage: storage.name,
    isNamed: table.storage !== undefined || table.exactBigint !== undefined,
    type: storage.column.sql,
    default: table.default,
  }))
  for (const root of roots) {
    const mapping = mappingOf(root)
    const [place, name] = [shownName(root.table), shownName(mapping)]
    if (all.some(({ table }) => shownName(table) === name))
      obstacles.note(place, `finish keeps old and new keys in ${name}, which exists; rename or drop it`)
    if (Buffer.byteLength(lastOf(mapping)) > 63)
      obstacles.note(
        place,
        `finish keeps old and new keys in ${name}, which is too long for a name; rename the table`,
      )
  }
  for (const one of declared) noteUnfit(db.database, one, roots, all, obstacles)
  for (const column of columns) {
    const target = targetsOf(column).map((one) => placeOf(roots[one] as RootPlan))
    obstacles.list(
      `column ${pathOf(column)}`,
      'replaced',
      column.isRoot ? 'the key' : `follows ${target.join(', ')}`,
    )
  }
  const details = yield* db.detailsOf({ roots, columns }, obstacles, all)
  return { plan: { roots, columns, details, inventory: [] }, given, columns: all }
}

type Facts = Pick<Adoption, 'inventory' | 'mappings' | 'blocked' | 'warnings' | 'sql' | 'schemaChange'>

function adoptionOf<Details>(
  open: Open<Details>,
  options: AdoptionOptions,
  recipes: readonly KeyRecipe[],
  plan: Plan<Details>,
  begunPhase: Phase,
  facts: Facts,
): Adoption {
  let phase = begunPhase

  function* readOwn(db: Driver<Details>): Work<Begun<Details> | undefined> {
    const begun = yield* readBegun(db)
    if (begun !== undefined && !isSame(db, begun.plan, plan))
      refuse('adoption', 'another adoption was started after this one was planned; call planAdoption() again')
    db.prepare?.(plan)
    return begun
  }

  function* own(db: Driver<Details>): Work<Begun<Details>> {
    return (yield* readOwn(db)) ?? refuse('adoption', 'no adoption in progress; call backfill()')
  }

  return {
    ...facts,
    get phase() {
      return phase
    },
    columns: plan.columns.map((column) => ({ ...column, table: shownName(column.table) })),
    backfill: (backfillOptions = {}) =>
      open(function* (db) {
        checkBackfill(backfillOptions)
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
        if (db.fillReferences) yield* db.fillReferences(plan, backfillOptions)
        yield* fillKeys(db, plan, recipes, 'until few are left', backfillOptions)
        yield* db.apply(reconcile)
      }, true),
    switchKeys: (switchOptions = {}) =>
      open(function* (db) {
        const patience = patienceOf('switchKeys', switchOptions)
        const { settle } = db.statements(plan)
        if ((yield* own(db)).phase === 'backfilling') {
          for (const { table } of plan.roots) {
            const [first] = yield* readRounds(db, table)
            if (first === undefined || first.done < first.total)
              refuse(shownName(table), 'backfill not finished; run it again')
          }
          if (db.prepareSwitch) yield* db.prepareSwitch(plan)
          yield* db.locked(plan, patience, () => exchangeKeys(db, options, recipes, plan))
        }
        phase = 'switched'
        yield* db.run(settle)
      }, true),
    verify: () =>
      open(function* (db) {
        return yield* verify(db, yield* own(db), recipes)
      }),
    finish: (finishOptions = {}) =>
      open(function* (db) {
        const patience = patienceOf('finish', finishOptions)
        if ((yield* own(db)).phase === 'backfilling')
          refuse('finish', 'the keys are not switched yet; call switchKeys()')
        yield* db.finish(plan, patience)
      }, true),
    abandon: () =>
      open(function* (db) {
        if ((yield* own(db)).phase === 'switched')
          refuse('abandon', 'the keys are already switched; the way back is in docs/adopting.md')
        yield* db.apply(db.statements(plan).abandon)
        phase = 'planned'
      }, true),
  }
}

/** Replaces the keys of tables in which nobody else can write. */
function* exchangeKeys<Details>(
  db: Driver<Details>,
  options: AdoptionOptions,
  recipes: readonly KeyRecipe[],
  plan: Plan<Details>,
): Work<void> {
  const obstacles = new Obstacles(options.ignore)
  const { plan: now } = yield* readPlan(db, options, recipes, obstacles)
  obstacles.refuse()
  // The plan lacks tables, foreign keys and indexes that were created since.
  if (!isSame(db, plan, now))
    refuse('switchKeys', 'the schema changed during the backfill; abandon this adoption and plan it again')
  // Views and similar objects may have changed since.
  const { takeDown, exchange } = db.statements(now)
  yield* db.run(takeDown)
  yield* fillKeys(db, plan, recipes, 'last, in a transaction')
  yield* db.run(db.statements(plan).reconcile)
  for (const column of followersOf(plan)) yield* refuseStrays(db, plan, column, db.hasNewColumns)
  yield* db.run(exchange)
  const [fault] = yield* db.foreignKeyFaults(plan, 'backfilling')
  if (fault !== undefined) refuse('foreign_key_check', fault)
}

const isSame = <Details>(db: Driver<Details>, one: Plan<Details>, other: Plan<Details>): boolean =>
  fixed(db, one) === fixed(db, other)

const fixed = <Details>(db: Driver<Details>, plan: Plan<Details>): string =>
  JSON.stringify({ ...plan, inventory: [], details: db.fixedDetails(plan.details) })

/** The SQL of the whole adoption, for review. */
function script<Details>(db: Driver<Details>, plan: Plan<Details>): string {
  const { create, expand, index, lock, takeDown, reconcile, exchange, settle, keep, finish } =
    db.statements(plan)
  return [
    section('backfill: first', create),
    section('backfill: each on its own', expand),
    section('backfill: in batches', [
      ...plan.roots.map((root) => `-- ids: ${placeOf(root)}`),
      ...(db.hasNewColumns
        ? plan.columns.filter(({ isRoot }) => !isRoot).map((one) => `-- foreign keys: ${pathOf(one)}`)
        : []),
    ]),
    section('backfill: each on its own', index),
    section(`switchKeys: ${db.switchedBy}`, [
      ...lock,
      ...takeDown,
      '-- ids for rows inserted since',
      ...reconcile,
      ...exchange,
    ]),
    section('switchKeys: each on its own', settle),
    section('finish', [...keep, ...finish]),
  ].join('')
}

/** A heading with statements or comments; nothing if there are none. */
const section = (title: string, statements: readonly string[]): string =>
  statements.length === 0
    ? ''
    : `-- ${title}\n${statements.map((one) => (one.startsWith('--') ? one : `${one};`)).join('\n')}\n\n`
