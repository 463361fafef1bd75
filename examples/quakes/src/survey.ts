import { type Answer, answer, type Check, checkOrder, checkPlan, checkReadBack, type Plan } from './checks.js'
import { type Quake, strongestOf } from './data.js'
import type { Engine } from './engine.js'
import type { QuakeIds } from './ids.js'
import { type KeyedQuake, QuakeTable } from './quake-table.js'
import type { Question } from './questions.js'
import type { Stopwatch } from './stopwatch.js'
import { storagesOf } from './storages.js'

/** A family with an id for every quake. */
export interface KeyedFamily {
  readonly ids: QuakeIds
  readonly rows: readonly KeyedQuake[]
}

/** The results for one table. */
export interface Survey {
  readonly table: QuakeTable
  /** The stored key of the strongest quake. */
  readonly storedKey: unknown
  readonly readBack: Check
  readonly order: Check
  readonly plan: Plan
  readonly answers: readonly Answer[]
}

export interface Questions {
  /** Questions by time alone, for every family. */
  readonly byTime: readonly Question[]
  /** Questions by content that only some families' ids have. */
  readonly byMagnitude: readonly Question[]
  /** The question whose plan is shown. */
  readonly explained: Question
}

export function keyQuakes(ids: QuakeIds, quakes: readonly Quake[]): KeyedFamily {
  return { ids, rows: quakes.map((quake) => ({ id: ids.make(quake), quake })) }
}

/** Fills a table for each family and storage of the database, and answers the questions with each. */
export async function surveyAll(
  engine: Engine,
  families: readonly KeyedFamily[],
  questions: Questions,
  watch: Stopwatch,
  progress: (done: number, total: number, what: string) => void,
): Promise<Survey[]> {
  const plans = families.flatMap((family) =>
    storagesOf(family.ids.family, engine).allowed.map((storage) => ({ ...family, storage })),
  )
  const surveys: Survey[] = []
  for (const { ids, rows, storage } of plans) {
    progress(surveys.length, plans.length, `${engine.name}, ${ids.family.name} as ${storage.name}`)
    const table = new QuakeTable(engine, storage)
    await watch.measure(`${engine.name}: write the rows`, () => table.fill(rows))
    surveys.push(
      await watch.measure(`${engine.name}: query and check`, () => survey(table, ids, rows, questions)),
    )
  }
  return surveys
}

export async function survey(
  table: QuakeTable,
  ids: QuakeIds,
  rows: readonly KeyedQuake[],
  { byTime, byMagnitude, explained }: Questions,
): Promise<Survey> {
  const asked = ids.lowestMagnitude === undefined ? byTime : [...byTime, ...byMagnitude]
  const answers: Answer[] = []
  for (const question of asked) answers.push(await answer(table, ids, question))
  return {
    table,
    storedKey: await table.storedKey(strongestOf(rows.map(({ quake }) => quake))),
    readBack: await checkReadBack(table, rows),
    order: await checkOrder(table),
    plan: await checkPlan(table, explained),
    answers,
  }
}

export const checksOf = ({ readBack, order, plan, answers }: Survey): Check[] => [
  readBack,
  order,
  plan,
  ...answers,
]
