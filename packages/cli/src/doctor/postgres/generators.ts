import { again, type Installation } from '../examination.js'
import type { Row } from '../live-database.js'
import { type Finding, finding } from '../report.js'
import type { Postgres } from './open.js'

/** What the server hides, so that a copy or a failover goes unnoticed. None where a version has no such view. */
export async function checkIdentity(database: Postgres, { schema }: Installation): Promise<Finding[]> {
  const rows = await rowsOf(
    database,
    `${schema}.identity`,
    `SELECT i.warning, n.nspowner::regrole::text AS owner FROM ${schema}.identity i, pg_catalog.pg_namespace n
      WHERE i.warning IS NOT NULL AND n.nspname = '${schema}'`,
  )
  return rows.map(({ warning, owner }) => {
    const functions = 'pg_control_system(), pg_current_wal_lsn(), pg_walfile_name(pg_lsn)'
    const sql = `GRANT EXECUTE ON FUNCTION ${functions} TO ${owner}`
    return finding('identity', 'the server', warning as string, { sql }, 'warning')
  })
}

/** Generators that would refuse: no number, another database's number, a cached sequence, far ahead of the clock. */
export async function checkGenerators(database: Postgres, installed: Installation): Promise<Finding[]> {
  const lost = await database.query(lostSql(installed.schema))
  const rows = await database.query(stateSql(installed.schema))
  return [...lost.map((row) => dangling(installed, row['family'] as string)), ...rows.flatMap(faultsOf)]
}

/** A sequence that was dropped, or renamed, and made again is another one to the generator. */
const lostSql = (schema: string): string => `
  SELECT family FROM ${schema}._generator
   WHERE state::oid IS DISTINCT FROM to_regclass(format('${schema}.%s_state', family))::oid
      OR timeline::oid IS DISTINCT FROM to_regclass(format('${schema}._%s_timeline', family))::oid ORDER BY family`

const dangling = (installed: Installation, family: string): Finding => {
  const message = 'its sequence was dropped: install again, and name with --grant-to the roles that make ids'
  return finding('generator', `generator of ${family}`, message, again(installed))
}

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
      OR g.system <> (SELECT coalesce(system_identifier, 0) FROM ${schema}.identity) AS is_copy,
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
  const found = (message: string, sql: string): Finding =>
    finding('generator', `generator of ${family}`, message, { sql })
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

/**
 * Leases of numbers: holders that are gone, a database that is a copy, and numbers of its own that others could lease.
 * None where a version has no leases.
 */
export async function checkLeases(database: Postgres, { schema }: Installation): Promise<Finding[]> {
  return [
    ...(await rowsOf(database, `${schema}._lease_family`, copySql(schema))).map((row) => copied(schema, row)),
    ...(await rowsOf(database, `${schema}._lease`, leasableSql(schema))).map((row) => leasable(schema, row)),
    ...(await rowsOf(database, `${schema}.leases`, expiredSql(schema))).map((row) => expired(schema, row)),
  ]
}

/** Whether this role may read a table that is there. */
export async function isReadable(database: Postgres, table: string): Promise<boolean> {
  const [row] = await database.query("SELECT has_table_privilege(to_regclass($1), 'SELECT') AS it", [table])
  return row?.['it'] === true
}

/** No rows where the relation is not there, or not for this role. */
const rowsOf = async (database: Postgres, relation: string, sql: string): Promise<Row[]> =>
  (await isReadable(database, relation)) ? database.query(sql) : []

const copySql = (schema: string): string => `
  SELECT family FROM ${schema}._lease_family WHERE NOT ${schema}._lease_is_here(family, true) ORDER BY family`

function copied(schema: string, { family }: Row): Finding {
  const message =
    'not all of them were given out by this database, which is a copy or was restored, or changed by hand; adopt them when no other one gives them out'
  return finding('lease', `leases of ${family}`, message, {
    sql: `SELECT ${schema}.lease_adopt('${family}')`,
  })
}

/** The generator's own number is a permanent row among the leases. */
const leasableSql = (schema: string): string => `
  SELECT g.family, g.number, g.setup, count(l.number) > 0 AS is_leased FROM ${schema}._generator g
    JOIN ${schema}._lease_family f ON f.family = g.family
    LEFT JOIN ${schema}._lease l ON l.family = g.family AND l.number = g.number
   WHERE g.number IS NOT NULL GROUP BY g.family HAVING NOT coalesce(bool_or(l.permanent), false) ORDER BY g.family`

function leasable(schema: string, { family, number, setup, is_leased }: Row): Finding {
  const own = "it is the number of this database's own generator, and"
  const [message, sql] = is_leased
    ? [`${own} is leased to others: give the generator another one`, setup as string]
    : [`${own} others could lease it`, `SELECT ${schema}.lease_adopt('${family}')`]
  return finding('lease', `lease of ${family} ${number}`, message, { sql })
}

const expiredSql = (schema: string): string => `
  SELECT family, number, shard, holder, to_char(expires_at, 'YYYY-MM-DD HH24:MI:SS') AS expired
    FROM ${schema}.leases WHERE state = 'expired' ORDER BY family, number, shard`

function expired(schema: string, { family, number, shard, holder, expired }: Row): Finding {
  const message = `${holder} did not renew it and did not give it back: it expired at ${expired} UTC`
  const sql =
    `SELECT ${schema}.lease_release(token, NULL) FROM ${schema}._lease ` +
    `WHERE family = '${family}' AND number = ${number} AND shard = ${shard}`
  return finding('lease', `lease of ${family} ${number}, shard ${shard}`, message, { sql }, 'warning')
}
