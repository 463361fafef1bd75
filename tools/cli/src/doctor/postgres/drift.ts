import type { LiveDatabase } from '../../live/database.js'
import { again, type Installation } from '../examination.js'
import { type Finding, finding } from '../report.js'

/** The parts of an installed object by name, each as the server prints it. */
type Parts = Readonly<Record<string, string>>

/** An object that has changed since its installation, or was installed by another version or on another server. */
interface Difference {
  readonly object: string
  /** Null if pg-sql didn't install it. */
  readonly wanted: Parts | null
  /** Null if it is missing. */
  readonly found: Parts | null
  readonly version: string
  /** The major version of the server that wrote the manifest, and of this one. */
  readonly server: number
  readonly here: number
}

const differencesSql = (schema: string): string => `
  SELECT object, m.parts AS wanted, d.parts AS found, m.version, m.server, here
    FROM ${schema}._manifest m FULL JOIN ${schema}._definitions() d USING (object)
    CROSS JOIN (SELECT current_setting('server_version_num')::integer / 10000) AS this (here)
   WHERE m.parts IS DISTINCT FROM d.parts OR m.version <> $1 OR m.server <> here
   ORDER BY m.position, object COLLATE "C"`

/** Finds what has changed since the installation. */
export async function checkDrift(database: LiveDatabase, installed: Installation): Promise<Finding[]> {
  const rows = await database.query(differencesSql(installed.schema), [installed.version])
  const differences = rows as unknown as Difference[]
  return [...unlike(installed, differences), ...differences.flatMap((one) => findingsOf(installed, one))]
}

/** Objects of another version, and definitions printed by another major version of PostgreSQL. */
function unlike(installed: Installation, differences: readonly Difference[]): Finding[] {
  const ours = differences.filter(({ wanted }) => wanted)
  const others = ours.filter(({ version }) => version !== installed.version)
  const worded = ours.find(({ server, here }) => server !== here)
  const found = (message: string, severity: Finding['severity']): Finding =>
    finding('drift', `table ${installed.schema}._manifest`, message, again(installed), severity)
  const version = `${others.length} objects are from pg-sql ${others[0]?.version}, not ${installed.version}; the first: ${others[0]?.object}`
  const words = `definitions were not compared: PostgreSQL ${worded?.server} recorded them, and PostgreSQL ${worded?.here} may print them differently; install again to record them anew`
  return [
    ...(others.length > 0 ? [found(version, 'error')] : []),
    ...(worded ? [found(words, 'warning')] : []),
  ]
}

function findingsOf(installed: Installation, { object, wanted, found, server, here }: Difference): Finding[] {
  if (!wanted) {
    if (object.startsWith('row ')) return []
    const leaves = 'move it to another schema, or drop it'
    return [finding('drift', object, 'not part of pg-sql', { leaves }, 'warning')]
  }
  if (!found) return [finding('drift', object, 'missing: pg-sql installed it', again(installed))]
  const parts = differingParts(wanted, found)
  if (server !== here || parts.length === 0) return []
  const message = `differs in ${parts.join(', ')} from what pg-sql installed`
  return [
    finding('drift', object, message, isReplaced(object, parts) ? again(installed) : { leaves: BY_HAND }),
  ]
}

/** Having revoked all privileges is no fault. */
const differingParts = (wanted: Parts, found: Parts): string[] =>
  [...new Set([...Object.keys(wanted), ...Object.keys(found)])]
    .filter((part) => wanted[part] !== found[part] && !(part === 'privileges' && !found[part]))
    .sort()

/** What CREATE OR REPLACE restores. */
const isReplaced = (object: string, parts: readonly string[]): boolean =>
  /^(?:function|aggregate|view) /.test(object) &&
  !parts.some((part) => ['arguments', 'result', 'defaults', 'value'].includes(part))

const BY_HAND =
  'installing again does not change it: alter it to match an installation in another schema (install --schema); drop a function, and install again'
