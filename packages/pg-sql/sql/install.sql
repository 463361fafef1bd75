-- Runs before the other files: one installation at a time, none over a newer one, and none into objects of other roles.

-- Only pg_catalog is searched until end.sql: objects of others elsewhere would run with the rights of the installing
-- role, and functions would be bound to them.
SELECT pg_catalog.set_config('snoflax.search_path', pg_catalog.current_setting('search_path'), true);
SET LOCAL search_path = pg_catalog, pg_temp;
-- Until end.sql, too: no notices about what already exists.
SELECT set_config('snoflax.client_min_messages', current_setting('client_min_messages'), true);
SELECT set_config('client_min_messages', 'warning', true) WHERE current_setting('client_min_messages') = 'notice';

SELECT pg_advisory_xact_lock(1936617320, hashtext('snoflax'));

-- What exists already, for revoke.sql.
SELECT set_config('snoflax.objects', coalesce(string_agg(class || oid, ' '), ''), true) FROM (
  SELECT 'pg_namespace', oid FROM pg_namespace WHERE oid = to_regnamespace('snoflax')
  UNION ALL SELECT 'pg_class', oid FROM pg_class WHERE relnamespace = to_regnamespace('snoflax')
  UNION ALL SELECT 'pg_proc', oid FROM pg_proc WHERE pronamespace = to_regnamespace('snoflax')
  UNION ALL SELECT 'pg_type', oid FROM pg_type WHERE typnamespace = to_regnamespace('snoflax')) AS existing (class, oid);

DO $$
DECLARE
  danger record;
  grantee text;
  installed text;
BEGIN
  IF to_regnamespace('snoflax') IS NULL THEN
    CREATE SCHEMA snoflax;
  END IF;

  IF current_setting('snoflax.extension', true) IS DISTINCT FROM 'on' AND EXISTS (
    SELECT FROM pg_depend
     WHERE classid = 'pg_namespace'::regclass AND objid = 'snoflax'::regnamespace AND deptype = 'e')
  THEN
    RAISE EXCEPTION 'install: the schema belongs to the extension snoflax' USING ERRCODE = '55000',
      HINT = 'ALTER EXTENSION snoflax UPDATE';
  END IF;

  -- Default privileges on schemas may let others create in this one.
  FOR grantee IN
    SELECT DISTINCT CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE a.grantee::regrole::text END
      FROM pg_namespace s, aclexplode(s.nspacl) a
     WHERE s.oid = 'snoflax'::regnamespace AND a.privilege_type = 'CREATE'
       AND a.grantee NOT IN (s.nspowner, quote_ident(current_user)::regrole) AND pg_has_role(s.nspowner, 'USAGE')
  LOOP
    EXECUTE format('REVOKE CREATE ON SCHEMA snoflax FROM %s CASCADE', grantee);
  END LOOP;

  -- A role that owns objects which these functions use, or may still create others beside them, gets the rights of all
  -- callers. Only a superuser has those anyway.
  WITH ours AS (
    SELECT 'snoflax'::regnamespace AS schema,
      '^(_|(flax|sno|flake|uid|uuid7|ulid|typeid|leases?)(_|$)|(version|identity|partition_ddl|min|max)$)' AS names
  ), owned (class, oid, owner, does) AS (
    SELECT 'pg_namespace'::regclass, s.oid, s.nspowner, 'owns' FROM pg_namespace s, ours WHERE s.oid = schema
    UNION ALL SELECT 'pg_namespace'::regclass, s.oid, a.grantee, 'may create in'
      FROM ours, pg_namespace s, aclexplode(s.nspacl) a WHERE s.oid = schema AND a.privilege_type = 'CREATE'
    UNION ALL SELECT 'pg_class'::regclass, c.oid, c.relowner, 'owns'
      FROM pg_class c, ours WHERE c.relnamespace = schema AND c.relname ~ names
    UNION ALL SELECT 'pg_proc'::regclass, p.oid, p.proowner, 'owns'
      FROM pg_proc p, ours WHERE p.pronamespace = schema AND p.proname ~ names
    UNION ALL SELECT 'pg_type'::regclass, t.oid, t.typowner, 'owns'
      FROM pg_type t, ours WHERE t.typnamespace = schema AND t.typname ~ names
    UNION ALL SELECT 'pg_trigger'::regclass, t.oid, p.proowner, 'owns the function of'
      FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid JOIN pg_proc p ON p.oid = t.tgfoid, ours
     WHERE c.relnamespace = schema AND c.relname ~ names
  )
  SELECT o.does, pg_describe_object(o.class, o.oid, 0) AS what, coalesce(r.rolname, 'PUBLIC') AS role INTO danger
    FROM owned o
    LEFT JOIN pg_roles r ON r.oid = CASE WHEN o.owner = 'pg_database_owner'::regrole
      THEN (SELECT datdba FROM pg_database WHERE datname = current_database()) ELSE o.owner END
   WHERE NOT coalesce(r.rolsuper OR r.rolname = current_user, false)
   LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION 'install: role % % %, and so could run code as role %', danger.role, danger.does,
      danger.what, current_user USING ERRCODE = '42501',
      HINT = 'Install as the role that owns the schema and all of it, into a schema in which no other role may create.';
  END IF;

  IF to_regprocedure('snoflax.version()') IS NULL THEN RETURN; END IF;
  -- Queries of a transaction that is not READ COMMITTED still see the state before it waited for the lock.
  IF NOT EXISTS (SELECT FROM pg_proc WHERE oid = to_regprocedure('snoflax.version()')) THEN
    RAISE EXCEPTION 'install: another session has just installed, which this % transaction can''t see',
      upper(current_setting('transaction_isolation')) USING ERRCODE = '40001',
      HINT = 'Run the transaction again, or install in a READ COMMITTED transaction.';
  END IF;
  EXECUTE 'SELECT snoflax.version()' INTO installed;
  -- A pre-release counts as its release.
  IF string_to_array(split_part(installed, '-', 1), '.')::integer[]
    > string_to_array(split_part('@version@', '-', 1), '.')::integer[]
  THEN
    RAISE EXCEPTION 'install: version % is installed, which is newer than @version@', installed
      USING ERRCODE = '55000', HINT = 'Install with the newer package.';
  END IF;
END $$;

CREATE OR REPLACE FUNCTION snoflax.version() RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN '@version@';

COMMENT ON FUNCTION snoflax.version() IS 'The version of these functions.';
