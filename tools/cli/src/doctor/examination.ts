import type { IdFamily } from '@snoflax/core'
import type { SqlFamily } from '@snoflax/pg-sql'
import type { Column, LiveDatabase } from '../live/database.js'
import type { IdColumn } from './id-column.js'
import { type CheckName, type Cure, type Finding, finding } from './report.js'

export interface Examination {
  readonly database: LiveDatabase
  readonly schema: string
  readonly installed: Installation | undefined
  readonly families: readonly IdFamily[]
  readonly columns: readonly IdColumn[]
  readonly allColumns: readonly Column[]
  /** All values of columns of tables that were read as a whole. */
  readonly whole: ReadonlyMap<Column, readonly unknown[]>
  /** How many rows to read of a table, unless all are read. */
  readonly sample: number
  readonly full: boolean
  readonly skip: readonly CheckName[]
  readonly progress: (text: string) => void
  readonly nowMs: number
  /** What was not examined, and why; checks add to it. */
  readonly notes: string[]
}

export type TableChecks = readonly (readonly [
  check: CheckName,
  look: (examination: Examination) => Promise<Finding[]>,
])[]

export interface Installation {
  readonly schema: string
  readonly version: string
  readonly families: readonly SqlFamily[]
}

export interface Functions {
  /** Package and version. */
  readonly label: string
  readonly installed?: Installation
  readonly findings: readonly Finding[]
}

/** Finds a version of a package in the database that differs from this command's. */
export function checkVersion(
  name: string,
  { schema, version }: Pick<Installation, 'schema' | 'version'>,
  known: string,
  cure: Cure,
): Finding[] {
  if (version === known) return []
  // A pre-release is compared as its release.
  const [left, right] = [version, known].map((one) => one.split('-')[0]) as [string, string]
  const isNewer = left.localeCompare(right, 'en', { numeric: true }) > 0
  const message = `${name} ${version} is installed, ${isNewer ? 'newer' : 'older'} than ${known}, which this command knows`
  const update = isNewer ? { shell: `npm install @snoflax/${name}@${version}` } : cure
  return [finding('version', `schema ${schema}`, message, update, 'warning')]
}

/** The shell command that reinstalls. */
export const again = ({ schema, families }: Installation): Cure => ({
  shell: `npx snoflax sql --schema ${schema} --families ${families.join(',')} | psql -1 -v ON_ERROR_STOP=1 "$DATABASE_URL"`,
})
