import type { Row } from '../../live-database.js'
import { type Installation, installCommand } from '../installation.js'
import type { Postgres } from '../open.js'
import { type Difference, differing, missing } from './difference.js'
import { created, type Statement } from './statement.js'

/** Sequences that are missing or count otherwise. Their cache is the generators' affair. */
export async function sequenceDrift(
  database: Postgres,
  installed: Installation,
  statements: readonly Statement[],
): Promise<Difference[]> {
  const sequences = created(statements, 'SEQUENCE')
  const rows = await database.query(FOUND, [sequences.map(({ name }) => name)])
  return sequences.flatMap((sequence, n) => {
    const found = rows[n] as Row
    const where = `sequence ${sequence.name}`
    // Its generator has to be told of a new one, as the installation does.
    if (!found['is_there']) return missing(sequence, where, { shell: installCommand(installed) })
    const wanted = optionsOf(sequence.definition)
    const parts = Object.keys(wanted).filter((name) => found[name] !== wanted[name])
    const changes = parts.map((name) => (name === 'persistence' ? 'SET LOGGED' : written(name, wanted[name])))
    return differing(
      sequence,
      where,
      parts,
      inStatements(changes).map((change) => `ALTER SEQUENCE ${sequence.name} ${change}`),
    )
  })
}

const FOUND = `
  SELECT s.seqrelid IS NOT NULL AS is_there, format_type(s.seqtypid, NULL) AS "as", s.seqincrement::text AS increment,
    s.seqmin::text AS minvalue, s.seqmax::text AS maxvalue, s.seqstart::text AS start,
    CASE WHEN s.seqcycle THEN 'cycle' ELSE 'no cycle' END AS cycle,
    CASE c.relpersistence WHEN 'p' THEN 'logged' ELSE 'unlogged' END AS persistence
    FROM unnest($1::text[]) WITH ORDINALITY AS given (name, n)
    LEFT JOIN pg_catalog.pg_sequence s ON s.seqrelid = to_regclass(given.name)
    LEFT JOIN pg_catalog.pg_class c ON c.oid = s.seqrelid
   ORDER BY n`

/** As the statement has them, and for what it doesn't tell the defaults of PostgreSQL. */
function optionsOf(definition: string): Record<string, string> {
  const given = [...definition.matchAll(/\b(AS|INCREMENT|MINVALUE|MAXVALUE|START) (\w+)/g)]
  return {
    increment: '1',
    maxvalue: '9223372036854775807',
    ...Object.fromEntries(given.map(([, name, value]) => [(name as string).toLowerCase(), value as string])),
    cycle: 'no cycle',
    persistence: 'logged',
  }
}

const written = (name: string, value = ''): string =>
  name === 'cycle' ? value.toUpperCase() : `${name.toUpperCase()} ${value}`

/** SET LOGGED takes no company. */
function inStatements(changes: readonly string[]): string[] {
  const others = changes.filter((change) => change !== 'SET LOGGED')
  const alone = changes.filter((change) => change === 'SET LOGGED')
  return [...(others.length > 0 ? [others.join(' ')] : []), ...alone]
}
