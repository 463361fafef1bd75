import type { Examination } from '../examination.js'
import type { CheckName, Finding } from '../finding.js'
import { crossCheck } from './cross-check.js'
import { checkDrift } from './drift.js'
import { canReadGenerators, checkGenerators } from './generator.js'
import { type Installation, installation, installCommand } from './installation.js'
import { checkLeases } from './lease.js'
import type { Postgres } from './open.js'
import { isUndefinedObject } from './undefined-object.js'
import { checkVersion } from './version.js'

/** Whether they are there. */
interface Found {
  readonly installed: Installation | undefined
  /** Why it can't be told. */
  readonly refusal: readonly string[]
}

export const NOT_INSTALLED: Found = { installed: undefined, refusal: [] }

/** A role that may not use the functions can have its tables examined all the same. */
export async function findFunctions(
  database: Postgres,
  { schema, families }: Pick<Examination, 'schema' | 'families'>,
): Promise<Found> {
  try {
    return { installed: await installation(database, schema, families), refusal: [] }
  } catch (error) {
    if ((error as { code?: unknown }).code !== INSUFFICIENT_PRIVILEGE) throw error
    return { installed: undefined, refusal: [`functions were not examined: ${(error as Error).message}`] }
  }
}

const INSUFFICIENT_PRIVILEGE = '42501'

/** What was found out about them. */
interface FunctionReport {
  readonly notes: readonly string[]
  readonly findings: readonly Finding[]
  readonly domainFindings: readonly Finding[]
}

export const NO_FUNCTIONS: FunctionReport = { notes: [], findings: [], domainFindings: [] }

/** What pg-sql installed. */
export async function checkFunctions(
  examination: Examination<Postgres>,
  installed: Installation,
  skip: readonly CheckName[],
): Promise<FunctionReport> {
  const version = checkVersion(installed)
  const isSame = version.length === 0
  const compares = isSame && !skip.includes('drift')
  const canRead = await canReadGenerators(examination)
  const notes = [
    ...(isSame ? [] : ['functions were not compared: another version has others']),
    ...(canRead ? [] : ['generators were not examined: this role may not read their state']),
  ]
  const drift = compares ? await driftOrNote(examination, installed, notes) : NO_DRIFT
  const findings = [
    ...version,
    ...drift.findings,
    ...(canRead ? await orNote('generators', notes, () => checkGenerators(examination, installed)) : []),
    ...(await orNote('leases', notes, () => checkLeases(examination, installed))),
    ...(skip.includes('cross-check') ? [] : await crossCheck(examination, installed)),
  ]
  return { notes, findings, domainFindings: drift.domainFindings }
}

const NO_DRIFT: Awaited<ReturnType<typeof checkDrift>> = { findings: [], domainFindings: [] }

/** An installation that has no manifest, or one that this role may not compare. */
async function driftOrNote(
  { database }: Examination<Postgres>,
  installed: Installation,
  notes: string[],
): Promise<typeof NO_DRIFT> {
  try {
    return await checkDrift(database, installed)
  } catch (error) {
    const { code, message } = error as { code?: unknown; message: string }
    if (code === INSUFFICIENT_PRIVILEGE) {
      notes.push(`functions were not compared: ${message}`)
      return NO_DRIFT
    }
    if (!isUndefinedObject(error)) throw error
    const finding: Finding = {
      check: 'drift',
      severity: 'error',
      where: `table ${installed.schema}._manifest`,
      message: `what was installed can't be told, so nothing was compared: ${message}`,
      cure: { shell: installCommand(installed) },
    }
    return { findings: [finding], domainFindings: [] }
  }
}

/** A note in place of findings where something that the check reads is not there. */
async function orNote(what: string, notes: string[], check: () => Promise<Finding[]>): Promise<Finding[]> {
  try {
    return await check()
  } catch (error) {
    if (!isUndefinedObject(error)) throw error
    notes.push(`${what} were not examined: ${error.message}`)
    return []
  }
}
