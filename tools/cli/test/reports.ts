import { install } from '@snoflax/pg-sql'
import { type PostgresDatabase, postgres } from '@snoflax/test'
import type { Finding, Report } from 'snoflax'
import { cli, json } from './running.js'

export type { Finding, Report }

/** The report of a database; its exit code must be what its findings say. */
export async function doctor(url: string, ...options: string[]): Promise<Report> {
  const ran = await cli(['doctor', url, ...options, '--json'])
  if (ran.code === null || ran.code === 2) throw new Error(`doctor ended with ${ran.code}: ${ran.err}`)
  const report = json<Report>(ran)
  const wanted = report.findings.length > 0 ? 1 : report.unchecked.length > 0 ? 3 : 0
  if (ran.code !== wanted) throw new Error(`${ran.code} does not tell of the findings`)
  return report
}

/** Check and place of each finding. */
export const told = ({ findings }: Report): string[] =>
  findings.map(({ check, where }) => `${check} ${where}`)

/** A database with pg-sql. */
export async function openInstalled(): Promise<PostgresDatabase> {
  const database = await postgres.open({
    template: {
      name: 'installed_for_cli',
      prepare: async ({ pool }: PostgresDatabase) => {
        await install(pool)
      },
    },
  })
  // A copy knows itself as one, and this stands for an installation of its own.
  await database.query(`
    UPDATE snoflax._lease_family SET database = (SELECT oid FROM pg_database WHERE datname = current_database()),
      written_by = pg_current_xact_id()::xid`)
  return database
}
