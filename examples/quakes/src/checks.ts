import type { IdFamily } from '@snoflax/core'
import type { QuakeIds } from './ids.js'
import type { FoundQuake, KeyedQuake, QuakeTable } from './quake-table.js'
import type { Question } from './questions.js'

/** Something that was looked at, and what was wrong with it if anything. */
export interface Check {
  readonly what: string
  readonly failure: string | undefined
}

/** What came back is what was written, and each id carries its quake's time. */
export async function checkReadBack(table: QuakeTable, rows: readonly KeyedQuake[]): Promise<Check> {
  const { family } = table.storage
  const late = rows.find(({ id, quake }) => !carries(family, id, quake.timeMs))
  return {
    what: 'ids read back',
    failure:
      late === undefined
        ? difference(
            rows.map(({ id, quake }) => `${quake.code} ${id}`).sort(),
            (await table.inKeyOrder()).map(({ id, code }) => `${code} ${id}`).sort(),
          )
        : `${late.id} of ${late.quake.code} carries ${family.time(late.id).toISOString()}`,
  }
}

/** Whether the id has the time, floored to the family's unit and to whole milliseconds. */
function carries(family: IdFamily, id: string, timeMs: number): boolean {
  const lost = timeMs - family.timeMs(id)
  return lost >= 0 && lost < family.layout.unitMs + 1
}

/** ORDER BY id is ORDER BY time; where ids sort by time window only, the order that the family says. */
export async function checkOrder(table: QuakeTable): Promise<Check> {
  const { family } = table.storage
  const found = await table.inKeyOrder()
  const expected = family.exactRange
    ? await table.inTimeOrder()
    : [...found].sort((a, b) => family.compare(a.id, b.id))
  const wrong = found.findIndex(({ code }, index) => code !== expected[index]?.code)
  return {
    what: 'order by id',
    failure:
      wrong < 0
        ? undefined
        : `row ${wrong + 1} is ${found[wrong]?.code}, it should be ${expected[wrong]?.code}`,
  }
}

export interface Answer extends Check {
  readonly question: Question
  readonly quakes: readonly FoundQuake[]
  /** Rows outside the requested time, which the outer bounds include. */
  readonly extraRows: number
}

/** Answers the question by the primary key and compares the result with the time column. */
export async function answer(table: QuakeTable, ids: QuakeIds, question: Question): Promise<Answer> {
  const { title, fromMs, toMs, leastMagnitude } = question
  const { family, lowestMagnitude } = ids
  const found = await table.byKeyRange(family.range(fromMs, toMs))
  const inTime = family.exactRange
    ? found
    : found.filter(({ id }) => fromMs <= family.timeMs(id) && family.timeMs(id) < toMs)
  const quakes =
    leastMagnitude !== undefined && lowestMagnitude !== undefined
      ? inTime.filter(({ id }) => lowestMagnitude(id) >= leastMagnitude)
      : inTime
  const expected = await table.byTimeRange(fromMs, toMs, leastMagnitude)
  return {
    question,
    what: title,
    quakes,
    extraRows: found.length - inTime.length,
    failure: difference(codesOf(expected), codesOf(quakes)),
  }
}

export interface Plan extends Check {
  readonly lines: readonly string[]
}

/** Checks that the database uses the primary key for the query. */
export async function checkPlan(table: QuakeTable, { fromMs, toMs }: Question): Promise<Plan> {
  const { engine, storage, name } = table
  const lines = await table.explainKeyRange(storage.family.range(fromMs, toMs))
  return {
    what: 'uses the primary key',
    lines,
    failure: engine.isByKey(lines, name) ? undefined : `the plan is ${lines.join(' / ')}`,
  }
}

const codesOf = (quakes: readonly FoundQuake[]): string[] => quakes.map(({ code }) => code).sort()

const SHOWN = 3

/** How two sorted lists differ; undefined if they don't. */
export function difference(expected: readonly string[], found: readonly string[]): string | undefined {
  const missing = without(expected, found)
  const extra = without(found, expected)
  if (missing.length === 0 && extra.length === 0 && expected.length === found.length) return undefined
  const shown = (items: string[]): string =>
    items.length > SHOWN
      ? `${items.slice(0, SHOWN).join(', ')} and ${items.length - SHOWN} more`
      : items.join(', ')
  return [
    `${found.length} rows instead of ${expected.length}`,
    missing.length > 0 && `missing ${shown(missing)}`,
    extra.length > 0 && `too many ${shown(extra)}`,
  ]
    .filter(Boolean)
    .join('; ')
}

function without(items: readonly string[], others: readonly string[]): string[] {
  const known = new Set(others)
  return items.filter((item) => !known.has(item))
}
