import { again, type Installation } from '../examination.js'
import type { LiveDatabase } from '../live-database.js'
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

/** Finds what has changed since the installation, in an order in which the cures can run. */
export async function checkDrift(database: LiveDatabase, installed: Installation): Promise<Finding[]> {
  const rows = await database.query(differencesSql(installed.schema), [installed.version])
  const differences = rows as unknown as Difference[]
  const changes = differences.flatMap(changeOf).sort((a, b) => turnOf(a) - turnOf(b))
  const drops = changes.flatMap(({ drop }) => drop ?? [])
  const findings = changes.map(({ where, message, alter, isForeign }) => {
    const cure = alter === undefined ? again(installed, drops.join('; ')) : { sql: alter }
    return finding('drift', where, message, cure, isForeign ? 'warning' : 'error')
  })
  return [...unlike(installed, differences), ...findings]
}

/** Reinstalling needs correct tables and types, so they come first. */
const turnOf = ({ alter, isForeign }: Change): number => (isForeign ? 2 : alter === undefined ? 1 : 0)

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

/** A difference and its cure. Without `alter`, the cure is to install again. */
interface Change {
  readonly where: string
  readonly message: string
  /** Whether it is not part of pg-sql. */
  readonly isForeign?: true
  readonly alter?: string
  /** The statement that must run before reinstalling. */
  readonly drop?: string
}

function changeOf({ object: where, wanted, found, server, here }: Difference): Change[] {
  if (!wanted) {
    if (where.startsWith('row ')) return []
    const message = 'not part of pg-sql: move it to another schema, or drop it'
    return [{ where, message, isForeign: true, alter: to('DROP', where) }]
  }
  if (!found) return [{ where, message: 'missing: pg-sql installed it' }]
  const parts = differingParts(wanted, found)
  if (server !== here || parts.length === 0) return []
  const message = `differs in ${parts.join(', ')} from what pg-sql installed`
  return [{ where, message, ...cureOf(where, wanted, found, parts) }]
}

/** Having revoked all privileges is no fault. */
const differingParts = (wanted: Parts, found: Parts): string[] =>
  [...new Set([...Object.keys(wanted), ...Object.keys(found)])]
    .filter((part) => wanted[part] !== found[part] && !(part === 'privileges' && !found[part]))
    .sort()

/** `DROP SEQUENCE snoflax.sno_state` */
const to = (verb: string, object: string): string =>
  `${verb} ${object.replace(/^\w+/, (kind) => kind.toUpperCase())}`

function cureOf(
  object: string,
  wanted: Parts,
  found: Parts,
  parts: readonly string[],
): Pick<Change, 'alter' | 'drop'> {
  const alter = to('ALTER', object)
  const actions = parts.flatMap((part) => actionsOf(part, wanted[part], found[part]))
  const differs = (...some: readonly string[]): boolean => parts.some((part) => some.includes(part))
  switch (object.split(' ')[0]) {
    case 'function': {
      const [, schema, name] = /^function (\w+)\.(\w+)/.exec(object) ?? []
      if (wanted['value']) return { alter: `SELECT ${schema}._clock_constant('${name}', ${wanted['value']})` }
      // CREATE OR REPLACE can't change these.
      const lasts = differs('arguments', 'result') || (differs('defaults') && !wanted['defaults'])
      return lasts ? { drop: to('DROP', object) } : {}
    }
    case 'domain':
      if (differs('type', 'collation')) return { drop: to('DROP', object) }
      return { alter: actions.map((action) => `${alter} ${action}`).join(';\n') }
    case 'sequence': {
      // SET LOGGED can't be combined with other actions.
      const alone = actions.filter((action) => action.startsWith('SET'))
      const others = actions.filter((action) => !alone.includes(action)).join(' ')
      const all = [others, ...alone].filter(Boolean).map((one) => `${alter} ${one}`)
      return { alter: all.join(';\n') }
    }
    case 'table':
      return { alter: `${alter} ${actions.join(', ')}` }
    case 'type':
      return { alter: `${alter} ${attributeActions(wanted, found).join(', ')}` }
    case 'row': {
      const [, family, , table] = object.split(' ')
      const values = parts.map((name) => `${name} = ${wanted[name]}`).join(', ')
      const update = `UPDATE ${table} SET ${values} WHERE family = '${family}'`
      // A row that was changed by hand must be adopted.
      const adopt = table?.replace(/_lease_family$/, `lease_adopt('${family}')`)
      return { alter: adopt === table ? update : `${update};\nSELECT ${adopt}` }
    }
    default:
      return {}
  }
}

/** The actions of ALTER that restore a part. */
function actionsOf(part: string, wanted: string | undefined, found: string | undefined): string[] {
  const [, what, name] = /^(column|constraint) (.*)$/.exec(part) ?? []
  const written = wanted === undefined ? [] : [wanted]
  if (what === 'constraint')
    return [...(found === undefined ? [] : [`DROP CONSTRAINT IF EXISTS ${name}`]), ...written]
  if (what !== 'column') return written
  if (wanted === undefined) return [`DROP COLUMN ${name}`]
  if (found === undefined) return [`ADD COLUMN ${name} ${wanted}`]
  const [, type, notNull, defaultSql] = COLUMN.exec(wanted) as RegExpExecArray
  return [
    ...(type === COLUMN.exec(found)?.[1] ? [] : [`TYPE ${type} USING ${name}::${type}`]),
    `${notNull ? 'SET' : 'DROP'} NOT NULL`,
    defaultSql === undefined ? 'DROP DEFAULT' : `SET DEFAULT ${defaultSql}`,
  ].map((action) => `ALTER COLUMN ${name} ${action}`)
}

const COLUMN = /^(.*?)( NOT NULL)?(?: DEFAULT (.*))?$/s

/** Recreates all attributes from the first that differs, since a new one is always the last. */
function attributeActions(wanted: Parts, found: Parts): string[] {
  const [then, now] = [wanted, found].map(({ attributes }) => attributes?.split('\n') ?? []) as [
    string[],
    string[],
  ]
  const first = then.findIndex((attribute, n) => attribute !== now[n])
  const kept = first < 0 ? then.length : first
  return [
    ...now
      .slice(kept)
      .map((attribute) => `DROP ATTRIBUTE ${/^(?:"(?:[^"]|"")*"|[^ ]*)/.exec(attribute)?.[0]}`),
    ...then.slice(kept).map((attribute) => `ADD ATTRIBUTE ${attribute}`),
  ]
}
