import { quoteName } from '../../columns/quote.js'
import type { Row } from '../../live-database.js'
import { type Installation, installCommand } from '../installation.js'
import type { Postgres } from '../open.js'
import { type Difference, differing, missing } from './difference.js'
import { haveSameMeaning } from './meaning.js'
import type { Statement } from './statement.js'
import { type ColumnDefinition, type TableStatement, tablesOf } from './table-statement.js'

/** Tables that are missing, or that lack columns, keys, or what a crash leaves in place. */
export async function tableDrift(
  database: Postgres,
  installed: Installation,
  statements: readonly Statement[],
): Promise<Difference[]> {
  const tables = tablesOf(statements)
  const rows = await database.query(FOUND, [
    tables.map(({ statement }) => statement.name),
    tables.map(({ columns }) => JSON.stringify(columns)),
  ])
  const differences: Difference[] = []
  for (const [n, table] of tables.entries()) {
    const found = rows[n] as Row
    const { name } = table.statement
    const where = `table ${name}`
    if (!found['is_there']) {
      differences.push(missing(table.statement, where, { shell: installCommand(installed) }))
      continue
    }
    const changes = [
      ...(await columnChanges(database, table, found['columns'] as FoundColumn[])),
      ...constraintChanges(table, found['constraints'] as FoundConstraint[]),
      ...(found['is_logged'] ? [] : [{ part: 'persistence', actions: ['SET LOGGED'] }]),
    ]
    const actions = changes.flatMap(({ actions }) => actions).join(', ')
    const parts = changes.map(({ part }) => part)
    differences.push(...differing(table.statement, where, parts, [`ALTER TABLE ${name} ${actions}`]))
  }
  return differences
}

/** Of the columns that are wanted, those that are there. */
const FOUND = `
  SELECT c.oid IS NOT NULL AS is_there, c.relpersistence = 'p' AS is_logged,
    array(SELECT json_build_object('name', a.attname, 'isType', a.atttypid = to_regtype(wanted ->> 'type'),
              'isNotNull', a.attnotnull, 'defaultSql', pg_get_expr(d.adbin, d.adrelid))
            FROM json_array_elements(given.columns::json) AS wanted
            JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attname = wanted ->> 'name' AND NOT a.attisdropped
            LEFT JOIN pg_catalog.pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum) AS columns,
    array(SELECT json_build_object('name', k.conname, 'kind', k.contype, 'sql', pg_get_constraintdef(k.oid))
            FROM pg_catalog.pg_constraint k
           WHERE k.conrelid = c.oid AND k.contype IN ('p', 'u', 'f') ORDER BY k.conname) AS constraints
    FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS given (name, columns, n)
    LEFT JOIN pg_catalog.pg_class c ON c.oid = to_regclass(given.name)
   ORDER BY n`

interface FoundColumn {
  readonly name: string
  readonly isType: boolean
  readonly isNotNull: boolean
  readonly defaultSql: string | null
}

interface FoundConstraint {
  readonly name: string
  readonly kind: string
  readonly sql: string
}

/** A part that differs, and the actions of ALTER TABLE that mend it. */
interface Change {
  readonly part: string
  readonly actions: readonly string[]
}

async function columnChanges(
  database: Postgres,
  { columns }: TableStatement,
  found: readonly FoundColumn[],
): Promise<Change[]> {
  const changes: Change[] = []
  for (const wanted of columns) {
    const there = found.find(({ name }) => name === wanted.name)
    const actions = there ? await columnActions(database, wanted, there) : [`ADD COLUMN ${written(wanted)}`]
    if (actions.length > 0) changes.push({ part: `column ${wanted.name}`, actions })
  }
  return changes
}

const written = ({ name, type, isNotNull, defaultSql }: ColumnDefinition): string =>
  [name, type, ...(isNotNull ? ['NOT NULL'] : []), ...(defaultSql ? [`DEFAULT ${defaultSql}`] : [])].join(' ')

async function columnActions(
  database: Postgres,
  { name, type, isNotNull, defaultSql }: ColumnDefinition,
  there: FoundColumn,
): Promise<string[]> {
  const set = isNotNull ? 'SET' : 'DROP'
  const isDefault = await isSameDefault(database, type, defaultSql, there.defaultSql ?? undefined)
  const actions = [
    ...(there.isType ? [] : [`TYPE ${type} USING ${name}::${type}`]),
    ...(there.isNotNull === isNotNull ? [] : [`${set} NOT NULL`]),
    ...(isDefault ? [] : [defaultSql === undefined ? 'DROP DEFAULT' : `SET DEFAULT ${defaultSql}`]),
  ]
  return actions.map((action) => `ALTER COLUMN ${name} ${action}`)
}

async function isSameDefault(
  database: Postgres,
  type: string,
  wanted: string | undefined,
  found: string | undefined,
): Promise<boolean> {
  if (wanted === undefined || found === undefined) return wanted === found
  const [same] = await haveSameMeaning(database, [{ wanted, found, type }])
  return same !== false
}

/** What takes the place of those that are of the same kind and columns, and say something else. */
function constraintChanges({ constraints }: TableStatement, found: readonly FoundConstraint[]): Change[] {
  return constraints
    .filter((wanted) => !found.some(({ sql }) => sql === wanted || withoutTarget(sql) === wanted))
    .map((wanted) => {
      const inPlace = found.filter(({ kind, sql }) =>
        kind === 'p' ? wanted.startsWith('PRIMARY KEY') : sql.startsWith(subjectOf(wanted)),
      )
      const drops = inPlace.map(({ name }) => `DROP CONSTRAINT ${quoteName(name)}`)
      return { part: wanted, actions: [...drops, `ADD ${wanted}`] }
    })
}

/** `FOREIGN KEY (a) REFERENCES b(c)` → `FOREIGN KEY (a) REFERENCES b`. */
const withoutTarget = (sql: string): string => sql.replace(/( REFERENCES [\w.]+)\([^)]*\)$/, '$1')

/** `FOREIGN KEY (a) REFERENCES b` → `FOREIGN KEY (a)`. */
const subjectOf = (sql: string): string => sql.slice(0, sql.indexOf(')') + 1)
