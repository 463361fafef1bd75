-- Runs after the other files.

-- Default privileges of the installing role may let others write to the tables and add triggers to them, whose functions
-- would run with the owner's rights.
DO $$
DECLARE
  granted record;
BEGIN
  FOR granted IN
    SELECT DISTINCT c.oid::regclass AS relation, c.relkind, CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE a.grantee::regrole::text END AS role
      FROM pg_class c, aclexplode(c.relacl) a
     WHERE c.relnamespace = 'snoflax'::regnamespace AND c.relname ~ '^(_|(sno|flake|uid|uid_local)_state$|leases$|identity$)'
       AND c.relkind IN ('r', 'v', 'S') AND a.grantee <> c.relowner AND a.privilege_type NOT IN ('SELECT', 'USAGE')
  LOOP
    EXECUTE format('REVOKE %s ON %s FROM %s CASCADE', CASE granted.relkind WHEN 'S' THEN 'UPDATE'
      ELSE 'INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER' END, granted.relation, granted.role);
  END LOOP;
END $$;

SELECT set_config('client_min_messages', current_setting('snoflax.client_min_messages', true), true),
  set_config('search_path', current_setting('snoflax.search_path', true), true);
