import type { ReplacedColumn } from '../adoption.js'
import { legacyName, newName } from '../column-names.js'
import { refuse } from '../refusal.js'
import { pathOf } from '../replaced-columns.js'
import { shownName } from '../sql-text.js'
import { type Column, readColumns } from './catalog.js'
import type { Session } from './session.js'

/** Bytes that PostgreSQL keeps of a name. */
const NAME_BYTES = 63

/** @throws {IdError} for what the switch could not carry over to the new columns. */
export async function refuseObstacles(
  session: Session,
  columns: readonly ReplacedColumn[],
  allowTriggers: readonly string[],
): Promise<void> {
  const tables = [...new Set(columns.map(({ table }) => table))]
  const known = await readColumns(session, tables)
  await refuseHiddenRows(session, tables)
  for (const column of columns) refuseColumn(known.get(pathOf(column)) as Column, column.isRoot, known)
  await refuseDependents(session, columns)
  await refuseTriggers(session, tables, allowTriggers)
}

/** What row security hides would be left without ids, silently. */
async function refuseHiddenRows(session: Session, tables: readonly string[]): Promise<void> {
  const [hidden] = await session.query<{ table: string }>(
    'SELECT t AS table FROM unnest($1::text[]) AS t WHERE row_security_active(t) ORDER BY 1 LIMIT 1',
    [tables],
  )
  if (hidden)
    refuse(shownName(hidden.table), 'row security hides rows of it from this role; use one with BYPASSRLS')
}

function refuseColumn(column: Column, isRoot: boolean, known: ReadonlyMap<string, Column>): void {
  const path = pathOf(column)
  if (column.generated) refuse(path, 'the column is generated')
  if (column.refusesNull)
    refuse(
      path,
      `its domain ${column.type} takes no null, which new rows have for an old key after the switch`,
    )
  if (column.hasDefault && !isRoot)
    refuse(path, 'the column has a default, which is an old key; drop it, and set another after the switch')
  if (column.hasPrivileges)
    refuse(
      path,
      'the column has privileges of its own, which a new column would lack; revoke them and grant them again after the switch',
    )
  for (const name of [newName(column.column), legacyName(column.column)]) {
    if (new TextEncoder().encode(name).length > NAME_BYTES)
      refuse(path, `${name} is too long for a name; rename the column`)
    if (known.has(pathOf({ ...column, column: name })) && name === legacyName(column.column)) {
      refuse(path, `the table already has a column ${name}`)
    }
  }
}

/** Whatever uses the old column would go on using it after the switch, silently. */
async function refuseDependents(session: Session, columns: readonly ReplacedColumn[]): Promise<void> {
  const [dependent] = await session.query<{ what: string; table: string; column: string }>(
    `SELECT pg_describe_object(d.classid, d.objid, d.objsubid) AS what, k.table, k.column
       FROM unnest($1::text[], $2::text[]) AS k ("table", "column")
       JOIN pg_attribute AS a ON a.attrelid = k.table::regclass AND a.attname = k.column
       JOIN pg_depend AS d ON d.refclassid = 'pg_class'::regclass AND d.refobjid = a.attrelid AND d.refobjsubid = a.attnum
       LEFT JOIN pg_constraint AS c ON d.classid = 'pg_constraint'::regclass AND c.oid = d.objid
       LEFT JOIN pg_class AS r ON d.classid = 'pg_class'::regclass AND r.oid = d.objid AND d.objsubid = 0
       LEFT JOIN pg_attrdef AS v ON d.classid = 'pg_attrdef'::regclass AND v.oid = d.objid
      WHERE coalesce(c.contype NOT IN ('p', 'u', 'f', 'n'), true) AND coalesce(r.relkind NOT IN ('i', 'S'), true)
        AND NOT coalesce(v.adrelid = a.attrelid AND v.adnum = a.attnum, false)
      ORDER BY 2, 3, 1 LIMIT 1`,
    [columns.map(({ table }) => table), columns.map(({ column }) => column)],
  )
  if (dependent === undefined) return
  refuse(
    pathOf(dependent),
    `${dependent.what} depends on it and would go on with the old values; drop it, and create it again after the switch`,
  )
}

async function refuseTriggers(
  session: Session,
  tables: readonly string[],
  allowed: readonly string[],
): Promise<void> {
  const [trigger] = await session.query<{ name: string; table: string }>(
    `SELECT tgname AS name, t AS table FROM unnest($1::text[]) AS t JOIN pg_trigger ON tgrelid = t::regclass
      WHERE NOT tgisinternal AND tgenabled <> 'D' AND tgname <> ALL ($2::text[]) ORDER BY 2, 1 LIMIT 1`,
    [tables, allowed],
  )
  if (trigger === undefined) return
  refuse(
    shownName(trigger.table),
    `trigger ${trigger.name} would fire for every row that is filled, and may know the old key; ` +
      'disable it, or name it in allowTriggers once you have looked at it',
  )
}
