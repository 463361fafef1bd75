import { createHash } from 'node:crypto'
import { quoteName } from '@snoflax/core/adapter'
import type { TableVerification } from './adoption.js'
import type { Driver } from './driver.js'
import type { AdoptionOptions, BackfillOptions } from './options.js'
import { legacyName, shownName } from './plan.js'
import { type AdoptionClient, planAdoption, withDriver } from './plan-adoption.js'
import { readBegun } from './state.js'
import type { Work } from './work.js'

/** The result of {@link rehearseAdoption}. */
export interface Rehearsal {
  /** The result of `verify`. */
  readonly tables: readonly TableVerification[]
  /** What is wrong, one sentence each: that of `verify`, and views whose rows have changed. */
  readonly faults: readonly string[]
  /** Each view that uses a replaced column, and how many of its rows are others than before. */
  readonly views: readonly ViewComparison[]
}

/** A view's rows before and after the adoption, with new keys translated into old ones. */
export interface ViewComparison {
  /** Its name, as in the inventory. */
  readonly name: string
  /** How many rows it had. */
  readonly rows: number
  /** How many rows are missing or new afterwards. */
  readonly changed: number
}

/**
 * Carries out an adoption on a copy of the database, from plan to verify, and compares the rows of each view that uses a
 * replaced column. It changes the copy.
 *
 * @throws {IdError} as {@link planAdoption} and its steps do.
 *
 * @example
 * const { faults } = await rehearseAdoption(pool, {
 *   tables: [{ table: 'orders', createdAt: 'created_at', generator: (clock) => sno.generator({ partition: 900, clock }) }],
 * })
 */
export async function rehearseAdoption(
  copy: AdoptionClient,
  options: AdoptionOptions,
  backfillOptions: BackfillOptions = {},
): Promise<Rehearsal> {
  const adoption = await planAdoption(copy, options)
  const views = await withDriver(copy, (db) => viewsOf(db, adoption.inventory))
  const before = await withDriver(copy, (db) => readViews(db, views, new Map()))
  await adoption.backfill(backfillOptions)
  await adoption.switchKeys()
  const { tables, faults } = await adoption.verify()
  const after = await withDriver(copy, function* (db) {
    return yield* readViews(db, views, yield* readKeys(db))
  })
  const compared = views.map(({ name }, i) => compare(name, before[i] as Rows, after[i] as Rows))
  const changed = compared.filter((one) => one.changed > 0)
  return {
    tables,
    faults: [
      ...faults,
      ...changed.map(({ name, changed }) => `${name}: ${changed} rows are others than before`),
    ],
    views: compared,
  }
}

interface ReadView {
  readonly name: string
  readonly table: string
  readonly columns: readonly string[]
}

function* viewsOf(db: Driver, inventory: readonly { readonly name: string }[]): Work<ReadView[]> {
  const columns = yield* db.catalog.readAllColumns(db)
  const tables = [...new Set(columns.map(({ table }) => table))]
  return inventory.flatMap(({ name }) => {
    const table = tables.find(
      (one) => /^(materialized )?view /.test(name) && name.endsWith(`view ${shownName(one)}`),
    )
    if (table === undefined) return []
    return [
      { name, table, columns: columns.filter((one) => one.table === table).map(({ column }) => column) },
    ]
  })
}

/** Old keys by new ones, as texts. */
function* readKeys(db: Driver): Work<ReadonlyMap<string, string>> {
  const found = new Map<string, string>()
  for (const { table, key: column } of (yield* readBegun(db))?.plan.roots ?? []) {
    const rows = yield* db.query<{ old: string; new: string }>(
      `SELECT CAST(${quoteName(legacyName(column))} AS ${db.textType}) AS old, CAST(${quoteName(column)} AS ${db.textType}) AS new
         FROM ${table} WHERE ${quoteName(legacyName(column))} IS NOT NULL`,
    )
    for (const row of rows) found.set(row.new, row.old)
  }
  return found
}

/** How often a view has each row, by its hash. */
type Rows = ReadonlyMap<string, number>

function* readViews(
  db: Driver,
  views: readonly ReadView[],
  oldOf: ReadonlyMap<string, string>,
): Work<Rows[]> {
  const read: Rows[] = []
  for (const { table, columns } of views) {
    const values = columns.map(
      (column) => `CAST(${quoteName(column)} AS ${db.textType}) AS ${quoteName(column)}`,
    )
    const counts = new Map<string, number>()
    for (const row of yield* db.query<Record<string, string | null>>(
      `SELECT ${values.join(', ')} FROM ${table}`,
    )) {
      const text = JSON.stringify(columns.map((column) => translated(row[column] ?? null, oldOf)))
      const hash = createHash('sha1').update(text).digest('base64')
      counts.set(hash, (counts.get(hash) ?? 0) + 1)
    }
    read.push(counts)
  }
  return read
}

/** A value with old keys in place of new ones, in arrays and JSON without quotes and blanks. */
function translated(value: string | null, oldOf: ReadonlyMap<string, string>): string | null {
  if (value === null || !/^[[{]/.test(value)) return value === null ? null : (oldOf.get(value) ?? value)
  return value.replace(/["\s]/g, '').replace(/[\w-]+/g, (word) => oldOf.get(word) ?? word)
}

function compare(name: string, before: Rows, after: Rows): ViewComparison {
  const hashes = new Set([...before.keys(), ...after.keys()])
  const differences = [...hashes].map((one) => Math.abs((before.get(one) ?? 0) - (after.get(one) ?? 0)))
  const sum = (numbers: Iterable<number>): number => [...numbers].reduce((total, one) => total + one, 0)
  return { name, rows: sum(before.values()), changed: sum(differences) }
}
