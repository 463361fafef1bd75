import { type Database, flax, type IdStorage, storageFor } from '@snoflax/core'
import { baseOf, checkGenerator, checkOptions, type OptionKind, withPath } from '@snoflax/core/adapter'
import { Obstacles, refuse } from './obstacles.js'
import {
  type AdoptionOptions,
  type ColumnTime,
  type CreatedAt,
  MAX_DRIFT_MS,
  type TableOptions,
} from './options.js'

export interface KeyRecipe {
  readonly storage: IdStorage<string>
  readonly source: TimeSource
  readonly generator: TableOptions['generator']
  readonly maxDriftMs: number
}

export type TimeSource =
  | ({ readonly kind: 'column' } & ColumnTime)
  | { readonly kind: 'key'; readonly timeMs: (key: string) => number }
  | { readonly kind: 'span'; readonly fromMs: number; readonly toMs: number }

export function keyRecipes(options: AdoptionOptions, database: Database): KeyRecipe[] {
  checkOptions('planAdoption', options, {
    tables: 'list',
    references: 'any',
    ignore: 'list',
    maxDriftMs: 'number',
  })
  const { tables, maxDriftMs = MAX_DRIFT_MS } = options
  const obstacles = new Obstacles()
  const recipes = tables.flatMap((options, i) => {
    obstacles.attempt(() => checkOptions(options?.table ?? `tables[${i}]`, options, TABLE, 'a table'))
    const storage = obstacles.attempt(() => storageOf(options, database))
    const source = obstacles.attempt(() => timeSource(options.table, options.createdAt))
    return storage && source ? [{ storage, source, generator: options.generator, maxDriftMs }] : []
  })
  obstacles.refuse()
  return recipes
}

const TABLE: Readonly<Record<keyof TableOptions, OptionKind>> = {
  table: 'any',
  createdAt: 'any',
  generator: 'any',
  default: 'any',
  storage: 'any',
  exactBigint: 'boolean',
}

function storageOf(
  { table, generator, storage, exactBigint }: TableOptions,
  database: Database,
): IdStorage<string> {
  if (typeof generator !== 'function') {
    refuse(
      table,
      'pass a generator: (clock) => flax.generator({ monotonic: true, clock })',
      generator,
      'GENERATOR_REQUIRED',
    )
  }
  const created = generator(() => Date.now())
  return withPath(table, () => {
    // A generator without a family is refused by the check for flax.
    const family = created?.family ?? flax
    checkGenerator(family, created)
    return storageFor(family, database, { storage, exactBigint })
  })
}

function timeSource(table: string, createdAt: CreatedAt): TimeSource {
  if (typeof createdAt === 'string') return { kind: 'column', column: createdAt }
  if (typeof createdAt !== 'object' || createdAt === null) {
    return refuse(
      table,
      'createdAt must be a column name, { column, through }, { key } or { from, to }',
      createdAt,
    )
  }
  const check = (kinds: Readonly<Record<string, OptionKind>>): void =>
    void checkOptions(`${table}, createdAt`, createdAt, kinds, 'createdAt')
  if ('column' in createdAt) {
    check({ column: 'any', through: 'any', unit: ['s', 'ms'], timeZone: 'any' })
    return { kind: 'column', ...createdAt }
  }
  if ('key' in createdAt) {
    check({ key: 'function' })
    return { kind: 'key', timeMs: createdAt.key }
  }
  check({ from: 'any', to: 'any' })
  const [fromMs, toMs] = [Number(createdAt.from), Number(createdAt.to)]
  if (fromMs <= toMs) return { kind: 'span', fromMs, toMs }
  return refuse(table, 'createdAt: from and to must be valid Dates, the earlier one first', createdAt)
}

const TRIED_IDS = 16

/**
 * Tries the generators of the tables, all with one time. Notes generators whose ids for one time don't ascend, contain
 * another time, or repeat those of another table.
 */
export function checkGenerators(
  tables: readonly string[],
  recipes: readonly KeyRecipe[],
  obstacles: Obstacles,
): void {
  const nowMs = Date.now()
  const seen = new Map<string, string>()
  for (const [i, table] of tables.entries()) {
    obstacles.attempt(() => checkGenerated(table, triedIds(table, recipes[i] as KeyRecipe, nowMs), seen))
  }
}

function checkGenerated(table: string, ids: readonly string[], seen: Map<string, string>): void {
  for (const id of ids) {
    const other = seen.get(id)
    // Rows of two tables with one time, such as an order and its lines, would get the same ids.
    if (other !== undefined) {
      refuse(
        table,
        `${id.split(' ')[0]}: the generator would repeat the ids of ${other} for rows of the same time; ` +
          'use another partition, worker or node for each table',
      )
    }
    seen.set(id, table)
  }
}

/** Ids in their stored form, after the base family's name: tables may differ only in the prefix. */
function triedIds(table: string, { generator: makeGenerator }: KeyRecipe, nowMs: number): string[] {
  const generator = makeGenerator(() => nowMs)
  const { family } = generator
  const ids = Array.from({ length: TRIED_IDS }, () => generator.generate())
  const stray = ids.find((id) => Math.abs(family.timeMs(id) - nowMs) > Math.ceil(family.layout.unitMs))
  if (stray !== undefined) {
    refuse(
      table,
      `${family.name}: the generator ignores the clock; pass (clock) => ….generator({ clock })`,
      stray,
    )
  }
  if (ids.some((id, i) => i > 0 && family.compare(ids[i - 1] as string, id) >= 0)) {
    refuse(table, `${family.name}: the generator's ids of one millisecond do not ascend; set monotonic: true`)
  }
  const { name, encode } = baseOf(family)
  return ids.map((id) => `${name} ${encode(family.decode(id))}`)
}
