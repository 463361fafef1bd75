import { again, type Installation } from '../examination.js'
import { type Finding, finding } from '../report.js'
import type { Postgres } from './open.js'

/** What an installation makes, by the names of its parts, and each part in the words of the server. */
type Parts = Readonly<Record<string, string>>

/** An object that is not as it was installed, or by another version or server. */
interface Difference {
  readonly object: string
  /** Null where no installation made it. */
  readonly wanted: Parts | null
  /** Null where it is missing. */
  readonly found: Parts | null
  readonly version: string
  /** The major version of the server that wrote the manifest, and of the one that is asked. */
  readonly server: number
  readonly here: number
}

const differencesSql = (schema: string): string => `
  SELECT object, m.parts AS wanted, d.parts AS found, m.version, m.server, here
    FROM ${schema}._manifest m FULL JOIN ${schema}._definitions() d USING (object)
    CROSS JOIN (SELECT current_setting('server_version_num')::integer / 10000) AS this (here)
   WHERE m.parts IS DISTINCT FROM d.parts OR m.version <> $1 OR m.server <> here
   ORDER BY m.position, object COLLATE "C"`

/** What is not as it was installed, in the order in which the cures can be run. */
export async function checkDrift(database: Postgres, installed: Installation): Promise<Finding[]> {
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

/** To install again leans on tables and types that are as they should be. */
const turnOf = ({ alter, isForeign }: Change): number => (isForeign ? 2 : alter === undefined ? 1 : 0)

/** Objects of another version, and those in the words of another server, which can't be compared. */
function unlike(installed: Installation, differences: readonly Difference[]): Finding[] {
  const made = differences.filter(({ wanted }) => wanted)
  const others = made.filter(({ version }) => version !== installed.version)
  const worded = made.find(({ server, here }) => server !== here)
  const found = (message: string, severity: Finding['severity']): Finding =>
    finding('drift', `table ${installed.schema}._manifest`, message, again(installed), severity)
  const version = `${others.length} objects are of pg-sql ${others[0]?.version}, not of ${installed.version}; the first: ${others[0]?.object}`
  const words = `definitions were not compared: PostgreSQL ${worded?.server} wrote them down, and ${worded?.here} may word them otherwise; install again to renew them`
  return [
    ...(others.length > 0 ? [found(version, 'error')] : []),
    ...(worded ? [found(words, 'warning')] : []),
  ]
}

/** A difference and its cure: to install again, where a statement does not do. */
interface Change {
  readonly where: string
  readonly message: string
  /** Whether somebody else made it. */
  readonly isForeign?: true
  readonly alter?: string
  /** What has to go before an installation can bring it back. */
  readonly drop?: string
}

function changeOf({ object: where, wanted, found, server, here }: Difference): Change[] {
  if (!wanted) {
    if (where.startsWith('row ')) return []
    const message = 'it is not part of pg-sql: move it to another schema, or drop it'
    return [{ where, message, isForeign: true, alter: to('DROP', where) }]
  }
  if (!found) return [{ where, message: 'it is missing, although pg-sql installed it' }]
  const parts = differingParts(wanted, found)
  if (server !== here || parts.length === 0) return []
  const message = `it differs in ${parts.join(', ')}: not what pg-sql installed`
  return [{ where, message, ...cureOf(where, wanted, found, parts) }]
}

/** To keep everybody from calling a function is no fault. */
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
      // What a function keeps when it is replaced.
      const lasts = differs('arguments', 'result') || (differs('defaults') && !wanted['defaults'])
      return lasts ? { drop: to('DROP', object) } : {}
    }
    case 'domain':
      if (differs('type', 'collation')) return { drop: to('DROP', object) }
      return { alter: actions.map((action) => `${alter} ${action}`).join(';\n') }
    case 'sequence': {
      // SET LOGGED takes no company.
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
      // Leases count what their own functions wrote.
      const adopt = table?.replace(/_lease_family$/, `lease_adopt('${family}')`)
      return { alter: adopt === table ? update : `${update};\nSELECT ${adopt}` }
    }
    default:
      return {}
  }
}

/** What ALTER takes to bring a part back. */
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

/** From the first attribute that differs: a new one comes last. */
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
