import { quoteName } from '../../columns/quote.js'
import type { Row } from '../../live-database.js'
import type { Postgres } from '../open.js'
import { type Difference, differing, missing } from './difference.js'
import { haveSameMeaning } from './meaning.js'
import { type Created, created, type Statement } from './statement.js'

/** Domains that are missing, are of another type, or check something else. */
export async function domainDrift(
  database: Postgres,
  statements: readonly Statement[],
): Promise<Difference[]> {
  const domains = created(statements, 'DOMAIN').map(domainOf)
  const rows = await database.query(FOUND, [
    domains.map(({ statement }) => statement.name),
    domains.map(({ type }) => type),
  ])
  const differences: Difference[] = []
  for (const [n, domain] of domains.entries()) {
    differences.push(...(await differenceOf(database, domain, rows[n] as Row)))
  }
  return differences
}

interface Domain {
  readonly statement: Created
  readonly type: string
  readonly collation: string
  readonly check: string
}

function domainOf(statement: Created): Domain {
  const [, type, collation, check] = /^AS (\w+)(?: COLLATE "(\w+)")? CHECK \(([\s\S]*)\)$/.exec(
    statement.definition,
  ) as unknown as [string, string, string | undefined, string]
  return { statement, type, collation: collation ?? 'default', check }
}

const FOUND = `
  SELECT t.oid IS NOT NULL AS is_there, t.typbasetype = to_regtype(given.type) AND t.typtypmod = -1 AS is_type,
    coalesce((SELECT collname FROM pg_catalog.pg_collation o WHERE o.oid = t.typcollation), 'default') AS collation,
    t.typnotnull AS is_not_null, t.typdefault IS NOT NULL AS has_default,
    array(SELECT json_build_object('name', k.conname, 'sql', pg_get_expr(k.conbin, 0), 'isValid', k.convalidated)
            FROM pg_catalog.pg_constraint k WHERE k.contypid = t.oid AND k.contype = 'c' ORDER BY k.conname) AS checks
    FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS given (name, type, n)
    LEFT JOIN pg_catalog.pg_type t ON t.oid = to_regtype(given.name) AND t.typtype = 'd'
   ORDER BY n`

interface Check {
  readonly name: string
  readonly sql: string
  readonly isValid: boolean
}

async function differenceOf(database: Postgres, domain: Domain, found: Row): Promise<Difference[]> {
  const { statement } = domain
  const where = `domain ${statement.name}`
  if (!found['is_there']) return [missing(statement, where, { sql: statement.sql })]
  if (!found['is_type'] || found['collation'] !== domain.collation) {
    const part = found['is_type'] ? 'collation' : 'type'
    return differing(statement, where, [part], [`DROP DOMAIN ${statement.name}`, statement.sql])
  }
  const changes = [
    ...(found['is_not_null'] ? [{ part: 'nullability', sql: 'DROP NOT NULL' }] : []),
    ...(found['has_default'] ? [{ part: 'default', sql: 'DROP DEFAULT' }] : []),
    ...(await checkChanges(database, domain, found['checks'] as Check[])).map((sql) => ({
      part: 'check',
      sql,
    })),
  ]
  const parts = [...new Set(changes.map(({ part }) => part))]
  return differing(
    statement,
    where,
    parts,
    changes.map(({ sql }) => `ALTER DOMAIN ${statement.name} ${sql}`),
  )
}

/** What leaves the domain with its check and no other. */
async function checkChanges(
  database: Postgres,
  { type, check }: Domain,
  checks: readonly Check[],
): Promise<string[]> {
  const names = { row: 'domain', columns: { value: type } }
  const same = await haveSameMeaning(
    database,
    checks.map(({ sql }) => ({ wanted: check, found: sql, names })),
  )
  const kept = checks.find((_, n) => same[n] !== false)
  const others = checks.filter((one) => one !== kept)
  return [
    ...others.map(({ name }) => `DROP CONSTRAINT ${quoteName(name)}`),
    ...(kept ? [] : [`ADD CHECK (${check})`]),
    ...(kept?.isValid === false ? [`VALIDATE CONSTRAINT ${quoteName(kept.name)}`] : []),
  ]
}
