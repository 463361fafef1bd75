import type { LiveDatabase, Row } from '../../live/database.js'
import { again, type Installation } from '../examination.js'
import { type CheckName, type Finding, finding } from '../report.js'

/** Finds missing privileges without which a copy or a failover goes unnoticed. None if this version has no such view. */
export async function checkIdentity(database: LiveDatabase, { schema }: Installation): Promise<Finding[]> {
  return (await rowsOf(database, `${schema}.identity`, hiddenSql(schema))).map((row) =>
    findingOf('identity', row),
  )
}

const hiddenSql = (schema: string): string => `
  SELECT 'the server' AS place, warning AS message, 'warning' AS severity,
    format('GRANT EXECUTE ON FUNCTION pg_control_system(), pg_current_wal_lsn(), pg_walfile_name(pg_lsn) TO %s',
      n.nspowner::regrole) AS sql
    FROM ${schema}.identity, pg_catalog.pg_namespace n WHERE warning IS NOT NULL AND n.nspname = '${schema}'`

/** Finds generators that would fail: without a number, with another database's number, with a cached sequence, or far ahead of the clock. */
export async function checkGenerators(database: LiveDatabase, installed: Installation): Promise<Finding[]> {
  const lost = await database.query(lostSql(installed.schema))
  const faults = await database.query(faultsSql(installed.schema))
  const message = 'its sequence was dropped: install again, with --grant-to for each role that generates ids'
  return [
    ...lost.map(({ place }) => finding('generator', place as string, message, again(installed))),
    ...faults.map((row) => findingOf('generator', row)),
  ]
}

/** The finding of a row with place, message and the statement that fixes it. */
const findingOf = (check: CheckName, { place, message, sql, severity }: Row): Finding =>
  finding(check, place as string, message as string, { sql: sql as string }, severity as Finding['severity'])

/** The generator refers to its sequence by oid, so a sequence that was dropped and created again is another one. */
const lostSql = (schema: string): string => `
  SELECT 'generator of ' || family AS place FROM ${schema}._generator
   WHERE state::oid IS DISTINCT FROM to_regclass(format('${schema}.%s_state', family))::oid
      OR timeline::oid IS DISTINCT FROM to_regclass(format('${schema}._%s_timeline', family))::oid ORDER BY family`

/** Whether something outside the schema, such as a column's default, generates ids of the family. */
const usedSql = (schema: string): string => `
  EXISTS (SELECT FROM pg_catalog.pg_depend d
    JOIN pg_catalog.pg_proc p ON d.refclassid = 'pg_catalog.pg_proc'::regclass AND p.oid = d.refobjid
    LEFT JOIN pg_catalog.pg_proc own ON d.classid = 'pg_catalog.pg_proc'::regclass AND own.oid = d.objid
   WHERE p.pronamespace = '${schema}'::regnamespace AND p.proname ~ ('^' || g.family || '_generate')
     AND own.pronamespace IS DISTINCT FROM p.pronamespace)`

const LEAD_S = 10

const faultsSql = (schema: string): string => `
  SELECT 'generator of ' || g.family AS place, message, sql
    FROM ${schema}._generator g
    JOIN pg_catalog.pg_class s ON s.oid = g.state
    CROSS JOIN ${schema}._clock_us() AS us
    CROSS JOIN LATERAL (SELECT round(((pg_sequence_last_value(g.state) >> g.shift)
      - (us / 1000000 * g.units_per_second + us % 1000000 / g.unit_us - g.origin))::numeric
      / g.units_per_second, 1) AS ahead_s, format('SELECT setval(%L, 0)', g.state) AS reset) AS state
    CROSS JOIN LATERAL (VALUES
      (1, g.setup IS NOT NULL AND g.number IS NULL AND ${usedSql(schema)},
        'in use, by a default for example, but no number was set for this database', g.setup),
      (2, g.database <> (SELECT oid FROM pg_catalog.pg_database WHERE datname = current_database())
        OR g.system <> (SELECT coalesce(system_identifier, 0) FROM ${schema}.identity),
        format('this database is a copy: number %s was set in another database', g.number), g.setup),
      (3, (pg_sequence_parameters(g.state)).cache_size <> 1,
        'sequence ' || g.state || ' has a cache, so ids are generated out of order',
        'ALTER SEQUENCE ' || g.state || ' CACHE 1'),
      (4, ahead_s > ${LEAD_S}, 'its last id is ' || ahead_s || ' s ahead of the server''s clock: correct the clock, '
        'or wait; if the clock is correct, set a number that was never used', concat_ws(E';\n', g.setup, reset))
    ) AS fault (position, is_there, message, sql)
   WHERE is_there ORDER BY g.family, position`

/**
 * Finds leases that expired without being released, leases in a copy of a database, and the database's own number if
 * others could lease it. None if this version has no leases.
 */
export async function checkLeases(database: LiveDatabase, { schema }: Installation): Promise<Finding[]> {
  const copies = await rowsOf(database, `${schema}._lease_family`, copySql(schema))
  const leasable = await rowsOf(database, `${schema}._lease`, leasableSql(schema))
  const expired = await rowsOf(database, `${schema}.leases`, expiredSql(schema))
  return [...copies, ...leasable, ...expired].map((row) => findingOf('lease', row))
}

/** Whether the table exists and this role may read it. */
export async function isReadable(database: LiveDatabase, table: string): Promise<boolean> {
  const [row] = await database.query("SELECT has_table_privilege(to_regclass($1), 'SELECT') AS it", [table])
  return row?.['it'] === true
}

/** No rows if the relation doesn't exist or this role may not read it. */
const rowsOf = async (database: LiveDatabase, relation: string, sql: string): Promise<Row[]> =>
  (await isReadable(database, relation)) ? database.query(sql) : []

const copySql = (schema: string): string => `
  SELECT 'leases of ' || family AS place,
    'some were not granted by this database: it is a copy or was restored, or its tables were edited; adopt the '
      'leases once no other database grants them' AS message,
    format('SELECT ${schema}.lease_adopt(%L)', family) AS sql
    FROM ${schema}._lease_family
   WHERE (leases > 0 OR database = 0) AND NOT ${schema}._lease_is_here(family, true) ORDER BY family`

/** The generator's own number must be a permanent lease. */
const leasableSql = (schema: string): string => `
  SELECT format('lease of %s %s', g.family, g.number) AS place,
    'this database''s own generator uses this number, ' || CASE WHEN count(l.number) > 0
      THEN 'which is leased to another process: set another number' ELSE 'but another process could lease it' END AS message,
    CASE WHEN count(l.number) > 0 THEN g.setup ELSE format('SELECT ${schema}.lease_adopt(%L)', g.family) END AS sql
    FROM ${schema}._generator g
    JOIN ${schema}._lease_family f ON f.family = g.family
    LEFT JOIN ${schema}._lease l ON l.family = g.family AND l.number = g.number
   WHERE g.number IS NOT NULL GROUP BY g.family HAVING NOT coalesce(bool_or(l.permanent), false) ORDER BY g.family`

const expiredSql = (schema: string): string => `
  SELECT format('lease of %s %s, shard %s', family, number, shard) AS place, 'warning' AS severity,
    format('%s neither renewed nor released it: it expired at %s UTC', holder,
      to_char(expires_at, 'YYYY-MM-DD HH24:MI:SS')) AS message,
    format('SELECT ${schema}.lease_release(token, NULL) FROM ${schema}._lease WHERE family = %L AND number = %s '
      'AND shard = %s', family, number, shard) AS sql
    FROM ${schema}.leases WHERE state = 'expired' ORDER BY family, number, shard`
