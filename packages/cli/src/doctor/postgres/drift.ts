import { installStatements } from '@snoflax/pg-sql'
import type { Examination } from '../examination.js'
import type { Finding } from '../finding.js'
import type { Row } from '../live-database.js'
import { type Installation, installCommand } from './installation.js'
import type { Postgres } from './open.js'
import { fingerprint, type RenderedFunction, renderedFunction } from './rendering.js'

/** Functions, types and sequences that are missing or are not what this version installs. */
export async function checkDrift(
  { database }: Examination<Postgres>,
  installed: Installation,
): Promise<Finding[]> {
  const statements = installStatements(installed)
  const functions = statements.flatMap((statement) => renderedFunction(statement) ?? [])
  return [
    ...(await functionDrift(database, installed, functions)),
    ...(await missingObjects(database, installed, statements)),
  ]
}

async function functionDrift(
  database: Postgres,
  { schema }: Installation,
  functions: readonly RenderedFunction[],
): Promise<Finding[]> {
  const rows = await database.query(
    `SELECT p.oid IS NOT NULL AS is_there, l.lanname AS language, p.provolatile AS volatility, p.proisstrict AS strict,
       p.proparallel AS parallel, p.prosecdef AS definer, p.pronargdefaults AS defaults,
       coalesce(pg_get_function_sqlbody(p.oid), p.prosrc) AS body
       FROM unnest($1::text[]) WITH ORDINALITY AS given(signature, n)
       LEFT JOIN pg_catalog.pg_proc p ON p.oid = to_regprocedure(given.signature)
       LEFT JOIN pg_catalog.pg_language l ON l.oid = p.prolang
      ORDER BY n`,
    [functions.map(({ signature }) => signature)],
  )
  return functions.flatMap((wanted, n) => {
    const difference = differenceOf(wanted, rows[n] as Row, schema)
    return difference === undefined
      ? []
      : [drift(`function ${wanted.signature}`, difference, wanted.statement)]
  })
}

function differenceOf(wanted: RenderedFunction, found: Row, schema: string): string | undefined {
  if (!found['is_there']) return 'is missing'
  const attributes = ['language', 'volatility', 'parallel', 'defaults'] as const
  const changed: string[] = attributes.filter((name) => found[name] !== wanted[name])
  if (found['strict'] !== wanted.isStrict) changed.push('strictness')
  if (found['definer'] !== wanted.isDefiner) changed.push('security')
  if (!isSameBody(wanted, found['body'] as string, schema)) changed.push('body')
  return changed.length === 0 ? undefined : `differs in ${changed.join(', ')}`
}

function isSameBody({ isVerbatim, body }: RenderedFunction, found: string, schema: string): boolean {
  return isVerbatim ? found === body : fingerprint(found, schema) === fingerprint(body, schema)
}

const OBJECT =
  /\bCREATE (?:OR REPLACE )?(TYPE|DOMAIN|SEQUENCE|TABLE|VIEW|AGGREGATE)(?: IF NOT EXISTS)? (\w+\.\w+)(\([^)]*\))?/g

async function missingObjects(
  database: Postgres,
  installed: Installation,
  statements: readonly string[],
): Promise<Finding[]> {
  const objects = statements
    .filter((statement) => renderedFunction(statement) === undefined)
    .flatMap((statement) => [...statement.matchAll(OBJECT)])
    .map(([, kind, name, types]) => ({
      kind: (kind as string).toLowerCase(),
      name: kind === 'AGGREGATE' ? `${name}${types}` : (name as string),
    }))
  const rows = await database.query(
    `SELECT CASE kind WHEN 'aggregate' THEN to_regprocedure(name) IS NOT NULL
       WHEN 'type' THEN to_regtype(name) IS NOT NULL WHEN 'domain' THEN to_regtype(name) IS NOT NULL
       ELSE to_regclass(name) IS NOT NULL END AS is_there
       FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS given(kind, name, n) ORDER BY n`,
    [objects.map(({ kind }) => kind), objects.map(({ name }) => name)],
  )
  const missing = objects.filter((_, n) => rows[n]?.['is_there'] !== true)
  return missing.map(({ kind, name }) => ({
    ...drift(`${kind} ${name}`, 'is missing', ''),
    cure: { shell: installCommand(installed) },
  }))
}

const drift = (where: string, difference: string, sql: string): Finding => ({
  check: 'drift',
  severity: 'error',
  where,
  message: `it ${difference}: not what this version of pg-sql installs`,
  cure: { sql },
})
