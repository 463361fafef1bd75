-- Runs after manifest.sql: nobody but the owner holds what default privileges grant with new objects, nor ever what changes
-- them. The catalog says what there is to hold, so that a new version's privileges are among them. What existed before keeps
-- what only reads and calls, which may be the owner's own GRANT.

DO $$
DECLARE
  held record;
BEGIN
  FOR held IN
    WITH objects (kind, class, oid, name, owner, acl) AS (
      SELECT 'SCHEMA', 'pg_namespace', oid, oid::regnamespace::text, nspowner, nspacl
        FROM pg_namespace WHERE oid = 'snoflax'::regnamespace
      UNION ALL SELECT CASE c.relkind WHEN 'S' THEN 'SEQUENCE' ELSE 'TABLE' END, 'pg_class', c.oid, c.oid::regclass::text, c.relowner, acl
        FROM pg_class c CROSS JOIN LATERAL (
          SELECT c.relacl UNION ALL SELECT attacl FROM pg_attribute WHERE attrelid = c.oid) its (acl)
       WHERE c.relnamespace = 'snoflax'::regnamespace AND c.relkind IN ('r', 'v', 'S')
         AND c.relname ~ '^(_|(sno|flake|uid|uid_local)_state$|leases$|identity$)'
      UNION ALL SELECT 'ROUTINE', 'pg_proc', oid, oid::regprocedure::text, proowner, proacl
        FROM pg_proc WHERE pronamespace = 'snoflax'::regnamespace
      UNION ALL SELECT 'TYPE', 'pg_type', oid, oid::regtype::text, typowner, typacl
        FROM pg_type WHERE typnamespace = 'snoflax'::regnamespace
    )
    SELECT o.kind, o.name, string_agg(DISTINCT a.privilege_type, ', ') AS privileges,
        CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE a.grantee::regrole::text END AS role
      FROM objects o, aclexplode(o.acl) a
     WHERE a.grantee <> o.owner
       AND NOT (a.privilege_type IN ('SELECT', 'USAGE', 'EXECUTE')
         AND o.class || o.oid = ANY (string_to_array(current_setting('snoflax.objects'), ' ')))
       -- The files grant these, and take EXECUTE on the owner's functions from PUBLIC.
       AND NOT (a.grantee = 0 AND (o.kind, a.privilege_type) IN (('ROUTINE', 'EXECUTE'), ('TYPE', 'USAGE')))
       AND NOT (a.grantee = 0 AND a.privilege_type = 'SELECT'
         AND replace(o.name, '"', '') ~ '^snoflax[.](leases|identity|_manifest)$')
     GROUP BY o.kind, o.name, a.grantee
  LOOP
    EXECUTE format('REVOKE %s ON %s %s FROM %s CASCADE', held.privileges, held.kind, held.name, held.role);
  END LOOP;
END $$;
