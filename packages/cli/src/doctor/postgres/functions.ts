import { snakeCase } from '@snoflax/core/adapter'
import { installedVersion, type SqlFamily, VERSION } from '@snoflax/pg-sql'
import { again, type Examination, type Installation } from '../examination.js'
import { type CheckName, type Finding, finding } from '../report.js'
import { crossCheck } from './cross-check.js'
import { checkDrift } from './drift.js'
import { checkGenerators, checkIdentity, checkLeases, isReadable } from './generators.js'
import type { Postgres } from './open.js'

/** What pg-sql installed; undefined if it was never there, with a note where that can't be told. */
export async function findFunctions(
  database: Postgres,
  { schema, families }: Pick<Examination, 'schema' | 'families'>,
): Promise<{ readonly installed: Installation | undefined; readonly notes: string[] }> {
  try {
    const version = await installedVersion(database, { schema })
    if (version === undefined) return { installed: undefined, notes: [] }
    const rows = await database.query(
      `SELECT DISTINCT left(p.proname, -9) AS name FROM pg_catalog.pg_proc p
         JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
        WHERE n.nspname = $1 AND p.proname = ANY ($2)`,
      [schema, families.map(({ name }) => `${snakeCase(name)}_is_valid`)],
    )
    const found = rows.map(({ name }) => name as SqlFamily)
    return { installed: { schema, version, families: found }, notes: [] }
  } catch (error) {
    // A role that may not use the functions can have its tables examined all the same.
    if (!isRefused(error)) throw error
    return { installed: undefined, notes: [`functions were not examined: ${error.message}`] }
  }
}

/** What is wrong with what pg-sql installed; what could not be looked at becomes a note. */
export async function checkFunctions(
  database: Postgres,
  installed: Installation,
  skip: readonly CheckName[],
  notes: string[],
): Promise<Finding[]> {
  const version = checkVersion(installed)
  const orNote = async (what: string, check: () => Promise<Finding[]>): Promise<Finding[]> => {
    try {
      return await check()
    } catch (error) {
      if (!isRefused(error) && !isUndefinedObject(error)) throw error
      notes.push(`${what}: ${error.message}`)
      return []
    }
  }
  if (version.length > 0) notes.push('functions were not compared: another version has others')
  const canRead = await isReadable(database, `${installed.schema}._generator`)
  if (!canRead) notes.push('generators were not examined: this role may not read their state')
  return [
    ...version,
    ...(version.length > 0 || skip.includes('drift')
      ? []
      : await orNote('functions were not compared', () => driftOf(database, installed))),
    ...(skip.includes('identity')
      ? []
      : await orNote('the server was not examined', () => checkIdentity(database, installed))),
    ...(canRead && !skip.includes('generator')
      ? await orNote('generators were not examined', () => checkGenerators(database, installed))
      : []),
    ...(skip.includes('lease')
      ? []
      : await orNote('leases were not examined', () => checkLeases(database, installed))),
    ...(skip.includes('cross-check') ? [] : await crossCheck(database, installed)),
  ]
}

/** An installation without its manifest is a difference, too. */
async function driftOf(database: Postgres, installed: Installation): Promise<Finding[]> {
  try {
    return await checkDrift(database, installed)
  } catch (error) {
    if (!isUndefinedObject(error)) throw error
    const message = `can't determine what was installed, so nothing was compared: ${error.message}`
    return [finding('drift', `table ${installed.schema}._manifest`, message, again(installed))]
  }
}

/** Another version of pg-sql than that of this package. */
function checkVersion(installed: Installation): Finding[] {
  const { schema, version } = installed
  if (version === VERSION) return []
  const isNewer = isAbove(version, VERSION)
  const message = `pg-sql ${version} is installed, ${isNewer ? 'newer' : 'older'} than ${VERSION}, which this command knows`
  const cure = isNewer ? { shell: `npm install @snoflax/pg-sql@${version}` } : again(installed)
  return [finding('version', `schema ${schema}`, message, cure, 'warning')]
}

/** A pre-release counts as its release. */
function isAbove(a: string, b: string): boolean {
  const [left, right] = [a, b].map((version) => version.split('-')[0]) as [string, string]
  return left.localeCompare(right, 'en', { numeric: true }) > 0
}

const codeOf = (error: unknown): string => String((error as { code?: unknown }).code)

const isRefused = (error: unknown): error is Error => codeOf(error) === '42501'

/** Whether a query failed because a table, column or function that it names is not there. */
const isUndefinedObject = (error: unknown): error is Error =>
  ['42P01', '42703', '42883'].includes(codeOf(error))
