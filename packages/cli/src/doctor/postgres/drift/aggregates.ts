import type { Row } from '../../live-database.js'
import type { Postgres } from '../open.js'
import { type Difference, differing, missing } from './difference.js'
import { bracketed, type Created, created, type Statement, splitList } from './statement.js'

/** Aggregates that are missing or are made of other parts. */
export async function aggregateDrift(
  database: Postgres,
  statements: readonly Statement[],
): Promise<Difference[]> {
  const aggregates = created(statements, 'AGGREGATE').map(aggregateOf)
  const rows = await database.query(FOUND, [aggregates.map(({ signature }) => signature)])
  return aggregates.flatMap(({ statement, signature, options }, n) => {
    const found = rows[n] as Row
    const where = `aggregate ${signature}`
    if (!found['is_there']) return missing(statement, where, { sql: statement.sql })
    const parts = Object.keys(options).filter((name) => found[name] !== options[name])
    return differing(statement, where, parts, [statement.sql])
  })
}

/** Named as in CREATE AGGREGATE. */
const FOUND = `
  SELECT a.aggfnoid IS NOT NULL AS is_there, a.aggtransfn::text AS sfunc, format_type(a.aggtranstype, NULL) AS stype,
    a.aggcombinefn::text AS combinefunc,
    CASE p.proparallel WHEN 's' THEN 'safe' WHEN 'r' THEN 'restricted' ELSE 'unsafe' END AS parallel,
    (SELECT format('operator(%s.%s)', n.nspname, o.oprname) FROM pg_catalog.pg_operator o
       JOIN pg_catalog.pg_namespace n ON n.oid = o.oprnamespace WHERE o.oid = a.aggsortop) AS sortop
    FROM unnest($1::text[]) WITH ORDINALITY AS given (signature, n)
    LEFT JOIN pg_catalog.pg_aggregate a ON a.aggfnoid = to_regprocedure(given.signature)
    LEFT JOIN pg_catalog.pg_proc p ON p.oid = a.aggfnoid
   ORDER BY n`

interface Aggregate {
  readonly statement: Created
  readonly signature: string
  readonly options: Readonly<Record<string, string>>
}

function aggregateOf(statement: Created): Aggregate {
  const { definition, name } = statement
  const { content: types, end } = bracketed(definition, 0)
  const { content: options } = bracketed(definition, definition.indexOf('(', end))
  return {
    statement,
    signature: `${name}(${types})`,
    options: Object.fromEntries(
      splitList(options.toLowerCase()).map((one) => one.split(' = ') as [string, string]),
    ),
  }
}
