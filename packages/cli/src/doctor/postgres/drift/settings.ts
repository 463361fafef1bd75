import type { Row } from '../../live-database.js'
import type { Installation } from '../installation.js'
import type { Postgres } from '../open.js'
import { type Difference, differing, missing } from './difference.js'
import { unlessIncomplete } from './incomplete.js'
import type { Statement } from './statement.js'

/** Rows that the installer writes and that are missing or say something else, and the constants made of them. */
export async function settingDrift(
  database: Postgres,
  { schema }: Installation,
  statements: readonly Statement[],
): Promise<Difference[]> {
  const settings = statements.flatMap((statement) => settingOf(schema, statement) ?? [])
  const differences: Difference[] = []
  for (const setting of settings) {
    const readable = await database.query("SELECT has_table_privilege(to_regclass($1), 'SELECT') AS it", [
      setting.table,
    ])
    if (readable[0]?.['it'] !== true) continue
    differences.push(...(await unlessIncomplete(() => rowDifferences(database, setting))))
  }
  return differences
}

/** A row that the installer writes. */
interface Setting {
  readonly statement: Statement
  readonly table: string
  /** Names and expressions of its values, of which the first is the family. */
  readonly columns: string
  readonly values: string
}

const INSERT = /^INSERT INTO ([\w.]+)\s+\(([^)]*)\)\s+VALUES \(([\s\S]*)\)\s+ON CONFLICT/

function settingOf(schema: string, statement: Statement): Setting | undefined {
  const insert = INSERT.exec(statement.sql)
  if (insert) {
    const [, table, columns, values] = insert as unknown as [string, string, string, string]
    return { statement, table, columns, values }
  }
  const values = /^SELECT \w+\._lease_define\((.*)\)$/.exec(statement.sql)?.[1]
  if (values === undefined) return undefined
  return {
    statement,
    table: `${schema}._lease_family`,
    columns: 'family, last_number, max_shards',
    values,
  }
}

/** Sequences are compared as the generators are examined, since one that was made anew has the old one's name. */
const SEQUENCES = ['state', 'timeline']

async function rowDifferences(
  database: Postgres,
  { statement, table, columns, values }: Setting,
): Promise<Difference[]> {
  const wanted = `(VALUES (${values})) AS wanted (${columns})`
  const [row] = (await database.query(
    `SELECT wanted.family, found.family IS NOT NULL AS is_there,
       array(SELECT key FROM jsonb_each_text(to_jsonb(wanted)) AS one
              WHERE one.value IS DISTINCT FROM to_jsonb(found) ->> one.key AND key <> ALL ($1) ORDER BY key) AS parts
       FROM ${wanted} LEFT JOIN ${table} AS found ON found.family = wanted.family`,
    [SEQUENCES],
  )) as [Row]
  const where = `row ${row['family']} of ${table}`
  if (!row['is_there']) return [missing(statement, where, { sql: statement.sql })]
  const parts = row['parts'] as string[]
  const assignments = parts.map((name) => `${name} = wanted.${name}`).join(', ')
  return differing(statement, where, parts, [
    `UPDATE ${table} AS found SET ${assignments} FROM ${wanted} WHERE found.family = wanted.family`,
  ])
}
