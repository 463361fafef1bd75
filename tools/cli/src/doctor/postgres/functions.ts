import type { IdFamily } from '@snoflax/core'
import { snakeCase } from '@snoflax/core/adapter'
import { installedVersion, type SqlFamily, VERSION } from '@snoflax/pg-sql'
import type { LiveDatabase } from '../../live/database.js'
import { again, checkVersion, type Examination, type Functions, type Installation } from '../examination.js'
import { type CheckName, type Finding, finding } from '../report.js'
import { checkDrift } from './drift.js'
import { checkGenerators, checkIdentity, checkLeases, isReadable } from './generators.js'

/** Examines the functions that pg-sql installed. What can't be examined becomes a note. */
export async function checkFunctions(
  database: LiveDatabase,
  { schema, families, skip }: Pick<Examination, 'schema' | 'families' | 'skip'>,
  notes: string[],
): Promise<Functions | undefined> {
  const orNote = async <Result>(what: string, look: () => Promise<Result>): Promise<Result | undefined> => {
    try {
      return await look()
    } catch (error) {
      // The tables can be examined even if the role may not use the functions.
      if (!isRefused(error) && !isUndefinedObject(error)) throw error
      notes.push(`${what}: ${error.message}`)
      return undefined
    }
  }
  const installed = await orNote('functions were not examined', () => find(database, schema, families))
  if (installed === undefined) return undefined
  const findings = checkVersion('pg-sql', installed, VERSION, again(installed))
  const look = async (check: CheckName, what: string, run: () => Promise<Finding[]>): Promise<void> => {
    if (!skip.includes(check)) findings.push(...((await orNote(what, run)) ?? []))
  }
  if (findings.length > 0) notes.push('functions were not compared, since they are from another version')
  else await look('drift', 'functions were not compared', () => driftOf(database, installed))
  await look('identity', 'the server was not examined', () => checkIdentity(database, installed))
  if (await isReadable(database, `${schema}._generator`))
    await look('generator', 'generators were not examined', () => checkGenerators(database, installed))
  else notes.push('generators were not examined: this role may not read their state')
  await look('lease', 'leases were not examined', () => checkLeases(database, installed))
  return { label: `pg-sql ${installed.version}`, installed, findings }
}

async function find(
  database: LiveDatabase,
  schema: string,
  families: readonly IdFamily[],
): Promise<Installation | undefined> {
  const version = await installedVersion(database, { schema })
  if (version === undefined) return undefined
  const rows = await database.query(
    `SELECT DISTINCT left(p.proname, -9) AS name FROM pg_catalog.pg_proc p
       JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
      WHERE n.nspname = $1 AND p.proname = ANY ($2)`,
    [schema, families.map(({ name }) => `${snakeCase(name)}_is_valid`)],
  )
  return { schema, version, families: rows.map(({ name }) => name as SqlFamily) }
}

/** A missing manifest is a finding, too. */
async function driftOf(database: LiveDatabase, installed: Installation): Promise<Finding[]> {
  try {
    return await checkDrift(database, installed)
  } catch (error) {
    if (!isUndefinedObject(error)) throw error
    const message = `can't determine what was installed, so nothing was compared: ${error.message}`
    return [finding('drift', `table ${installed.schema}._manifest`, message, again(installed))]
  }
}

const codeOf = (error: unknown): string => String((error as { code?: unknown }).code)

const isRefused = (error: unknown): error is Error => codeOf(error) === '42501'

/** Whether a query failed because a table, column or function doesn't exist. */
const isUndefinedObject = (error: unknown): error is Error =>
  ['42P01', '42703', '42883'].includes(codeOf(error))
