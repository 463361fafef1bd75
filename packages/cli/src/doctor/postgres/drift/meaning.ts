import { quoteName } from '../../columns/quote.js'
import type { Row } from '../../live-database.js'
import type { Postgres } from '../open.js'

/** An expression as it was written, and as the server keeps it. */
export interface Meant {
  readonly wanted: string
  readonly found: string
  /** What it may refer to. */
  readonly names?: Names
  /** Its type, where the context decides that. */
  readonly type?: string
}

/** The columns of a row, by their types. */
export interface Names {
  readonly row: string
  readonly columns: Readonly<Record<string, string>>
}

/**
 * Whether two expressions mean the same. A server keeps what an expression means and writes it out in words of its own,
 * which depend on its version. So it plans both, here and now, and the plans are compared, in which it uses the same
 * words for both. Nothing is run but what a planner works out beforehand. Undefined where this role may not have it
 * planned.
 */
export async function haveSameMeaning(
  database: Postgres,
  pairs: readonly Meant[],
): Promise<(boolean | undefined)[]> {
  const selects = pairs.flatMap(({ wanted, found, ...context }) => [
    selectOf(wanted, context),
    selectOf(found, context),
  ])
  const plans = await plansOf(database, selects)
  return pairs.map((_, n) => isSame(plans[2 * n] as Plan, plans[2 * n + 1] as Plan))
}

/** Like {@link haveSameMeaning}, of whole queries. */
export async function areSameQueries(
  database: Postgres,
  wanted: string,
  found: string,
): Promise<boolean | undefined> {
  const [one, other] = (await plansOf(database, [wanted, found])) as [Plan, Plan]
  return isSame(one, other)
}

interface Plan {
  readonly text?: string
  /** SQLSTATE of the refusal. */
  readonly refused?: string
}

const NOT_ALLOWED = '42501'

function isSame(wanted: Plan, found: Plan): boolean | undefined {
  if (wanted.refused === NOT_ALLOWED || found.refused === NOT_ALLOWED) return undefined
  return wanted.text !== undefined && wanted.text === found.text
}

function selectOf(expression: string, { names, type }: Pick<Meant, 'names' | 'type'>): string {
  const value = type === undefined ? `(${expression})` : `(${expression})::${type}`
  const columns = Object.entries(names?.columns ?? {})
  if (!names || columns.length === 0) return `SELECT ${value}`
  const row = columns.map(([name, of]) => `NULL::${of} AS ${quoteName(name)}`)
  // OFFSET keeps the planner from working out what comes of the nulls.
  return `SELECT ${value} FROM (SELECT ${row.join(', ')} OFFSET 0) AS ${quoteName(names.row)}`
}

const AT_ONCE = 50

/** Many in one message, since a server may be far away. */
async function plansOf(database: Postgres, selects: readonly string[]): Promise<Plan[]> {
  const plans: Plan[] = []
  for (let start = 0; start < selects.length; start += AT_ONCE) {
    const some = selects.slice(start, start + AT_ONCE)
    plans.push(...((await allPlans(database, some)) ?? (await eachPlan(database, some))))
  }
  return plans
}

const explain = (select: string): string => `EXPLAIN (VERBOSE, COSTS OFF) ${select}`

/** Undefined if the server refuses one. */
async function allPlans(database: Postgres, selects: readonly string[]): Promise<Plan[] | undefined> {
  try {
    const results = await database.queryAll(selects.map(explain))
    return results.map(textOf)
  } catch (error) {
    refusalOf(error)
    return undefined
  }
}

async function eachPlan(database: Postgres, selects: readonly string[]): Promise<Plan[]> {
  const plans: Plan[] = []
  for (const select of selects) {
    try {
      plans.push(textOf(await database.query(explain(select))))
    } catch (error) {
      plans.push({ refused: refusalOf(error) })
    }
  }
  return plans
}

/** A server that numbers queries, for its statistics, gives each text a number of its own. */
const NUMBER = /^Query Identifier:/

const textOf = (rows: readonly Row[]): Plan => ({
  text: rows
    .map((row) => String(row['QUERY PLAN']))
    .filter((line) => !NUMBER.test(line))
    .join('\n'),
})

/** The SQLSTATE of a refused statement. Other errors are thrown on. */
function refusalOf(error: unknown): string {
  const code = String((error as { code?: unknown }).code)
  if (/^(?:0A|22|42|2B)/.test(code)) return code
  throw error
}
