import type { Examination } from '../examination.js'
import type { Finding } from '../finding.js'
import type { Row } from '../live-database.js'
import type { Installation } from './installation.js'
import type { Postgres } from './open.js'

/**
 * Leases of numbers: holders that are gone, a database that is a copy, and numbers of its own that others could lease.
 * None where a version has no leases.
 */
export async function checkLeases(
  { database }: Examination<Postgres>,
  { schema }: Installation,
): Promise<Finding[]> {
  return [
    ...(await rowsOf(database, `${schema}._lease_family`, copySql(schema))).map((row) => copied(schema, row)),
    ...(await rowsOf(database, `${schema}._lease`, leasableSql(schema))).map((row) => leasable(schema, row)),
    ...(await rowsOf(database, `${schema}.leases`, expiredSql(schema))).map((row) => expired(schema, row)),
  ]
}

/** No rows where the relation is not there, or not for this role. */
async function rowsOf(database: Postgres, relation: string, sql: string): Promise<Row[]> {
  const [found] = await database.query(
    "SELECT has_table_privilege(to_regclass($1), 'SELECT') AS is_readable",
    [relation],
  )
  return found?.['is_readable'] ? database.query(sql) : []
}

const copySql = (schema: string): string => `
  SELECT family FROM ${schema}._lease_family
   WHERE database <> (SELECT oid FROM pg_catalog.pg_database WHERE datname = current_database())
      OR system <> ${schema}._server_system() ORDER BY family`

const copied = (schema: string, { family }: Row): Finding => ({
  check: 'lease',
  severity: 'error',
  where: `leases of ${family}`,
  message:
    'this database is a copy, and another one gave the leases out; adopt them when that one gives out none',
  cure: { sql: `SELECT ${schema}.lease_adopt('${family}')` },
})

/** The generator's own number is a permanent row among the leases. */
const leasableSql = (schema: string): string => `
  SELECT g.family, g.number, g.setup, count(l.number) > 0 AS is_leased FROM ${schema}._generator g
    JOIN ${schema}._lease_family f ON f.family = g.family
    LEFT JOIN ${schema}._lease l ON l.family = g.family AND l.number = g.number
   WHERE g.number IS NOT NULL GROUP BY g.family HAVING NOT coalesce(bool_or(l.permanent), false) ORDER BY g.family`

const leasable = (schema: string, { family, number, setup, is_leased }: Row): Finding => ({
  check: 'lease',
  severity: 'error',
  where: `lease of ${family} ${number}`,
  message: is_leased
    ? "it is the number of this database's own generator, and is leased to others: give the generator another one"
    : "it is the number of this database's own generator, and others could lease it",
  cure: {
    sql: is_leased
      ? (setup as string)
      : `INSERT INTO ${schema}._lease (family, number, permanent) VALUES ('${family}', ${number}, true)`,
  },
})

const expiredSql = (schema: string): string => `
  SELECT family, number, shard, holder, to_char(expires_at, 'YYYY-MM-DD HH24:MI:SS') AS expired
    FROM ${schema}.leases WHERE state = 'expired' ORDER BY family, number, shard`

const expired = (schema: string, { family, number, shard, holder, expired }: Row): Finding => ({
  check: 'lease',
  severity: 'warning',
  where: `lease of ${family} ${number}, shard ${shard}`,
  message: `${holder} did not renew it and did not give it back: it expired at ${expired} UTC`,
  cure: {
    sql:
      `SELECT ${schema}.lease_release(token, NULL) FROM ${schema}._lease ` +
      `WHERE family = '${family}' AND number = ${number} AND shard = ${shard}`,
  },
})
