import type { Row } from '../../live-database.js'
import type { Postgres } from '../open.js'
import { type Difference, differing, missing } from './difference.js'
import { changedExpressions } from './function-expressions.js'
import {
  type Argument,
  type FunctionStatement,
  functionOf,
  inputsOf,
  signatureOf,
} from './function-statement.js'
import type { Statement } from './statement.js'

/** Functions that are missing, or do or promise something else, or that others may call than should. */
export async function functionDrift(
  database: Postgres,
  statements: readonly Statement[],
): Promise<Difference[]> {
  const functions = statements.flatMap((statement) => functionOf(statement) ?? [])
  const owners = revoked(statements)
  const rows = await database.query(FOUND, [
    functions.map(({ name }) => name),
    functions.map((one) => typesOf(inputsOf(one))),
    functions.map(({ arguments: all }) => typesOf(all)),
    functions.map(({ result }) => result.type),
  ])
  const changed = await changedExpressions(database, functions, rows)
  return functions.flatMap((one, n) => {
    const revoke = owners.has(signatureOf(one)) ? revokeSql(one) : undefined
    return differenceOf(one, rows[n] as Row, changed.get(one) ?? [], revoke)
  })
}

const revokeSql = (one: FunctionStatement): string =>
  `REVOKE EXECUTE ON FUNCTION ${signatureOf(one)} FROM PUBLIC`

/** `revoke` is the statement that goes with a function for the owner alone. */
function differenceOf(
  one: FunctionStatement,
  row: Row,
  expressions: readonly string[],
  revoke: string | undefined,
): Difference[] {
  const where = `function ${signatureOf(one)}`
  const again = [one.sql, ...(revoke ? [revoke] : [])]
  if (!row['is_there']) return [missing(one, where, { sql: again.join(';\n') })]
  const lasting = lastingParts(one, row)
  const parts = [...new Set([...lasting, ...replaceableParts(one, row), ...expressions])]
  const isOpen = revoke !== undefined && row['is_public'] === true
  if (lasting.length > 0) return differing(one, where, parts, [`DROP FUNCTION ${signatureOf(one)}`, ...again])
  if (!isOpen) return differing(one, where, parts, [one.sql])
  return differing(one, where, [...parts, 'privileges'], parts.length > 0 ? again : [revoke])
}

const typesOf = (some: readonly Argument[]): string => JSON.stringify(some.map(({ type }) => type))

/** By name and types. Before version 16 to_regprocedure() fails where a type is missing. */
const FOUND = `
  SELECT p.oid IS NOT NULL AS is_there, l.lanname AS language, p.provolatile AS volatility, p.proisstrict AS strict,
    p.proparallel AS parallel, p.prosecdef AS definer, coalesce(p.proconfig, '{}') AS settings,
    p.proretset AS is_set, p.prorettype = to_regtype(given.result) AS is_result,
    coalesce(p.proargnames, '{}') AS names,
    array(SELECT to_regtype(t)::oid FROM json_array_elements_text(given.types::json) AS t)
      = array(SELECT unnest(coalesce(p.proallargtypes, p.proargtypes::oid[]))) AS are_types,
    array(SELECT coalesce(pg_get_function_arg_default(p.oid, n::integer), '')
            FROM generate_series(1, cardinality(coalesce(p.proallargtypes, p.proargtypes::oid[]))) AS n) AS defaults,
    pg_get_function_sqlbody(p.oid) AS sql_body, p.prosrc AS source,
    EXISTS (SELECT FROM aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) AS a
             WHERE a.grantee = 0 AND a.privilege_type = 'EXECUTE') AS is_public
    FROM unnest($1::text[], $2::text[], $3::text[], $4::text[]) WITH ORDINALITY
      AS given (name, inputs, types, result, n)
    LEFT JOIN pg_catalog.pg_proc p ON p.pronamespace = to_regnamespace(split_part(given.name, '.', 1))
      AND p.proname = split_part(given.name, '.', 2) AND array(SELECT unnest(p.proargtypes))
        = array(SELECT to_regtype(t)::oid FROM json_array_elements_text(given.inputs::json) AS t)
    LEFT JOIN pg_catalog.pg_language l ON l.oid = p.prolang
   ORDER BY n`

/** What a function keeps when it is replaced. */
function lastingParts(wanted: FunctionStatement, found: Row): string[] {
  const parts: string[] = []
  const isSame = found['is_result'] === true && found['is_set'] === wanted.result.isSet
  if (!isSame) parts.push('result')
  const names = wanted.arguments.map(({ name }) => name)
  if (!found['are_types'] || String(found['names']) !== String(names)) parts.push('arguments')
  if (defaultsOf(found).some((one, n) => one && wanted.arguments[n]?.defaultSql === undefined)) {
    parts.push('defaults')
  }
  return parts
}

const ATTRIBUTES = ['language', 'volatility', 'strict', 'parallel', 'definer', 'settings'] as const
const CALLED: Readonly<Record<string, string>> = {
  strict: 'strictness',
  parallel: 'parallel safety',
  definer: 'security',
}

function replaceableParts(wanted: FunctionStatement, found: Row): string[] {
  return ATTRIBUTES.filter((name) => String(found[name]) !== String(wanted[name])).map(
    (name) => CALLED[name] ?? name,
  )
}

const defaultsOf = (found: Row): readonly string[] => found['defaults'] as string[]

const REVOKED = /^REVOKE EXECUTE ON FUNCTION ([\s\S]*) FROM PUBLIC$/

/** The functions that are for the owner alone, by their signatures. */
function revoked(statements: readonly Statement[]): Set<string> {
  const all = statements.flatMap(({ sql }) => REVOKED.exec(sql)?.[1] ?? [])
  return new Set(all.flatMap((list) => [...list.matchAll(/[\w.]+\([^)]*\)/g)].map(([one]) => one)))
}
