import type { Finding } from '../finding.js'
import { type Installation, installCommand } from './installation.js'
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

/**
 * What is not as it was installed, in the order in which the cures can be run; but domains that are altered come last: a
 * check that is added looks at all values, so these are mended after values.
 */
export async function checkDrift(
  database: Postgres,
  installed: Installation,
): Promise<{ readonly findings: Finding[]; readonly domainFindings: Finding[] }> {
  const rows = await database.query(differencesSql(installed.schema), [installed.version])
  const differences = rows as unknown as Difference[]
  const changes = differences.flatMap(changeOf).sort((a, b) => turnOf(a) - turnOf(b))
  const drops = changes.flatMap(({ drop }) => drop ?? [])
  const again = { shell: installCommand(installed, drops.join('; ')) }
  const findings = changes.map(
    ({ where, message, alter, isForeign }): Finding => ({
      check: 'drift',
      severity: isForeign ? 'warning' : 'error',
      where,
      message,
      cure: alter === undefined ? again : { sql: alter },
    }),
  )
  const domains = changes.findIndex((change) => turnOf(change) === DOMAINS)
  const end = domains < 0 ? changes.length : domains
  return {
    findings: [...unlike(installed, differences), ...findings.slice(0, end)],
    domainFindings: findings.slice(end),
  }
}

const DOMAINS = 3

/** To install again leans on tables and types that are as they should be. */
function turnOf({ where, alter, isForeign }: Change): number {
  if (isForeign) return 2
  if (alter === undefined) return 1
  return where.startsWith('domain ') ? DOMAINS : 0
}

/** Objects of another version, and those in the words of another server, which can't be compared. */
function unlike(installed: Installation, differences: readonly Difference[]): Finding[] {
  const made = differences.filter(({ wanted }) => wanted)
  const others = made.filter(({ version }) => version !== installed.version)
  const worded = made.filter(({ server, here }) => server !== here)
  const found = { check: 'drift', where: `table ${installed.schema}._manifest` } as const
  const cure = { shell: installCommand(installed) }
  return [
    ...others.slice(0, 1).map(({ object, version }): Finding => {
      const message = `${others.length} objects are of pg-sql ${version}, not of ${installed.version}; the first: ${object}`
      return { ...found, severity: 'error', message, cure }
    }),
    ...worded.slice(0, 1).map(({ server, here }): Finding => {
      const message = `definitions were not compared: PostgreSQL ${server} wrote them down, and ${here} may word them otherwise; install again to renew them`
      return { ...found, severity: 'warning', message, cure }
    }),
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
  if (!found) return [{ where, message: 'it is missing: pg-sql installed it' }]
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
      return { alter: `UPDATE ${table} SET ${values} WHERE family = '${family}'` }
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
