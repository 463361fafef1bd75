import type { Examination } from '../examination.js'
import type { Finding } from '../finding.js'
import type { Row } from '../live-database.js'
import { type Installation, installCommand } from './installation.js'
import type { Postgres } from './open.js'

/** Roles of applications may not read the state. */
export async function canReadGenerators({ database, schema }: Examination<Postgres>): Promise<boolean> {
  const [row] = await database.query("SELECT has_table_privilege(to_regclass($1), 'SELECT') AS can_read", [
    `${schema}._generator`,
  ])
  return row?.['can_read'] === true
}

/** Generators that would refuse: no number, another database's number, a cached sequence, far ahead of the clock. */
export async function checkGenerators(
  { database }: Examination<Postgres>,
  installed: Installation,
): Promise<Finding[]> {
  const lost = await database.query(lostSql(installed.schema))
  const rows = await database.query(stateSql(installed.schema))
  return [...lost.map((row) => dangling(installed, row['family'] as string)), ...rows.flatMap(faultsOf)]
}

/** A sequence that was dropped, or renamed, and made again is another one to the generator. */
const lostSql = (schema: string): string => `
  SELECT family FROM ${schema}._generator
   WHERE state::oid IS DISTINCT FROM to_regclass(format('${schema}.%s_state', family))::oid
      OR timeline::oid IS DISTINCT FROM to_regclass(format('${schema}._%s_timeline', family))::oid ORDER BY family`

const dangling = (installed: Installation, family: string): Finding => ({
  check: 'generator',
  severity: 'error',
  where: `generator of ${family}`,
  message: 'its sequence was dropped: install again, and name with --grant-to the roles that make ids',
  cure: { shell: installCommand(installed) },
})

/** Whether something outside the schema, such as a column's default, makes ids of the family. */
const usedSql = (schema: string): string => `
  EXISTS (SELECT FROM pg_catalog.pg_depend d
    JOIN pg_catalog.pg_proc p ON d.refclassid = 'pg_catalog.pg_proc'::regclass AND p.oid = d.refobjid
    LEFT JOIN pg_catalog.pg_proc own ON d.classid = 'pg_catalog.pg_proc'::regclass AND own.oid = d.objid
   WHERE p.pronamespace = '${schema}'::regnamespace AND p.proname ~ ('^' || g.family || '_generate')
     AND own.pronamespace IS DISTINCT FROM p.pronamespace)`

const stateSql = (schema: string): string => `
  SELECT g.family, g.number, g.setup, g.setup IS NOT NULL AS is_numbered, ${usedSql(schema)} AS is_used,
    g.database <> (SELECT oid FROM pg_catalog.pg_database WHERE datname = current_database())
      OR g.system <> ${schema}._server_system() AS is_copy,
    (pg_sequence_parameters(g.state)).cache_size <> 1 AS is_cached, g.state::text AS sequence,
    round(((pg_sequence_last_value(g.state) >> g.shift)
      - (us / 1000000 * g.units_per_second + us % 1000000 / g.unit_us - g.origin))::numeric
      / g.units_per_second, 1) AS ahead_s
    FROM ${schema}._generator g
    JOIN pg_catalog.pg_class s ON s.oid = g.state
    CROSS JOIN ${schema}._clock_us() AS us ORDER BY g.family`

const LEAD_S = 10

function faultsOf(row: Row): Finding[] {
  const family = row['family'] as string
  const found = (message: string, sql: string): Finding => ({
    check: 'generator',
    severity: 'error',
    where: `generator of ${family}`,
    message,
    cure: { sql },
  })
  const setup = row['setup'] as string
  const findings: Finding[] = []
  if (row['is_numbered'] && row['number'] === null && row['is_used']) {
    findings.push(found('a default makes ids of it, and it has no number of its own yet', setup))
  }
  if (row['is_copy']) {
    findings.push(found(`this database is a copy: number ${row['number']} was set in another one`, setup))
  }
  if (row['is_cached']) {
    const message = `sequence ${row['sequence']} has a cache, which breaks the order of ids`
    findings.push(found(message, `ALTER SEQUENCE ${row['sequence']} CACHE 1`))
  }
  if (Number(row['ahead_s']) > LEAD_S) {
    const message = `its last id is ${row['ahead_s']} s ahead of the server's clock: put the clock right, or wait; if it is right, give it a number never used`
    const reset = `SELECT setval('${row['sequence']}', 0)`
    findings.push(found(message, row['is_numbered'] ? `${setup};\n${reset}` : reset))
  }
  return findings
}
