import type { Installation } from '../installation.js'
import type { Postgres } from '../open.js'
import { type Difference, differing, missing } from './difference.js'
import { haveSameMeaning } from './meaning.js'
import type { Statement } from './statement.js'

/** Functions that a generator reads its number and its epoch with: they say what its row says. */
export async function constantDrift(
  database: Postgres,
  { schema }: Installation,
  statements: readonly Statement[],
): Promise<Difference[]> {
  const [readable] = await database.query("SELECT has_table_privilege(to_regclass($1), 'SELECT') AS it", [
    `${schema}._generator`,
  ])
  if (readable?.['it'] !== true) return []
  const rows = (await database.query(constantsSql(schema))) as unknown as Constant[]
  const found = rows.filter(({ body }) => body !== null)
  const same = await haveSameMeaning(
    database,
    found.map(({ value, body }) => ({
      wanted: `${value ?? 'NULL'}::bigint`,
      found: (body as string).replace(/^RETURN\b/, ''),
    })),
  )
  return rows.flatMap((row) => {
    const statement = statements.find(({ sql }) => sql === `SELECT ${schema}._clock_mend('${row.family}')`)
    if (!statement) return []
    const where = `function ${schema}.${row.name}()`
    const sql = `SELECT ${schema}._clock_constant('${row.name}', ${row.value ?? 'NULL'})`
    if (row.body === null) return missing(statement, where, { sql })
    return differing(statement, where, same[found.indexOf(row)] === false ? ['value'] : [], [sql])
  })
}

interface Constant {
  readonly family: string
  readonly name: string
  readonly value: string | null
  /** Null where there is no such function. */
  readonly body: string | null
}

const constantsSql = (schema: string): string => `
  SELECT family, name, value::text AS value,
    coalesce(pg_get_function_sqlbody(p.oid), p.prosrc) AS body
    FROM (SELECT family, format('_%s_number', family) AS name, number AS value FROM ${schema}._generator
           WHERE setup IS NOT NULL
          UNION ALL
          SELECT family, format('_%s_epoch_ms', family), first_unit FROM ${schema}._generator
           WHERE family = 'flake') AS constant
    LEFT JOIN pg_catalog.pg_proc p ON p.oid = to_regprocedure(format('${schema}.%I()', name)) ORDER BY name`
