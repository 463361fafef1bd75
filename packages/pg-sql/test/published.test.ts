import type { PostgresDatabase } from '@snoflax/test'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openPostgres } from './installed.js'

// Defaults, indexes and generated columns depend on what is published, so a change of the listed signatures is one
// that users notice. Names that start with _ are private.

let database: PostgresDatabase
beforeAll(async () => {
  database = await openPostgres()
})
afterAll(() => database.close())

const PUBLIC = `pronamespace = 'snoflax'::regnamespace AND proname !~ '^_'`

test('signatures, volatility, strictness and parallel safety are the published ones', async () => {
  // Overloads that differ in their arguments only are a line.
  const rows = await database.query(
    `SELECT concat_ws(' ',
       format('%s(%s) -> %s', proname, string_agg(arguments, ' | ' ORDER BY arguments COLLATE "C"), result),
       CASE prokind WHEN 'a' THEN 'aggregate' END,
       CASE provolatile WHEN 'i' THEN 'immutable' WHEN 's' THEN 'stable' ELSE 'volatile' END,
       CASE WHEN proisstrict THEN 'strict' END,
       CASE proparallel WHEN 's' THEN 'parallel safe' WHEN 'u' THEN 'parallel unsafe' ELSE 'parallel restricted' END,
       CASE WHEN prosecdef THEN 'security definer' END) AS line
       FROM pg_proc, pg_get_function_arguments(oid) AS arguments, pg_get_function_result(oid) AS result WHERE ${PUBLIC}
      GROUP BY proname, result, prokind, provolatile, proisstrict, proparallel, prosecdef
      ORDER BY proname COLLATE "C", min(arguments COLLATE "C")`,
  )
  const types = await database.query(
    `SELECT CASE typtype WHEN 'd' THEN format('domain %s AS %s%s CHECK %s', typname, format_type(typbasetype, NULL),
         CASE WHEN typcollation = '"C"'::regcollation THEN ' COLLATE "C"' END,
         (SELECT string_agg(pg_get_expr(conbin, 0), ' AND ') FROM pg_constraint WHERE contypid = t.oid))
       ELSE format('type %s AS (%s)', typname, (SELECT string_agg(format('%s %s', attname, format_type(atttypid, NULL)),
         ', ' ORDER BY attnum) FROM pg_attribute WHERE attrelid = typrelid)) END AS line
       FROM pg_type t WHERE typnamespace = 'snoflax'::regnamespace AND typname !~ '^_'
        AND (typtype = 'd' OR typtype = 'c' AND (SELECT relkind FROM pg_class WHERE oid = typrelid) = 'c')
      ORDER BY typtype, typname COLLATE "C"`,
  )
  const lines = [...rows, ...types].map((row) => String(row['line']).replaceAll(/\s+/g, ' '))
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('./published.txt')
})

test('every published object has a comment', async () => {
  const rows = await database.query(
    `SELECT oid::regprocedure::text AS name FROM pg_proc
      WHERE ${PUBLIC} AND obj_description(oid, 'pg_proc') IS NULL
     UNION ALL SELECT format_type(t.oid, NULL) FROM pg_type t LEFT JOIN pg_class c ON c.oid = typrelid
      WHERE typnamespace = 'snoflax'::regnamespace AND typname !~ '^_'
        AND (typtype = 'd' OR typtype = 'c' AND relkind = 'c') AND obj_description(t.oid, 'pg_type') IS NULL
     UNION ALL SELECT oid::regclass::text FROM pg_class WHERE relnamespace = 'snoflax'::regnamespace
        AND relname !~ '^_' AND relkind IN ('r', 'S', 'v') AND obj_description(oid, 'pg_class') IS NULL`,
  )
  expect(rows).toEqual([])
})

test('published functions that read are IMMUTABLE, STRICT unless inlined, and PARALLEL SAFE', async () => {
  const rows = await database.query(
    `SELECT oid::regprocedure::text AS name FROM pg_proc
      WHERE ${PUBLIC} AND prokind = 'f' AND proname !~ '_generate|_set_|^lease_|^partition_ddl$|^version$'
        AND NOT (provolatile = 'i' AND proparallel = 's' AND (proisstrict OR proname ~ '_between|_is_valid'))`,
  )
  expect(rows).toEqual([])
})

test('NULL returns NULL', async () => {
  const calls = await database.query(
    `SELECT format('SELECT %s(%s) IS NULL AS is', oid::regproc, (SELECT string_agg(
        CASE WHEN n = 1 OR type IN ('bytea'::regtype, 'uuid'::regtype) THEN 'NULL::' WHEN type = 'timestamptz'::regtype THEN '''2026-11-01''::'
          WHEN type = 'text'::regtype THEN '''a''::' ELSE '8::' END
          || format_type(type, NULL), ', ' ORDER BY n)
        FROM unnest(proargtypes) WITH ORDINALITY AS argument(type, n))) AS sql
       FROM pg_proc WHERE ${PUBLIC} AND prokind = 'f' AND pronargs > 0 AND proname !~ '_generate|_set_|^lease_|^partition_ddl$'
        AND proname NOT IN ('uid_from_local', 'uid_to_local')`,
  )
  expect(calls.length).toBeGreaterThan(100)
  const answers = await database.query(calls.map(({ sql }) => sql).join('\nUNION ALL '))
  expect(answers.filter(({ is }) => is !== true)).toEqual([])
})
