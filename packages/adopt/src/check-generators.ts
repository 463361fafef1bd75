import type { IdFamily } from '@snoflax/core'
import type { KeyRecipe } from './key-recipe.js'
import type { TableOptions } from './options.js'
import { refuse } from './refusal.js'

const TRIED_IDS = 16

/**
 * Tries the generators of the tables, all at one moment.
 *
 * @throws {IdError} `INVALID_OPTION` if ids for one moment don't ascend, carry another moment, or are those of
 * another table too.
 */
export function checkGenerators(tables: readonly string[], recipes: readonly KeyRecipe[]): void {
  const nowMs = Date.now()
  const seen = new Map<string, string>()
  for (const [i, table] of tables.entries()) {
    const { family, ids } = trial(recipes[i] as KeyRecipe, nowMs)
    checkTrial(table, family, ids, nowMs)
    for (const id of ids) {
      const key = `${family.name} ${id}`
      const other = seen.get(key)
      if (other !== undefined) refuseTwins(table, other, family)
      seen.set(key, table)
    }
  }
}

interface Trial {
  readonly family: IdFamily
  readonly ids: readonly string[]
}

function trial({ generator: makeGenerator }: Pick<TableOptions, 'generator'>, nowMs: number): Trial {
  const generator = makeGenerator(() => nowMs)
  return { family: generator.family, ids: Array.from({ length: TRIED_IDS }, () => generator.generate()) }
}

function checkTrial(table: string, family: IdFamily, ids: readonly string[], nowMs: number): void {
  const stray = ids.find((id) => Math.abs(family.timeMs(id) - nowMs) > Math.ceil(family.layout.unitMs))
  if (stray !== undefined) {
    refuse(
      table,
      `${family.name}: the generator takes no notice of the clock; write (clock) => ….generator({ clock })`,
      stray,
    )
  }
  if (ids.some((id, i) => i > 0 && family.compare(ids[i - 1] as string, id) >= 0)) {
    refuse(
      table,
      `${family.name}: ids that the generator makes for one moment don't ascend; set monotonic: true`,
    )
  }
}

/** Rows of two tables that share a moment, as an order and its lines do, would share their ids. */
function refuseTwins(table: string, other: string, { name }: IdFamily): never {
  return refuse(
    table,
    `${name}: the generator makes the ids that ${other} has for the same moments; ` +
      'give each table a partition, worker or node of its own, or a family that has one',
  )
}
