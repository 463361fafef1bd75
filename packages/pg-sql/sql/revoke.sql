-- Runs after manifest.sql: takes back what default privileges of the installing role have granted with the objects.

DO $$
DECLARE
  granted record;
BEGIN
  -- Others could write to the tables, and add triggers to them whose functions would run with the owner's rights.
  FOR granted IN
    SELECT DISTINCT c.oid::regclass AS relation, c.relkind, CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE a.grantee::regrole::text END AS role
      FROM pg_class c, aclexplode(c.relacl) a
     WHERE c.relnamespace = 'snoflax'::regnamespace AND c.relname ~ '^(_|(sno|flake|uid|uid_local)_state$|leases$|identity$)'
       AND c.relkind IN ('r', 'v', 'S') AND a.grantee <> c.relowner AND a.privilege_type NOT IN ('SELECT', 'USAGE')
  LOOP
    EXECUTE format('REVOKE %s ON %s FROM %s CASCADE', CASE granted.relkind WHEN 'S' THEN 'UPDATE'
      ELSE 'INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER' END, granted.relation, granted.role);
  END LOOP;

  -- Others could call the owner's functions. Those that were there before keep what the owner granted.
  FOR granted IN
    SELECT DISTINCT p.oid::regprocedure AS function, a.grantee::regrole::text AS role
      FROM pg_proc p, aclexplode(p.proacl) a
     WHERE p.oid IN (SELECT to_regprocedure(one)::oid FROM unnest(ARRAY[@owners@]) one)
       AND a.grantee NOT IN (0, p.proowner) AND p.oid::text <> ALL (string_to_array(current_setting('snoflax.functions'), ' '))
  LOOP
    EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM %s CASCADE', granted.function, granted.role);
  END LOOP;
END $$;
