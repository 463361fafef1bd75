import { quoteName, quoteText } from '@snoflax/core/adapter'
import { FAMILIES, filesOf, sqlOf } from './sql-files.js'

/**
 * Lets a role read and generate ids. PUBLIC may execute new functions, unless default privileges say otherwise: then the
 * role gets EXECUTE on each function except the owner's.
 */
export function grantSql(schema: string, role: string): string {
  const body = `
DECLARE
  one regprocedure;
BEGIN
  FOR one IN
    SELECT oid FROM pg_proc
     WHERE pronamespace = ${quoteText(schema)}::regnamespace AND NOT has_function_privilege(${quoteText(role)}, oid, 'EXECUTE')
       AND oid NOT IN (
         SELECT to_regprocedure(owners)::oid FROM unnest(ARRAY[${ownersFunctions(schema).map(quoteText).join(', ')}]) AS owners
          WHERE to_regprocedure(owners) IS NOT NULL)
  LOOP
    EXECUTE format('GRANT EXECUTE ON ROUTINE %s TO %I', one, ${quoteText(role)});
  END LOOP;
END `
  return [
    `GRANT USAGE ON SCHEMA ${schema} TO ${quoteName(role)};`,
    `GRANT USAGE ON ALL SEQUENCES IN SCHEMA ${schema} TO ${quoteName(role)};`,
    `DO ${quoteText(body)};`,
  ].join('\n')
}

/** Lets a role lease numbers. That is more than generating ids: the role can lease all of them. */
export function grantLeasesSql(schema: string, role: string): string {
  const functions = [
    'lease_acquire(text, text, integer, integer, integer, integer, bigint)',
    'lease_renew(uuid, integer, bigint)',
    'lease_release(uuid, bigint)',
  ].map((signature) => `${schema}.${signature}`)
  return [
    `GRANT USAGE ON SCHEMA ${schema} TO ${quoteName(role)};`,
    `GRANT EXECUTE ON FUNCTION ${functions.join(', ')} TO ${quoteName(role)};`,
  ].join('\n')
}

/**
 * Signatures of the functions that the files revoke from PUBLIC, for all families, since an earlier installation may
 * have more of them.
 */
export function ownersFunctions(schema: string): string[] {
  return [
    ...sqlOf(filesOf(FAMILIES), schema).matchAll(/REVOKE EXECUTE ON FUNCTION\s+([^;]+) FROM PUBLIC;/g),
  ].flatMap(([, list]) => (list as string).split(/(?<=\)),\s*/))
}
