import type { Phase } from './adoption.js'
import type { KeyRecipe } from './key-recipe.js'
import { refuse } from './refusal.js'
import type { RootPlan } from './root-plan.js'
import { shownName } from './sql-text.js'

/** What is kept of an adoption in the database. */
export interface Begun<Plan> {
  readonly phase: Exclude<Phase, 'planned'>
  readonly plan: Plan
}

/** What was begun goes on as it was planned; only functions and times are given anew. */
export function refuseOther(roots: readonly RootPlan[], recipes: readonly KeyRecipe[]): void {
  const same = (root: RootPlan, i: number): boolean =>
    root.family === recipes[i]?.storage.family.name && root.storage === recipes[i]?.storage.name
  if (roots.length === recipes.length && roots.every(same)) return
  const told = roots.map(({ table, family, storage }) => `${shownName(table)} to ${family} as ${storage}`)
  refuse(
    'tables',
    `an adoption of ${told.join(', ')} is under way; plan with the same tables and families, or abandon it`,
  )
}

/** A table, foreign key or index that came since the plan was made would be missed. */
export function refuseChanges<Plan>(planned: Plan, now: Plan): void {
  if (JSON.stringify(now) === JSON.stringify(planned)) return
  refuse('switchKeys', 'the schema has changed since the backfill began; abandon it and begin again')
}

export const refuseUnbegun = (): never => refuse('adoption', 'nothing is under way; backfill() begins it')

export const refuseOtherSession = (): never => refuse('adoption', 'another session is at it; wait, or end it')

export const refuseUnfilled = (table: string): never =>
  refuse(table, 'the backfill is not through; run it to its end')

/** When a step can't be taken, and why. */
const TOO_LATE_OR_EARLY = {
  finish: { phase: 'backfilling', reason: 'the keys are not switched yet' },
  abandon: { phase: 'switched', reason: 'the keys are switched; there is no way back but a restore' },
} as const

/** @throws {IdError} for a step that this phase doesn't allow. */
export function checkStep(step: keyof typeof TOO_LATE_OR_EARLY, current: Phase | undefined): void {
  const { phase, reason } = TOO_LATE_OR_EARLY[step]
  if (current === phase) refuse(step, reason)
}
