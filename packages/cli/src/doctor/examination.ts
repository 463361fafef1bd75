import type { IdFamily } from '@snoflax/core'
import type { SqlFamily } from '@snoflax/pg-sql'
import type { IdColumn } from './id-columns.js'
import type { Column, LiveDatabase } from './live-database.js'
import { type CheckName, type Cure, type Finding, finding } from './report.js'

/** What the checks work on. */
export interface Examination {
  readonly database: LiveDatabase
  /** Schema of the pg-sql functions. */
  readonly schema: string
  /** What pg-sql has put there; undefined without. */
  readonly installed: Installation | undefined
  readonly families: readonly IdFamily[]
  readonly columns: readonly IdColumn[]
  /** All columns of all tables. */
  readonly allColumns: readonly Column[]
  /** Rows that are read of a table, unless all are. */
  readonly sample: number
  readonly full: boolean
  readonly skip: readonly CheckName[]
  /** Columns whose malformed values new ids replace. */
  readonly newIds: readonly string[]
  /** Says how far long work is. */
  readonly progress: (text: string) => void
  readonly nowMs: number
}

/** What pg-sql has put into the database. */
export interface Installation {
  readonly schema: string
  readonly version: string
  readonly families: readonly SqlFamily[]
}

/** What was found of pg-sql or mysql-sql. */
export interface Functions {
  /** Package and version; null if it is not there. */
  readonly label: string | null
  readonly installed?: Installation
  readonly findings: readonly Finding[]
}

/** Another version of a package in the database than the one that this command knows. */
export function checkVersion(
  name: string,
  { schema, version }: Pick<Installation, 'schema' | 'version'>,
  known: string,
  cure: Cure,
): Finding[] {
  if (version === known) return []
  // A pre-release counts as its release.
  const [left, right] = [version, known].map((one) => one.split('-')[0]) as [string, string]
  const isNewer = left.localeCompare(right, 'en', { numeric: true }) > 0
  const message = `${name} ${version} is installed, ${isNewer ? 'newer' : 'older'} than ${known}, which this command knows`
  const update = isNewer ? { shell: `npm install @snoflax/${name}@${version}` } : cure
  return [finding('version', `schema ${schema}`, message, update, 'warning')]
}

/** To install again: the line for the shell that does it, in one transaction with what has to go before. */
export function again({ schema, families }: Installation, before = ''): Cure {
  const first = before === '' ? '' : ` -c '${before.replaceAll("'", "'\\''")}' -f -`
  return {
    shell: `npx snoflax sql --schema ${schema} --families ${families.join(',')} | psql -1 -v ON_ERROR_STOP=1${first} "$DATABASE_URL"`,
  }
}
