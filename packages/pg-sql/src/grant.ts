import { inSchema } from './schema.js'
import { FAMILIES, readSql, sqlFiles } from './sql-files.js'

const identifier = (name: string): string => `"${name.replaceAll('"', '""')}"`
const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`

/**
 * Lets a role read and make ids. New functions are everybody's, unless default privileges say otherwise: then the
 * role is given each of them but the owner's.
 */
export function grantSql(schema: string, role: string): string {
  const body = `
DECLARE
  one regprocedure;
BEGIN
  FOR one IN
    SELECT oid FROM pg_proc
     WHERE pronamespace = ${literal(schema)}::regnamespace AND NOT has_function_privilege(${literal(role)}, oid, 'EXECUTE')
       AND oid NOT IN (
         SELECT to_regprocedure(owners)::oid FROM unnest(ARRAY[${ownersFunctions(schema).map(literal).join(', ')}]) AS owners
          WHERE to_regprocedure(owners) IS NOT NULL)
  LOOP
    EXECUTE format('GRANT EXECUTE ON ROUTINE %s TO %I', one, ${literal(role)});
  END LOOP;
END `
  return [
    `GRANT USAGE ON SCHEMA ${schema} TO ${identifier(role)};`,
    `GRANT USAGE ON ALL SEQUENCES IN SCHEMA ${schema} TO ${identifier(role)};`,
    `DO ${literal(body)};`,
  ].join('\n')
}

/** Signatures of what the files keep from everybody, of all families: others may be there from before. */
function ownersFunctions(schema: string): string[] {
  const script = inSchema(sqlFiles(FAMILIES).map(readSql).join('\n'), schema)
  return [...script.matchAll(/REVOKE EXECUTE ON FUNCTION ([^;]+) FROM PUBLIC;/g)].flatMap(([, list]) =>
    (list as string).split(/(?<=\)),\s*/),
  )
}
