import type { Row } from '../../live-database.js'
import type { Postgres } from '../open.js'
import { type FunctionStatement, inputsOf } from './function-statement.js'
import { haveSameMeaning, type Meant, type Names } from './meaning.js'

/** What of a function says something else. */
export type ExpressionPart = 'body' | 'defaults'

/** The bodies and defaults that say something else than the installer's, by function; `rows` are as pg_proc has them. */
export async function changedExpressions(
  database: Postgres,
  functions: readonly FunctionStatement[],
  rows: readonly Row[],
): Promise<ReadonlyMap<FunctionStatement, readonly ExpressionPart[]>> {
  const comparisons = functions.flatMap((one, n) => comparisonsOf(one, rows[n] as Row))
  const open = comparisons.filter((one): one is Open => typeof one.verdict !== 'boolean')
  const same = await haveSameMeaning(
    database,
    open.map(({ verdict }) => verdict),
  )
  const changed = comparisons.filter((one) =>
    typeof one.verdict === 'boolean' ? !one.verdict : same[open.indexOf(one as Open)] === false,
  )
  return new Map(functions.map((one) => [one, partsOf(changed.filter(({ of }) => of === one))]))
}

const partsOf = (comparisons: readonly Comparison[]): ExpressionPart[] => [
  ...new Set(comparisons.map(({ part }) => part)),
]

/** Whether a part is the same, or what tells it. */
interface Comparison {
  readonly of: FunctionStatement
  readonly part: ExpressionPart
  readonly verdict: boolean | Meant
}

type Open = Comparison & { readonly verdict: Meant }

function comparisonsOf(one: FunctionStatement, row: Row): Comparison[] {
  if (!row['is_there']) return []
  const defaults = row['defaults'] as readonly string[]
  return [
    { of: one, part: 'body', verdict: bodyVerdict(one, row) },
    ...one.arguments.flatMap(({ type, defaultSql: wanted }, n): Comparison[] => {
      if (wanted === undefined) return []
      const found = defaults[n]
      return [{ of: one, part: 'defaults', verdict: found ? { wanted, found, type } : false }]
    }),
  ]
}

function bodyVerdict(one: FunctionStatement, { sql_body: found, source }: Row): boolean | Meant {
  if (one.isVerbatim) return found === null && source === one.body
  if (found === null) return false
  return {
    wanted: one.body,
    found: (found as string).replace(/^RETURN\b/, ''),
    names: namesOf(one),
    type: one.result.type,
  }
}

const namesOf = (one: FunctionStatement): Names => ({
  row: one.name.replace(/^.*\./, ''),
  columns: Object.fromEntries(inputsOf(one).map(({ name, type }) => [name, type])),
})
