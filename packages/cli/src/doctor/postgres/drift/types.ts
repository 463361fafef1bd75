import { quoteName } from '../../columns/quote.js'
import type { Row } from '../../live-database.js'
import type { Postgres } from '../open.js'
import { type Difference, differing, missing } from './difference.js'
import { bracketed, type Created, created, type Statement, splitList } from './statement.js'

/** Composite types that are missing or have other attributes. */
export async function typeDrift(database: Postgres, statements: readonly Statement[]): Promise<Difference[]> {
  const types = created(statements, 'TYPE')
  const rows = await database.query(FOUND, [
    types.map(({ name }) => name),
    types.map((type) => JSON.stringify(attributesOf(type))),
  ])
  return types.flatMap((type, n) => {
    const found = rows[n] as Row
    const where = `type ${type.name}`
    if (!found['is_there']) return missing(type, where, { sql: type.sql })
    const wanted = found['wanted'] as string[]
    const there = found['attributes'] as string[]
    const from = wanted.findIndex((attribute, at) => attribute !== there[at])
    if (from < 0 && there.length === wanted.length) return []
    const kept = from < 0 ? wanted.length : from
    const changes = [
      ...(found['names'] as string[]).slice(kept).map((name) => `DROP ATTRIBUTE ${quoteName(name)}`),
      ...wanted.slice(kept).map((attribute) => `ADD ATTRIBUTE ${attribute}`),
    ]
    return differing(type, where, ['attributes'], [`ALTER TYPE ${type.name} ${changes.join(', ')}`])
  })
}

/** Attributes as `name type`; the types that are wanted are put into the server's words. */
const FOUND = `
  SELECT c.oid IS NOT NULL AS is_there,
    array(SELECT attribute ->> 0 || ' ' || coalesce(format_type(to_regtype(attribute ->> 1), NULL), attribute ->> 1)
            FROM json_array_elements(given.attributes::json) AS attribute) AS wanted,
    array(SELECT a.attname || ' ' || format_type(a.atttypid, a.atttypmod) FROM pg_catalog.pg_attribute a
           WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum) AS attributes,
    array(SELECT a.attname::text FROM pg_catalog.pg_attribute a
           WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum) AS names
    FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS given (name, attributes, n)
    LEFT JOIN pg_catalog.pg_type t ON t.oid = to_regtype(given.name)
    LEFT JOIN pg_catalog.pg_class c ON c.oid = t.typrelid AND c.relkind = 'c'
   ORDER BY n`

/** Name and type of each. */
const attributesOf = ({ definition }: Created): string[][] =>
  splitList(bracketed(definition, definition.indexOf('(')).content).map((one) => one.split(' '))
